"""From objects to the lines of LDF tables."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from types import EllipsisType
from typing import NamedTuple, TypeAlias

from unpretty.encodings.errors import Declined
from unpretty.encodings.json_value import Object, Value, dump, is_integer
from unpretty.encodings.ldf_text import REST, key_text, path_text, string_cell
from unpretty.encodings.tables import are_objects, common_order, is_mostly_empty, keys_of

MAX_PATH = 4  # an object deeper than this stays a cell
# How often the set of sparse keys is looked over; keys that come after one another longer than that get columns.
_PASSES = 8

Cell: TypeAlias = "Value | EllipsisType"  # ... is an absent key


class Column(NamedTuple):
    """One column: what the header says, and one text per row (empty where the key is absent)."""

    header: str
    cells: list[str]


def table_lines(name: Sequence[str], rows: list[Object], *, inline: bool) -> list[str]:
    """The table called ``name`` and its child tables. ``inline``: arrays of flat objects stay in their row.

    Raises Declined: key_order when the rows have no common order of keys, not_smaller when hardly a cell has a value.
    """
    columns, children = _table(name, rows, inline=inline)
    return [line for table in ((name, columns), *children) for line in lines_of(*table)]


def lines_of(name: Iterable[str], columns: list[Column]) -> list[str]:
    """Header and rows of one table."""
    header = f"@{path_text(name)} {','.join([column.header for column in columns])}"
    return [header, *map(",".join, zip(*[column.cells for column in columns], strict=True))]


_Tables: TypeAlias = "list[tuple[Sequence[str], list[Column]]]"


def _table(
    name: Sequence[str], rows: list[Object], *, inline: bool, parent: Column | None = None
) -> tuple[list[Column], _Tables]:
    """The columns of a table, and its child tables; ``parent`` is the first column of a child table, which has none."""
    sparse = _sparse_keys(rows)
    order = common_order(tuple(key for key, _ in row if key not in sparse) for row in rows)
    if order is None:
        raise Declined("key_order")
    if is_mostly_empty(len(order), rows):
        raise Declined("not_smaller")
    columns = [parent] if parent else []
    children: _Tables = []
    fields = [dict(row) for row in rows]
    for key in order:
        cells: list[Cell] = [row.get(key, ...) for row in fields]
        column = _inline_column(key, cells) if inline else None
        if column:
            columns.append(column)
        elif not parent and columns and (child := _child(name, key, columns[0], cells)):
            counts = [str(len(cell)) if isinstance(cell, list) else "" for cell in cells]
            columns.append(Column(f"{key_text(key)}:t", counts))
            children.append(child)
        else:
            columns += _columns((key,), cells)
    if sparse:
        rest = [tuple(pair for pair in row if pair[0] in sparse) for row in rows]
        columns.append(Column(REST, [dump(pairs) if pairs else "" for pairs in rest]))
    return columns, children


def _sparse_keys(rows: list[Object]) -> set[str]:
    """Keys present in fewer than half of the rows, as far as no other key follows them: their column is the last."""
    counts = Counter(key for row in rows for key, _ in row)
    sparse = {key for key, count in counts.items() if 2 * count < len(rows)}
    for _ in range(_PASSES):
        size = len(sparse)
        for row in rows:
            in_column = False
            for key, _ in reversed(row):
                if key not in sparse:
                    in_column = True
                elif in_column:
                    sparse.discard(key)
        if len(sparse) == size:
            return sparse
    return set()


def _columns(path: tuple[str, ...], cells: Sequence[Cell]) -> list[Column]:
    """One column, or those of an object that has the same keys in every row."""
    first = cells[0]
    keys = keys_of(first) if isinstance(first, tuple) else ()
    inner = [dict(cell) for cell in cells if isinstance(cell, tuple) and keys_of(cell) == keys]
    if not keys or len(set(keys)) < len(keys) or len(inner) < len(cells) or len(path) == MAX_PATH:
        return [scalar_column(path, cells)]
    return [column for key in keys for column in _columns((*path, key), [row[key] for row in inner])]


def scalar_column(path: Iterable[str], cells: Sequence[Cell]) -> Column:
    """A column with a type for scalars of one kind, else of JSON cells."""
    kinds = {_kind(cell) for cell in cells} - {""}
    scalars = kinds - {"null"}
    kind = "f" if scalars == {"i", "f"} else scalars.pop() if len(scalars) == 1 else "j"
    nullable = "?" if kind != "j" and "null" in kinds else ""
    return Column(f"{path_text(path)}:{kind}{nullable}", [_text(cell, kind) for cell in cells])


def _text(cell: Cell, kind: str) -> str:
    if cell is ...:
        return ""
    return string_cell(cell) if kind == "s" and isinstance(cell, str) else dump(cell)


def _kind(cell: Cell) -> str:
    if isinstance(cell, bytes):
        return "i" if is_integer(cell) else "f"
    if isinstance(cell, str):
        return "s"
    return "" if cell is ... else "null" if cell is None else "b" if isinstance(cell, bool) else "j"


def _items(cells: Sequence[Cell]) -> list[Object]:
    """The elements of all arrays in a column of arrays of objects, each with a key at least; empty for any other."""
    items: list[Value] = []
    for cell in cells:
        if isinstance(cell, list):
            items += cell
        elif cell is not ...:
            return []
    return items if are_objects(items) and all(items) else []


def _inline_column(key: str, cells: Sequence[Cell]) -> Column | None:
    """Arrays of flat objects with one order of keys, as a column of arrays of arrays."""
    items = _items(cells)
    if not items or any(keys_of(item) != keys_of(items[0]) for item in items):
        return None
    if any(isinstance(value, (list, tuple)) for item in items for _, value in item):
        return None
    rows = iter([[value for _, value in item] for item in items])
    texts = [dump(list(islice(rows, len(cell)))) if isinstance(cell, list) else "" for cell in cells]
    return Column(f"{key_text(key)}:[{','.join(map(key_text, keys_of(items[0])))}]", texts)


def _child(
    name: Sequence[str], key: str, parent: Column, cells: Sequence[Cell]
) -> tuple[Sequence[str], list[Column]] | None:
    """The child table for arrays of objects, when the parent's first column tells its rows apart."""
    if not parent.header.endswith((":i", ":s")) or len(set(parent.cells)) < len(cells) or "" in parent.cells:
        return None
    items = _items(cells)
    if not items:
        return None
    keys = [own for own, cell in zip(parent.cells, cells, strict=True) if isinstance(cell, list) for _ in cell]
    try:
        columns, _ = _table(name, items, inline=False, parent=Column(parent.header, keys))
    except Declined:
        return None
    return (*name, key), columns
