"""Turn the result of one ``tools/call`` into a smaller one for the client that asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unpretty.encodings.registry import ENCODINGS
from unpretty.engine import reason
from unpretty.engine.compaction import Compaction, Decision
from unpretty.engine.context import FILE, byte_length
from unpretty.proxy.compacted import (
    STRUCTURED,
    CompactedResult,
    CompactedText,
    agree,
    compact_structured,
    compact_texts,
    unchanged,
)
from unpretty.proxy.json_cursor import as_text
from unpretty.proxy.limit import LimitedResult, limited, notice
from unpretty.proxy.message import Edit, literal

if TYPE_CHECKING:
    from unpretty.engine.context import Context
    from unpretty.proxy.clients import ToolCall
    from unpretty.proxy.current_settings import CurrentSettings
    from unpretty.proxy.kept_results import KeptResults
    from unpretty.proxy.message import CallResult, Message
    from unpretty.proxy.session import Session

# Results under this many UTF-8 bytes are left alone.
MIN_RESULT_BYTES = 1024


# Made for each message, so not frozen (see message.py).
@dataclass(slots=True, eq=False)
class Rewritten:
    """What to change in a message, and what to write into the log about it.

    Attributes:
        edits: the changes.
        texts: those that the client shows, for the log.
        limited: what ``--max-result-bytes`` left of the result, None when all of it.
    """

    edits: list[Edit] = field(default_factory=list)
    texts: list[CompactedText] = field(default_factory=list)
    limited: LimitedResult | None = None


class Rewriter:
    """Rewrites results for one connection; ``limit`` is ``--max-result-bytes``, None for no limit."""

    def __init__(self, session: Session, current: CurrentSettings, kept: KeptResults, limit: int | None) -> None:
        self._session = session
        self._current = current
        self._kept = kept
        self._limit = limit
        self._announced: set[str] = set()

    def rewrite(self, text: str, message: Message, call: ToolCall) -> Rewritten:
        """The changes to ``message``, an answer to ``call`` in ``text``. Errors are left alone."""
        result = message.result
        if result is None or result.is_error or (result.content is None and result.structured is None):
            return Rewritten()
        tool_id = self._session.tool_id(call.tool)
        small = reason.TOO_SMALL if _is_small(text, result) else ""
        why = self._current.switched_off(call, tool_id) or small
        if why:
            return Rewritten(texts=self._unchanged(text, result, why))
        compacted, context = self._compacted(text, result, call, tool_id)
        made = None if self._limit is None else limited(compacted, self._limit, context)
        if made is not None:
            self._keep(made, tool_id)
        edits = _edits(text, result, compacted, made, self._notes(compacted, made))
        return Rewritten(edits, _shown(compacted), made)

    def _notes(self, compacted: CompactedResult, made: LimitedResult | None) -> list[str]:
        """Lines for the model: about a limited result, and once about each encoding that is not JSON."""
        notes = [] if made is None else [made.notice]
        encodings = {text.compaction.decision.encoding for text in compacted.texts if text.is_table} - self._announced
        self._announced |= encodings
        return notes + [ENCODINGS[encoding].notice for encoding in sorted(encodings)]

    def _compacted(
        self, text: str, result: CallResult, call: ToolCall, tool_id: str
    ) -> tuple[CompactedResult, Context]:
        """Both copies compacted, and the context of the texts."""
        client = self._session.client
        rules = self._session.schemas.rules(call.tool)
        free = client.known and not call.for_program
        span = result.structured if result.structured is not None and result.structured.value is not None else None
        may_drop = free and client.shows_structured and (client.may_drop_structured or rules.may_drop)
        alone = _only_text(result)
        droppable = span is not None and may_drop and alone is not None and agree(alone, span.value)
        tables = free and (span is None or droppable or not client.shows_structured)
        context = self._current.context(call, tool_id)
        if tables:
            context.choose = self._current.settings.chooser(client.agent, tool_id, call.model)
        context.max_line_bytes = client.max_line_bytes
        texts = compact_texts(result, context)
        structured = None
        dropped = False
        if span is not None:
            structured = compact_structured(
                span,
                text[span.start : span.end],
                self._current.context(call, tool_id),
                may_shorten_strings=rules.may_shorten_strings,
            )
            worth_it = byte_length(structured.after) * (1 - context.min_gain)
            dropped = droppable and context.kind != FILE and byte_length(texts[0].after) <= worth_it
        return CompactedResult(client, rules, texts, structured, may_drop, dropped), context

    def _keep(self, made: LimitedResult, tool_id: str) -> None:
        """Write the notice; the complete result is kept for a client that can ask for it."""
        session = self._session
        address = ""
        if session.client.reads_resources or session.client_uses_resources:
            address = self._kept.keep(tool_id, made.rows)
        made.notice = notice(made, address, session.given_name)
        made.kept = bool(address)

    def _unchanged(self, text: str, result: CallResult, why: str) -> list[CompactedText]:
        """The texts that the client shows of a result that is left alone."""
        blocks = [(index, block.text) for index, block in enumerate(result.content or []) if block.text is not None]
        span = result.structured
        if span is not None and (self._session.client.shows_structured or not blocks):
            return [unchanged(STRUCTURED, text[span.start : span.end], why)]
        return [unchanged(f"content[{index}].text", as_text(block.value), why) for index, block in blocks]


def _is_small(text: str, result: CallResult) -> bool:
    start, end = result.start, result.end
    return end - start < MIN_RESULT_BYTES and byte_length(text[start:end]) < MIN_RESULT_BYTES


def _only_text(result: CallResult) -> str | None:
    """The text of a result whose content is one text block and nothing else."""
    blocks = result.content or []
    return as_text(blocks[0].text.value) if len(blocks) == 1 and blocks[0].text is not None else None


def _shown(compacted: CompactedResult) -> list[CompactedText]:
    """The texts that the client shows its model."""
    structured = compacted.structured
    if structured is not None and compacted.dropped:
        text = compacted.texts[0]
        return [CompactedText(text.field, structured.before, _in_place_of(structured, text))]
    if structured is not None and compacted.shows_structured:
        return [structured]
    return compacted.texts or [unchanged("", "", reason.UNSUPPORTED_TOOL)]


def _in_place_of(structured: CompactedText, text: CompactedText) -> Compaction:
    """The decision where the text replaces ``structuredContent``, which the model would have read otherwise."""
    decision = Decision(reason.CONVERTED, structured.before)
    decision.bytes_out, decision.chars_out = byte_length(text.after), len(text.after)
    decision.encoding = text.compaction.decision.encoding or "json"
    decision.docs = 1
    step = "nested" if decision.encoding == "json" else "tables"
    decision.steps = {step: decision.bytes_in - decision.bytes_out}
    return Compaction(text.after, decision)


def _edits(
    text: str, result: CallResult, compacted: CompactedResult, made: LimitedResult | None, notes: list[str]
) -> list[Edit]:
    blocks = [f'{{"type":"text","text":{literal(note)}}}' for note in notes]
    if made is not None and result.content is not None:
        edits = [_limited_content(text, result, compacted, made, blocks)]
    else:
        edits = [_text_edit(text, copy, copy.after) for copy in compacted.texts if copy.after != copy.before]
        if blocks and compacted.texts:
            end = result.content_span[1] - 1
            edits.append((end, end, "".join(f",{block}" for block in blocks)))
    structured = compacted.structured
    if structured is None:
        return edits
    if compacted.dropped or (made is not None and made.drop_structured):
        return [*edits, (*result.structured_member, "")]
    after = made.structured_with_notice() if made is not None else structured.after
    start, end = structured.span.start, structured.span.end
    if after != text[start:end] and "\n" not in after:
        edits.append((start, end, after))
    return edits


def _text_edit(text: str, copy: CompactedText, after: str) -> Edit:
    start, end = copy.span.start, copy.span.end
    return start, end, literal(after, text[start:end])


def _limited_content(
    text: str, result: CallResult, compacted: CompactedResult, made: LimitedResult, notes: list[str]
) -> Edit:
    """The ``content`` of a limited result: the blocks that stay, and the notes."""
    edits = {copy.index: _text_edit(text, copy, made.texts.get(copy.index, copy.after)) for copy in compacted.texts}
    kept = []
    for index, block in enumerate(result.content or []):
        if index not in made.removed:
            start, end, after = edits.get(index, (block.end, block.end, ""))
            kept.append(text[block.start : start] + after + text[end : block.end])
    start, end = result.content_span
    return start, end, f"[{','.join(kept + notes)}]"
