"""Why there is nothing to report, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from unpretty.decision_log.reader import last_decision
from unpretty.report.period import local_time
from unpretty.stats.report import StatsReport


def reasons(report: StatsReport) -> Iterator[str]:
    """Sentences for a report without results: where was looked, what is there, and what may have happened."""
    log = report.log
    last = last_decision(log.path)
    if last is not None:
        when = local_time(last["ts"]) if type(last.get("ts")) is int else "an unknown time"
        yield f"No result in this period. The last one in {log.path} is of {when} ({report.zone})."
        yield "Ask for another period with --since and --until."
        return
    if not log.files():
        yield f"No result yet: {log.path} does not exist."
    else:
        yield f"No result yet: {log.path} holds no decision ({log.bytes:,} bytes, {log.broken:,} broken lines)."
    yield "Set unpretty up with `unpretty install` and let the agent run a command; `unpretty doctor` finds problems."
    yield "An agent that runs as another user or with another home directory keeps its log there."
