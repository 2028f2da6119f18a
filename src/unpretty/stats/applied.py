"""Whether a converted result reached the model: one check per agent looks it up in the agent's own records.

The caller passes the checks of ``unpretty.transcripts.outcomes``. A result of an agent without one, or about which the
agent's records say nothing, is unknown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path

from unpretty.decision_log.reader import Record, backwards
from unpretty.engine import reason
from unpretty.transcripts.outcomes import APPLIED, REJECTED, UNKNOWN, Check


class Verifier:
    """Asks the check of the agent that a decision is about."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks

    def __call__(self, record: Record) -> str:
        """APPLIED, REJECTED or UNKNOWN for a converted decision; what cannot be read or understood is UNKNOWN."""
        try:
            check = self._checks.get(record["agent"])
            return UNKNOWN if check is None else check(record)
        except (OSError, KeyError, TypeError):
            return UNKNOWN


def time_limit(seconds: float) -> Callable[[int], None]:
    """A function that raises TimeoutError when it is called later than ``seconds`` from now."""
    end = time.monotonic() + seconds

    def spend(_: int) -> None:
        if time.monotonic() > end:
            raise TimeoutError("the time allowed is over")

    return spend


def lately(  # noqa: PLR0913, PLR0917  each has a default
    log_path: Path,
    agent: str,
    check: Check,
    most: int = 50,
    since_ms: int = 0,
    spend: Callable[[int], None] = lambda _: None,
) -> dict[str, int]:
    """What became of the last conversions for ``agent``: how many were APPLIED, REJECTED and are UNKNOWN.

    For the doctor: rejections among the last ``most`` decisions that converted mean that something is wrong. It looks
    back to ``since_ms`` (milliseconds since 1970 UTC), and no further once ``spend`` raises TimeoutError.
    """
    outcomes = dict.fromkeys((APPLIED, REJECTED, UNKNOWN), 0)
    verify = Verifier({agent: check})
    conversions = (record for record in backwards(log_path) if _converted_for(agent, record, spend))
    with suppress(TimeoutError):
        for record in takewhile(lambda record: record["ts"] >= since_ms, islice(conversions, most)):
            outcomes[verify(record)] += 1
    return outcomes


def _converted_for(agent: str, record: Record, spend: Callable[[int], None]) -> bool:
    spend(1)
    return record["kind"] == "decision" and record.get("reason") == reason.CONVERTED and record.get("agent") == agent
