"""What became of a hook's reply in Claude Code, told by the texts of the result in the session's transcripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from unpretty.decision_log.reader import Record
from unpretty.transcripts.claude_results import AGENT, read_results
from unpretty.transcripts.outcomes import REJECTED, UNKNOWN, by_lengths
from unpretty.transcripts.reading import Reading, texts_of
from unpretty.transcripts.result import ToolResult
from unpretty.transcripts.sources import home_folders


@dataclass(slots=True)
class Kept:
    """What one session's transcripts hold.

    Attributes:
        lengths: by tool use id, the lengths of the texts of its result, in characters.
        refused: tool use ids of which a hook's reply was refused.
    """

    lengths: dict[str, frozenset[int]] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)


class ClaudeCodeTranscripts:
    """The transcripts below one config folder: ``CLAUDE_CONFIG_DIR``, else ``~/.claude``."""

    def __init__(self, folder: Path | None = None, progress: Callable[[int], None] = lambda _: None) -> None:
        """``progress`` is told how many bytes more were read; it may raise TimeoutError to end the reading."""
        self._progress = progress
        self._projects = folder / "projects" if folder else home_folders(AGENT)[0]
        # The decisions of one session stand near each other in the log; some sessions run side by side.
        self._kept = lru_cache(maxsize=64)(self._read)

    def outcome(self, record: Record) -> str:
        """APPLIED, REJECTED or UNKNOWN for a converted decision about Claude Code."""
        kept = self._kept(record["session"])
        identity = record["tool_use_id"]
        if identity in kept.refused:
            return REJECTED
        return by_lengths(kept.lengths[identity], record) if identity in kept.lengths else UNKNOWN

    def _read(self, session: str) -> Kept:
        kept = Kept()
        for path in self._files(session):
            with suppress(OSError), path.open("rb") as file:
                for result in read_results(file, Reading(progress=self._progress), kept.refused.add):
                    kept.lengths[result.call_id] = frozenset(map(len, _texts(result)))
        return kept

    def _files(self, session: str) -> Iterator[Path]:
        if re.fullmatch(r"[\w-]{1,100}", session):  # it becomes part of a path
            yield from self._projects.glob(f"*/{session}.jsonl")
            yield from self._projects.glob(f"*/{session}/**/*.jsonl")


def _texts(result: ToolResult) -> Iterator[str]:
    """The texts that a hook may have put in place: what the model read, and the object in which it stands."""
    yield from result.texts
    response = result.payload["tool_response"]
    if isinstance(response, dict):
        response = [{"text": response.get(name)} for name in ("stdout", "content")]
    yield from texts_of(response)
