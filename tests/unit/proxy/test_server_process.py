"""The proxy as a process: exit statuses, signals, standard error, and no process left, whichever side ends first."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from unpretty.proxy.server_process import CannotStart, ServerProcess, end_like

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and process groups of POSIX")

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
# Ends neither at the end of input nor when asked to.
STUBBORN = (
    "import signal, sys, time\n"
    "for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(name, signal.SIG_IGN)\n"
    "print('ready', flush=True)\n"
    "while True: time.sleep(1)"
)


_started: list[subprocess.Popen[bytes]] = []


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Whatever a test started ends with it, also a test that failed."""
    yield
    for process in _started:
        finish(process)
    _started.clear()


def start(*command: str, options: tuple[str, ...] = (), **keywords) -> subprocess.Popen[bytes]:
    proxy = [sys.executable, "-m", "unpretty", "proxy", *options, "--", *command]
    _started.append(subprocess.Popen(proxy, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **keywords))
    return _started[-1]


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", code)


def finish(process: subprocess.Popen[bytes], timeout: float = 20) -> int:
    try:
        return process.wait(timeout)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(pid: int, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


def child_of(pid: int) -> int:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.02)
    raise AssertionError("the proxy started nothing")


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.mark.parametrize("status", [0, 1, 42, 255])
def test_the_exit_status_is_that_of_the_server(status):
    assert finish(start("sh", "-c", f"exit {status}")) == status


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGINT])
def test_a_server_that_a_signal_kills_takes_the_proxy_the_same_way(number):
    assert finish(start("sh", "-c", f"kill -{int(number)} $$")) == -number


@pytest.mark.parametrize(("command", "status"), [("no-such-program", 127), ("/", 126), ("/dev/null", 126)])
def test_a_command_that_cannot_be_started_is_named_on_standard_error(command, status):
    process = start(command, "x", stderr=subprocess.PIPE)
    said = process.stderr.read().decode()
    assert finish(process) == status
    assert said.startswith(f"unpretty: cannot start the MCP server{':' if status == 127 else ''} {command}")
    assert said.count("\n") == 1


def test_an_argument_that_no_program_can_get_is_an_error():
    with pytest.raises(CannotStart) as caught:
        ServerProcess(["sh", "a\0b"])
    assert caught.value.status == 126


def test_options_of_the_server_are_not_options_of_the_proxy():
    code = "import sys; print(sys.argv[1:])"
    for separator in ((), ("--",)):
        proxy = [sys.executable, "-m", "unpretty", "proxy", "--name", "x", *separator, sys.executable, "-c", code]
        done = subprocess.run([*proxy, "--name", "y", "--", "-h"], capture_output=True, timeout=30, check=True)
        assert done.stdout.decode().strip() == "['--name', 'y', '--', '-h']"


def test_standard_error_of_the_server_is_that_of_the_proxy():
    process = start("sh", "-c", "echo words >&2", stderr=subprocess.PIPE)
    assert process.stderr.read() == b"words\n"
    assert finish(process) == 0


def test_all_that_a_server_wrote_before_it_ended_reaches_a_client_that_reads_late():
    process = start(*python("import sys; sys.stdout.write('x' * 3_000_000)"))
    time.sleep(1.5)
    assert len(process.stdout.read()) == 3_000_000
    assert finish(process) == 0


def test_a_server_that_closes_its_output_and_goes_on_closes_it_for_the_client():
    process = start("sh", "-c", "exec >&-; read line; exit 5")
    assert process.stdout.read() == b""
    process.stdin.write(b"go\n")
    process.stdin.flush()
    assert finish(process) == 5


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_reach_the_server(number):
    code = (
        "import os, signal, time\n"
        f"signal.signal({int(number)}, lambda *_: (os.write(1, b'got it\\n'), os._exit(9)))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(1)"
    )
    process = start(*python(code))
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    assert process.stdout.readline() == b"got it\n"
    assert finish(process) == 9


def test_what_a_server_started_gets_the_signal_too():
    process = start("sh", "-c", f"{shlex.quote(sys.executable)} -I -S -c 'import time; time.sleep(60)' & echo $!; wait")
    inner = int(process.stdout.readline())
    process.send_signal(signal.SIGTERM)
    assert finish(process) == -signal.SIGTERM
    assert wait_for_end(inner)


def test_a_server_that_does_not_end_when_asked_is_killed(monkeypatch):
    monkeypatch.setattr("unpretty.proxy.server_process.KILL_AFTER", 0.2)
    server = ServerProcess(python(STUBBORN))
    assert os.read(server.stdout, 100) == b"ready\n"
    assert server.is_running
    server.end()
    server.end()
    assert server.wait() == -signal.SIGKILL
    assert not server.is_running
    server.clear_up()
    server.end()
    server._process.stdin.close()
    server._process.stdout.close()


@pytest.fixture
def handlers_kept() -> Iterator[None]:
    """Signal handlers are as before when the test ends."""
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    yield
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.mark.usefixtures("handlers_kept")
def test_each_forwarded_signal_reaches_the_server_and_one_that_ends_starts_the_clock(monkeypatch):
    monkeypatch.setattr("unpretty.proxy.server_process.KILL_AFTER", 0.3)
    server = ServerProcess(python(STUBBORN))
    assert os.read(server.stdout, 100) == b"ready\n"
    server.forward_signals()
    os.kill(os.getpid(), signal.SIGINT)  # ignored by the server, and not an order to end
    time.sleep(0.5)
    assert server.is_running
    os.kill(os.getpid(), signal.SIGTERM)
    assert server.wait() == -signal.SIGKILL
    server._process.stdin.close()
    server._process.stdout.close()


def test_a_status_that_is_no_signal_is_handed_back():
    assert [end_like(status) for status in (0, 1, 255)] == [0, 1, 255]


@pytest.mark.usefixtures("handlers_kept")
def test_a_signal_that_ends_nothing_by_default_becomes_a_status():
    assert end_like(-signal.SIGCHLD) == 128 + signal.SIGCHLD


def test_a_pipe_that_cannot_be_widened_is_used_as_it_is(monkeypatch):
    import fcntl

    monkeypatch.delattr(fcntl, "F_SETPIPE_SZ", raising=False)
    server = ServerProcess(["true"])
    assert server.wait() == 0
    server._process.stdin.close()
    server._process.stdout.close()


@linux
def test_the_server_dies_with_a_proxy_that_is_killed_without_notice():
    process = start(*python(STUBBORN))
    assert process.stdout.readline() == b"ready\n"
    server = child_of(process.pid)
    process.kill()
    assert finish(process) == -signal.SIGKILL
    assert wait_for_end(server)


@linux
def test_a_server_that_waits_for_input_ends_with_a_client_that_is_killed_without_notice():
    client = (
        "import os, subprocess, sys, time\n"
        f"proxy = subprocess.Popen({[sys.executable, '-m', 'unpretty', 'proxy', '--', *python(ECHO)]!r},"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(proxy.pid, flush=True)\n"
        "time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", client], stdout=subprocess.PIPE)
    proxy = int(process.stdout.readline())
    server = child_of(proxy)
    process.kill()
    assert wait_for_end(server)
    assert wait_for_end(proxy)
    finish(process)


@linux
def test_a_server_that_owes_an_answer_ends_with_a_client_that_is_killed_without_notice():
    process = start(*python(STUBBORN))
    assert process.stdout.readline() == b"ready\n"
    server = child_of(process.pid)
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    process.stdin.close()
    process.stdout.close()
    assert wait_for_end(server, 15)
    assert process.wait(10) == -signal.SIGKILL


def test_a_server_that_is_killed_in_the_middle_of_a_call_ends_the_connection():
    process = start(
        *python("import os, sys\nsys.stdin.readline()\nprint('half a mess', end='', flush=True)\nos.abort()")
    )
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}\n')
    process.stdin.flush()
    assert process.stdout.read() == b"half a mess"
    assert finish(process) == -signal.SIGABRT


@linux
def test_what_a_server_left_running_ends_with_it():
    process = start("sh", "-c", f"{shlex.quote(sys.executable)} -I -S -c 'import time; time.sleep(60)' >&- & echo $!")
    inner = int(process.stdout.readline())
    assert finish(process) == 0
    assert wait_for_end(inner)


def test_passthrough_tells_at_the_end_what_it_has_seen():
    process = start(*python(ECHO), options=("--passthrough",), stderr=subprocess.PIPE)
    process.stdin.close()
    process.stdin = None
    said = process.stderr.read().decode()
    assert finish(process) == 0
    assert said == "unpretty: 0 tool results were passed on unchanged; their 0 bytes would have become 0.\n"
