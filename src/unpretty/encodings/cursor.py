"""A position in a text that is being read, and the pieces that the readers of several encodings have in common."""

import re
from typing import ClassVar

from unpretty.encodings.errors import DecodeError
from unpretty.encodings.json_value import Value, is_number, parse_prefix

_NAMES: dict[str, Value] = {"null": None, "true": True, "false": False}


class Cursor:
    """A position in ``text``; each method reads one piece and moves past it, or raises DecodeError when it is not here.

    Attributes:
        BARE_KEY: what a key without quotes looks like.
        KEY: what a key is called in an error.
        line: how many lines of the whole text come before ``text``.
    """

    BARE_KEY: ClassVar[re.Pattern[str]]
    KEY: ClassVar[str] = "key"

    def __init__(self, text: str, encoding: str, line: int = 0) -> None:
        self.text = text
        self.encoding = encoding
        self.line = line
        self.position = 0

    def error(self, what: str, position: int | None = None) -> DecodeError:
        """The error at ``position``, at the cursor when it is None."""
        where = self.position if position is None else position
        return DecodeError.at(self.text, where, what, self.encoding).moved(self.line)

    def at(self, mark: str) -> bool:
        """True when ``mark`` is here."""
        return self.text.startswith(mark, self.position)

    def accept(self, mark: str) -> bool:
        """Move past ``mark`` when it is here."""
        found = self.at(mark)
        self.position += len(mark) if found else 0
        return found

    def expect(self, mark: str) -> None:
        """Move past ``mark``."""
        if not self.accept(mark):
            raise self.error("a line break is missing" if mark == "\n" else f"{mark!r} is missing")

    def match(self, pattern: re.Pattern[str], name: str) -> str:
        """What ``pattern`` matches here; ``name`` says what it is in an error."""
        found = pattern.match(self.text, self.position)
        if found is None:
            raise self.error(f"a {name} is missing")
        self.position = found.end()
        return found[0]

    def json(self) -> Value:
        """A JSON value."""
        try:
            value, self.position = parse_prefix(self.text, self.position, self.encoding)
        except DecodeError as exc:
            raise exc.moved(self.line) from None
        return value

    def key(self) -> str:
        """A key, bare or a JSON string."""
        return str(self.json()) if self.at('"') else self.match(self.BARE_KEY, self.KEY)

    def keys(self, separator: str = ",") -> list[str]:
        """Keys with ``separator`` between them."""
        found = [self.key()]
        while self.accept(separator):
            found.append(self.key())
        return found


def scalar(word: str) -> Value:
    """The value of a word without quotes: a number, a truth value, null, else the word itself."""
    return _NAMES[word] if word in _NAMES else word.encode() if is_number(word) else word
