"""Finds where the values of a TOML document are in its text.

For text that a TOML parser has accepted: nothing is validated here, and a text that is no TOML gives some answer or a
ValueError. The grammar is TOML 1.0 (https://toml.io/en/v1.0.0), with line breaks inside inline tables as in 1.1.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tomlkit

Keys = tuple[str, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
)
_OTHER = re.compile(r"[^,\]}#\r\n]+")


@dataclass(frozen=True, slots=True)
class Member:
    """A key and its value; offsets in characters.

    Attributes:
        keys: the whole path, tables included; what is below an array of tables has a path that nothing else has.
        start: where the key begins.
        last_key: where the last part of a dotted key begins.
        key_end: where the key ends.
        value: where the value begins.
        end: where it ends.
        inline: whether it is in an inline table.
    """

    keys: Keys
    start: int
    last_key: int
    key_end: int
    value: int
    end: int
    inline: bool


def members(text: str) -> list[Member]:
    """Every key and its value, those in inline tables too, in the order of the text.

    Raises:
        ValueError: the text is not TOML.
    """
    return _Scanner(text).document()


def items(text: str, start: int) -> list[tuple[int, int]]:
    """Where the items of the array that begins at ``start`` are: start and end of each."""
    return _Scanner(text).array(start)[0]


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.arrays: set[Keys] = set()
        self.found: list[Member] = []

    def document(self) -> list[Member]:
        table: Keys = ()
        at = self.blank(1 if self.text.startswith("\ufeff") else 0)
        while at < len(self.text):
            if self.text[at] == "[":
                table, at = self.header(at)
            else:
                at = self.member(at, table, inline=False)
            at = self.blank(at)
        return self.found

    def header(self, at: int) -> tuple[Keys, int]:
        double = self.text.startswith("[[", at)
        keys, _, at = self.key(_after(_SPACE, self.text, at + 1 + double))
        at = self.text.index("]", at) + 1 + double
        if double:
            self.arrays.add(keys)
        inside = any(keys[:length] in self.arrays for length in range(1, len(keys) + 1))
        return ((f"[[{at}]]", *keys) if inside else keys), at

    def member(self, start: int, table: Keys, *, inline: bool) -> int:
        keys, last_key, key_end = self.key(start)
        value = _after(_BLANK, self.text, self.text.index("=", key_end) + 1)
        index = len(self.found)
        end = self.value(value, (*table, *keys))
        self.found.insert(index, Member((*table, *keys), start, last_key, key_end, value, end, inline))
        return end

    def key(self, at: int) -> tuple[Keys, int, int]:
        """The parts of the key at ``at``, where the last one begins, and where the key ends."""
        parts: list[str] = []
        while True:
            start = at
            match = _STRING.match(self.text, at) or _BARE.match(self.text, at)
            if match is None:
                raise ValueError(f"no key at {at}")
            parts.append(_key_text(match.group()))
            dot = _after(_SPACE, self.text, match.end())
            if not self.text.startswith(".", dot):
                return tuple(parts), start, match.end()
            at = _after(_SPACE, self.text, dot + 1)

    def value(self, at: int, keys: Keys) -> int:
        first = self.text[at : at + 1]
        if first == "[":
            return self.array(at)[1]
        if first == "{":
            return self.inline_table(at, keys)
        match = (_STRING if first in ('"', "'") else _OTHER).match(self.text, at)
        if match is None:
            raise ValueError(f"no value at {at}")
        return at + len(match.group().rstrip(" \t"))

    def array(self, at: int) -> tuple[list[tuple[int, int]], int]:
        """Where the items are, and the end of the array that begins at ``at``."""
        spans: list[tuple[int, int]] = []
        for start in self.separated(at, "]"):
            outer, self.found = self.found, []  # tables in an array have no path of their own
            spans.append((start, self.value(start, ())))
            self.found = outer
            self.at = spans[-1][1]
        return spans, self.at

    def inline_table(self, at: int, keys: Keys) -> int:
        for start in self.separated(at, "}"):
            self.at = self.member(start, keys, inline=True)
        return self.at

    def separated(self, at: int, closer: str) -> Iterator[int]:
        """Where each part between brackets begins; the caller sets ``at`` to its end. In the end it is after them."""
        at = self.blank(at + 1)
        while not self.text.startswith(closer, at):
            yield at
            at = self.blank(self.at)
            if self.text.startswith(",", at):
                at = self.blank(at + 1)
            elif not self.text.startswith(closer, at):
                raise ValueError(f"{closer} or a comma expected at {at}")
        self.at = at + 1

    def blank(self, at: int) -> int:
        return _after(_BLANK, self.text, at)


def _after(pattern: "re.Pattern[str]", text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _key_text(spelled: str) -> str:
    return str(next(iter(tomlkit.parse(f"{spelled} = 0")))) if spelled[0] in "\"'" else spelled
