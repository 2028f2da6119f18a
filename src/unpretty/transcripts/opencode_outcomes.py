"""What became of the plugin's texts in OpenCode, told by the outputs that its database keeps."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property

from unpretty.decision_log.reader import Record
from unpretty.transcripts.opencode_results import AGENT, MCP_NOTICE
from unpretty.transcripts.outcomes import UNKNOWN, by_lengths
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import ToolResult
from unpretty.transcripts.sources import own_sources, read_results

# Behind an MCP result that OpenCode cut after the plugin.
_CUT = re.compile(r"\n\n\.\.\.\d+ (?:lines|bytes) truncated\.\.\." + re.escape(MCP_NOTICE))
# Between the texts of an MCP result. Texts with many empty lines of their own are not taken apart: with every piece
# it gets likelier that one has a wanted length by chance.
_BETWEEN = "\n\n"
_MOST_PIECES = 16


class OpenCodeParts:
    """The databases in OpenCode's data folder, read once."""

    def __init__(self, since_ms: int | None = None, progress: Callable[[int], None] = lambda _: None) -> None:
        """Leave out what was last changed before ``since_ms`` (milliseconds since 1970 UTC).

        ``progress`` is told how many bytes more were read; it may raise TimeoutError to end the reading.
        """
        self._since_ms = since_ms
        self._progress = progress

    def outcome(self, record: Record) -> str:
        """APPLIED, REJECTED or UNKNOWN for a converted decision about OpenCode."""
        lengths = self._lengths.get((record["session"], record["tool_use_id"]))
        return UNKNOWN if lengths is None else by_lengths(lengths, record)

    @cached_property
    def _lengths(self) -> dict[tuple[str, str], frozenset[int]]:
        """By session and call, the lengths of the texts that were stored, in characters."""
        kept: dict[tuple[str, str], frozenset[int]] = defaultdict(frozenset)
        reading = Reading(progress=self._progress)
        for source in own_sources(AGENT, reading):
            for result in read_results(source, reading, self._since_ms):
                kept[result.session, result.call_id] |= frozenset(_lengths_of(result))
        return dict(kept)


def _lengths_of(result: ToolResult) -> Iterator[int]:
    """Of the output; of an MCP result, whose texts stand in it behind one another, also of each of them."""
    [text] = result.texts
    yield len(text)
    if "mcp" in result.payload:
        cut = _CUT.search(text)
        if cut is not None:
            text = text[: cut.start()]
            yield len(text)
        pieces = text.split(_BETWEEN)
        if len(pieces) <= _MOST_PIECES:
            yield from map(len, pieces)
