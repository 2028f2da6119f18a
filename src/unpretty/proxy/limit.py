"""``--max-result-bytes``: the first rows of a result that is too large, whole rows only, and one line that says so.

Both copies of a result end at the same row. A result without rows, a single huge row, a file and a diff stay whole: a
value that ends in its middle, or ends without a notice, does more harm than a large one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unpretty.engine import reason
from unpretty.engine.compaction import compact
from unpretty.engine.context import byte_length
from unpretty.engine.json_text.scanner import InvalidJSON, scan_whole
from unpretty.proxy.compacted import agree, compact_with, wrapped_value
from unpretty.proxy.message import literal
from unpretty.proxy.rows import Rows, joined_rows, json_rows, line_rows

if TYPE_CHECKING:
    from unpretty.engine.context import Context
    from unpretty.proxy.compacted import CompactedResult, CompactedText

# UTF-8 bytes kept free for the notice.
NOTICE_BYTES = 400
# Name of the member that carries the notice in structuredContent.
NOTICE_MEMBER = "unpretty"
_WHOLE = (reason.FILE_VIEW, reason.DIFF, reason.LINE_NUMBERED)


@dataclass
class LimitedResult:
    """A result of which only the first rows are sent.

    Attributes:
        rows: all rows of the copy that the notice is about.
        shown: how many of them remain.
        texts: new texts by number of the block.
        removed: numbers of blocks that go.
        structured: new ``structuredContent`` without the notice, None to leave it as it is.
        drop_structured: ``structuredContent`` goes, since it cannot carry the notice.
        notice: the line that says so.
        kept: the complete result can be read as a resource.
    """

    rows: Rows
    shown: int
    texts: dict[int, str] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    structured: str | None = None
    drop_structured: bool = False
    notice: str = ""
    kept: bool = False

    def structured_with_notice(self) -> str:
        """``structuredContent`` with the notice as its last member."""
        assert self.structured is not None
        return f"{self.structured[:-1]},{literal(NOTICE_MEMBER)}:{literal(self.notice)}}}"


def limited(result: CompactedResult, limit: int, context: Context) -> LimitedResult | None:
    """Limit ``result`` to ``limit`` UTF-8 bytes of what its client shows; None to leave it whole.

    ``context`` is the engine's context of the texts: the rows that remain of a table become a table again.
    """
    if any(text.compaction.decision.reason in _WHOLE for text in result.texts):
        return None
    if result.structured is None or result.dropped:
        return _limited_content(result.texts, limit, context)
    return _limited_both(result, result.structured, limit, context)


def notice(made: LimitedResult, address: str, server: str) -> str:
    """The line for the model: how many rows there are and are shown, and how to get less or the rest.

    ``address`` is that of the complete result, ``server`` the name under which the client knows the server; either may
    be empty.
    """
    rows = made.rows
    where = f" of {literal(rows.name)}" if rows.name else ""
    shown = f"{made.shown:,} of {len(rows):,} {rows.unit}{where} are shown; all are {byte_length(rows.text):,} bytes."
    less = " For less, use the tool's own arguments to filter or page."
    if not address:
        return shown + less
    rest = f"{address}/rows/{made.shown + 1}-{len(rows)}"
    of = f"MCP server {literal(server)}" if server else "this MCP server"
    return f"{shown}{less} For the rest, read the resource {rest} of {of} (all: {address})."


def _limited_content(texts: list[CompactedText], limit: int, context: Context) -> LimitedResult | None:
    sizes = [byte_length(text.after) for text in texts]
    if sum(sizes) <= limit:
        return None
    largest = max(range(len(texts)), key=sizes.__getitem__)
    others = sum(sizes) - sizes[largest]
    if others * 2 > limit:
        return _limited_blocks(texts, limit)
    return _with_text(_first_rows(_rows_of(texts[largest], context), limit - others), texts[largest], context)


def _limited_blocks(texts: list[CompactedText], limit: int) -> LimitedResult | None:
    """Each block is a row, as servers send them that put every item of a list into a separate block."""
    made = _first_rows(joined_rows([text.after for text in texts]), limit)
    if made is not None:
        made.removed = {text.index for text in texts[made.shown :]}
    return made


def _limited_both(
    result: CompactedResult, structured: CompactedText, limit: int, context: Context
) -> LimitedResult | None:
    texts = result.texts
    content_size = sum(byte_length(text.after) for text in texts)
    if result.shown_size(content_size, byte_length(structured.after)) <= limit:
        return None
    same = len(texts) == 1 and agree(texts[0].before, structured.span.value)
    if same:
        made = _limited_same(texts[0], structured, limit, context)
    else:
        made = _limited_structured(structured, limit)
        if made is not None and len(texts) == len(made.rows):
            made.removed = {text.index for text in texts[made.shown :]}
        elif not (result.shows_only_structured and content_size <= limit):
            return None
    if made is None or (result.rules.may_add_member and (made.structured or "").startswith("{")):
        return made
    made.drop_structured = True
    return made if same and result.may_drop else None


def _limited_structured(structured: CompactedText, limit: int) -> LimitedResult | None:
    made = _first_rows(json_rows(structured.after), limit)
    if made is not None:
        made.structured = made.rows.take(0, made.shown)
    return made


def _limited_same(text: CompactedText, structured: CompactedText, limit: int, context: Context) -> LimitedResult | None:
    """End one text and a ``structuredContent`` that says the same at the same row."""
    rows = _rows_of(text, context)
    if wrapped_value(structured.span.value) == text.before:
        made = _first_rows(rows, limit)
        if made is not None:
            _shrink_string(made, limit)
        return _with_text(made, text, context)
    other = json_rows(structured.after)
    if rows is None or other is None or len(rows) != len(other):
        return None
    made = _first_rows(max(other, rows, key=lambda copy: byte_length(copy.text)), limit)
    if made is not None:
        made.rows = rows
        made.structured = other.take(0, made.shown)
    return _with_text(made, text, context)


def _shrink_string(made: LimitedResult, limit: int) -> None:
    """A text that is a string in ``structuredContent`` is longer there by its escapes: leave out rows until it fits."""
    while True:
        made.structured = f'{{"result":{literal(made.rows.take(0, made.shown))}}}'
        size = byte_length(made.structured)
        if size <= limit - NOTICE_BYTES or made.shown == 1:
            return
        made.shown = max(1, min(made.shown - 1, made.shown * (limit - NOTICE_BYTES) // size))


def _first_rows(rows: Rows | None, limit: int) -> LimitedResult | None:
    """The first of ``rows`` that fit into ``limit`` bytes, None when all of them do or not even one."""
    shown = 0 if rows is None else rows.fitting(limit - NOTICE_BYTES)
    return None if rows is None or not 0 < shown < len(rows) else LimitedResult(rows, shown)


def _with_text(made: LimitedResult | None, text: CompactedText, context: Context) -> LimitedResult | None:
    """``made`` in which the rows that remain replace ``text``, as a table again if that is one."""
    if made is not None:
        first = made.rows.take(0, made.shown)
        made.texts[text.index] = compact(first, context).text if text.is_table else first
    return made


def _rows_of(text: CompactedText, context: Context) -> Rows | None:
    """The rows of one text: of its JSON document, its JSON lines, or its lines when there is no JSON in it."""
    after = compact_with(text.before, context, choose=None).text if text.is_table else text.after
    rows = json_rows(after)
    if rows is None and (text.compaction.decision.reason == reason.NOT_JSON or _is_json_lines(after)):
        rows = line_rows(after)
    return rows


def _is_json_lines(text: str) -> bool:
    """True when each line is one JSON object or array."""
    try:
        return all(line[0] in "{[" and scan_whole(line) is not None for line in text.splitlines() if line.strip())
    except (InvalidJSON, RecursionError):
        return False
