"""Appending lines: whole, private, bounded, by many processes at once, and never a reason to fail."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unpretty.decision_log import writer
from unpretty.engine.json_text.writer import to_ascii_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), VALUES))
def test_any_record_is_one_line_of_ascii_json(record: dict[str, object]) -> None:
    line = to_ascii_json(record)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line) == record


def test_the_directory_and_the_file_are_private(tmp_path: Path) -> None:
    log = tmp_path / "a" / "b" / "decisions.jsonl"
    assert writer.append(str(log), {"n": 1})
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700
    assert log.read_text() == '{"n":1}\n'


def test_a_full_log_is_rotated_and_the_oldest_file_goes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for number in range(40):
        assert writer.append(str(log), {"n": number}, max_bytes=50, max_files=3)
    kept = [path.name for path in sorted(tmp_path.iterdir())]
    assert kept == ["log", "log.1", "log.2"]
    lines = [line for name in ("log.2", "log.1", "log") for line in (tmp_path / name).read_text().splitlines()]
    assert lines == [f'{{"n":{number}}}' for number in range(40 - len(lines), 40)]
    assert all(path.stat().st_size <= 50 for path in tmp_path.iterdir())


def test_a_single_file_is_started_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for number in range(9):
        assert writer.append(str(log), {"n": number}, max_bytes=20, max_files=1)
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_another_writers_rotation_is_waited_out_by_appending(tmp_path: Path) -> None:
    log = tmp_path / "log"
    (tmp_path / "log.lock").touch()
    for number in range(9):
        assert writer.append(str(log), {"n": number}, max_bytes=20)
    assert len(log.read_text().splitlines()) == 9


def test_who_finds_the_log_rotated_already_does_not_rotate_it_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("new\n")
    handle = writer._rotate(str(log), 8, max_bytes=50, max_files=3)
    assert handle is not None
    os.close(handle)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("log", "new\n")]


def test_the_lock_of_a_killed_writer_is_broken(tmp_path: Path) -> None:
    log, lock = tmp_path / "log", tmp_path / "log.lock"
    lock.touch()
    os.utime(lock, (time.time() - 60,) * 2)
    for number in range(9):
        assert writer.append(str(log), {"n": number}, max_bytes=20)
    assert not lock.exists()
    assert (tmp_path / "log.1").exists()


def test_fifty_writers_with_rotation_lose_nothing_and_break_no_line(tmp_path: Path) -> None:
    """Kept files hold everything here, so every line that was written must be found whole."""
    log = tmp_path / "decisions.jsonl"
    program = (
        f"import sys; sys.path.insert(0, {str(Path(writer.__file__).parents[2])!r})\n"
        "from unpretty.decision_log.writer import append\n"
        f"for n in range(20): assert append({str(log)!r}, {{'who': sys.argv[1], 'n': n}}, 500, 1000)\n"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    running = [subprocess.Popen([*command, str(who)]) for who in range(50)]
    assert [process.wait() for process in running] == [0] * 50
    lines = [line for path in tmp_path.glob("decisions.jsonl*") for line in path.read_text().splitlines()]
    assert len(lines) == 1000
    assert len({(record["who"], record["n"]) for record in map(json.loads, lines)}) == 1000
    assert len(list(tmp_path.glob("decisions.jsonl.[0-9]*"))) > 2
    assert not (tmp_path / "decisions.jsonl.lock").exists()


@pytest.mark.parametrize("place", ["directory", "file in the way", "null byte", "full"])
def test_a_log_that_cannot_be_written_is_no_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    path = {
        "directory": str(tmp_path),
        "file in the way": str(tmp_path / "file" / "log"),
        "null byte": "a\0b",
        "full": "/dev/full",
    }[place]
    assert writer.append(path, {"n": 1}) is False


def test_ids_and_times() -> None:
    assert len({writer.new_id() for _ in range(100)}) == 100
    assert abs(writer.now_ms() - time.time() * 1000) < 5000


def test_without_the_accelerator_the_writer_still_works() -> None:
    program = (
        f"import sys; sys.modules['_json'] = None; sys.path.insert(0, {str(Path(writer.__file__).parents[2])!r})\n"
        "from unpretty.engine.json_text.writer import to_ascii_json; print(to_ascii_json({'a': 'é'}))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == '{"a":"\\u00e9"}\n'


def test_without_create_a_line_is_added_only_to_a_file_that_is_there(tmp_path: Path) -> None:
    log = tmp_path / "directory" / "log"
    assert writer.append(str(log), {"n": 1}, create=False) is False
    assert list(tmp_path.iterdir()) == []
    assert writer.append(str(log), {"n": 1})
    assert writer.append(str(log), {"n": 2}, create=False)
    assert log.read_text() == '{"n":1}\n{"n":2}\n'
    log.unlink()
    assert writer.append(str(log), {"n": 1}, create=False) is False
    assert list(log.parent.iterdir()) == []


def test_a_process_whose_script_is_gone_adds_to_the_log_but_does_not_create_it(tmp_path: Path) -> None:
    """A hook, worker or proxy that outlives `uninstall`; an update replaces the script and changes nothing."""
    script, log = tmp_path / "hook.py", tmp_path / "decisions.jsonl"
    script.write_text(
        f"import os, sys; sys.path.insert(0, {str(Path(writer.__file__).parents[2])!r})\n"
        "from unpretty.decision_log.writer import append\n"
        f"log = {str(log)!r}\n"
        "said = [append(log, {'n': 1})]\n"
        "os.rename(__file__, __file__ + '.new'); os.rename(__file__ + '.new', __file__); os.unlink(log)\n"
        "said.append(append(log, {'n': 2}))\n"
        "os.unlink(__file__)\n"
        "said.append(append(log, {'n': 3}))\n"
        "os.unlink(log)\n"
        "said.append(append(log, {'n': 4}))\n"
        "print(said, os.path.exists(log))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "[True, True, True, False] False\n"
