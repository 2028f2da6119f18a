"""Moving over JSON text value by value, so that the offsets of its parts are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unpretty.engine.json_text.scanner import WHITESPACE, InvalidJSON, scan

if TYPE_CHECKING:
    from collections.abc import Iterator


# Made for each row of a large text: frozen it would take five times as long to make.
@dataclass(slots=True, eq=False)
class Span:
    """A JSON value inside a text: its offsets in characters, and the value as ``scanner.scan`` gives it."""

    start: int
    end: int
    value: object


class JsonCursor:
    """A position in JSON text that moves over values one by one. Every method raises InvalidJSON."""

    __slots__ = ("position", "text")

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position

    def peek(self) -> str:
        """The next character that is not whitespace; the cursor stops on it."""
        text, position = self.text, self.position
        while (char := text[position : position + 1]) and char in WHITESPACE:
            position += 1
        self.position = position
        return char

    def expect(self, char: str) -> None:
        """Step over ``char``."""
        if self.peek() != char:
            raise InvalidJSON(f"{char} expected", pos=self.position)
        self.position += 1

    def value(self) -> Span:
        """Step over one value of any kind."""
        self.peek()
        start = self.position
        value, self.position = scan(self.text, start)
        return Span(start, self.position, value)

    def items(self) -> Iterator[None]:
        """Stop before each element of an array; the caller steps over it."""
        self.expect("[")
        more = self.peek() != "]"
        while more:
            yield
            more = self.peek() == ","
            self.position += more
        self.expect("]")

    def members(self) -> Iterator[str]:
        """Give each name of an object and stop before its value; the caller steps over it."""
        seen = set()
        self.expect("{")
        more = self.peek() != "}"
        while more:
            if self.peek() != '"':
                raise InvalidJSON("a name is missing", pos=self.position)
            value, self.position = scan(self.text, self.position)
            name = as_text(value)
            if name in seen:
                raise InvalidJSON("a name that occurs twice", pos=self.position)
            seen.add(name)
            self.expect(":")
            yield name
            more = self.peek() == ","
            self.position += more
        self.expect("}")


def as_dict(value: object) -> dict[str, object]:
    """An object as the scanner gives it as a ``dict``; an empty one for anything else."""
    return dict(value) if isinstance(value, tuple) else {}


def as_text(value: object) -> str:
    """``value`` when it is a string, else the empty string."""
    return value if isinstance(value, str) else ""
