"""Reading session records and adding them up, until the end or until the caller stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from unpretty.decision_log.reader import DecisionLog
from unpretty.engine.json_text.scanner import text_of
from unpretty.engine.reason import CONVERTED
from unpretty.estimate.tally import Tally
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.sources import Source, read_results


class _Stopped(Exception):
    """The caller asked to stop."""


def run(
    sources: Iterable[Source],
    tally: Tally,
    reading: Reading,
    *,
    since_ms: int | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> bool:
    """Add the results in ``sources`` to ``tally``; False when ``stopped`` said so before the end.

    ``stopped`` is asked between two results and every few kilobytes, never while a result is half added. Files that
    were last changed before ``since_ms`` are not read.
    """
    report = reading.progress

    def progress(size: int) -> None:
        report(size)
        if stopped():
            raise _Stopped

    reading.progress = progress
    try:
        for source in sources:
            if since_ms is not None and source.changed_ms < since_ms:
                report(source.size)
                continue
            for result in read_results(source, reading, since_ms):
                tally.add(result)
                if stopped():
                    return False
    except _Stopped:
        return False
    finally:
        reading.progress = report
    return True


def replaced_by_hook(log: Path) -> frozenset[tuple[str, str, str]]:
    """Agent, session and call id of every conversion in the decision log; none when it cannot be read."""
    try:
        return frozenset(
            (text_of(record, "agent"), text_of(record, "session"), text_of(record, "tool_use_id"))
            for record in DecisionLog(log).records()
            if record["kind"] == "decision" and record.get("reason") == CONVERTED
        )
    except OSError:
        return frozenset()
