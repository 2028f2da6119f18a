"""``tight-c``: a count-anchored table for uniform objects, loose JSON with few quotes for the rest.

The grammar is that of EncodeTightC in the Go package agent/toolfmt of iodesystems/agentkit, which has no decoder and
maps some different documents to one text. Where a document takes part in such a collision it is written differently:

* a string or key with ``]`` or ``}`` is quoted, since the bare one can end early;
* a top-level string with a colon is quoted, since bare it reads as an object; one with a line break is quoted too;
* rows must have their keys in one order to become a table, since a table has one order;
* the same key twice is written twice;
* half of a surrogate pair is quoted and escaped instead of being replaced;
* a string or key that begins with U+FEFF is quoted, since readers take a byte order mark off the start of a text.

Everything else is byte for byte what the original writes, the escapes of Go's JSON writer included.
"""

import re

from unpretty.encodings.document import Document
from unpretty.encodings.json_value import Object, Value, is_number, quote
from unpretty.encodings.tables import keys_of
from unpretty.encodings.tight_c_reader import read

_QUOTED_STARTS = ("[", "{", "\ufeff")
_QUOTED_VALUE = re.compile('[ \t\n\r\f\v,|"\\]}\ud800-\udfff]')
_QUOTED_KEY = re.compile('[ \t\n\r\f\v,|"\\]}\ud800-\udfff:]')
_GO_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


class _TightC:
    name = "tight-c"

    def encode(self, document: Document) -> str:
        """The document in tight-c; nothing is declined."""
        value = document.value
        if isinstance(value, str):
            return _literal(value) if ":" in value else _string(value)
        if isinstance(value, list):
            return _array(value)
        return _blocks(value) if isinstance(value, tuple) else _loose(value)

    def decode(self, text: str) -> Document:
        """The document that ``text`` encodes. Raises DecodeError."""
        return Document(read(text))


TIGHT_C = _TightC()


def _literal(text: str) -> str:
    return quote(text).translate(_GO_ESCAPES)


def _string(text: str) -> str:
    if not text or text[0] in _QUOTED_STARTS or _QUOTED_VALUE.search(text):
        return _literal(text)
    return _literal(text) if text in ("true", "false", "null") or is_number(text) else text


def _key(text: str) -> str:
    return _literal(text) if not text or text[0] in _QUOTED_STARTS or _QUOTED_KEY.search(text) else text


def _is_inline(value: Value) -> bool:
    """True for what fits a table cell: a scalar, or an array of scalars."""
    if isinstance(value, list):
        return not any(isinstance(item, (list, tuple)) for item in value)
    return not isinstance(value, tuple)


def _array(items: list[Value]) -> str:
    """An array outside of brackets: a table of two lines or more, or one line."""
    columns = _columns(items)
    if columns is None:
        return _loose(items)
    rows = [",".join([_loose(cell) for _, cell in row]) for row in items if isinstance(row, tuple)]
    return "\n".join([f"[{len(items)}]{','.join(map(_key, columns))}", *rows])


def _columns(items: list[Value]) -> tuple[str, ...] | None:
    """The keys that all ``items`` have in one order, when they are objects of inline values."""
    first = items[0] if items else None
    if not isinstance(first, tuple) or not first:
        return None
    columns = keys_of(first)
    for item in items:
        if not isinstance(item, tuple) or keys_of(item) != columns or not all(_is_inline(cell) for _, cell in item):
            return None
    return columns


def _blocks(members: Object) -> str:
    """An object outside of braces: one line when all its values are inline, else one block per member."""
    if not members:
        return "{}"
    if all(_is_inline(item) for _, item in members):
        return ",".join([f"{_key(key)}:{_loose(item)}" for key, item in members])
    pieces: list[str] = []
    for key, item in members:
        body = _array(item) if isinstance(item, list) else _loose(item)
        is_table = "\n" in body
        pieces += (_key(key), "\n" if is_table else ":", body, "\n\n" if is_table else "\n")
    return "".join(pieces[:-1])


def _loose(value: Value) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return f"[{','.join(map(_loose, value))}]"
    if isinstance(value, tuple):
        return "{" + ",".join([f"{_key(key)}:{_loose(item)}" for key, item in value]) + "}"
    return "null" if value is None else "true" if value else "false"
