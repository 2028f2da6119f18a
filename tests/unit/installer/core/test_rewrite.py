"""A file that another program rewrites at any time is changed all the same, and nothing that it wrote is lost."""

import json
import os
import threading
import time
from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer.core import files, rewrite


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "state.json"
    path.write_bytes(b"one")
    return path


@pytest.fixture
def lock(file: Path) -> Path:
    return file.with_name("state.json.lock")


def more(data: bytes) -> bytes:
    return data if data.endswith(b"+") else data + b"+"


def test_the_file_is_changed_and_the_lock_is_gone(file, lock):
    file.chmod(0o640)
    rewrite.rewrite(file, more, lock)
    assert file.read_bytes() == b"one+"
    assert file.stat().st_mode & 0o777 == 0o640
    assert not lock.exists()


def test_a_file_that_is_as_it_should_be_is_not_written(file, lock):
    rewrite.rewrite(file, more, lock)
    before = file.stat()
    rewrite.rewrite(file, more, lock)
    assert file.stat() == before


def test_what_was_written_between_reading_and_writing_is_kept(file, lock):
    seen = []

    def edit(data: bytes) -> bytes:
        seen.append(data)
        if len(seen) == 1:
            file.write_bytes(b"two")
        return more(data)

    rewrite.rewrite(file, edit, lock)
    assert seen == [b"one", b"two"]
    assert file.read_bytes() == b"two+"


def test_it_waits_while_the_other_program_holds_the_lock(file, lock):
    lock.mkdir()

    def other() -> None:
        time.sleep(0.2)
        file.write_bytes(b"theirs")
        lock.rmdir()

    thread = threading.Thread(target=other)
    thread.start()
    rewrite.rewrite(file, more, lock)
    thread.join()
    assert file.read_bytes() == b"theirs+"
    assert not lock.exists()


def test_a_lock_that_stays_is_respected(file, lock, monkeypatch):
    monkeypatch.setattr(rewrite, "_WAIT_SECONDS", 0.1)
    lock.mkdir()
    with pytest.raises(UnprettyError, match="left alone") as problem:
        rewrite.rewrite(file, more, lock)
    assert problem.value.code == "changed_meanwhile"
    assert file.read_bytes() == b"one"
    assert lock.is_dir()


def test_a_lock_that_was_left_behind_is_taken_away(file, lock):
    lock.mkdir()
    long_ago = time.time() - 3600
    os.utime(lock, (long_ago, long_ago))
    rewrite.rewrite(file, more, lock)
    assert file.read_bytes() == b"one+"
    assert not lock.exists()


def test_a_lock_that_cannot_be_taken_away_ends_the_waiting(file, lock, monkeypatch):
    monkeypatch.setattr(rewrite, "_WAIT_SECONDS", 0.1)
    lock.write_text("a file")
    long_ago = time.time() - 3600
    os.utime(lock, (long_ago, long_ago))
    with pytest.raises(UnprettyError):
        rewrite.rewrite(file, more, lock)
    assert file.read_bytes() == b"one"


def test_a_lock_that_goes_while_its_age_is_asked_is_no_problem(lock):
    assert not rewrite._is_stale(lock)


def test_a_program_that_never_rests_ends_the_trying(file, lock):
    def edit(data: bytes) -> bytes:
        file.write_bytes(data + b"x")
        return more(data)

    with pytest.raises(UnprettyError, match="all the time"):
        rewrite.rewrite(file, edit, lock)
    assert not lock.exists()


def test_a_file_that_is_gone_is_said_to_be(file, lock):
    file.unlink()
    with pytest.raises(UnprettyError, match="not there"):
        rewrite.rewrite(file, more, lock)


def test_the_lock_goes_when_writing_fails(file, lock, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        rewrite.rewrite(file, more, lock)
    assert file.read_bytes() == b"one"
    assert not lock.exists()


def test_no_write_of_a_program_that_locks_is_lost(file, lock):
    """Both add to the file as Claude Code does: lock, read, write next to it, rename, unlock."""
    file.write_text(json.dumps({"theirs": 0, "ours": 0}))
    rounds = 40

    def count(key: str, data: bytes) -> bytes:
        value = json.loads(data)
        return json.dumps({**value, key: value[key] + 1}).encode()

    def other() -> None:
        for _ in range(rounds):
            while True:
                try:
                    lock.mkdir()
                    break
                except FileExistsError:
                    time.sleep(0.001)
            beside = file.with_name("state.json.tmp")
            beside.write_bytes(count("theirs", file.read_bytes()))
            beside.replace(file)
            lock.rmdir()
            time.sleep(0.002)

    thread = threading.Thread(target=other)
    thread.start()
    for _ in range(rounds):
        rewrite.rewrite(file, lambda data: count("ours", data), lock)
    thread.join()
    assert json.loads(file.read_bytes()) == {"theirs": rounds, "ours": rounds}
