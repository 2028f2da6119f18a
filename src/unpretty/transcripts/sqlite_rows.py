"""The rows of a table in a SQLite file, in the order in which they were inserted; see ``sqlite_pages``."""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from unpretty.transcripts.reading import Progress, ignore
from unpretty.transcripts.sqlite_pages import DamagedDatabase, Pages

Value = None | int | float | str | bytes

_INTERIOR, _LEAF = 0x05, 0x0D
_SCHEMA_COLUMNS = ("type", "name", "tbl_name", "rootpage", "sql")
_WITHOUT_ROWID = re.compile(r"\bWITHOUT\s+ROWID\b[^)]*\Z", re.IGNORECASE)
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class Database:
    """The database at ``path``, open for reading; a context manager.

    Attributes:
        damaged: how many pages and rows could not be read so far.
    """

    def __init__(self, path: Path) -> None:
        """Open the database; raises OSError, also as DamagedDatabase."""
        self._pages = Pages(path)
        self.damaged = 0

    def __enter__(self) -> Database:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self._pages.close()

    def rows(self, table: str, progress: Progress = ignore) -> Iterator[Row]:
        """The rows of ``table``; none when there is no such table. What is damaged is left out and counted.

        ``progress`` is called with the bytes of the pages read. Raises OSError when the file cannot be read,
        DamagedDatabase when the description of the table is damaged.
        """
        for entry in self._rows(1, _SCHEMA_COLUMNS):
            if entry.value("type") == "table" and entry.value("name") == table:
                root, columns = entry.value("rootpage"), _columns(entry.text("sql"))
                if isinstance(root, int) and columns:
                    yield from self._rows(root, columns, progress)
                return

    def _rows(self, root: int, columns: tuple[str, ...], progress: Progress = ignore) -> Iterator[Row]:
        """The rows of the tree at page ``root``, depth first."""
        waiting, left = [root], self._pages.count
        while waiting and left > 0:
            number = waiting.pop()
            left -= 1  # a damaged tree may contain a cycle
            try:
                page = self._pages.read(number)
                progress(len(page))
                start = 100 if number == 1 else 0
                if page[start] == _INTERIOR:
                    waiting += reversed(_children(page, start))
                    continue
                cells = _cells(page, start) if page[start] == _LEAF else None
            except (DamagedDatabase, struct.error, IndexError):
                cells = None
            if cells is None:
                self.damaged += 1
                continue
            for cell in cells:
                try:
                    row = Row(self._pages, columns, page, cell, progress)
                except (DamagedDatabase, struct.error, IndexError):
                    self.damaged += 1
                else:
                    yield row


class Row:
    """One row; large values are on pages of their own, which are read only when they are asked for."""

    __slots__ = ("_columns", "_next", "_pages", "_payload", "_progress", "_size", "_values")

    def __init__(self, pages: Pages, columns: tuple[str, ...], page: bytes, cell: int, progress: Progress) -> None:
        """Read the row that begins at offset ``cell`` of ``page``; raises DamagedDatabase, struct.error, IndexError."""
        self._pages = pages
        self._columns = columns
        self._progress = progress
        self._size, cell = _varint(page, cell)
        _, cell = _varint(page, cell)  # the row's number
        local = _local_bytes(self._size, pages.usable)
        self._payload = page[cell : cell + local]
        self._next = 0 if local == self._size else struct.unpack_from(">I", page, cell + local)[0]
        self._values = self._layout()

    def _layout(self) -> list[tuple[int, int, int]]:
        """Serial type, offset and size in bytes of each value."""
        end, position = _varint(self._payload, 0)
        if end > len(self._payload):
            self._load(end)
        layout = []
        offset = end
        while position < end:
            kind, position = _varint(self._payload, position)
            size = (kind - 12) // 2 if kind >= 12 else _INTEGER_BYTES.get(kind, 8 if kind == 7 else 0)
            layout.append((kind, offset, size))
            offset += size
        if offset > self._size:
            raise DamagedDatabase("a row is longer than its cell")
        return layout

    def size(self, column: str) -> int:
        """Bytes of the value in ``column``, 0 when there is no such column."""
        index = self._columns.index(column) if column in self._columns else len(self._values)
        return self._values[index][2] if index < len(self._values) else 0

    def head(self, column: str, count: int) -> bytes:
        """The first ``count`` bytes of the value in ``column`` at most: those that can be had without another page."""
        if not self.size(column):
            return b""
        _, offset, size = self._values[self._columns.index(column)]
        return self._payload[offset : offset + min(count, size)]

    def text(self, column: str) -> str:
        """The value in ``column`` as a string, "" when it is something else; raises as ``value``."""
        value = self.value(column)
        return value if isinstance(value, str) else ""

    def value(self, column: str) -> Value:
        """The value in ``column``, None when there is no such column; raises DamagedDatabase, OSError."""
        if column not in self._columns or self._columns.index(column) >= len(self._values):
            return None  # a column that was added after the row
        kind, offset, size = self._values[self._columns.index(column)]
        if offset + size > len(self._payload):
            self._load(offset + size)
        data = self._payload[offset : offset + size]
        if kind >= 12:
            return data.decode(self._pages.encoding, "replace") if kind % 2 else data
        if kind == 7:
            return float(struct.unpack(">d", data)[0])
        return kind - 8 if kind in (8, 9) else int.from_bytes(data, "big", signed=True) if kind else None

    def _load(self, size: int) -> None:
        """Read overflow pages until ``size`` bytes of the payload are there."""
        pieces, have = [self._payload], len(self._payload)
        while have < size:
            page = self._pages.read(self._next)
            self._progress(len(page))
            self._next = int.from_bytes(page[:4], "big")
            piece = page[4 : min(self._pages.usable, 4 + self._size - have)]
            pieces.append(piece)
            have += len(piece)
        self._payload = b"".join(pieces)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """The number of one to nine bytes at ``position``, and the position after it."""
    value = 0
    for index in range(position, position + 8):
        byte = data[index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, index + 1
    return value << 8 | data[position + 8], position + 9


def _cells(page: bytes, start: int) -> tuple[int, ...]:
    count = struct.unpack_from(">H", page, start + 3)[0]
    return struct.unpack_from(f">{count}H", page, start + (12 if page[start] == _INTERIOR else 8))


def _children(page: bytes, start: int) -> list[int]:
    """The page numbers below an interior page, in order."""
    children = [struct.unpack_from(">I", page, cell)[0] for cell in _cells(page, start)]
    return [*children, struct.unpack_from(">I", page, start + 8)[0]]


def _local_bytes(size: int, usable: int) -> int:
    """How many of a payload's ``size`` bytes are in the cell itself."""
    if size <= usable - 35:
        return size
    least = (usable - 12) * 32 // 255 - 23
    local = least + (size - least) % (usable - 4)
    return local if local <= usable - 35 else least


def _columns(sql: str) -> tuple[str, ...]:
    """The columns of a table in the order in which rows store them; none when its rows are stored in another way."""
    if not sql.startswith("CREATE TABLE ") or _WITHOUT_ROWID.search(sql):
        return ()
    memory = sqlite3.connect(":memory:")
    try:
        memory.execute(sql)
        tables = memory.execute("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1").fetchall()
        described = memory.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden IN (0, 3)", *tables)
        return tuple(name for (name,) in described)
    except sqlite3.Error:
        return ()
    finally:
        memory.close()
