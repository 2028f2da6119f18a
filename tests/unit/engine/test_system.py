"""System calls without os: the same answers as os gives."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unpretty.engine import system


def test_files_are_written_and_read_whole(tmp_path: Path) -> None:
    path = str(tmp_path / "f")
    handle = system.open_file(path, system.WRITE | system.CREATE)
    assert not os.get_inheritable(handle)
    system.write_all(handle, b"x" * 3_000_000)
    system.close(handle)
    assert system.read_file(path, 10) == b"x" * 10
    handle = system.open_file(path, system.READ)
    assert len(system.read_to_end(handle, 10_000_000)) == 3_000_000
    system.close(handle)
    handle = system.open_file(path, system.READ)
    assert 1_000_000 < len(system.read_to_end(handle, 1_000_000)) < 3_000_000
    system.close(handle)


@pytest.mark.parametrize(
    ("path", "directory"), [("/a/b/c", "/a/b"), ("/a", "/"), ("C:\\a\\b", "C:\\a"), ("C:/a/b", "C:/a")]
)
def test_the_directory_of_a_path(path: str, directory: str) -> None:
    assert system.directory_of(path) == directory


def test_the_environment_is_read_with_and_without_os(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNPRETTY_TEST", "é")
    assert system.environment("UNPRETTY_TEST") == "é"
    assert system.environment("UNPRETTY_MISSING") is None
    program = (
        f"import sys; sys.path.insert(0, {str(Path(system.__file__).parents[2])!r})\n"
        "from unpretty.engine import system; assert 'os' not in sys.modules\n"
        "print(ascii(system.environment('UNPRETTY_TEST')), system.environment('UNPRETTY_MISSING'))\n"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"UNPRETTY_TEST": "é"})
    assert done.stdout == "'\\xe9' None\n"


def test_directories_are_private_also_those_above_and_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        system.make_directories(str(tmp_path / "a" / "b"))
        system.make_directories(str(tmp_path / "a" / "b"))
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700, 0o700]


def test_a_file_in_the_way_of_a_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(OSError, match="a"):
        system.make_directories(str(tmp_path / "a" / "b"))


def test_pipes_that_do_not_wait_are_read_and_written_whole() -> None:
    program = (
        "from unpretty.engine import system\n"
        "data = system.read_to_end(0, 1 << 30); system.write_all(1, data * 100); system.close(1)"
    )
    inward, outward = os.pipe(), os.pipe()
    os.set_blocking(inward[0], False)
    os.set_blocking(outward[1], False)
    with subprocess.Popen([sys.executable, "-c", program], stdin=inward[0], stdout=outward[1]) as process:
        os.close(inward[0])
        os.close(outward[1])
        time.sleep(0.2)
        os.write(inward[1], b"x" * 10_000)
        os.close(inward[1])
        time.sleep(0.2)
        with open(outward[0], "rb") as source:
            assert len(source.read()) == 1_000_000
    assert process.returncode == 0


@pytest.fixture
def as_root_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another user's home, and root: both are simulated, so that every user can run these tests."""
    home = tmp_path / "home"
    home.mkdir()
    real = system.stat
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(system._calls, "geteuid", lambda: 0)

    def foreign(path: str) -> os.stat_result:
        state = real(path)
        return os.stat_result((*state[:4], 54321, 65432, *state[6:10])) if path == str(home) else state

    monkeypatch.setattr(system, "stat", foreign)
    return home


posix = pytest.mark.skipif(sys.platform == "win32", reason="owners are POSIX")


@posix
def test_only_what_was_created_is_given_to_the_owner_of_home(
    as_root_elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, int, int]] = []
    monkeypatch.setattr(system._calls, "fchown", lambda handle, *owner: given.append((os.fstat(handle).st_ino, *owner)))
    there = tmp_path / "there"
    there.touch(0o640)
    mode = there.stat().st_mode
    for name, flags in (("there", system.CREATE), ("new", system.CREATE), ("alone", system.CREATE | system.EXCLUSIVE)):
        handle = system.open_file(str(tmp_path / name), system.WRITE | flags)
        system.write_all(handle, b"x")
        system.close(handle)
    system.make_directories(str(tmp_path / "a" / "b"))
    system.make_directories(str(tmp_path / "a" / "b"))
    assert given == [((tmp_path / name).stat().st_ino, 54321, 65432) for name in ("new", "alone", "a", "a/b")]
    assert there.stat().st_mode == mode
    assert there.read_bytes() == b"x"
    with pytest.raises(FileExistsError):
        system.open_file(str(there), system.WRITE | system.CREATE | system.EXCLUSIVE)


@posix
def test_root_creates_nothing_through_a_link_of_the_users_that_leads_nowhere(
    as_root_elsewhere: Path, tmp_path: Path
) -> None:
    """It could lead into a directory of root's, and the file would be given away there."""
    (tmp_path / "log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileNotFoundError):
        system.open_file(str(tmp_path / "log"), system.WRITE | system.CREATE)
    assert not (tmp_path / "elsewhere").exists()


@posix
@pytest.mark.parametrize("home", ["", "relative", "/nonexistent/home", "/"])
def test_without_a_home_of_somebody_else_everything_is_as_usual(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system._calls, "geteuid", lambda: 0)
    monkeypatch.setenv("HOME", home)
    assert system.home_owner() is None
    monkeypatch.delenv("HOME")
    assert system.home_owner() is None


@posix
def test_who_is_not_root_gives_nothing_away(as_root_elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert system.home_owner() == (54321, 65432)
    monkeypatch.setattr(system._calls, "geteuid", lambda: 1000)
    assert system.home_owner() is None


@pytest.mark.parametrize(("text", "writable"), [("", True), ("a", True), ("\u6f22", True), ("\ud83d\ude00"[:1], False)])
def test_half_a_surrogate_pair_is_not_utf8(text: str, writable: bool) -> None:
    assert system.is_utf8(text) is writable


def test_the_directory_of_this_python_is_named_as_sysconfig_names_it() -> None:
    import sysconfig

    assert Path(sysconfig.get_paths()["stdlib"]).name == system.python_directory()
