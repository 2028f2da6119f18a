"""Reading tight-c.

document  = table | value | members
table     = "[" count "]" key *("," key) count(LF value *("," value))
members   = member *(separator member)     separator: "," or LF, and an empty line after a table
member    = key ":" value | key LF table
value     = scalar | "[" [value *("," value)] "]" | "{" [key ":" value *("," key ":" value)] "}"

A scalar is a word, a number, or a string; strings and keys are bare or JSON strings.
"""

import re

from unpretty.encodings.cursor import Cursor, scalar
from unpretty.encodings.json_value import Object, Value

_BARE_VALUE = re.compile(r'[^ \t\n\r\f\v,|"\]}\[{][^ \t\n\r\f\v,|"\]}]*')
_BARE_KEY = re.compile(r'[^ \t\n\r\f\v,|"\]}\[{:][^ \t\n\r\f\v,|"\]}:]*')
_TABLE_HEAD = re.compile(r"\[([1-9][0-9]{0,15})\](?=[^\n])")


def read(text: str) -> Value:
    """The value that ``text``, with or without a line end, encodes.

    Raises DecodeError with line and column, and RecursionError for nesting that the interpreter cannot follow.
    """
    reader = _Reader(text.removesuffix("\n"), "tight-c")
    value = reader.document()
    if reader.position != len(reader.text):
        raise reader.error("the document has ended, but more text follows")
    return value


class _Reader(Cursor):
    """A position in the text; each method reads one piece of the grammar and moves past it."""

    BARE_KEY = _BARE_KEY

    def document(self) -> Value:
        if self.at("["):
            return self.table() if _TABLE_HEAD.match(self.text, self.position) else self.value()
        return self.value() if self.at("{") or self._is_scalar() else self.members()

    def _is_scalar(self) -> bool:
        """True when the whole text is one scalar; a member has a colon or a line break after its key."""
        start = self.position
        self.key()
        end, self.position = self.position, start
        return end == len(self.text)

    def members(self) -> Object:
        found: list[tuple[str, Value]] = []
        while True:
            key = self.key()
            if self.accept("\n"):
                found.append((key, self.table()))
                if not self.accept("\n\n"):
                    return tuple(found)
            else:
                self.expect(":")
                found.append((key, self.value()))
                if not self.accept(",") and not self.accept("\n"):
                    return tuple(found)

    def table(self) -> list[Value]:
        head = _TABLE_HEAD.match(self.text, self.position)
        if head is None:
            raise self.error("a table has to begin with its number of rows in brackets and the names of its columns")
        self.position = head.end()
        columns = self.keys()
        rows: list[Value] = []
        for _ in range(int(head[1])):
            self.expect("\n")
            rows.append(self.row(columns))
        return rows

    def row(self, columns: list[str]) -> Object:
        cells: list[tuple[str, Value]] = []
        for column in columns:
            if cells:
                self.expect(",")
            cells.append((column, self.value()))
        return tuple(cells)

    def value(self) -> Value:
        if self.at('"'):
            return self.json()
        if self.accept("["):
            return self.array()
        if self.accept("{"):
            return self.object()
        return scalar(self.match(_BARE_VALUE, "value"))

    def array(self) -> list[Value]:
        items: list[Value] = []
        if self.accept("]"):
            return items
        items.append(self.value())
        while self.accept(","):
            items.append(self.value())
        self.expect("]")
        return items

    def object(self) -> Object:
        members: list[tuple[str, Value]] = []
        while not self.accept("}"):
            if members:
                self.expect(",")
            key = self.key()
            self.expect(":")
            members.append((key, self.value()))
        return tuple(members)
