"""Where a client runs: a child process that sees only its own loopback, and ends only after everything that it started.

Run as a program it says in one sentence why that is impossible on this machine, if so: ``python -m e2e.sandbox`` in
tests/.
"""

import ctypes
import fcntl
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

T = TypeVar("T")

PATH = "/usr/local/bin:/usr/bin:/bin"

# Numbers of the Linux kernel: sched.h, sockios.h, if.h, prctl.h.
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SIOCSIFFLAGS = 0x8914
_IFF_UP_AND_RUNNING = 0x1 | 0x40
_PR_SET_CHILD_SUBREAPER = 36


class NoNamespace(RuntimeError):
    """The kernel or a container does not let us make a network namespace; the text is for the user."""


@dataclass(frozen=True)
class Finished:
    """What a client left when it ended.

    Attributes:
        exit_code: its exit status; ``None`` when it had to be killed at the time limit.
        seconds: how long it ran.
        survivors: command lines of processes that it started and that still ran ``settle`` seconds after its end.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    survivors: tuple[str, ...]


def isolated(action: Callable[[], T]) -> T:
    """Run ``action`` in a child process that has nothing but a loopback interface, and return what it returned.

    Works as root and as a user who may make user namespaces. The value must be picklable; an exception of ``action``
    is raised here as a ``RuntimeError`` with its traceback.

    Raises:
        NoNamespace: this machine does not allow it.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _answer(writer, action)
    os.close(writer)
    with open(reader, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if not answer:
        raise RuntimeError(f"the isolated process died with wait status {status}")
    succeeded, value = pickle.loads(answer)
    if isinstance(value, NoNamespace):
        raise value
    if not succeeded:
        raise RuntimeError(f"in the isolated process:\n{value}")
    result: T = value
    return result


def _answer(writer: int, action: Callable[[], object]) -> None:
    """Body of the child: never returns, so that nothing of the test runner runs twice."""
    try:
        try:
            _leave_the_network()
            _adopt_orphans()
            answer = pickle.dumps((True, action()))
        except NoNamespace as fault:
            answer = pickle.dumps((False, fault))
        except BaseException:
            answer = pickle.dumps((False, traceback.format_exc()))
        with open(writer, "wb") as pipe:
            pipe.write(answer)
    finally:
        os._exit(0)


def _leave_the_network() -> None:
    """Move this single-threaded process into a new network namespace and bring its loopback up.

    Raises:
        NoNamespace: the kernel or a container does not allow it.
    """
    try:
        _make_namespace()
    except OSError as fault:  # at unshare, or with AppArmor only when the new namespace is used
        raise NoNamespace(
            f"The clients must not see a network, and no network namespace could be made ({fault.strerror}): run as "
            "root, or allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
            "kernel.apparmor_restrict_unprivileged_userns; in a container its seccomp profile)."
        ) from None


def _make_namespace() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if user != 0 or libc.unshare(_CLONE_NEWNET) != 0:
        if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP_AND_RUNNING))


def _adopt_orphans() -> None:
    """Become the parent of every process below that loses its own, so that survivors can be seen and ended."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run_to_end(
    command: Sequence[str | Path], *, folder: Path, env: Mapping[str, str], timeout: float, settle: float = 60
) -> Finished:
    """Run ``command`` in ``folder`` and wait for it, then up to ``settle`` seconds for all that it started.

    To be called inside ``isolated``. What survives is named in the result and killed.
    """
    start = time.monotonic()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        # Files, not pipes: a process that keeps a pipe open after the client's end would look like a client that hangs.
        client = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
        )
        try:
            exit_code: int | None = client.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(client.pid, signal.SIGKILL)
            client.wait()
            exit_code = None
        seconds = time.monotonic() - start
        survivors = _end_survivors(settle)
        return Finished(exit_code, _text(stdout), _text(stderr), seconds, survivors)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _end_survivors(settle: float) -> tuple[str, ...]:
    """Wait for the adopted processes to end; after ``settle`` seconds kill those that are left and name them."""
    deadline = time.monotonic() + settle
    survivors: dict[int, str] = {}
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return tuple(survivors.values())
        if pid != 0:
            continue
        if time.monotonic() > deadline:
            for child in _children():
                survivors.setdefault(child, _command_line(child))
                os.kill(child, signal.SIGKILL)  # unreaped and ours: the number cannot be another process's yet
        time.sleep(0.02)


def _command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()


def _children() -> list[int]:
    """Process numbers of the direct children of this process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == os.getpid():
            found.append(int(stat.parent.name))
    return found


def main() -> int:
    """Try it; print a sentence and return status 1 when it cannot be done."""
    try:
        isolated(lambda: None)
    except NoNamespace as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
