"""Bytes between two file descriptors: whole lines in, everything out, whatever the other side does.

Blocking calls on raw descriptors, one thread per direction: neither direction waits for the other, and a slow reader
slows its writer down exactly as a direct pipe would.
"""

from __future__ import annotations

import os
import select
import threading
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = 1 << 20
# A line longer than this many bytes is passed on in pieces, unread: memory stays bounded.
MAX_LINE = 256 << 20


class InputLine(NamedTuple):
    """One line with its line end, or a piece of a line too long to be read (``whole`` is False)."""

    data: bytes
    whole: bool


def read_lines(fd: int, max_line: int = MAX_LINE) -> Iterator[InputLine]:
    """Lines of ``fd`` as they come; the last may lack its line end. Ends when the other side has closed or is gone."""
    pieces: list[bytes] = []
    held = 0
    whole = True
    while chunk := _read(fd):
        start = 0
        while (newline := chunk.find(b"\n", start)) != -1:
            pieces.append(chunk[start : newline + 1])
            yield InputLine(b"".join(pieces), whole)
            pieces, held, whole = [], 0, True
            start = newline + 1
        if start < len(chunk):
            pieces.append(chunk[start:])
            held += len(chunk) - start
        if held > max_line:
            yield InputLine(b"".join(pieces), whole=False)
            pieces, held, whole = [], 0, False
    if pieces:
        yield InputLine(b"".join(pieces), whole)


class Outlet:
    """The writing end of a channel, used by several threads; a message is never torn.

    Attributes:
        broken: the reader is gone; nothing can be written any more.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.broken = False
        self._lock = threading.Lock()

    def write(self, data: bytes) -> bool:
        """Write all of ``data``; False when the reader is gone."""
        with self._lock:
            if not self.broken:
                try:
                    _write_all(self.fd, data)
                except OSError:
                    self.broken = True
            return not self.broken

    def close(self) -> None:
        """Let the reader see the end. The descriptor stays open, so that no later file can get its number."""
        with self._lock:
            self.broken = True
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, self.fd)
            os.close(null)

    def reader_is_gone(self) -> bool:
        """True when it is certain that nobody reads any more; on Windows only a failed write shows it."""
        if self.broken or not hasattr(select, "poll"):
            return self.broken
        poll = select.poll()
        poll.register(self.fd, 0)
        return any(events & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _, events in poll.poll(0))


def _read(fd: int) -> bytes:
    """The next bytes of ``fd``, empty at its end."""
    while True:
        try:
            return os.read(fd, _CHUNK)
        except BlockingIOError:  # the pipe is shared with a process that made it non-blocking
            select.select([fd], [], [])
        except OSError:
            return b""


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            select.select([], [fd], [])
