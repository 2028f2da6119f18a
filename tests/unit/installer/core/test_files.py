import errno
import os
import sys
from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer.core import files

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


def test_reading_tells_a_missing_file_from_one_that_cannot_be_read(tmp_path):
    file = tmp_path / "file"
    assert files.read(file) is None
    file.write_bytes(b"x")
    assert files.read(file) == b"x"
    with pytest.raises(UnprettyError, match="cannot be read"):
        files.read(tmp_path)
    with pytest.raises(UnprettyError, match="a file is where a directory should be"):
        files.read(file / "below")


@posix
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnprettyError, match=r"cannot be read \(it is a pipe\)"):
        files.read(tmp_path / "pipe")


@posix
@pytest.mark.parametrize("leads_to", ["link", "/", "/nowhere"])
def test_a_link_of_ours_that_leads_to_no_file_counts_as_nothing(tmp_path, leads_to):
    link = tmp_path / "link"
    link.symlink_to(leads_to)
    assert files.read(link, own=True) is None
    if leads_to != "/nowhere":
        with pytest.raises(UnprettyError, match="cannot be read"):
            files.read(link)


@posix
def test_a_link_is_read_as_the_path_that_it_holds(tmp_path):
    link = tmp_path / "link"
    assert files.read_link(link) is None
    link.symlink_to("/nowhere/é")
    assert files.read_link(link) == "/nowhere/é".encode()
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(UnprettyError, match="should be a symbolic link"):
        files.read_link(tmp_path / "file")


@posix
def test_replacing_goes_through_links_and_keeps_them(tmp_path):
    repo = tmp_path / "repo"
    repo.mkdir()
    real = repo / "settings.json"
    real.write_bytes(b"old")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(real)
    files.replace(tmp_path / "one", b"new")
    assert real.read_bytes() == b"new"
    assert (tmp_path / "one").is_symlink()
    assert (tmp_path / "two").is_symlink()
    assert os.listdir(repo) == ["settings.json"]


@posix
def test_a_link_that_leads_nowhere_gets_its_target_created(tmp_path):
    (tmp_path / "link").symlink_to("target.json")
    files.replace(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target.json").read_bytes() == b"new"
    files.remove(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert not (tmp_path / "target.json").exists()


@posix
def test_links_that_go_round_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for path in (tmp_path / "a", tmp_path / "a" / "below" / "file"):
        with pytest.raises(UnprettyError, match="leads to itself"):
            files.target(path)
    with pytest.raises(UnprettyError, match="leads to itself"):
        files.target(tmp_path / "a" / "file", own=True)
    assert files.target(tmp_path / "a", own=True) == tmp_path / "a"


@posix
def test_above_a_file_of_ours_links_are_followed_also_into_directories_that_are_not_there_yet(tmp_path):
    (tmp_path / "data").symlink_to(tmp_path / "disk" / "unpretty")
    path = tmp_path / "data" / "python"
    assert files.missing_directories(path, own=True) == (tmp_path / "disk" / "unpretty", tmp_path / "disk")
    files.make_directories(path, 0o700, own=True)
    gone = tmp_path / "gone"
    files.replace_link(path, bytes(gone / "python"))
    assert os.readlink(tmp_path / "disk" / "unpretty" / "python") == str(gone / "python")
    assert files.missing_directories(path, own=True) == ()
    assert files.missing_directories(path) == (gone,)
    assert files.why_not_writable(path, own=True) is None
    files.replace(path, b"a file now", 0o600, own=True)
    assert path.read_bytes() == b"a file now"
    assert not path.is_symlink()


@posix
def test_a_read_only_directory_is_an_obstacle_for_what_is_ours_whatever_it_leads_to(tmp_path):
    directory = tmp_path / "directory"
    directory.mkdir()
    (directory / "python").symlink_to(tmp_path)
    directory.chmod(0o555)
    try:
        found = files.why_not_writable(directory / "python", own=True)
    finally:
        directory.chmod(0o755)
    assert found == ("read_only", f"is in a read-only directory ({directory})")


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o755])
def test_an_existing_file_keeps_its_permissions(tmp_path, mode):
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(mode)
    files.replace(file, b"new", 0o600)
    assert file.stat().st_mode & 0o777 == mode


@posix
def test_a_new_file_gets_the_mode_asked_for_or_what_the_umask_leaves(tmp_path):
    old = os.umask(0o027)
    try:
        files.replace(tmp_path / "a", b"")
        files.replace(tmp_path / "b", b"", 0o600)
    finally:
        os.umask(old)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_stays_theirs(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"old")
    os.chown(file, 12345, 23456)
    file.chmod(0o640)
    files.replace(file, b"new")
    state = file.stat()
    assert (state.st_uid, state.st_gid, state.st_mode & 0o777) == (12345, 23456, 0o640)


@posix
def test_when_the_owner_cannot_be_kept_the_old_file_stays_whole(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(b"old")
    state = file.stat()

    def refuse(path, uid, gid):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    def foreign(self, **_):
        return os.stat_result((state.st_mode, 1, 1, 1, state.st_uid + (self == file), *state[5:10]))

    monkeypatch.setattr(Path, "stat", foreign)
    monkeypatch.setattr(os, "chown", refuse)
    with pytest.raises(PermissionError):
        files.replace(file, b"new")
    assert os.listdir(tmp_path) == ["file"]
    assert file.read_bytes() == b"old"


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_whatever_fails_the_old_file_is_whole_and_no_temporary_file_stays(tmp_path, monkeypatch, call):
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    if call == "write":
        monkeypatch.setattr(files.os, "fdopen", lambda fd, mode: os.close(fd) or fail())
    else:
        monkeypatch.setattr(*((Path, call) if call == "replace" else (os, call)), fail)
    with pytest.raises(OSError, match="No space left"):
        files.replace(file, b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_what_a_killed_process_left_beside_the_file_is_swept_away_but_nothing_else(tmp_path):
    file = tmp_path / "settings[1].json"
    left, fresh, foreign = (
        tmp_path / f".{name}" for name in ("settings[1].json.x1.unpretty", "settings[1].json.x2.unpretty", "s.unpretty")
    )
    for path in (left, fresh, foreign):
        path.write_bytes(b"")
    for path in (left, foreign):
        os.utime(path, (1, 1))
    files.replace(file, b"new")
    assert sorted(os.listdir(tmp_path)) == sorted([fresh.name, foreign.name, file.name])


@posix
def test_a_link_is_replaced_without_a_gap_and_nothing_stays_when_that_fails(tmp_path, monkeypatch):
    link = tmp_path / "python"
    files.replace_link(link, b"/one")
    files.replace_link(link, b"/two")
    assert os.readlink(link) == "/two"

    def fail(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="Read-only"):
        files.replace_link(link, b"/three")
    assert os.readlink(link) == "/two"
    assert os.listdir(tmp_path) == ["python"]


@posix
def test_a_file_or_directory_that_nobody_may_write_counts_as_read_only_even_for_root(tmp_path):
    directory = tmp_path / "directory"
    directory.mkdir()
    file = directory / "file"
    assert files.why_not_writable(file) is None
    file.write_bytes(b"")
    file.chmod(0o444)
    assert files.why_not_writable(file) == ("read_only", "is read-only")
    file.chmod(0o644)
    directory.chmod(0o555)
    try:
        assert files.why_not_writable(file) == ("read_only", f"is in a read-only directory ({directory})")
        assert files.why_not_writable(directory / "new" / "file") == (
            "read_only",
            f"is in a read-only directory ({directory})",
        )
    finally:
        directory.chmod(0o755)


@posix
def test_a_link_into_the_nix_store_is_named_as_such(tmp_path, monkeypatch):
    store = tmp_path / "nix" / "store"
    store.mkdir(parents=True)
    (store / "abc-settings.json").write_bytes(b"{}")
    (tmp_path / "settings.json").symlink_to(store / "abc-settings.json")
    monkeypatch.setattr(files, "NIX_STORE", f"{store}/")
    code, clause = files.why_not_writable(tmp_path / "settings.json") or ("", "")
    assert code == "nix_store"
    assert clause == f"is managed by Nix ({store}/abc-settings.json)"


def test_a_directory_in_the_files_place_and_a_file_in_a_directories_place_are_obstacles(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert files.why_not_writable(tmp_path) == ("bad_path", "is a directory")
    code, clause = files.why_not_writable(tmp_path / "file" / "x" / "y") or ("", "")
    assert (code, clause) == ("bad_path", f"cannot be created, since {tmp_path / 'file'} is not a directory")


def test_directories_are_created_with_their_mode_and_removed_only_when_empty(tmp_path):
    file = tmp_path / "a" / "b" / "file"
    assert files.missing_directories(file) == (tmp_path / "a" / "b", tmp_path / "a")
    made = files.make_directories(file, 0o700)
    assert made == [tmp_path / "a" / "b", tmp_path / "a"]
    if sys.platform != "win32":
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    (tmp_path / "a" / "other").write_bytes(b"")
    files.remove_empty(made)
    assert os.listdir(tmp_path / "a") == ["other"]
