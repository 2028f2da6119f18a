import sys
from pathlib import Path

import pytest

from unpretty_installer.core import planning
from unpretty_installer.core.plan import FileChange

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


def change(path: Path, ours: bool = False, kind: str = "file", after: bytes = b"y") -> FileChange:
    return FileChange(path, b"x", after, "", ours=ours, kind=kind)  # type: ignore[arg-type]


@posix
def test_obstacles_name_the_file_and_offer_the_snippet_only_for_the_agents_own_files(tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(b"x")
    file.chmod(0o444)
    (theirs,) = planning.obstacles([change(file)], "SNIPPET")
    assert (theirs.code, theirs.message, theirs.snippet) == ("read_only", f"{file} is read-only.", "SNIPPET")
    assert theirs.hint == "Make it writable, or paste the snippet yourself."
    (ours,) = planning.obstacles([change(file, ours=True)], "SNIPPET")
    assert (ours.hint, ours.snippet) == ("Make it writable.", "")
    assert planning.obstacles([change(file, after=b"x")]) == ()


@posix
def test_what_a_link_leads_to_is_no_obstacle_but_its_directory_is(tmp_path):
    target = tmp_path / "target"
    target.write_bytes(b"")
    target.chmod(0o444)
    directory = tmp_path / "directory"
    directory.mkdir()
    (directory / "python").symlink_to(target)
    assert planning.obstacles([change(directory / "python", kind="link")]) == ()
    directory.chmod(0o555)
    try:
        assert len(planning.obstacles([change(directory / "python", kind="link")])) == 1
    finally:
        directory.chmod(0o755)


@posix
def test_the_undo_command_calls_this_very_install(monkeypatch, tmp_path, machine):
    directory = tmp_path / "with space"
    directory.mkdir()
    monkeypatch.setattr(sys, "executable", str(directory / "python"))
    assert planning.undo_command("codex") == f"'{directory}/python' -m unpretty uninstall codex --apply"
    script = directory / "unpretty"
    script.write_text("")
    script.chmod(0o755)
    assert planning.own_program() == f"'{script}'"
    (machine / "unpretty").symlink_to(script)
    assert planning.own_program() == "unpretty"
    (machine / "unpretty").unlink()
    other = machine / "unpretty"
    other.write_text("")
    other.chmod(0o755)
    assert planning.own_program() == f"'{script}'"


def test_two_paths_to_one_file_are_the_same_even_when_it_is_missing(tmp_path):
    assert planning.same_file(tmp_path / "a", tmp_path / "b" / ".." / "a")
    assert not planning.same_file(tmp_path / "a", tmp_path / "b")


def test_paths_that_lead_to_the_same_file_count_once(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    paths = [tmp_path / "real" / "x", tmp_path / "y", tmp_path / "link" / "x"]
    assert planning.each_once(paths) == paths[:2]
    assert planning.is_among(paths[2], paths[:2])
    assert not planning.is_among(paths[1], paths[::2])
