"""The process that counts tokens after a reply has left; ``background.py`` starts it with ``python -I`` on this file.

Standard input holds the path of the decision log, its size limit and number of files, then id, text before and text
after of each converted field. One such process counts at a time; a few wait their turn, in the kernel and without
tiktoken; who waits too long or comes when many wait gives up, and none is left after a minute. A count that is given up
is missing in the log, nothing else.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

WAIT_SECONDS = 35
WORK_SECONDS = 20
MAX_WAITING = 40


def main() -> None:
    """Count what standard input holds."""
    # The default action of SIGALRM ends the process, whatever it is doing then.
    signal.alarm(WAIT_SECONDS)
    os.nice(19)
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.lseek(0, 0, os.SEEK_SET)
    parts = read_parts()
    log_path, max_bytes, max_files = next(parts), int(next(parts)), int(next(parts))
    log, lock = Path(log_path), Path(log_path + ".counting")
    # A log that is gone was deleted by `uninstall --purge`: nothing of it comes back, the lock neither.
    if not log.exists() or take_turn(str(lock)) is None:
        return
    if not log.exists():
        lock.unlink(missing_ok=True)
        return
    signal.alarm(WORK_SECONDS)
    count(log_path, parts, max_bytes, max_files)


def read_parts() -> Iterator[str]:
    """The texts on standard input: each as its length in bytes on a line, then the bytes in UTF-8."""
    with open(0, "rb", closefd=False) as source:
        while length := source.readline():
            yield source.read(int(length)).decode("utf-8", "surrogatepass")


def take_turn(lock_path: str) -> int | None:
    """Wait until no other process counts; the handle that holds the lock, None when too many wait already.

    Byte 0 of the lock file is held by the process that counts, each later byte by one that waits. The kernel frees
    them when a process ends, however it ends.
    """
    from unpretty.engine import system

    handle = system.open_file(lock_path, os.O_RDWR | system.CREATE)
    for offset in range(1, MAX_WAITING + 1):
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
        except OSError:
            continue
        fcntl.lockf(handle, fcntl.LOCK_EX, 1, 0)
        fcntl.lockf(handle, fcntl.LOCK_UN, 1, offset)
        return handle
    os.close(handle)
    return None


def count(log_path: str, parts: Iterator[str], max_bytes: int, max_files: int) -> None:
    """Append a ``tokens`` line for each id, text before and text after in ``parts``, to a log that is there."""
    from unpretty.decision_log.writer import VERSION, append, now_ms
    from unpretty.errors import UnprettyError
    from unpretty.tokens.count import load_counter

    tokens_of = load_counter()
    for identity in parts:
        before, after = next(parts), next(parts)
        try:
            tokens_in, tokens_out = tokens_of(before), tokens_of(after)
        except UnprettyError:
            continue
        record: dict[str, object] = {
            "v": VERSION,
            "kind": "tokens",
            "id": identity,
            "ts": now_ms(),
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
        }
        append(log_path, record, max_bytes, max_files, create=False)


if __name__ == "__main__":
    # -I leaves the script's directory out; our package's directory is also where `pip install --user` put tiktoken.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    try:
        main()
    except Exception:  # nobody reads it, and the only effect is a missing count
        sys.exit(1)
