"""The wrapped server as a child process: started with its own pipes, signalled, waited for, and never left running.

On POSIX the server leads its own process group, so that a wrapper such as ``npx`` and what it started can be
ended together. On Linux the kernel kills the server when the proxy is killed; elsewhere the server, and everywhere what
it started, finds its pipes closed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from unpretty.errors import UnprettyError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Seconds between asking the server to end and killing it.
KILL_AFTER = 5.0
_POSIX = os.name == "posix"
_PR_SET_PDEATHSIG = 1
_PIPE_BYTES = 1 << 20
# Signals that a client or a terminal may send to what it takes for the server.
_FORWARDED = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_ENDING = ("SIGTERM", "SIGHUP")


class CannotStart(UnprettyError):
    """The command cannot be run; ``status`` is what a shell would exit with (127 not found, 126 not executable)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message, code="cannot_start")
        self.status = status


class ServerProcess:
    """A running server; ``stdin`` and ``stdout`` are our ends of its pipes, its stderr is ours."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start ``command``. Raises CannotStart."""
        try:
            self._process = subprocess.Popen(
                [_resolve(command[0]), *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=_POSIX,
                preexec_fn=_die_with_parent() if sys.platform == "linux" else None,  # noqa: PLW1509  no threads run yet
            )
        except FileNotFoundError:
            raise CannotStart(f"cannot start the MCP server: {command[0]} was not found.", 127) from None
        except (OSError, ValueError) as exc:
            why = getattr(exc, "strerror", None) or str(exc)
            raise CannotStart(f"cannot start the MCP server {command[0]}: {why}.", 126) from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self.stdin = self._process.stdin.fileno()
        self.stdout = self._process.stdout.fileno()
        _widen(self.stdin)
        _widen(self.stdout)
        self._ending = threading.Event()

    def wait(self) -> int:
        """Wait for the server's end; its exit status, or minus the number of the signal that killed it."""
        return self._process.wait()

    @property
    def is_running(self) -> bool:
        """False once the server has ended."""
        return self._process.poll() is None

    def forward_signals(self) -> None:
        """From now on pass signals that are sent to us on to the server. Call from the main thread."""
        for name in _FORWARDED:
            number = getattr(signal, name, None)
            if number is not None and (_POSIX or name in ("SIGTERM", "SIGINT")):
                signal.signal(number, self._forward)

    def _forward(self, number: int, _frame: object) -> None:
        self._send(number)
        if signal.Signals(number).name in _ENDING:
            self._kill_later()

    def end(self) -> None:
        """Ask the server, and what it started, to end; kill what has not ended after ``KILL_AFTER`` seconds."""
        if not self._ending.is_set():
            self._send(signal.SIGTERM)
            self._kill_later()

    def clear_up(self) -> None:
        """After the server's end: end what it left running in its process group."""
        if _POSIX:
            self._send(signal.SIGTERM)

    def _kill_later(self) -> None:
        if self._ending.is_set():
            return
        self._ending.set()
        timer = threading.Timer(KILL_AFTER, self._send, [getattr(signal, "SIGKILL", signal.SIGTERM)])
        timer.daemon = True
        timer.start()

    def _send(self, number: int) -> None:
        try:
            if _POSIX:
                os.killpg(self._process.pid, number)
            else:  # pragma: no cover  Windows
                self._process.terminate()
        except (ProcessLookupError, PermissionError):
            return


def end_like(status: int) -> int:
    """The status to exit with after the server's ``status``; if a signal killed the server, die of that signal."""
    if status >= 0 or not _POSIX:
        return status
    number = -status
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the core file that matters is the server's
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
    return 128 + number  # a signal that does not end a process by default


def _widen(pipe: int) -> None:
    """Let a pipe hold a whole large message where the system allows it: far fewer switches between processes."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except (ImportError, AttributeError, OSError):  # Windows, macOS, or over the user's share of pipe memory
        return


def _resolve(program: str) -> str:
    """Windows finds ``npx.cmd`` for ``npx`` only when asked; elsewhere the system looks itself."""
    return program if _POSIX else shutil.which(program) or program


def _die_with_parent() -> Callable[[], None]:
    """What the child does before it becomes the server: ask the kernel to be killed when we are (prctl(2))."""
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def ask() -> None:  # pragma: no cover  runs in the child
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # we were killed in between
            os._exit(1)

    return ask
