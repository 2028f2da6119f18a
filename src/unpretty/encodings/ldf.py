"""``ldf``: LDF v0.2, a typed header, one line per record, child tables for nested arrays.

The format is that of caioricciuti/ldf, whose eight rules are published with one example; where they are silent the
choice is ours, and docs/formats.md lists it. A document is

* an array of objects, none of them empty: a table called ``records``; or
* an object with ``columns`` (names) and ``rows`` (arrays): the "frame", one JSON line with ``"@records"`` in place of
  the rows, then the rows as a table.

``ldf-inline`` keeps arrays of flat objects in their row (``items:[sku,qty]``), which the format has as an option.
"""

from unpretty.encodings.document import Document
from unpretty.encodings.errors import Declined
from unpretty.encodings.json_value import Object, dump
from unpretty.encodings.ldf_reader import read
from unpretty.encodings.ldf_table import lines_of, scalar_column, table_lines
from unpretty.encodings.ldf_text import ROOT, ROWS_MARK
from unpretty.encodings.tables import are_objects, keys_of


class _Ldf:
    def __init__(self, name: str, *, inline: bool) -> None:
        self.name = name
        self._inline = inline

    def encode(self, document: Document) -> str:
        """The document in LDF. Raises Declined: not_a_table, duplicate_keys, key_order, not_smaller."""
        value = document.value
        if isinstance(value, tuple):
            return "\n".join(_frame(value))
        if not isinstance(value, list) or not value or not all(isinstance(row, tuple) and row for row in value):
            raise Declined("not_a_table")
        if not are_objects(value):
            raise Declined("duplicate_keys")
        return "\n".join(table_lines((ROOT,), value, inline=self._inline))

    def decode(self, text: str) -> Document:
        """The document that ``text`` encodes, inline arrays or not. Raises DecodeError."""
        return Document(read(text, self.name))


LDF = _Ldf("ldf", inline=False)
LDF_INLINE = _Ldf("ldf-inline", inline=True)


def _frame(document: Object) -> list[str]:
    """The lines for a document whose ``rows`` are arrays; its other members stay in the first line."""
    keys = keys_of(document)
    fields = dict(document)
    columns, rows = fields.get("columns"), fields.get("rows")
    if not (isinstance(columns, list) and columns and isinstance(rows, list) and rows):
        raise Declined("not_a_table")
    names = [name for name in columns if isinstance(name, str)]
    cells = [row for row in rows if isinstance(row, list) and len(row) == len(columns)]
    if len(names) < len(columns) or len(cells) < len(rows):
        raise Declined("not_a_table")
    if keys.count("columns") + keys.count("rows") > 2:
        raise Declined("duplicate_keys")
    first = dump(tuple((key, ROWS_MARK if key == "rows" else item) for key, item in document))
    values = zip(*cells, strict=True)
    table = [scalar_column((name,), column) for name, column in zip(names, values, strict=True)]
    return [first, *lines_of((ROOT,), table)]
