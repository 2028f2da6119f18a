"""The pages of a SQLite file as they are now: read only, without a lock, and without creating a file.

SQLite itself cannot do that. To read a database with a write-ahead log it takes locks in, and if need be makes, the
``-shm`` file; without locks (``immutable=1``) it ignores the log, which holds the newest sessions. The format is stable
and described at https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_ENCODINGS = {0: "utf-8", 1: "utf-8", 2: "utf-16-le", 3: "utf-16-be"}
_WAL_MAGICS = (0x377F0682, 0x377F0683)
_WAL_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24


class DamagedDatabase(OSError):
    """The file is not a SQLite database that can be read, or a part of it is damaged; the text says what."""


def is_database(path: Path) -> bool:
    """True when the file begins as a SQLite database does."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


class Pages:
    """Numbered pages, from 1 on, of the database at ``path`` with its write-ahead log; to be closed.

    Attributes:
        usable: bytes of each page that hold data.
        encoding: Python's name for the encoding of its texts.
        count: how many pages there may be at most.
    """

    def __init__(self, path: Path) -> None:
        """Open the database; raises OSError, also as DamagedDatabase."""
        self._file = path.open("rb", buffering=0)
        self._log: _Log | None = None
        try:
            header = self._file.read(_HEADER_BYTES)
            if len(header) < _HEADER_BYTES or not header.startswith(MAGIC):
                raise DamagedDatabase("it is not a SQLite database")
            size = int.from_bytes(header[16:18], "big")
            self._size = 65536 if size == 1 else size
            self.usable = self._size - header[20]
            self.encoding = _ENCODINGS.get(int.from_bytes(header[56:60], "big"), "")
            if self._size & (self._size - 1) or self._size < 512 or self.usable < 480 or not self.encoding:
                raise DamagedDatabase("its header is damaged")
            self._log = _open_log(path, self._size)
            in_log = max(self._log.frames, default=0) if self._log else 0
            self.count = max(self._file.seek(0, 2) // self._size, in_log)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._log is not None:
            self._log.file.close()

    def read(self, number: int) -> bytes:
        """The page ``number``; raises DamagedDatabase when there is none, OSError when it cannot be read."""
        if not 1 <= number <= self.count:
            raise DamagedDatabase(f"it points to page {number} of {self.count}")
        page = self._log.read(number, self._size) if self._log is not None else None
        if page is None:
            self._file.seek((number - 1) * self._size)
            page = self._file.read(self._size)
        if len(page) != self._size:
            raise DamagedDatabase(f"page {number} is cut off")
        return page


@dataclass(frozen=True, slots=True)
class _Log:
    """The write-ahead log: where it holds the newest committed version of each page."""

    file: BinaryIO
    salts: bytes
    frames: dict[int, int]

    def read(self, number: int, size: int) -> bytes | None:
        """The page ``number`` of ``size`` bytes; None when the database file has its newest version.

        So it has after a restart of the log: before that, all of the log is copied to the database file.
        """
        offset = self.frames.get(number)
        if offset is None:
            return None
        self.file.seek(offset)
        frame = self.file.read(_FRAME_HEADER_BYTES + size)
        unchanged = frame[:4] == number.to_bytes(4, "big") and frame[8:16] == self.salts
        return frame[_FRAME_HEADER_BYTES:] if unchanged else None


def _open_log(database: Path, size: int) -> _Log | None:
    """The write-ahead log of ``database`` with pages of ``size`` bytes; None when it has none that counts."""
    try:
        file = database.with_name(database.name + "-wal").open("rb", buffering=0)
    except OSError:
        return None
    header = file.read(_WAL_HEADER_BYTES)
    if len(header) < _WAL_HEADER_BYTES or struct.unpack(">I4xI", header[:12]) not in ((m, size) for m in _WAL_MAGICS):
        file.close()
        return None
    salts = header[16:24]
    committed: dict[int, int] = {}
    pending: dict[int, int] = {}
    offset = _WAL_HEADER_BYTES
    while len(frame := file.read(_FRAME_HEADER_BYTES)) == _FRAME_HEADER_BYTES and frame[8:16] == salts:
        number, pages_after_commit = struct.unpack(">II", frame[:8])
        pending[number] = offset
        if pages_after_commit:
            committed.update(pending)
            pending.clear()
        offset = file.seek(offset + _FRAME_HEADER_BYTES + size)
    return _Log(file, salts, committed)
