"""Reading the lines of one LDF table: its header, and its rows cell by cell."""

from collections.abc import Sequence
from typing import NamedTuple

from unpretty.encodings.cursor import Cursor, scalar
from unpretty.encodings.json_value import Value, is_integer
from unpretty.encodings.ldf_table import Cell
from unpretty.encodings.ldf_text import BARE_KEY, REST

INLINE = "["  # the kind of a column that holds arrays of flat objects
_KINDS = "ifsbjt"


class HeaderColumn(NamedTuple):
    """What the header says of a column: where its values go, its type, the keys of an inline array."""

    path: tuple[str, ...]
    kind: str
    fields: tuple[str, ...] = ()


class Table(NamedTuple):
    """One table; ``line`` is the number of its header line, from 1."""

    name: tuple[str, ...]
    line: int
    columns: list[HeaderColumn]
    rows: list[list[Cell]]


def read_table(lines: Sequence[str], start: int, encoding: str) -> tuple[Table, int]:
    """The table whose header is line ``start`` (from 0), and the number of the line after it. Raises DecodeError."""
    header = _Line(lines[start], encoding, start)
    header.expect("@")
    name = tuple(header.keys("."))
    header.expect(" ")
    columns = header.columns()
    end = start + 1
    rows: list[list[Cell]] = []
    while end < len(lines) and not lines[end].startswith("@"):
        rows.append(_Line(lines[end], encoding, end).row(columns))
        end += 1
    return Table(name, start + 1, columns, rows), end


class _Line(Cursor):
    """A position in a line; each method reads one piece and moves past it."""

    BARE_KEY = BARE_KEY
    KEY = "name"

    def columns(self) -> list[HeaderColumn]:
        columns = [self.column()]
        while columns[-1].kind != REST and self.accept(","):
            columns.append(self.column())
        if self.position < len(self.text):
            raise self.error("a header has to be names with types, separated by commas")
        return columns

    def column(self) -> HeaderColumn:
        if self.accept(REST):
            return HeaderColumn((), REST)
        path = tuple(self.keys("."))
        self.expect(":")
        if self.accept("["):
            fields = tuple(self.keys())
            self.expect("]")
            return HeaderColumn(path, INLINE, fields)
        kind = self.text[self.position : self.position + 1]
        if not kind or kind not in _KINDS:
            raise self.error(f"a type is missing, one of {' '.join(_KINDS)}")
        self.position += 1
        self.accept("?")
        return HeaderColumn(path, kind)

    def row(self, columns: list[HeaderColumn]) -> list[Cell]:
        cells: list[Cell] = []
        for column in columns:
            if cells and not self.accept(","):
                raise self.error(f"the row has {len(cells)} cells, the header {len(columns)} columns")
            cells.append(self.cell(column))
        if self.position < len(self.text):
            raise self.error(f"the row has more than {len(columns)} cells")
        return cells

    def cell(self, column: HeaderColumn) -> Cell:
        if self.position == len(self.text) or self.text[self.position] == ",":
            return ...
        start = self.position
        if column.kind == "s":
            return self.json() if self.text[start] == '"' else self.string()
        value = self.json() if column.kind in ("j", INLINE, REST) else scalar(self.word())
        if not _fits(value, column):
            raise self.error(f"the cell does not fit a column of type {column.kind}", start)
        return _objects(value, column.fields) if column.kind == INLINE else value

    def word(self) -> str:
        """The characters up to the next comma."""
        end = self.text.find(",", self.position)
        start, self.position = self.position, end if end != -1 else len(self.text)
        return self.text[start : self.position]

    def string(self) -> str | None:
        word = self.word()
        return None if word == "null" else word


def _fits(value: Value, column: HeaderColumn) -> bool:
    kind = column.kind
    if kind == "j":
        return True
    if kind == REST:
        return isinstance(value, tuple)
    if kind == INLINE:
        return isinstance(value, list) and all(
            isinstance(row, list) and len(row) == len(column.fields) for row in value
        )
    if kind == "t":
        return isinstance(value, bytes) and value.isdigit() and len(value) < 16
    if kind == "b":
        return value is None or isinstance(value, bool)
    return value is None or (isinstance(value, bytes) and (kind == "f" or is_integer(value)))


def _objects(rows: Value, fields: tuple[str, ...]) -> Value:
    """The objects that the arrays of an inline cell encode."""
    assert isinstance(rows, list)
    return [tuple(zip(fields, row, strict=True)) for row in rows if isinstance(row, list)]
