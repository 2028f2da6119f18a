"""JSON-RPC messages as text: the offsets of the parts that matter, so that everything else stays byte for byte.

A message is never parsed and written again. ``read_messages`` notes the offsets of a tool result's texts and of its
``structuredContent``; ``splice`` replaces exactly those and copies the rest. Shapes: JSON-RPC 2.0 and the MCP
specification's CallToolResult, revisions 2024-11-05 to 2026-07-28 (batches are in 2025-03-26 only).
"""

from __future__ import annotations

from dataclasses import dataclass
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING

from unpretty.engine.json_text.scanner import WHITESPACE, InvalidJSON
from unpretty.proxy.json_cursor import JsonCursor, Span, as_dict, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

Edit = tuple[int, int, str]
"""(start, end, replacement): offsets in characters of the message text."""


# The classes here are made for each message: frozen they would take a multiple of the time to make.
@dataclass(slots=True, eq=False)
class ContentBlock:
    """One block of a tool result's ``content``: its offsets in characters, and the text of a text block.

    Images, audio, links and embedded resources have no ``text``: they are never changed.
    """

    start: int
    end: int
    text: Span | None

    @property
    def is_text(self) -> bool:
        """True for a text block."""
        return self.text is not None


@dataclass(slots=True, eq=False)
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

    start: int
    end: int
    content: list[ContentBlock] | None
    content_span: tuple[int, int]
    structured: Span | None
    structured_member: tuple[int, int]
    is_error: bool


@dataclass(slots=True, eq=False)
class Message:
    """One JSON-RPC message inside a line.

    Attributes:
        start, end: offsets in characters.
        id: the id as the scanner gives it (``bytes`` for numbers, so 1 and "1" differ), None for notifications.
        method: the method, None for responses.
        params: parameters of a request or notification as the scanner gives them.
        result: the result of a response, None for errors and results that are not objects.
    """

    start: int
    end: int
    id: object
    method: str | None
    params: object
    result: CallResult | None

    @property
    def is_response(self) -> bool:
        """True for the answer to a request."""
        return self.method is None and self.id is not None


def read_line(line: bytes) -> tuple[str, list[Message]] | None:
    """The text of a line and its messages; None for a line that cannot be read, which has to pass as it came."""
    try:
        text = line.decode("utf-8")
        return text, read_messages(text)
    except (InvalidJSON, UnicodeDecodeError, RecursionError, MemoryError):
        return None


def read_messages(text: str) -> list[Message]:
    """The messages of one line: one, or those of a batch.

    Raises InvalidJSON when ``text`` is not JSON-RPC or names a member twice, which readers understand differently,
    and RecursionError for nesting that the interpreter cannot follow.
    """
    cursor = JsonCursor(text)
    # Another spelling of that name needs \u escapes.
    at_once = '"result"' not in text and "\\u" not in text
    in_batch = cursor.items() if cursor.peek() == "[" else [None]
    messages = [_message(cursor, at_once=at_once) for _ in in_batch]
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


def _message(cursor: JsonCursor, *, at_once: bool) -> Message:
    """The message at the cursor; ``at_once`` for one without a result, which needs no offsets: one call reads it."""
    cursor.peek()
    start, result = cursor.position, None
    found: dict[str, object] = {}
    if at_once:
        value = cursor.value().value
        found = as_dict(value)
        if not isinstance(value, tuple) or len(found) < len(value):
            raise InvalidJSON("not an object, or a name that occurs twice", pos=start)
    else:
        for name in cursor.members():
            if name == "result" and cursor.peek() == "{":
                result = _result(cursor)
            else:
                found[name] = cursor.value().value
    method = as_text(found["method"]) if "method" in found else None
    return Message(start, cursor.position, found.get("id"), method, found.get("params"), result)


def _result(cursor: JsonCursor) -> CallResult:
    start = before = cursor.position
    content, content_span = None, (start, start)
    structured, structured_member = None, (start, start)
    is_error = False
    for name in cursor.members():
        if name == "content" and cursor.peek() == "[":
            opening = cursor.position
            content = [_block(cursor) for _ in cursor.items()]
            content_span = (opening, cursor.position)
        elif name == "structuredContent":
            structured = cursor.value()
            structured_member = _member(cursor, start, before)
        elif name == "isError":
            is_error = cursor.value().value is not False
        else:
            cursor.value()
        before = cursor.position
    return CallResult(start, cursor.position, content, content_span, structured, structured_member, is_error)


def _member(cursor: JsonCursor, opening: int, before: int) -> tuple[int, int]:
    """Offsets of the member that ends at the cursor, with the comma that goes when it goes.

    ``opening`` is the offset of the object's bracket, ``before`` the end of the member before it, or ``opening``.
    """
    end = cursor.position
    if before > opening:
        return before, end
    return opening + 1, cursor.position + 1 if cursor.peek() == "," else end


def _block(cursor: JsonCursor) -> ContentBlock:
    if cursor.peek() != "{":
        span = cursor.value()
        return ContentBlock(span.start, span.end, None)
    start = cursor.position
    found = {name: cursor.value() for name in cursor.members()}
    text, kind = found.get("text"), found.get("type")
    if text is None or kind is None or kind.value != "text" or not isinstance(text.value, str):
        text = None
    return ContentBlock(start, cursor.position, text)
