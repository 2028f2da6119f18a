"""Turn the result of one ``tools/call`` into a smaller one for the client that asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unpretty.engine import reason
from unpretty.engine.compaction import Compaction, Decision
from unpretty.engine.context import FILE, byte_length
from unpretty.proxy.compacted import CompactedResult, CompactedStructured, agree, read_texts
from unpretty.proxy.limit import LimitedResult, cut, notice
from unpretty.proxy.message import Edit, literal, splice

if TYPE_CHECKING:
    from unpretty.engine.context import Context
    from unpretty.proxy.clients import ToolCall
    from unpretty.proxy.current_settings import CurrentSettings
    from unpretty.proxy.kept_results import KeptResults
    from unpretty.proxy.message import CallResult, Message
    from unpretty.proxy.session import Session

# Results under this many UTF-8 bytes are not worth a look.
MIN_RESULT_BYTES = 1024


class TextDecision:
    """What became of one text that the client shows: its place in the result, the text before, the compaction."""

    __slots__ = ("before", "compaction", "field")

    def __init__(self, field: str, before: str, compaction: Compaction) -> None:
        self.field = field
        self.before = before
        self.compaction = compaction


class Rewritten:
    """What to change in a message, and what to write into the log about it."""

    __slots__ = ("cut", "edits", "outcomes")

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.outcomes: list[TextDecision] = []
        self.cut: LimitedResult | None = None


class Rewriter:
    """Rewrites results for one connection; ``limit`` is ``--max-result-bytes``, None for no limit."""

    def __init__(self, session: Session, policy: CurrentSettings, store: KeptResults, limit: int | None) -> None:
        self._session = session
        self._policy = policy
        self._store = store
        self._limit = limit
        self._told: set[str] = set()

    def rewrite(self, text: str, message: Message, call: ToolCall) -> Rewritten:
        """The changes to ``message``, an answer to ``call`` that stands in ``text``. Errors are left alone."""
        made = Rewritten()
        result = message.result
        if result is None or result.is_error or (result.content is None and result.structured is None):
            return made
        tool_id = self._session.tool_id(call.tool)
        why = self._policy.switched_off(call, tool_id)
        if not why and byte_length(text[result.start : result.start + MIN_RESULT_BYTES]) < MIN_RESULT_BYTES:
            why = reason.TOO_SMALL if result.end - result.start < MIN_RESULT_BYTES else ""
        if why:
            made.outcomes = self._left(text, result, why)
            return made
        draft, context = self._draft(text, result, call, tool_id)
        made.outcomes = _outcomes(draft)
        if self._limit is not None:
            made.cut = cut(draft, self._limit, context)
        if made.cut is not None:
            self._announce(made.cut, tool_id)
        made.edits = _edits(text, result, draft, made.cut, self._notes(draft, made.cut))
        return made

    def _notes(self, draft: CompactedResult, made: LimitedResult | None) -> list[str]:
        """Lines for the model in blocks of their own: about the cut, and once about each encoding that is not JSON."""
        notes = [] if made is None else [made.notice]
        for encoding in sorted({copy.compaction.decision.encoding for copy in draft.texts} - self._told - {"", "json"}):
            self._told.add(encoding)
            how = "column names once, then rows"
            notes.append(f"unpretty: JSON tables are written as {encoding} here ({how}); the data is the same.")
        return notes

    def _draft(self, text: str, result: CallResult, call: ToolCall, tool_id: str) -> tuple[CompactedResult, Context]:
        """Both copies compacted, and the context of the texts."""
        client = self._session.client
        rules = self._session.schemas.rules(call.tool)
        free = client.known and not call.for_program
        structured = (
            result.structured if result.structured is not None and result.structured.value is not None else None
        )
        may_drop = free and client.shows_structured and (client.may_drop_structured or rules.may_drop)
        alone = _only_text(result)
        droppable = structured is not None and may_drop and alone is not None and agree(alone, structured.value)
        tables = free and (structured is None or droppable or not client.shows_structured)
        context = self._policy.context(call, tool_id)
        if tables:
            context.choose = self._policy.settings.chooser(client.agent, tool_id, call.model)
        context.max_line_bytes = client.max_line_bytes
        texts = read_texts(result, context)
        copy = None
        if structured is not None:
            original = text[structured.start : structured.end]
            json_context = self._policy.context(call, tool_id)
            copy = CompactedStructured(structured, original, json_context, rules.may_shorten_strings)
        draft = CompactedResult(client, rules, texts, copy, may_drop)
        if copy is not None and droppable and context.kind != FILE:
            worth_it = byte_length(copy.after) * (1 - context.min_gain)
            draft.dropped = byte_length(texts[0].after) <= worth_it
        return draft, context

    def _announce(self, made: LimitedResult, tool_id: str) -> None:
        """Write the notice; the whole result is kept for a client that can ask for it."""
        session = self._session
        address = ""
        if session.client.reads_resources or session.client_uses_resources:
            address = self._store.keep(tool_id, made.rows)
        made.notice = notice(made, address, session.given_name)
        made.kept = bool(address)

    def _left(self, text: str, result: CallResult, why: str) -> list[TextDecision]:
        """Outcomes for a result that is left alone."""
        structured = result.structured
        texts = [(f"content[{i}].text", block.text) for i, block in enumerate(result.content or []) if block.is_text]
        if structured is not None and (self._session.client.shows_structured or not texts):
            before = text[structured.start : structured.end]
            return [TextDecision("structuredContent", before, Compaction(before, Decision(why, before)))]
        outcomes = []
        for field, span in texts:
            before = str(span.value) if span is not None else ""
            outcomes.append(TextDecision(field, before, Compaction(before, Decision(why, before))))
        return outcomes


def _only_text(result: CallResult) -> str | None:
    """The text of a result whose content is one text block and nothing else."""
    blocks = result.content or []
    if len(blocks) == 1 and blocks[0].is_text and blocks[0].text is not None:
        return str(blocks[0].text.value)
    return None


def _outcomes(draft: CompactedResult) -> list[TextDecision]:
    """One outcome for each text that the client shows its model."""
    structured = draft.structured
    if structured is not None and draft.dropped:
        return [TextDecision("content[0].text", structured.before, _unwrapped(draft))]
    if structured is not None and draft.shows_structured:
        return [TextDecision("structuredContent", structured.before, structured.compaction)]
    if not draft.texts:
        return [TextDecision("", "", Compaction("", Decision(reason.UNSUPPORTED_TOOL, "", 0)))]
    return [TextDecision(f"content[{copy.index}].text", copy.before, copy.compaction) for copy in draft.texts]


def _unwrapped(draft: CompactedResult) -> Compaction:
    """The decision where the text takes the place of ``structuredContent``, which is what the model would have read."""
    assert draft.structured is not None
    copy = draft.texts[0]
    decision = Decision(reason.CONVERTED, draft.structured.before)
    decision.bytes_out, decision.chars_out = byte_length(copy.after), len(copy.after)
    decision.encoding = copy.compaction.decision.encoding or "json"
    decision.docs = 1
    step = "nested" if decision.encoding == "json" else "tables"
    decision.steps = {step: decision.bytes_in - decision.bytes_out}
    return Compaction(copy.after, decision)


def _edits(
    text: str, result: CallResult, draft: CompactedResult, made: LimitedResult | None, notes: list[str]
) -> list[Edit]:
    edits = [
        (copy.span.start, copy.span.end, literal(copy.after, text[copy.span.start : copy.span.end]))
        for copy in draft.texts
        if copy.after != copy.before
    ]
    blocks = [f'{{"type":"text","text":{literal(note)}}}' for note in notes]
    if made is not None and result.content is not None:
        edits = [_cut_content(text, result, draft, made, blocks)]
    elif blocks and draft.texts:
        end = result.content_span[1] - 1
        edits.append((end, end, "".join(f",{block}" for block in blocks)))
    structured = draft.structured
    if structured is None:
        return edits
    if draft.dropped or (made is not None and made.drop_structured):
        edits.append((*result.structured_member, ""))
        return edits
    after = made.structured_with_notice() if made is not None else structured.after
    span = structured.span
    if after != text[span.start : span.end] and "\n" not in after:
        edits.append((span.start, span.end, after))
    return edits


def _cut_content(text: str, result: CallResult, draft: CompactedResult, made: LimitedResult, notes: list[str]) -> Edit:
    """The ``content`` of a cut result: the blocks that stay, and the notes."""
    after = {copy.index: made.texts.get(copy.index, copy.after) for copy in draft.texts}
    kept = []
    for index, block in enumerate(result.content or []):
        if index in made.removed:
            continue
        whole = text[block.start : block.end]
        span = block.text
        if index in after and span is not None:
            start, end = span.start - block.start, span.end - block.start
            whole = splice(whole, [(start, end, literal(after[index], whole[start:end]))])
        kept.append(whole)
    start, end = result.content_span
    return start, end, f"[{','.join(kept + notes)}]"
