"""Changes a file that a running program rewrites whenever it likes, such as Claude Code's ``.claude.json``.

The program makes a directory beside the file while it reads and writes it, and removes the directory again (measured
with clients 2.1.332). While we hold that directory it waits; we hold it only to see that the file is still as it was
when the new content was made, and to put that in its place.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.core import files

_TRIES = 10
_WAIT_SECONDS = 3.0
# The program takes a lock of this age for one that was left over.
_STALE_SECONDS = 30.0


def rewrite(path: Path, edit: Callable[[bytes], bytes], lock: Path) -> None:
    """Put ``edit`` of the file's bytes in their place, whole, and only where nobody else has written it since.

    Args:
        path: the file.
        edit: makes the new bytes; called again for newer ones when the file was rewritten in between.
        lock: the directory that keeps the other program out.

    Raises:
        UnprettyError: the file is gone, ``edit`` cannot be made, or the other program is writing all the time.
        OSError: it cannot be written.
    """
    for _ in range(_TRIES):
        before = files.read(path)
        if before is None:
            raise UnprettyError(f"{path} is not there any more.", code="changed_meanwhile", hint="Try again.")
        after = edit(before)
        if after == before:
            return
        with _alone(path, lock):
            if files.read(path) == before:
                files.replace(path, after)
                return
    raise _busy(path)


@contextmanager
def _alone(path: Path, lock: Path) -> Iterator[None]:
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            lock.mkdir()
            break
        except FileExistsError:
            if time.monotonic() > deadline:
                raise _busy(path) from None
            if _is_stale(lock):
                with suppress(OSError):
                    lock.rmdir()
            time.sleep(0.02)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.rmdir()


def _is_stale(lock: Path) -> bool:
    """Whether the process that made the lock ended without removing it."""
    try:
        return time.time() - lock.stat().st_mtime > _STALE_SECONDS
    except OSError:
        return False  # just taken away


def _busy(path: Path) -> UnprettyError:
    return UnprettyError(
        f"{path} is being written by another program all the time, so it was left alone.",
        code="changed_meanwhile",
        hint="Close the agent, then run the command again.",
    )
