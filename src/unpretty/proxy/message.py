"""JSON-RPC messages as text: where the parts that matter stand, so that everything else stays byte for byte.

A message is never parsed and written again. ``read_messages`` notes the offsets of a tool result's texts and of its
``structuredContent``; ``splice`` replaces exactly those and copies the rest. Shapes: JSON-RPC 2.0 and the MCP
specification's CallToolResult, revisions 2024-11-05 to 2026-07-28 (batches are in 2025-03-26 only).
"""

from __future__ import annotations

from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING

from unpretty.engine.json_text.scanner import WHITESPACE, InvalidJSON, scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Edit = tuple[int, int, str]
"""(start, end, replacement): offsets in characters of the message text."""


class Span:
    """A JSON value inside a message: its offsets in characters, and the value as ``scanner.scan`` gives it."""

    __slots__ = ("end", "start", "value")

    def __init__(self, start: int, end: int, value: object) -> None:
        self.start = start
        self.end = end
        self.value = value


class ContentBlock:
    """One block of a tool result's ``content``: its offsets, its type, and its text when it has one."""

    __slots__ = ("end", "start", "text", "type")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.type: object = None
        self.text: Span | None = None

    @property
    def is_text(self) -> bool:
        """True for a text block; images, audio, links and embedded resources are not ours to touch."""
        return self.type == "text" and self.text is not None and isinstance(self.text.value, str)


class CallResult:
    """The ``result`` of a response, read as a CallToolResult; other results simply have none of these members.

    Attributes:
        start, end: offsets in characters of the object.
        content: its blocks, None when there is no such list.
        content_span: offsets of the list, brackets included.
        structured: ``structuredContent``, None when absent.
        structured_member: offsets of the whole member, name and one neighbouring comma included, for leaving it out.
        is_error: ``isError`` is anything but false.
    """

    __slots__ = ("content", "content_span", "end", "is_error", "start", "structured", "structured_member")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.content: list[ContentBlock] | None = None
        self.content_span = (start, start)
        self.structured: Span | None = None
        self.structured_member = (start, start)
        self.is_error = False


class Message:
    """One JSON-RPC message inside a line.

    Attributes:
        start, end: offsets in characters.
        id: the id as the scanner gives it (``bytes`` for numbers, so 1 and "1" differ), None for notifications.
        method: the method, None for responses.
        params: parameters of a request or notification as the scanner gives them.
        result: the result of a response, None for errors and results that are no objects.
    """

    __slots__ = ("end", "id", "method", "params", "result", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.id: object = None
        self.method: str | None = None
        self.params: object = None
        self.result: CallResult | None = None

    @property
    def is_response(self) -> bool:
        """True for the answer to a request."""
        return self.method is None and self.id is not None


def read_messages(text: str) -> list[Message]:
    """The messages of one line: one, or those of a batch.

    Raises InvalidJSON when ``text`` is not JSON-RPC or names a member twice, which readers understand differently,
    and RecursionError for nesting that the interpreter cannot follow.
    """
    cursor = Cursor(text)
    batch = cursor.peek() == "["
    messages = [_message(cursor) for _ in cursor.items()] if batch else [_message(cursor)]
    if text[cursor.position :].strip(WHITESPACE):
        raise InvalidJSON("text after the message", pos=cursor.position)
    return messages


def splice(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with every edit made; edits must not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end, replacement in sorted(edits):
        pieces += (text[position:start], replacement)
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def literal(value: str, like: str = "") -> str:
    """``value`` as a JSON string; ASCII only when ``like``, the literal that it replaces, is."""
    if like.isascii() and like:
        return encode_basestring_ascii(value)
    plain = encode_basestring(value)
    try:
        plain.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair: only its escape can be sent
        return encode_basestring_ascii(value)
    return plain


def as_dict(value: object) -> dict[str, object]:
    """An object as the scanner gives it as a ``dict``; an empty one for anything else."""
    return dict(value) if isinstance(value, tuple) else {}


def as_text(value: object) -> str:
    """``value`` when it is a string, else the empty string."""
    return value if isinstance(value, str) else ""


class Cursor:
    """A position in JSON text that moves over values one by one."""

    __slots__ = ("position", "text")

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position

    def peek(self) -> str:
        """The next character that is not white space; the cursor stops on it."""
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
        if self.peek() != "]":
            while True:
                yield
                if self.peek() != ",":
                    break
                self.position += 1
        self.expect("]")

    def members(self) -> Iterator[str]:
        """Give each name of an object and stop before its value; the caller steps over it."""
        self.expect("{")
        seen = set()
        if self.peek() != "}":
            while True:
                if self.peek() != '"':
                    raise InvalidJSON("a name is missing", pos=self.position)
                name = as_text(self.value().value)
                if name in seen:
                    raise InvalidJSON("a name that occurs twice", pos=self.position)
                seen.add(name)
                self.expect(":")
                yield name
                if self.peek() != ",":
                    break
                self.position += 1
        self.expect("}")


def _message(cursor: Cursor) -> Message:
    cursor.peek()
    message = Message(cursor.position)
    for name in cursor.members():
        if name == "id":
            message.id = cursor.value().value
        elif name == "method":
            message.method = as_text(cursor.value().value)
        elif name == "params":
            message.params = cursor.value().value
        elif name == "result" and cursor.peek() == "{":
            message.result = _result(cursor)
        else:
            cursor.value()
    message.end = cursor.position
    return message


def _result(cursor: Cursor) -> CallResult:
    result = CallResult(cursor.position)
    before = 0
    for name in cursor.members():
        if name == "content" and cursor.peek() == "[":
            start = cursor.position
            result.content = [_block(cursor) for _ in cursor.items()]
            result.content_span = (start, cursor.position)
        elif name == "structuredContent":
            result.structured = cursor.value()
            result.structured_member = _member(cursor, result.start, before)
        elif name == "isError":
            result.is_error = cursor.value().value is not False
        else:
            cursor.value()
        before = cursor.position
    result.end = cursor.position
    return result


def _member(cursor: Cursor, opening: int, before: int) -> tuple[int, int]:
    """Offsets of the member that ends at the cursor, with the comma that goes when it goes.

    ``opening`` is the offset of the object's bracket, ``before`` the end of the member before it, 0 for the first.
    """
    end = cursor.position
    if before:
        return before, end
    return opening + 1, cursor.position + 1 if cursor.peek() == "," else end


def _block(cursor: Cursor) -> ContentBlock:
    if cursor.peek() != "{":
        span = cursor.value()
        block = ContentBlock(span.start)
        block.end = span.end
        return block
    block = ContentBlock(cursor.position)
    for name in cursor.members():
        span = cursor.value()
        if name == "type":
            block.type = span.value
        elif name == "text":
            block.text = span
    block.end = cursor.position
    return block
