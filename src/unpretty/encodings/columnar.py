"""``columnar``: JSON in which arrays of objects are written as ``{"columns":[…],"rows":[[…],…]}``.

The form is the one that SQL tools use for result sets. Here it is used for an array of objects at any path, wherever it
is shorter. Rows have one cell per column; where a key is absent the cell holds a marker, a string that is no cell of
this table, and the table says so itself: ``{"columns":["a","b"],"absent":"-","rows":[[1,"-"],[2,null]]}``.

Decoding reads every object of one of these two forms as a table, so a document that holds such an object is declined.
"""

from unpretty.encodings.document import Document
from unpretty.encodings.errors import Declined, DecodeError
from unpretty.encodings.json_value import Object, Value, parse, quote
from unpretty.encodings.tables import are_objects, common_order, is_mostly_empty, keys_of

_FORMS = (("columns", "rows"), ("columns", "absent", "rows"))


class _Columnar:
    name = "columnar"

    def encode(self, document: Document) -> str:
        """The document with its tables columnar; a document without tables is written as minified JSON.

        Raises Declined("looks_columnar").
        """
        return _write(document.value)

    def decode(self, text: str) -> Document:
        """The document whose tables ``text`` holds in columnar form. Raises DecodeError."""
        return Document(_read(parse(text, self.name)))


COLUMNAR = _Columnar()


def _write(value: Value) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return _write_table(value) if are_objects(value) else f"[{','.join(map(_write, value))}]"
    if isinstance(value, tuple):
        if _is_table(value):
            raise Declined("looks_columnar")
        return "{" + ",".join([f"{quote(key)}:{_write(item)}" for key, item in value]) + "}"
    return "null" if value is None else "true" if value else "false"


def _write_table(rows: list[Object]) -> str:
    """An array of objects in the shorter one of its two forms."""
    if any(map(_is_table, rows)):
        raise Declined("looks_columnar")
    written = [{key: _write(item) for key, item in row} for row in rows]
    names = {key: quote(key) for row in rows for key, _ in row}
    plain = ",".join(["{" + ",".join([f"{names[key]}:{cell}" for key, cell in row.items()]) + "}" for row in written])
    columns = common_order(map(keys_of, rows))
    if not columns or is_mostly_empty(len(columns), rows):
        return f"[{plain}]"
    absent = "" if all(len(row) == len(columns) for row in rows) else _marker(rows)
    lines = ",".join(["[" + ",".join([row.get(key, absent) for key in columns]) + "]" for row in written])
    head = ",".join([names[key] for key in columns])
    table = f'{{"columns":[{head}],' + (f'"absent":{absent},' if absent else "") + f'"rows":[{lines}]}}'
    return table if len(table) < len(plain) + len("[]") else f"[{plain}]"


def _marker(rows: list[Object]) -> str:
    """A JSON string that is no cell of ``rows``."""
    cells = {item for row in rows for _, item in row if isinstance(item, str)}
    marker = "-"
    while marker in cells:
        marker += "-"
    return f'"{marker}"'


def _is_table(value: Object) -> bool:
    """True for an object that decoding takes for a table: the keys of one, names as columns, and a list as rows."""
    if keys_of(value) not in _FORMS:
        return False
    fields = dict(value)
    columns = fields["columns"]
    return (
        isinstance(columns, list)
        and bool(columns)
        and all(isinstance(column, str) for column in columns)
        and isinstance(fields["rows"], list)
        and isinstance(fields.get("absent", ""), str)
    )


def _read(value: Value) -> Value:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, tuple):
        return value
    if _is_table(value):
        return _read_table(dict(value))
    return tuple((key, _read(item)) for key, item in value)


def _read_table(table: dict[str, Value]) -> Value:
    columns, rows = table["columns"], table["rows"]
    assert isinstance(columns, list) and isinstance(rows, list)
    absent = table.get("absent")
    objects: list[Value] = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != len(columns):
            raise DecodeError(f"row {number} of a table does not have {len(columns)} cells", 0, 0, "columnar")
        cells = zip(columns, row, strict=True)
        objects.append(tuple((str(name), _read(cell)) for name, cell in cells if absent is None or cell != absent))
    return objects
