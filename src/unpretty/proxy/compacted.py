"""The two copies of a tool result, ``content`` texts and ``structuredContent``, and what became of each of them."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unpretty.engine import reason
from unpretty.engine.compaction import Compaction, Decision, compact
from unpretty.engine.context import byte_length
from unpretty.engine.json_text.minify import minify
from unpretty.engine.json_text.rows import one_row_per_line
from unpretty.engine.json_text.scanner import InvalidJSON, scan_whole
from unpretty.engine.json_text.verify import is_same
from unpretty.proxy.json_cursor import Span, as_text

if TYPE_CHECKING:
    from unpretty.engine.context import Context
    from unpretty.proxy.clients import Client
    from unpretty.proxy.message import CallResult
    from unpretty.proxy.output_schemas import OutputRules

STRUCTURED = "structuredContent"
# A longer text is not laid out in rows: that would take longer than a tool call should wait (UTF-8 bytes).
_MAX_ROWS_BYTES = 4 << 20
_NO_SPAN = Span(0, 0, None)


# Made for each message, so not frozen (see message.py).
@dataclass(slots=True, eq=False)
class CompactedText:
    """A text of a tool result.

    Attributes:
        field: where it is in the result: ``content[0].text``, ``structuredContent``, "" for a result without texts.
        before: the text. That of ``structuredContent`` has no whitespace between tokens, since a client serialises it
            again for its model: only what goes beyond that counts as saved.
        compaction: what became of it.
        span: the string literal, or the value of ``structuredContent``, in the message.
        index: number of the block in ``content``.
    """

    field: str
    before: str
    compaction: Compaction
    span: Span = _NO_SPAN
    index: int = -1

    @property
    def after(self) -> str:
        """The text to send."""
        return self.compaction.text

    @property
    def is_table(self) -> bool:
        """True when it became something other than JSON."""
        return self.compaction.decision.encoding not in ("", "json")


@dataclass(frozen=True)
class CompactedResult:
    """A tool result on its way to a client.

    Attributes:
        client: that client.
        rules: what the tool's outputSchema allows.
        texts: its text blocks.
        structured: its ``structuredContent``, None when there is none.
        may_drop: the client accepts a result without ``structuredContent``.
        dropped: ``structuredContent`` goes, since the text alone is smaller and says the same.
    """

    client: Client
    rules: OutputRules
    texts: list[CompactedText]
    structured: CompactedText | None
    may_drop: bool
    dropped: bool

    @property
    def shows_structured(self) -> bool:
        """True when the client shows ``structuredContent``; an unknown client is assumed to show the content."""
        return self.structured is not None and not self.dropped and (self.client.shows_structured or not self.texts)

    @property
    def shows_only_structured(self) -> bool:
        """True when it is known that the model never sees the content."""
        return self.client.known and self.shows_structured

    def shown_size(self, content: int, structured: int) -> int:
        """Bytes that the client shows, given the sizes of both copies; the larger where that is not known."""
        if not self.client.known:
            return max(content, structured)
        return structured if self.shows_structured else content


def unchanged(field: str, before: str, why: str) -> CompactedText:
    """A text that was left alone for the reason ``why``."""
    return CompactedText(field, before, Compaction(before, Decision(why, before)))


def compact_texts(result: CallResult, context: Context) -> list[CompactedText]:
    """The text blocks of ``result``, compacted."""
    texts = []
    for index, block in enumerate(result.content or []):
        if block.text is not None:
            text = as_text(block.text.value)
            texts.append(CompactedText(f"content[{index}].text", text, _fit_lines(text, context), block.text, index))
    return texts


def compact_structured(span: Span, original: str, context: Context, *, may_shorten_strings: bool) -> CompactedText:
    """``structuredContent``, spelled ``original`` in the message, compacted."""
    before = _flat(original, span.value)
    if not may_shorten_strings:
        compaction = Compaction(before, Decision(reason.ALREADY_COMPACT, before))
    else:
        compaction = compact(before, context)
    return CompactedText(STRUCTURED, before, compaction, span)


def compact_with(text: str, context: Context, **changes: object) -> Compaction:
    """``text`` compacted with some attributes of ``context`` changed."""
    changed = copy(context)
    for name, value in changes.items():
        setattr(changed, name, value)
    return compact(text, changed)


def agree(text: str, structured: object) -> bool:
    """True when ``text`` says exactly what ``structured`` (a scanned value) says.

    That is: the same JSON value with the same number text, or the value or the text itself as the only member
    ``result`` (see ``wrapped_value``).
    """
    wrapped = wrapped_value(structured)
    if wrapped is not None and wrapped == text:
        return True
    try:
        value = scan_whole(text)
    except (InvalidJSON, RecursionError):
        return False
    return value == structured or (wrapped is not None and value == wrapped)


def wrapped_value(value: object) -> object:
    """The value in ``{"result": ...}``, in which FastMCP wraps what is not an object; None for anything else."""
    return value[0][1] if isinstance(value, tuple) and len(value) == 1 and value[0][0] == "result" else None


def _flat(original: str, value: object) -> str:
    """``original`` without whitespace between its tokens, unchanged when that cannot be proven equal."""
    if original[:1] not in ("{", "["):
        return original
    minified = minify(original)
    flat = minified.flat
    if len(flat) == len(original):
        return original
    minified.text = flat
    return flat if is_same(original, value, minified) else original


def _fit_lines(text: str, context: Context) -> Compaction:
    """Compact ``text``; where a client drops lines over a limit, a longer one gets a line per row instead."""
    compaction = compact(text, context)
    limit = context.max_line_bytes
    if limit is None or compaction.decision.reason != reason.OVER_HOST_LIMIT:
        return compaction
    wide = compact_with(text, context, max_line_bytes=None)
    decision = wide.decision
    if not decision.converted or decision.encoding != "json" or decision.bytes_out > _MAX_ROWS_BYTES:
        return compaction
    wide.text = one_row_per_line(wide.text)
    decision.bytes_out, decision.chars_out = byte_length(wide.text), len(wide.text)
    fits = all(byte_length(line) <= limit for line in wide.text.split("\n"))
    return wide if fits and decision.bytes_out < decision.bytes_in else compaction
