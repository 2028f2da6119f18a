"""Reading LDF: the document that its tables encode."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

from unpretty.encodings.errors import DecodeError
from unpretty.encodings.json_value import Object, Value, parse
from unpretty.encodings.ldf_rows import HeaderColumn, Table, read_table
from unpretty.encodings.ldf_table import Cell
from unpretty.encodings.ldf_text import REST, ROOT, ROWS_MARK

# What a table's columns make of a row: keys in order, each with the number of its cell or the keys of an inner object.
_Plan: TypeAlias = "list[tuple[str, int | _Plan]]"
# A child table on its way back: its rows in order, each with the cell that names its parent.
_Children: TypeAlias = "Iterator[tuple[Cell, Object]]"


def read(text: str, encoding: str) -> Value:
    """The value that ``text``, with or without a line end, encodes. Raises DecodeError with line and column."""
    return _Reader(text.removesuffix("\n").split("\n"), encoding).document()


class _Reader:
    def __init__(self, lines: Sequence[str], encoding: str) -> None:
        self.lines = lines
        self.encoding = encoding

    def error(self, what: str, line: int) -> DecodeError:
        return DecodeError(what, line, 1, self.encoding)

    def document(self) -> Value:
        if self.lines[0].startswith("{"):
            return self.frame()
        tables = self.tables(0)
        root = tables.pop((ROOT,), None)
        if root is None:
            raise self.error(f"there is no table called {ROOT}", 1)
        children = self.children(root, tables)
        records: list[Value] = [record for _, record in self.records(root, 0, children)]
        for index, column in enumerate(root.columns):
            if column.kind == "t" and next(children[index], None) is not None:
                raise self.error(f"the table {'.'.join((ROOT, *column.path))} has rows that no row counts", root.line)
        return records

    def tables(self, start: int) -> dict[tuple[str, ...], Table]:
        """All tables from line ``start`` (from 0) on."""
        tables: dict[tuple[str, ...], Table] = {}
        while start < len(self.lines):
            table, start = read_table(self.lines, start, self.encoding)
            if table.name in tables:
                raise self.error(f"there are two tables called {'.'.join(table.name)}", table.line)
            tables[table.name] = table
        return tables

    def children(self, root: Table, tables: dict[tuple[str, ...], Table]) -> dict[int, _Children]:
        """The child tables by the number of the column that counts their rows; ``tables`` has no other tables."""
        found: dict[int, _Children] = {}
        for index, column in enumerate(root.columns):
            if column.kind == "t":
                table = tables.pop((ROOT, *column.path), None)
                found[index] = self.records(table, 1, {}) if table else iter(())
        for table in tables.values():
            raise self.error(f"no column counts the rows of the table {'.'.join(table.name)}", table.line)
        return found

    def records(self, table: Table, skip: int, children: dict[int, _Children]) -> _Children:
        """First cell and object of each row; ``skip`` columns are not part of the object."""
        plan = self.plan(table, list(enumerate(table.columns))[skip:], 0)
        has_rest = table.columns[-1].kind == REST
        for number, row in enumerate(table.rows, table.line + 1):
            cells = list(row)
            for index, rows in children.items():
                cells[index] = self.take(rows, row[index], row[0], number)
            rest = cells[-1] if has_rest else ()
            yield row[0], (*_assemble(plan, cells), *(rest if isinstance(rest, tuple) else ()))

    def take(self, rows: _Children, count: Cell, key: Cell, line: int) -> Cell:
        """The next ``count`` rows of a child table; each of them has to name this parent."""
        if not isinstance(count, bytes):
            return ...
        found: list[Value] = []
        for _ in range(int(count)):
            owner, record = next(rows, (..., ()))
            if owner is ... or owner != key:
                raise self.error("the child table does not have the rows that this row counts", line)
            found.append(record)
        return found

    def plan(self, table: Table, columns: list[tuple[int, HeaderColumn]], depth: int) -> _Plan:
        """Neighbouring columns that share a key at ``depth`` are the keys of one object."""
        plan: _Plan = []
        named = [(index, column) for index, column in columns if column.kind != REST]
        for key, group in groupby(named, key=lambda pair: pair[1].path[depth]):
            inside = list(group)
            if any(len(column.path) == depth + 1 for _, column in inside):
                if len(inside) > 1:
                    raise self.error(f"two columns are called {key}", table.line)
                plan.append((key, inside[0][0]))
            else:
                plan.append((key, self.plan(table, inside, depth + 1)))
        if len(dict(plan)) < len(plan):
            raise self.error("two columns have the same name", table.line)
        return plan

    def frame(self) -> Value:
        first = parse(self.lines[0], self.encoding)
        fields = dict(first) if isinstance(first, tuple) else {}
        columns = fields.get("columns")
        if fields.get("rows") != ROWS_MARK or not isinstance(columns, list):
            raise self.error(f'the first line has to hold "columns" and "rows":"{ROWS_MARK}"', 1)
        table = self.tables(1).get((ROOT,))
        if table is None or [[*column.path] for column in table.columns] != [[name] for name in columns]:
            raise self.error(f"the table {ROOT} does not have the columns that the first line names", 2)
        rows: list[Value] = []
        for number, row in enumerate(table.rows, table.line + 1):
            cells: list[Value] = [cell for cell in row if cell is not ...]
            if len(cells) < len(row):
                raise self.error("a cell is empty", number)
            rows.append(cells)
        assert isinstance(first, tuple)
        return tuple((key, rows if key == "rows" else item) for key, item in first)


def _assemble(plan: _Plan, cells: list[Cell]) -> Object:
    members: list[tuple[str, Value]] = []
    for key, source in plan:
        if isinstance(source, int):
            cell = cells[source]
            if cell is not ...:
                members.append((key, cell))
        else:
            inner = _assemble(source, cells)
            if inner:
                members.append((key, inner))
    return tuple(members)
