"""Counting after the reply, with real processes. Texts and ids are what the hook would hand over."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unpretty.tokens import background, child
from unpretty.tokens.background import count_later, interpreter
from unpretty.tokens.count import load_counter

linux = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into /proc")
PACKAGE_ROOT = Path(background.__file__).parents[2]


def started_log(directory: Path) -> Path:
    """The log with the hook's line in it, or without it: a count is only added to a log that exists."""
    log = directory / "decisions.jsonl"
    log.touch(0o600)
    return log


def lines_of(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def wait_for_lines(log: Path, number: int, seconds: float = 30) -> list[dict[str, object]]:
    end = time.monotonic() + seconds
    while len(lines_of(log)) < number and time.monotonic() < end:
        time.sleep(0.05)
    return lines_of(log)


def children_at(log: Path) -> list[int]:
    """Counting processes, waiting or working, that have this log's lock file open."""
    lock = f"{log}.counting"
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if any(os.readlink(handle) == lock for handle in (entry / "fd").iterdir()):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def has_loaded_tiktoken(pid: int) -> bool:
    try:
        return "_tiktoken" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False


def start_like_the_hook(log: Path, texts: list[tuple[str, str, str]], **options: object) -> subprocess.Popen[bytes]:
    """A process without site, like the hook, that starts the counting, prints that, and ends."""
    code = (
        f"import sys; sys.path.insert(0, {str(PACKAGE_ROOT)!r})\n"
        "from unpretty.tokens.background import count_later\n"
        f"print(count_later(sys.executable, {str(log)!r}, {texts!r}), flush=True)\n"
    )
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", code], stdout=subprocess.PIPE, **options)


def test_counts_of_each_text_arrive_in_the_log(tmp_path):
    log = started_log(tmp_path)
    before, after = '{\n  "a": [1, 2]\n}', '{"a":[1,2]}'
    assert count_later(sys.executable, str(log), [("id1", before, after), ("id2", "ä€😀 \ud800", "")])
    first, second = wait_for_lines(log, 2)
    tokens_of = load_counter()
    assert (first["v"], first["kind"], first["id"]) == (1, "tokens", "id1")
    assert (first["tokens_in"], first["tokens_out"]) == (tokens_of(before), tokens_of(after))
    assert (second["tokens_in"], second["tokens_out"]) == (tokens_of("ä€😀 \ud800"), 0)
    assert abs(float(str(first["ts"])) / 1000 - time.time()) < 60
    assert Path(f"{log}.counting").stat().st_mode & 0o777 == 0o600


def test_the_hook_can_start_it_without_site_packages(tmp_path):
    log = started_log(tmp_path)
    hook = start_like_the_hook(log, [("id", "hello world", "hello")])
    output, _ = hook.communicate(timeout=20)
    assert output == b"True\n"
    assert [line["tokens_in"] for line in wait_for_lines(log, 1)] == [2]


@linux
def test_the_child_holds_none_of_the_agents_pipes(tmp_path):
    """Claude Code drops a rewrite while a child of the hook holds standard output or standard error."""
    log = started_log(tmp_path)
    block = os.open(f"{log}.counting", os.O_RDWR | os.O_CREAT)
    child.fcntl.lockf(block, child.fcntl.LOCK_EX, 1, 0)  # so that the child waits and can be examined
    hook = start_like_the_hook(log, [("id", "a", "b")], stderr=subprocess.PIPE, stdin=subprocess.PIPE)
    started = time.monotonic()
    output, errors = hook.communicate(timeout=20)
    assert (output, errors) == (b"True\n", b"")
    while len(children_at(log)) < 2:  # this process has the file open too
        assert time.monotonic() - started < 20
        time.sleep(0.02)
    (waiting,) = set(children_at(log)) - {os.getpid()}
    handles = {os.readlink(handle) for handle in Path(f"/proc/{waiting}/fd").iterdir()}
    assert not [handle for handle in handles if handle.startswith(("pipe:", "socket:"))]
    assert os.getsid(waiting) == waiting
    assert os.getpriority(os.PRIO_PROCESS, waiting) == 19
    arguments = Path(f"/proc/{waiting}/cmdline").read_bytes().split(b"\0")[:-1]
    assert arguments == [os.fsencode(sys.executable), b"-I", os.fsencode(background.CHILD)]
    os.close(block)
    assert len(wait_for_lines(log, 1)) == 1


@linux
def test_a_burst_of_thirty_counts_one_at_a_time_and_leaves_no_process(tmp_path):
    """At most one process counts at a time, and none after a minute."""
    log = started_log(tmp_path)
    started = time.monotonic()
    hooks = [start_like_the_hook(log, [(f"id{number}", "some text " * 500, "short")]) for number in range(30)]
    for hook in hooks:
        hook.communicate(timeout=60)
    most_counting, seen = 0, set()
    while time.monotonic() - started < 60:
        present = children_at(log)
        seen.update(present)
        most_counting = max(most_counting, sum(map(has_loaded_tiktoken, present)))
        if not present and len(seen) > 1:
            break
        time.sleep(0.05)
    assert not children_at(log)
    assert most_counting == 1
    counted = lines_of(log)
    assert len({line["id"] for line in counted}) == len(counted) >= 10


def test_who_waits_too_long_gives_up(tmp_path, monkeypatch):
    """SIGALRM's default action ends the process; here the alarm is a second."""
    log = started_log(tmp_path)
    block = os.open(f"{log}.counting", os.O_RDWR | os.O_CREAT)
    child.fcntl.lockf(block, child.fcntl.LOCK_EX, 1, 0)
    impatient = tmp_path / "src" / "unpretty" / "tokens" / "child.py"
    impatient.parent.mkdir(parents=True)
    impatient.write_text(Path(child.__file__).read_text().replace("WAIT_SECONDS = 35", "WAIT_SECONDS = 1"))
    monkeypatch.setattr(background, "CHILD", str(impatient))
    assert count_later(sys.executable, str(log), [("id", "a", "b")])
    _, status = os.waitpid(background._started[-1], 0)
    assert os.WTERMSIG(status) == child.signal.SIGALRM
    os.close(block)
    assert lines_of(log) == []


def test_who_comes_when_many_wait_gives_up(tmp_path, monkeypatch):
    lock = str(tmp_path / "lock")
    monkeypatch.setattr(child, "MAX_WAITING", 3)
    holder = subprocess.Popen(
        [sys.executable, "-c", f"import fcntl,os,sys;h=os.open({lock!r},os.O_RDWR|os.O_CREAT);"
         "fcntl.lockf(h,fcntl.LOCK_EX,4,0);print(flush=True);sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdout is not None
    holder.stdout.readline()
    assert child.take_turn(lock) is None
    holder.communicate(b"", timeout=10)
    turn = child.take_turn(lock)
    assert turn is not None
    os.close(turn)


def test_an_unusable_interpreter_is_no_error(tmp_path):
    log = started_log(tmp_path)
    assert not count_later(str(tmp_path / "gone" / "python"), str(log), [("id", "a", "b")])
    assert not count_later("py\0thon", str(log), [("id", "a", "b")])


def test_a_missing_memory_file_is_no_error(tmp_path, monkeypatch):
    import posix

    def refuse(*args: object) -> int:
        raise OSError("no more")

    monkeypatch.setattr(posix, "memfd_create", refuse, raising=False)
    assert not count_later(sys.executable, str(tmp_path / "log"), [("id", "a", "b")])


def test_a_failing_write_closes_the_handle_and_is_no_error(tmp_path, monkeypatch):
    def full(handle: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(background.system, "write_all", full)
    before = len(os.listdir("/dev/fd"))
    assert not count_later(sys.executable, str(tmp_path / "log"), [("id", "a", "b")])
    assert len(os.listdir("/dev/fd")) == before


def test_texts_go_through_a_file_without_a_name_where_there_is_no_memory_file(tmp_path, monkeypatch):
    import posix

    log = started_log(tmp_path)
    monkeypatch.delattr(posix, "memfd_create", raising=False)
    handle = background._write_parts([str(log), "secret"])
    assert os.listdir(tmp_path) == [log.name]
    assert os.fstat(handle).st_nlink == 0
    assert os.fstat(handle).st_mode & 0o777 == 0o600
    os.close(handle)
    assert count_later(sys.executable, str(log), [("id", "hello world", "hello")])
    assert [line["tokens_in"] for line in wait_for_lines(log, 1)] == [2]


def test_a_closed_standard_input_is_no_error(tmp_path):
    code = (
        f"import sys; sys.path.insert(0, {str(PACKAGE_ROOT)!r})\nimport posix\nposix.close(0)\n"
        "from unpretty.tokens.background import count_later\n"
        f"print(count_later(sys.executable, {str(tmp_path / 'log')!r}, [('id', 'a', 'b')]))\n"
    )
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, timeout=20, check=True)
    assert run.stdout == b"False\n"


def test_a_long_lived_caller_keeps_no_zombies(tmp_path):
    """Each call takes the exit status of the children before it."""
    log = started_log(tmp_path)
    assert count_later(sys.executable, str(log), [("0", "a", "b")])
    first = background._started[-1]
    assert len(wait_for_lines(log, 1)) == 1
    until = time.monotonic() + 30
    while "\nState:\tZ" not in Path(f"/proc/{first}/status").read_text() and time.monotonic() < until:
        time.sleep(0.05)
    assert count_later(sys.executable, str(log), [("1", "a", "b")])
    assert first not in background._started
    assert not Path(f"/proc/{first}").exists()


def test_a_child_reaped_by_somebody_else_is_forgotten(monkeypatch):
    monkeypatch.setattr(background, "_started", [2**22 + 1])
    background._reap()
    assert background._started == []


def test_no_key_of_the_agent_reaches_the_child(tmp_path, monkeypatch):
    import posix

    handed: dict[str, object] = {}

    def spawn(path: str, arguments: list[str], environment: object, **options: object) -> int:
        handed.update(arguments=arguments, environment=environment)
        return 2**22 + 1

    monkeypatch.setattr(posix, "posix_spawn", spawn)
    monkeypatch.setitem(posix.environ, b"ANTHROPIC_API_KEY", b"sk-secret")
    monkeypatch.setitem(posix.environ, b"LANG", b"C.UTF-8")
    assert count_later(sys.executable, str(tmp_path / "log"), [("id", "secret text", "b")])
    assert handed["environment"] == {
        name: value for name, value in posix.environ.items() if name in background._KEPT_VARIABLES
    }
    assert "secret" not in repr(handed)


def make_environment(directory: Path) -> Path:
    """A virtual environment's skeleton: its interpreter is a link to the base interpreter."""
    base = directory / "base" / "bin"
    base.mkdir(parents=True)
    (base / "python3.12").touch()
    binaries = directory / "env" / "bin"
    binaries.mkdir(parents=True)
    (directory / "env" / "pyvenv.cfg").touch()
    (binaries / "python3").symlink_to(base / "python3.12")
    (binaries / "python").symlink_to("python3")
    return binaries / "python"


def test_the_installers_link_is_followed_into_the_virtual_environment_but_not_out_of_it(tmp_path):
    python = make_environment(tmp_path)
    link = tmp_path / "data" / "python"
    link.parent.mkdir()
    link.symlink_to(python)
    assert interpreter(str(link)) == str(python)
    assert interpreter(str(python)) == str(python)


def test_an_interpreter_without_an_environment_is_started_by_the_path_given(tmp_path):
    make_environment(tmp_path)
    link = tmp_path / "python"
    link.symlink_to("base/bin/python3.12")
    assert interpreter(str(link)) == str(link)


def test_a_ring_of_links_ends(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert interpreter(str(tmp_path / "a")) == str(tmp_path / "a")


def test_texts_that_cannot_be_counted_are_left_out_and_the_others_counted(tmp_path, monkeypatch):
    from unpretty.errors import UnprettyError
    from unpretty.tokens import count

    def tokens_of(text: str) -> int:
        if text == "bad":
            raise UnprettyError("no")
        return len(text)

    monkeypatch.setattr(count, "load_counter", lambda: tokens_of)
    log = started_log(tmp_path)
    child.count(str(log), iter(["id1", "bad", "x", "id2", "four", "x"]), 1 << 20, 2)
    assert [(line["id"], line["tokens_in"]) for line in lines_of(log)] == [("id2", 4)]


@pytest.fixture
def in_this_process(monkeypatch):
    """Let the child's own steps run here: nothing that would change this process permanently."""
    alarms: list[int] = []
    monkeypatch.setattr(child.os, "nice", lambda step: step)
    monkeypatch.setattr(child.os, "setsid", lambda: None)
    monkeypatch.setattr(child.signal, "alarm", alarms.append)
    standard_input = os.dup(0)
    yield alarms
    os.dup2(standard_input, 0)
    os.close(standard_input)


def test_all_steps_of_the_child_in_order(tmp_path, monkeypatch, in_this_process):
    log = started_log(tmp_path)
    handle = background._write_parts([str(log), "1000", "2", "id", "hello world", "hello"])
    os.dup2(handle, 0)
    os.close(handle)
    child.main()
    assert in_this_process == [child.WAIT_SECONDS, child.WORK_SECONDS]
    assert child.WAIT_SECONDS + child.WORK_SECONDS < 60
    assert [(line["tokens_in"], line["tokens_out"]) for line in lines_of(log)] == [(2, 1)]


def test_a_child_that_gets_no_turn_counts_nothing(tmp_path, monkeypatch, in_this_process):
    log = started_log(tmp_path)
    handle = background._write_parts([str(log), "1000", "2", "id", "hello world", "hello"])
    os.dup2(handle, 0)
    os.close(handle)
    monkeypatch.setattr(child, "MAX_WAITING", 0)
    child.main()
    assert lines_of(log) == []


@pytest.mark.parametrize("deleted", ["before its turn", "while it waits"])
def test_a_child_whose_log_was_deleted_counts_nothing_and_leaves_no_lock(
    tmp_path, monkeypatch, in_this_process, deleted
):
    """`uninstall --purge` within seconds of a conversion."""
    log = started_log(tmp_path)
    handle = background._write_parts([str(log), "1000", "2", "id", "hello world", "hello"])
    os.dup2(handle, 0)
    os.close(handle)
    take_turn = child.take_turn

    def deleting(lock_path: str) -> int | None:
        turn = take_turn(lock_path)
        log.unlink()
        return turn

    if deleted == "before its turn":
        log.unlink()
    else:
        monkeypatch.setattr(child, "take_turn", deleting)
    child.main()
    assert os.listdir(tmp_path) == []
    assert child.WORK_SECONDS not in in_this_process
