"""``--max-result-bytes``: the first rows of a result that is too large, whole rows only, and one line that says so.

Both copies of a result are cut at the same row. A result in which no rows can be told apart, a single huge row, a
file and a diff stay whole: a value cut in its middle, or cut without a word about it, does more harm than a large one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unpretty.engine import reason
from unpretty.engine.compaction import compact
from unpretty.engine.context import byte_length
from unpretty.engine.json_text.scanner import InvalidJSON
from unpretty.proxy.compacted import agree, whole_value, wrapped_value
from unpretty.proxy.message import literal
from unpretty.proxy.rows import Rows, joined_rows, json_rows, line_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from unpretty.engine.context import Context
    from unpretty.proxy.compacted import CompactedResult, CompactedText

# UTF-8 bytes kept free for the notice.
NOTICE_BYTES = 400
# Name of the member that carries the notice in structuredContent.
NOTICE_MEMBER = "unpretty"
_WHOLE = (reason.FILE_VIEW, reason.DIFF, reason.LINE_NUMBERED)


class LimitedResult:
    """A cut result.

    Attributes:
        rows: all rows of the copy that the notice speaks about.
        shown: how many of them remain.
        texts: new texts by number of the block.
        removed: numbers of blocks that go.
        structured: new ``structuredContent`` without the notice, None to leave it as it is.
        drop_structured: ``structuredContent`` goes, since it cannot carry the notice.
        notice: the line about the cut.
        kept: the complete result can be read as a resource.
    """

    __slots__ = ("drop_structured", "kept", "notice", "removed", "rows", "shown", "structured", "texts")

    def __init__(self, rows: Rows, shown: int) -> None:
        self.rows = rows
        self.shown = shown
        self.texts: dict[int, str] = {}
        self.removed: set[int] = set()
        self.structured: str | None = None
        self.drop_structured = False
        self.notice = ""
        self.kept = False

    def structured_with_notice(self) -> str:
        """``structuredContent`` with the notice as its last member."""
        assert self.structured is not None
        return f"{self.structured[:-1]},{literal(NOTICE_MEMBER)}:{literal(self.notice)}}}"


def cut(draft: CompactedResult, limit: int, context: Context) -> LimitedResult | None:
    """Cut ``draft`` to ``limit`` UTF-8 bytes of what its client shows; None to leave it whole.

    ``context`` is the engine's context of the texts: one that became a table becomes one again after the cut.
    """
    if any(copy.compaction.decision.reason in _WHOLE for copy in draft.texts):
        return None
    if draft.structured is None or draft.dropped:
        return _cut_content(draft.texts, limit, context)
    return _cut_both(draft, limit, context)


def notice(made: LimitedResult, address: str, server: str) -> str:
    """The one line about a cut: how many rows there are and are shown, and how to get less or the rest.

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


def _cut_content(texts: list[CompactedText], limit: int, context: Context) -> LimitedResult | None:
    sizes = [byte_length(copy.after) for copy in texts]
    if sum(sizes) <= limit:
        return None
    largest = max(range(len(texts)), key=sizes.__getitem__)
    others = sum(sizes) - sizes[largest]
    if others * 2 > limit:
        return _cut_blocks(texts, limit)
    rows = _rows_of(texts[largest], context)
    made = _start(rows, limit - others)
    if made is not None:
        made.texts[texts[largest].index] = _encoded(made, texts[largest], context)
    return made


def _cut_blocks(texts: list[CompactedText], limit: int) -> LimitedResult | None:
    """Each block is a row, as servers send them that put every item of a list into a block of its own."""
    made = _start(joined_rows([copy.after for copy in texts]), limit)
    if made is not None:
        made.removed = {copy.index for copy in texts[made.shown :]}
    return made


def _cut_both(draft: CompactedResult, limit: int, context: Context) -> LimitedResult | None:
    structured = draft.structured
    assert structured is not None
    content_size = sum(byte_length(copy.after) for copy in draft.texts)
    structured_size = byte_length(structured.after)
    if draft.shown_size(content_size, structured_size) <= limit:
        return None
    may_drop = False
    if len(draft.texts) == 1 and agree(draft.texts[0].before, structured.span.value):
        made = _cut_agreeing(draft, limit, context)
        may_drop = draft.may_drop
    else:
        rows = json_rows(structured.after)
        made = _start(rows, limit)
        if rows is not None and made is not None:
            made.structured = rows.take(0, made.shown)
            if len(draft.texts) == len(rows):
                made.removed = {copy.index for copy in draft.texts[made.shown :]}
            elif not (draft.shows_only_structured and content_size <= limit):
                return None
    if made is None:
        return None
    if draft.rules.may_add_member and made.structured is not None and made.structured[:1] == "{":
        return made
    made.drop_structured = True
    return made if may_drop else None


def _cut_agreeing(draft: CompactedResult, limit: int, context: Context) -> LimitedResult | None:
    """Cut one text and a ``structuredContent`` that says the same at the same row."""
    copy, structured = draft.texts[0], draft.structured
    assert structured is not None
    rows = _rows_of(copy, context)
    if wrapped_value(structured.span.value) == copy.before:
        made = _start(rows, limit)
        if made is not None:
            _shrink_string(made, limit)
    else:
        other = json_rows(structured.after)
        if rows is None or other is None or len(rows) != len(other):
            return None
        made = _start(rows if byte_length(rows.text) > byte_length(other.text) else other, limit)
        if made is not None:
            made.rows = rows
            made.structured = other.take(0, made.shown)
    if made is not None:
        made.texts[copy.index] = _encoded(made, copy, context)
    return made


def _shrink_string(made: LimitedResult, limit: int) -> None:
    """Where the text is a string in ``structuredContent``, its escapes need room too: leave out rows until it fits."""
    while True:
        made.structured = f'{{"result":{literal(made.rows.take(0, made.shown))}}}'
        size = byte_length(made.structured)
        if size <= limit - NOTICE_BYTES or made.shown == 1:
            return
        made.shown = max(1, min(made.shown - 1, made.shown * (limit - NOTICE_BYTES) // size))


def _start(rows: Rows | None, limit: int) -> LimitedResult | None:
    """A cut of ``rows`` to ``limit`` bytes, None when there is nothing to cut or not even one row fits."""
    if rows is None:
        return None
    shown = rows.fitting(limit - NOTICE_BYTES)
    return LimitedResult(rows, shown) if 0 < shown < len(rows) else None


def _encoded(made: LimitedResult, copy: CompactedText, context: Context) -> str:
    """The rows that remain, as a table again if the whole was one."""
    text = made.rows.take(0, made.shown)
    return compact(text, context).text if _is_table(copy) else text


def _is_table(copy: CompactedText) -> bool:
    return copy.compaction.decision.encoding not in ("", "json")


def _rows_of(copy: CompactedText, context: Context) -> Rows | None:
    """The rows of one text: of its JSON document, its JSON lines, or its lines when there is no JSON in it."""
    text = _as_json(copy, context)
    rows = json_rows(text)
    if rows is None and (copy.compaction.decision.reason == reason.NOT_JSON or _is_json_lines(text)):
        rows = line_rows(text)
    return rows


def _as_json(copy: CompactedText, context: Context) -> str:
    """The text as minified JSON where it has become a table."""
    if not _is_table(copy):
        return copy.after
    choose, context.choose = context.choose, None
    try:
        return compact(copy.before, context).text
    finally:
        context.choose = choose


def _is_json_lines(text: str) -> bool:
    """True when each line is one JSON object or array."""
    check: Callable[[str], object] = whole_value
    try:
        return all(line[:1] in ("{", "[") and check(line) is not None for line in text.splitlines() if line.strip())
    except (InvalidJSON, RecursionError):
        return False
