"""What a document looks like, in the terms of the study that says which encodings models read well."""

from collections.abc import Sequence
from typing import NamedTuple

from unpretty.encodings.json_value import Object, Value

FLAT, NESTED, SPARSE, MIXED, NULL_HEAVY = "flat", "nested", "sparse", "mixed", "null_heavy"
OTHER = "other"  # no array of objects

# The study names its data sets and does not say where one begins; these two limits are ours, on the careful side.
NULL_SHARE = 0.1
# Smallest table that is worth a header: rows, and keys that all rows have.
MIN_ROWS, MIN_KEYS = 3, 2


class Shape(NamedTuple):
    """The traits of a document, and its number of rows.

    ``traits`` holds NESTED, SPARSE, MIXED and NULL_HEAVY, as many as apply; FLAT alone when none does; OTHER alone
    when the document is not an array of objects.
    """

    traits: frozenset[str]
    rows: int


def classify(value: Value) -> Shape:
    """The shape of ``value``.

    nested: a cell is an object or an array. sparse: some row lacks a key that another has. mixed: a column holds more
    than one of text, number and truth value. null_heavy: a tenth or more of the cells are null.
    """
    rows = [row for row in value if isinstance(row, tuple) and row] if isinstance(value, list) else []
    if not isinstance(value, list) or not rows or len(rows) < len(value):
        return Shape(frozenset((OTHER,)), 0)
    cells = [cell for row in rows for _, cell in row]
    traits = set()
    if any(isinstance(cell, (list, tuple)) for cell in cells):
        traits.add(NESTED)
    if len({frozenset(dict(row)) for row in rows}) > 1:
        traits.add(SPARSE)
    if _has_mixed_column(rows):
        traits.add(MIXED)
    if sum(cell is None for cell in cells) >= NULL_SHARE * len(cells):
        traits.add(NULL_HEAVY)
    return Shape(frozenset(traits or (FLAT,)), len(rows))


def _has_mixed_column(rows: Sequence[Object]) -> bool:
    kinds: dict[str, type] = {}
    for row in rows:
        for key, cell in row:
            if isinstance(cell, (str, bytes, bool)) and kinds.setdefault(key, type(cell)) is not type(cell):
                return True
    return False


def has_table(value: Value, min_rows: int = MIN_ROWS, min_keys: int = MIN_KEYS) -> bool:
    """True when an array at any path has ``min_rows`` objects or more, all with ``min_keys`` keys or more in common."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, tuple):
            waiting += [item for _, item in here]
        elif isinstance(here, list):
            keys = [{key for key, _ in item} for item in here if isinstance(item, tuple)]
            if min_rows <= len(keys) == len(here) and len(set.intersection(*keys)) >= min_keys:
                return True
            waiting += here
    return False
