"""Whether a converted result reached the model, looked up in what the agents themselves keep.

The log holds no text to compare with, so the lengths of the texts are compared, in characters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from functools import lru_cache

from unpretty import agents
from unpretty.transcripts.reading import Progress, Record, ignore
from unpretty.transcripts.sources import records_of

APPLIED, REJECTED, UNKNOWN = "applied", "rejected", "unknown"
Check = Callable[[Record], str]


@dataclass(frozen=True, slots=True)
class SessionTexts:
    """What the records of one session say about its calls.

    Attributes:
        lengths: by call id, the lengths of the texts of its result, in characters.
        refused: ids of the calls for which the agent refused a hook's reply.
    """

    lengths: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    refused: set[str] = field(default_factory=set)


def by_session(read: Callable[[str], SessionTexts]) -> Check:
    """A check that looks up a decision's call in what ``read`` gives for its session; each session is read once."""
    # The decisions of one session are near each other in the log; some sessions run side by side.
    texts_of = lru_cache(maxsize=64)(read)

    def check(record: Record) -> str:
        texts, call_id = texts_of(record["session"]), record["tool_use_id"]
        return REJECTED if call_id in texts.refused else by_lengths(texts.lengths.get(call_id, ()), record)

    return check


def by_lengths(lengths: Container[int], record: Record) -> str:
    """What the lengths of the texts that the agent kept for a call say.

    Args:
        lengths: of every text of the result, in characters.
        record: a converted decision; ``chars_in`` and ``chars_out`` are in characters and differ.
    """
    if record["chars_out"] in lengths:
        return APPLIED
    return REJECTED if record["chars_in"] in lengths else UNKNOWN


def checks(since_ms: int | None = None, progress: Progress = ignore) -> dict[str, Check]:
    """By agent, what says of a converted decision whether it was APPLIED, REJECTED or is UNKNOWN.

    Args:
        since_ms: no decision from before this time is asked about, in milliseconds since 1970 UTC.
        progress: called with how many bytes more were read; it may raise TimeoutError to end the reading.
    """
    return {row.name: records_of(row).check(row.session_directories, since_ms, progress) for row in agents.every()}
