"""Whether a converted result reached the model: asked of the agent's own records, through one check per agent.

This package knows no agent. The command line hands in the checks (``unpretty.transcripts``); a result of an agent
without one, or of which the agent kept nothing that tells, is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unpretty.decision_log.reader import Record
from unpretty.stats.aggregate import APPLIED, REJECTED, UNKNOWN

Check = Callable[[Record], str]


class Verifier:
    """Asks the check of the agent that a decision is about."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks

    def __call__(self, record: Record) -> str:
        """APPLIED, REJECTED or UNKNOWN for a converted decision; records that cannot be read make it UNKNOWN."""
        check = self._checks.get(record["agent"])
        if check is None:
            return UNKNOWN
        try:
            return check(record)
        except OSError:
            return UNKNOWN


def by_lengths(lengths: frozenset[int], record: Record) -> str:
    """What the lengths of the texts that the agent kept for a call say: the log holds no text to compare with.

    Args:
        lengths: of every text of the result, in characters.
        record: a converted decision; ``chars_in`` and ``chars_out`` are in characters and differ.
    """
    if record["chars_out"] in lengths:
        return APPLIED
    return REJECTED if record["chars_in"] in lengths else UNKNOWN
