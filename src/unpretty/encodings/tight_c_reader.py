"""Reading tight-c.

document  = table | value | members
table     = "[" count "]" key *("," key) count(LF value *("," value))
members   = member *(separator member)     separator: "," or LF, and an empty line after a table
member    = key ":" value | key LF table
value     = scalar | "[" [value *("," value)] "]" | "{" [key ":" value *("," key ":" value)] "}"

A scalar is a word, a number, or a string; strings and keys are bare or JSON strings.
"""

import re

from unpretty.encodings.errors import DecodeError
from unpretty.encodings.json_value import Object, Value, is_number, parse_prefix

_BARE_VALUE = re.compile(r'[^ \t\n\r\f\v,|"\]}\[{][^ \t\n\r\f\v,|"\]}]*')
_BARE_KEY = re.compile(r'[^ \t\n\r\f\v,|"\]}\[{:][^ \t\n\r\f\v,|"\]}:]*')
_TABLE_HEAD = re.compile(r"\[([1-9][0-9]{0,15})\](?=[^\n])")
_WORDS: dict[str, Value] = {"null": None, "true": True, "false": False}


def read(text: str) -> Value:
    """The value that ``text``, with or without a line end, encodes.

    Raises DecodeError with line and column, and RecursionError for nesting that the interpreter cannot follow.
    """
    reader = _Reader(text.removesuffix("\n"))
    value = reader.document()
    if reader.position != len(reader.text):
        raise reader.error("the document has ended, but more text follows")
    return value


class _Reader:
    """A position in the text; each method reads one piece of the grammar and moves past it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def error(self, what: str) -> DecodeError:
        return DecodeError.at(self.text, self.position, what, "tight-c")

    def at(self, mark: str) -> bool:
        return self.text.startswith(mark, self.position)

    def accept(self, mark: str) -> bool:
        """Move past ``mark`` when it is here."""
        found = self.at(mark)
        self.position += len(mark) if found else 0
        return found

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            raise self.error("a line break is missing" if mark == "\n" else f"{mark!r} is missing")

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
        columns = [self.key()]
        while self.accept(","):
            columns.append(self.key())
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

    def key(self) -> str:
        if self.at('"'):
            return self.literal()
        bare = _BARE_KEY.match(self.text, self.position)
        if bare is None:
            raise self.error("a key is missing")
        self.position = bare.end()
        return bare[0]

    def value(self) -> Value:
        if self.at('"'):
            return self.literal()
        if self.accept("["):
            return self.array()
        if self.accept("{"):
            return self.object()
        bare = _BARE_VALUE.match(self.text, self.position)
        if bare is None:
            raise self.error("a value is missing")
        self.position = bare.end()
        word = bare[0]
        if word in _WORDS:
            return _WORDS[word]
        return word.encode() if is_number(word) else word

    def literal(self) -> str:
        value, self.position = parse_prefix(self.text, self.position, "tight-c")
        assert isinstance(value, str)
        return value

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
