"""Ends the processes that count tokens for one decision log, before that log is deleted.

Who counts or waits holds a byte of the lock file next to the log (``child.take_turn``), and the kernel says which
process that is. A process is ended only when it also runs our ``child.py``.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

_WAIT_SECONDS = 3.0
_PROGRAM = "/unpretty/tokens/child.py"


def stop_counting(log_path: Path) -> None:
    """End every process of ours that counts tokens for the log at ``log_path`` or waits to; raises nothing.

    One that has only just been started is not found, and needs not be: it finds no log and leaves.
    """
    if sys.platform == "win32":
        return
    until = time.monotonic() + _WAIT_SECONDS
    asked: set[int] = set()
    while (pid := _holder(log_path)) and time.monotonic() < until:
        if pid not in asked:
            if not _is_ours(pid):
                return
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)
            asked.add(pid)
        time.sleep(0.01)


def _holder(log_path: Path) -> int:
    """The id of a process that holds a byte of the lock file; 0 when none does or it cannot be known."""
    import fcntl

    # struct flock of <fcntl.h>: type, whence, start, length, process; start and process first on macOS and the BSDs.
    linux = sys.platform == "linux"
    layout, index = ("hhqqi", 4) if linux else ("qqihhi", 2)
    asked = (fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0) if linux else (0, 0, 0, fcntl.F_WRLCK, os.SEEK_SET, 0)
    try:
        handle = os.open(f"{log_path}.counting", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return 0
    try:
        answer = struct.unpack(layout, fcntl.fcntl(handle, fcntl.F_GETLK, struct.pack(layout, *asked)))
    except OSError:
        return 0
    finally:
        os.close(handle)
    kind = answer[0] if linux else answer[3]
    return int(answer[index]) if kind != fcntl.F_UNLCK else 0


def _is_ours(pid: int) -> bool:
    """Whether the process runs our ``child.py``."""
    if pid <= 1:  # one of another container has no id here
        return False
    try:
        if Path("/proc/self/cmdline").exists():
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            return any(word.endswith(_PROGRAM.encode()) for word in words)
        said = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, check=False, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return False
    return _PROGRAM.encode() in said.stdout
