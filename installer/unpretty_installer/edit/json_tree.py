"""Parses JSON and JSONC (comments, trailing commas) into a tree that remembers where everything is.

The grammar is RFC 8259; a lenient parse also takes ``//`` and ``/* */`` comments and one trailing comma, as the
parsers of OpenCode and VS Code do. Offsets count characters of the decoded text, a byte order mark included.
"""

import json
import re
from dataclasses import dataclass

from unpretty.errors import UnprettyError

BOM = "\ufeff"
SPACE = " \t\r\n"

_SPACES = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"(?:true|false|null)\b")
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_CLOSERS = {"{": "}", "[": "]"}


class JsonSyntaxError(UnprettyError):
    """The text is not JSON (or not strict JSON where that is needed); ``line`` and ``column`` count from 1."""

    def __init__(self, name: str, line: int, column: int, problem: str) -> None:
        super().__init__(f"{name}, line {line}, column {column}: {problem}.", code="invalid_json")
        self.line = line
        self.column = column
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Node:
    """A value. ``kind`` is ``{``, ``[`` or empty for a scalar; ``start`` and ``end`` are offsets in characters."""

    kind: str
    start: int
    end: int
    items: "tuple[Item, ...]" = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object or an element of an array: ``start`` is where its key, or else its value, begins."""

    start: int
    key: str | None
    node: Node
    comma: int | None  # offset of the comma that follows, when one does


def skip_spaces(text: str, position: int) -> int:
    """The offset of the first character at or after ``position`` that is not JSON whitespace."""
    match = _SPACES.match(text, position)
    return match.end() if match else position


def comment_end(text: str, position: int) -> int | None:
    """The offset after the comment that starts at ``position``; None when none does, -1 when it never ends."""
    if text.startswith("//", position):
        match = _LINE_COMMENT.match(text, position)
        return match.end() if match else None
    if text.startswith("/*", position):
        end = text.find("*/", position + 2)
        return -1 if end < 0 else end + 2
    return None


def parse(text: str, *, name: str = "JSON", strict: bool = False) -> Node | None:
    """Parse ``text``; None when it holds no value at all (blank, or only comments).

    Raises:
        JsonSyntaxError: where and why the text cannot be read; ``name`` (a path) begins the message.
    """
    return _Parser(text, name, strict).document()


def scalar(text: str, node: Node) -> object:
    """The value of a scalar node. A number that Python refuses to read (over 4,300 digits) stays text."""
    spelled = text[node.start : node.end]
    try:
        return json.loads(spelled)
    except ValueError:
        return spelled


def value_of(text: str, node: Node) -> object:
    """The node as plain Python values; of duplicate keys the last one counts, as for ``JSON.parse``."""
    if node.kind == "{":
        return {item.key: value_of(text, item.node) for item in node.items}
    if node.kind == "[":
        return [value_of(text, item.node) for item in node.items]
    return scalar(text, node)


class _Parser:
    """Recursive descent; depth is bounded by Python's own limit and ends in a JsonSyntaxError."""

    def __init__(self, text: str, name: str, strict: bool) -> None:
        self.text = text
        self.name = name
        self.strict = strict
        self.at = 0

    def document(self) -> Node | None:
        self.at = len(BOM) if self.text.startswith(BOM) else 0
        self.trivia()
        if self.at == len(self.text):
            return None
        try:
            node = self.value()
        except RecursionError:
            raise self.error("it is nested too deeply to be edited") from None
        self.trivia()
        if self.at != len(self.text):
            raise self.error("there is more text after the end of the value")
        return node

    def error(self, problem: str, position: int | None = None) -> JsonSyntaxError:
        at = self.at if position is None else position
        before = self.text[:at].removeprefix(BOM)
        lines = re.split(r"\r\n|\n|\r", before)
        return JsonSyntaxError(self.name, len(lines), len(lines[-1]) + 1, problem)

    def trivia(self) -> None:
        while True:
            self.at = skip_spaces(self.text, self.at)
            end = comment_end(self.text, self.at)
            if end is None:
                return
            if self.strict:
                raise self.error("comments are not allowed here, this file has to be strict JSON")
            if end < 0:
                raise self.error("this comment never ends")
            self.at = end

    def value(self) -> Node:
        start = self.at
        first = self.text[start : start + 1]
        if first in _CLOSERS:
            return self.container(first)
        pattern = _STRING if first == '"' else _NUMBER if first in "-0123456789" else _WORD
        match = pattern.match(self.text, start) if first else None
        if match is None:
            raise self.error(self.expected(first))
        self.at = match.end()
        return Node("", start, self.at)

    @staticmethod
    def expected(first: str) -> str:
        if first == '"':
            return "this string is not closed or holds a character that must be escaped"
        return "the text ends where a value should be" if not first else "a value was expected"

    def container(self, opener: str) -> Node:
        start, closer = self.at, _CLOSERS[opener]
        items: list[Item] = []
        self.at += 1
        self.trivia()
        while self.text[self.at : self.at + 1] != closer:
            if items and items[-1].comma is None:
                raise self.error(f"a comma or {closer} was expected")
            items.append(self.item(opener))
            self.trivia()
        if self.strict and items and items[-1].comma is not None:
            raise self.error("a trailing comma is not allowed here, this file has to be strict JSON", items[-1].comma)
        self.at += 1
        return Node(opener, start, self.at, tuple(items))

    def item(self, opener: str) -> Item:
        start, key = self.at, None
        if opener == "{":
            key = self.key()
        node = self.value()
        self.trivia()
        comma = None
        if self.text.startswith(",", self.at):
            comma = self.at
            self.at += 1
        return Item(start, key, node, comma)

    def key(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self.error("a key in double quotes was expected")
        self.at = match.end()
        self.trivia()
        if not self.text.startswith(":", self.at):
            raise self.error("a colon was expected after the key")
        self.at += 1
        self.trivia()
        key = json.loads(match.group())
        assert isinstance(key, str)
        return key
