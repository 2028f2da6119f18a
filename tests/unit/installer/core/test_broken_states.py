"""The registered command in every broken state of the machine: status 0, and not a byte on either output."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from unpretty import locations
from unpretty_installer.core import launcher, registered
from unpretty_installer.core.apply import apply
from unpretty_installer.core.plan import Plan

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a guard of POSIX shells")

SHELLS = [shell for shell in ("/bin/sh", "/bin/dash", "/bin/bash", "/bin/zsh", "/usr/bin/zsh") if Path(shell).exists()]
ROWS = [{"id": number, "name": f"user {number}"} for number in range(40)]
PAYLOAD = json.dumps(
    {
        "session_id": "s", "transcript_path": None, "cwd": "/", "hook_event_name": "PostToolUse", "model": "gpt-5.5",
        "tool_name": "mcp__t__list", "tool_input": {}, "tool_use_id": "call_1",
        "tool_response": {"content": [{"type": "text", "text": json.dumps(ROWS, indent=2)}]},
    }
).encode()  # fmt: skip


@pytest.fixture
def data_dir() -> Path:
    """Our directory with ``python`` and ``hook.py`` in it, as the installer leaves it."""
    apply(Plan("unpretty", "x", changes=launcher.changes()))
    return locations.data_dir()


def run(shell: str = "/bin/sh", **options: object) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [shell, "-c", registered.shell_command("codex")], input=PAYLOAD, capture_output=True, timeout=30, **options
    )  # type: ignore[call-overload]
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_answers_while_nothing_is_broken(data_dir: Path, shell: str) -> None:
    status, output, errors = run(shell)
    assert (status, errors) == (0, b"")
    assert json.loads(output)["reason"].endswith(json.dumps(ROWS, separators=(",", ":")))


def program(text: str) -> Callable[[Path], None]:
    """Replaces the interpreter by a script."""

    def put(path: Path) -> None:
        path.unlink()
        path.write_text(text)
        path.chmod(0o755)

    return put


def replaced(by: Callable[[Path], object]) -> Callable[[Path], None]:
    """Removes the file, then does something with its path."""

    def put(path: Path) -> None:
        path.unlink()
        by(path)

    return put


def half_an_interpreter(path: Path) -> None:
    """Cut in the middle, as by a full disk: the system treats it as a program and cannot start it."""
    whole = Path(os.path.realpath(path)).read_bytes()
    path.unlink()
    path.write_bytes(whole[: max(4096, len(whole) // 3)])
    path.chmod(0o755)


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


BROKEN_FILES: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "without permissions": replaced(lambda path: (path.write_text("exit 7"), path.chmod(0))),
    "empty": replaced(Path.touch),
    "a directory": replaced(Path.mkdir),
    "a link that leads nowhere": replaced(lambda path: path.symlink_to("/no-such-file")),
    "a link to itself": replaced(lambda path: path.symlink_to(path)),
    "a link to a directory": replaced(lambda path: path.symlink_to("/")),
    "random bytes": replaced(lambda path: path.write_bytes(bytes(range(256)) * 20)),
}
BROKEN_PYTHONS: dict[str, Callable[[Path], object]] = {
    **BROKEN_FILES,
    "not executable": replaced(lambda path: path.write_text("exit 7")),
    "with an interpreter line that leads nowhere": program("#!/no-such-python -I\n"),
    "that is killed": program("#!/bin/sh\nkill -9 $$\n"),
    "that crashes": program("#!/bin/sh\nkill -SEGV $$\n"),
    "that complains": program("#!/bin/sh\necho 'no module named encodings' >&2\nexit 1\n"),
    "with the status that blocks": program("#!/bin/sh\necho 'cannot open file' >&2\nexit 2\n"),
    "cut in the middle": half_an_interpreter,
}
BROKEN_SCRIPTS: dict[str, Callable[[Path], object]] = {
    **BROKEN_FILES,
    "cut in the middle": lambda path: path.write_bytes(path.read_bytes()[:200]),
    "written by another tool": lambda path: path.write_text("import sys; print('x', file=sys.stderr); sys.exit(2)"),
}
IDS = ["python " + name for name in BROKEN_PYTHONS] + ["hook.py " + name for name in BROKEN_SCRIPTS]
STATES = [("python", break_it) for break_it in BROKEN_PYTHONS.values()]
STATES += [("hook.py", break_it) for break_it in BROKEN_SCRIPTS.values()]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("name", "break_it"), STATES, ids=IDS)
def test_a_broken_file_of_ours_is_silent(
    data_dir: Path, name: str, break_it: Callable[[Path], object], shell: str
) -> None:
    break_it(data_dir / name)
    assert run(shell) == (0, b"", b"")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_directory_that_is_gone_is_silent(data_dir: Path, shell: str) -> None:
    shutil.rmtree(data_dir)
    assert run(shell) == (0, b"", b"")


@pytest.fixture
def copied_package(data_dir: Path, tmp_path: Path) -> Path:
    """A directory with a copy of both packages, which hook.py uses instead of the real ones."""
    directory = tmp_path / "env"
    for name, source in launcher.package_directories().items():
        shutil.copytree(source, directory / name)
    script = data_dir / "hook.py"
    lines = script.read_text("ascii").splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if "packages = " in line)
    packages = {name: str(directory / name) for name in launcher.package_directories()}
    lines[at] = f"    packages = {packages!a}\n"
    script.write_text("".join(lines))
    return directory


def without_some(package: Path) -> None:
    (package / "unpretty" / "engine" / "compaction.py").unlink()


def of_a_python_to_come(package: Path) -> None:
    (package / "unpretty_hooks" / "entry.py").write_text("match x:\n  case 1 -> 2\n")


@pytest.mark.parametrize("break_it", [shutil.rmtree, without_some, of_a_python_to_come], ids=["gone", "half", "newer"])
def test_a_broken_package_is_silent(copied_package: Path, break_it: Callable[[Path], None]) -> None:
    assert run()[1].startswith(b'{"continue":false')
    break_it(copied_package)
    assert run() == (0, b"", b"")


def limited(resource: str, value: int) -> Callable[[], None]:
    def limit() -> None:
        import resource as module

        module.setrlimit(getattr(module, resource), (value, value))

    return limit


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("resource", "value"),
    [("RLIMIT_NOFILE", 4), ("RLIMIT_NOFILE", 5), ("RLIMIT_AS", 8 << 20), ("RLIMIT_AS", 16 << 20), ("RLIMIT_FSIZE", 0)],
)
def test_a_machine_that_has_run_out_is_silent_or_answers_whole(
    data_dir: Path, shell: str, resource: str, value: int
) -> None:
    status, output, errors = run(shell, preexec_fn=limited(resource, value))
    assert (status, errors) == (0, b"")
    assert output == b"" or json.loads(output)["continue"] is False


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become a user without any process")
@pytest.mark.parametrize("shell", [shell for shell in SHELLS if os.path.realpath(shell).endswith("dash")])
def test_no_process_left_is_silent(shell: str) -> None:
    """bash tries again for 15 seconds, which is longer than a client waits; zsh ends with 1 and prints nothing."""
    argv = ["/bin/sh", "-c", 'ulimit -u 1 2>/dev/null || ulimit -p 1; exec "$0" -c "$1"', shell]
    command = "trap 'exit 0' EXIT; exec 2>&-; /bin/true a b 2>/dev/null"
    done = subprocess.run([*argv, command], capture_output=True, user=54321, group=54321, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_no_home_no_variables_and_a_directory_that_was_deleted_change_nothing(data_dir: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()

    def leave() -> None:
        os.chdir(gone)
        gone.rmdir()

    status, output, _ = run(env={}, preexec_fn=leave)
    assert status == 0
    assert json.loads(output)["continue"] is False


class TestTheTimeLimit:
    """Clients end the process group at their time limit; the hook ends before that."""

    def start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            ["/bin/sh", "-c", registered.shell_command("codex")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    @pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
    def test_nothing_outlives_the_end_of_the_group(self, data_dir: Path, sent: signal.Signals) -> None:
        with self.start() as hook:
            time.sleep(0.5)
            os.killpg(hook.pid, sent)
            assert hook.communicate(timeout=5) == (b"", b"")  # no process holds the pipes any more

    def test_a_hook_whose_shell_alone_was_ended_ends_by_itself(self, data_dir: Path) -> None:
        with self.start() as hook:
            time.sleep(0.5)
            hook.terminate()
            assert hook.stdout is not None
            alarm = threading.Timer(9, os.killpg, (hook.pid, signal.SIGKILL))
            alarm.start()
            started = time.monotonic()
            assert hook.stdout.read() == b""
            alarm.cancel()
            assert time.monotonic() - started < 8


class TestInputThatDoesNotEnd:
    """Some programs leave the pipe open after the payload."""

    def answered(self, data: bytes, seconds: float, preexec_fn: "Callable[[], None] | None" = None) -> bytes:
        """What the hook writes while its input stays open; it must have ended after ``seconds``."""
        with subprocess.Popen(
            registered.argv("codex"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=preexec_fn
        ) as hook:
            assert hook.stdin is not None
            assert hook.stdout is not None
            hook.stdin.write(data)
            hook.stdin.flush()
            started = time.monotonic()
            watchdog = threading.Timer(2 * seconds, hook.kill)
            watchdog.start()
            output = hook.stdout.read()
            watchdog.cancel()
            assert hook.wait(5) == 0
            assert time.monotonic() - started < seconds
            return output

    @pytest.mark.parametrize("end", [b"", b"\n", b" \r\n"])
    def test_the_answer_comes_at_the_end_of_the_json_value(self, data_dir: Path, end: bytes) -> None:
        assert json.loads(self.answered(PAYLOAD + end, 4))["continue"] is False

    def test_a_payload_in_pieces_that_look_complete_is_waited_for(self, data_dir: Path) -> None:
        large = json.loads(PAYLOAD)
        large["tool_response"]["content"][0]["text"] = "}" * 400_000
        assert self.answered(json.dumps(large).encode(), 4) == b""
        assert "not_json" in locations.decision_log_file().read_text()

    def test_an_alarm_that_the_parent_blocked_or_ignores_goes_off(self, data_dir: Path) -> None:
        def deaf() -> None:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])

        assert self.answered(PAYLOAD[:-1], 8, preexec_fn=deaf) == b""

    @pytest.mark.parametrize("data", [b"", PAYLOAD[:-1], b"}", b"{" * 10])
    def test_a_payload_that_never_comes_whole_is_given_up_in_silence(self, data_dir: Path, data: bytes) -> None:
        assert self.answered(data, 8) == b""
        assert "bad_payload" in locations.decision_log_file().read_text()
