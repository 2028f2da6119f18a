"""The two copies of a tool result, ``content`` texts and ``structuredContent``, and what becomes of each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unpretty.engine import reason
from unpretty.engine.compaction import Compaction, Decision, compact
from unpretty.engine.context import byte_length
from unpretty.engine.json_text.minify import minify
from unpretty.engine.json_text.rows import one_row_per_line
from unpretty.engine.json_text.scanner import WHITESPACE, InvalidJSON, scan
from unpretty.engine.json_text.verify import is_same
from unpretty.proxy.message import as_text

if TYPE_CHECKING:
    from unpretty.engine.context import Context
    from unpretty.proxy.clients import Client
    from unpretty.proxy.message import CallResult, Span
    from unpretty.proxy.output_schemas import OutputRules

# Laying out the rows of a longer text would take longer than a tool call should wait (UTF-8 bytes).
_MAX_ROWS_BYTES = 4 << 20


class CompactedText:
    """The text of one block.

    Attributes:
        index: number of the block in ``content``.
        span: the string literal in the message.
        before: the text.
        compaction: what became of it.
    """

    __slots__ = ("before", "compaction", "index", "span")

    def __init__(self, index: int, span: Span, context: Context) -> None:
        self.index = index
        self.span = span
        self.before = as_text(span.value)
        self.compaction = _fit_lines(self.before, context)

    @property
    def after(self) -> str:
        """The text to send."""
        return self.compaction.text


class CompactedStructured:
    """``structuredContent`` as JSON text in one line.

    A client serialises it anew for its model, so white space between its tokens never reaches the model: ``before`` is
    the text without that, and only what goes beyond it counts as saved.

    Attributes:
        span: the value in the message.
        before: minified JSON text.
        compaction: what became of that.
    """

    __slots__ = ("before", "compaction", "span")

    def __init__(self, span: Span, original: str, context: Context, may_shorten_strings: bool) -> None:
        self.span = span
        self.before = _flat(original, span.value)
        if may_shorten_strings:
            self.compaction = compact(self.before, context)
        else:
            self.compaction = Compaction(self.before, Decision(reason.ALREADY_COMPACT, self.before))

    @property
    def after(self) -> str:
        """The JSON text to send."""
        return self.compaction.text


class CompactedResult:
    """A tool result on its way to a client.

    Attributes:
        texts: its text blocks.
        structured: its ``structuredContent``, None when there is none.
        dropped: ``structuredContent`` goes, since the text alone is smaller and says the same.
        may_drop: the client would accept that.
        rules: what the tool's outputSchema allows.
    """

    __slots__ = ("_client", "dropped", "may_drop", "rules", "structured", "texts")

    def __init__(
        self,
        client: Client,
        rules: OutputRules,
        texts: list[CompactedText],
        structured: CompactedStructured | None,
        may_drop: bool,
    ) -> None:
        self._client = client
        self.rules = rules
        self.texts = texts
        self.structured = structured
        self.may_drop = may_drop
        self.dropped = False

    @property
    def shows_structured(self) -> bool:
        """True when the client shows ``structuredContent``; an unknown client is taken to show the content."""
        return self.structured is not None and not self.dropped and (self._client.shows_structured or not self.texts)

    @property
    def shows_only_structured(self) -> bool:
        """True when it is known that the model never sees the content."""
        return self._client.known and self.shows_structured

    def shown_size(self, content: int, structured: int) -> int:
        """Bytes that the client shows, given the sizes of both copies; the larger where that is not known."""
        if not self._client.known:
            return max(content, structured)
        return structured if self.shows_structured else content


def read_texts(result: CallResult, context: Context) -> list[CompactedText]:
    """The text blocks of ``result``, compacted."""
    return [
        CompactedText(index, block.text, context)
        for index, block in enumerate(result.content or [])
        if block.is_text and block.text is not None
    ]


def agree(text: str, structured: object) -> bool:
    """True when ``text`` says exactly what ``structured`` (a scanned value) says.

    That is: the same JSON value with the same number text, or, as FastMCP wraps what is no object, the value or the
    text itself as the only member ``result``.
    """
    wrapped = wrapped_value(structured)
    if wrapped is not None and wrapped == text:
        return True
    try:
        value = whole_value(text)
    except (InvalidJSON, RecursionError):
        return False
    return value == structured or (wrapped is not None and value == wrapped)


def wrapped_value(value: object) -> object:
    """The value in ``{"result": ...}``, the form in which FastMCP wraps what is no object; None for anything else."""
    return value[0][1] if isinstance(value, tuple) and len(value) == 1 and value[0][0] == "result" else None


def whole_value(text: str) -> object:
    """``text`` as one JSON value. Raises InvalidJSON, RecursionError."""
    start = len(text) - len(text.lstrip(WHITESPACE))
    value, end = scan(text, start)
    if text[end:].strip(WHITESPACE):
        raise InvalidJSON("text after the value", pos=end)
    return value


def _flat(original: str, value: object) -> str:
    """``original`` without white space between its tokens, itself when that cannot be proven equal."""
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
    context.max_line_bytes = None
    try:
        wide = compact(text, context)
    finally:
        context.max_line_bytes = limit
    decision = wide.decision
    if not decision.converted or decision.encoding != "json" or decision.bytes_out > _MAX_ROWS_BYTES:
        return compaction
    wide.text = one_row_per_line(wide.text)
    decision.bytes_out, decision.chars_out = byte_length(wide.text), len(wide.text)
    fits = all(byte_length(line) <= limit for line in wide.text.split("\n"))
    return wide if fits and decision.bytes_out < decision.bytes_in else compaction
