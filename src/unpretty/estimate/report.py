"""The report of an estimate: figures for every breakdown, a verdict, and what was skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from unpretty.engine import reason
from unpretty.estimate.outcome import STEPS
from unpretty.estimate.tally import EstimateCell, EstimateSums, Key, StepSum, Tally
from unpretty.estimate.verdict import Verdict, verdict_on
from unpretty.report.figures import TOKENS_PER_BYTE
from unpretty.report.period import rfc3339, zone_name
from unpretty.transcripts import result as recorded
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.sources import Source

SCHEMA = 1
DIMENSIONS = ("agent", "tool", "command", "reason", "day")
_MOST_LISTED = 100


@dataclass(slots=True)
class EstimateFigures(EstimateSums):
    """The figures of a report or of one line of it.

    Attributes:
        tokens_read: tokens of what the model read.
        tokens_estimated: how many of these are an estimate; ``tokens_in`` and ``tokens_out`` are counts.
    """

    KEYS: ClassVar[tuple[str, ...]] = (
        "results", "affected", "gained", "json_results", "bytes_read", "json_bytes", "bytes_in", "bytes_out",
        "tokens_read", "tokens_estimated", "tokens_in", "tokens_out", "tokens_saved",
    )  # fmt: skip
    tokens_read: int = 0
    tokens_estimated: int = 0

    @property
    def share(self) -> float:
        """Tokens saved as a share (0..1) of all tokens read."""
        return self.tokens_saved / self.tokens_read if self.tokens_read else 0.0

    def quantile(self, share: float) -> float | None:
        """The saving, in percent, that the given share (0..1) of the affected results stays within; None for none."""
        ordered = sorted(self.shares)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None

    def add(self, cell: EstimateCell, rate: float) -> None:
        """Add the results of ``cell``, whose other texts have ``rate`` tokens per byte."""
        self.merge(cell)
        estimated = round(cell.bytes_rest * rate)
        self.tokens_estimated += estimated
        self.tokens_read += cell.tokens_in + estimated
        self.shares.extend(cell.shares)

    def to_json(self) -> dict[str, int | float | None]:
        """The figures by name."""
        median, p90 = self.quantile(0.5), self.quantile(0.9)
        return {
            **EstimateSums.to_json(self),
            "share": round(self.share, 6),
            "median_percent": None if median is None else round(median, 2),
            "p90_percent": None if p90 is None else round(p90, 2),
        }


# The values that a line is about, and its figures.
KeyedFigures = tuple[tuple[str, ...], EstimateFigures]


@dataclass(frozen=True, slots=True)
class EstimateReport:
    """An estimate.

    Attributes:
        complete: whether everything was read.
        since_ms: the beginning of the period asked for, milliseconds since 1970 UTC, None for all.
        totals: all results together.
        by: for each of ``DIMENSIONS`` its values, the largest saving first (days by date). Tools and commands are
            told apart by agent, so their keys are pairs.
        steps: what each step saved.
        tally: what was left out, and the period covered.
        sources: the files that were to be read.
        reading: what was skipped.
    """

    complete: bool
    since_ms: int | None
    totals: EstimateFigures
    by: dict[str, list[KeyedFigures]]
    steps: dict[str, StepSum]
    tally: Tally
    sources: list[Source]
    reading: Reading
    verdict: Verdict

    @property
    def largest_share(self) -> float:
        """The share (0..1) of all that would have been saved that comes from one single result."""
        saved = self.totals.tokens_saved
        return self.tally.largest_saving / saved if saved > 0 else 0.0


def build_report(  # noqa: PLR0913  what was added up, what was read, and what was asked for
    tally: Tally,
    sources: list[Source],
    reading: Reading,
    count: Callable[[str], int],
    *,
    complete: bool = True,
    since_ms: int | None = None,
) -> EstimateReport:
    """Make the report of what ``tally`` has added up; ``count`` is the tokenizer, for the samples."""
    rate_of = _rates(tally, count)
    totals = EstimateFigures()
    by: dict[str, dict[tuple[str, ...], EstimateFigures]] = {name: {} for name in DIMENSIONS}
    steps: dict[str, StepSum] = {}
    for key, cell in tally.cells.items():
        rate = rate_of(key[0], key[1])
        totals.add(cell, rate)
        for name, value in _values(key):
            by[name].setdefault(value, EstimateFigures()).add(cell, rate)
        for name, part in cell.steps.items():
            steps.setdefault(name, StepSum()).merge(part)
    return EstimateReport(
        complete,
        since_ms,
        totals,
        {name: _sorted(name, rows.items()) for name, rows in by.items()},
        {name: steps[name] for name in STEPS if name in steps},
        tally,
        sources,
        reading,
        verdict_on(totals.tokens_saved, totals.tokens_read, totals.results, tally.replaced),
    )


def _values(key: Key) -> list[tuple[str, tuple[str, ...]]]:
    """The line of each breakdown that a cell belongs to."""
    agent, tool, why, command, day = key
    values: list[tuple[str, tuple[str, ...]]] = [("agent", (agent,)), ("tool", (agent, tool)), ("reason", (why,))]
    if command:
        values.append(("command", (agent, command)))
    if day:
        values.append(("day", (day,)))
    return values


def _sorted(name: str, rows: Iterable[KeyedFigures]) -> list[KeyedFigures]:
    if name == "day":
        return sorted(rows)
    return sorted(rows, key=lambda row: (-row[1].tokens_saved, -row[1].tokens_read, row[0]))


def _rates(tally: Tally, count: Callable[[str], int]) -> Callable[[str, str], float]:
    """Tokens per byte by agent and tool, measured once each."""
    measured = {key: rate.measure(count) for key, rate in tally.rates.items()}
    return lambda agent, tool: measured.get((agent, tool)) or TOKENS_PER_BYTE


def explanation(code: str) -> str:
    """The sentence for a reason, of the decision log or of a record."""
    return reason.explanation(code) or reason.explanation(code, recorded.TABLE)


def to_json(report: EstimateReport) -> dict[str, Any]:
    """The report as ``--json`` prints it; docs/estimate.md describes each key."""
    tally, reading = report.tally, report.reading
    return {
        "schema": SCHEMA,
        "complete": report.complete,
        "zone": zone_name(),
        "since": rfc3339(report.since_ms, utc=True),
        "first": rfc3339(tally.first_ms, utc=True),
        "last": rfc3339(tally.last_ms, utc=True),
        "sessions": sum(map(len, tally.sessions.values())),
        "totals": report.totals.to_json(),
        "steps": [
            {"key": name, "results": step.results, "bytes_saved": step.bytes, "tokens_saved": step.tokens}
            for name, step in report.steps.items()
        ],
        "by": {name: [_row(name, key, figures) for key, figures in report.by[name]] for name in DIMENSIONS},
        "largest_result_share": round(report.largest_share, 6),
        "verdict": {"code": report.verdict.code, "message": report.verdict.message},
        "left_out": {"replaced": tally.replaced, "copies": tally.copies, "undated": tally.undated},
        "sources": _sources(report),
        "skipped": {
            "broken": reading.broken,
            "unfinished": reading.unfinished,
            "huge": reading.huge,
            "unknown": dict(sorted(reading.unknown.items())),
            "uncounted": tally.uncounted,
            "unreadable": [{"path": str(path), "why": why} for path, why in reading.unreadable[:_MOST_LISTED]],
            "unreadable_files": len(reading.unreadable),
        },
    }


def _row(name: str, key: tuple[str, ...], figures: EstimateFigures) -> dict[str, Any]:
    agent = {"agent": key[0]} if len(key) == 2 else {}
    more = {"explanation": explanation(key[0])} if name == "reason" else {}
    return {"key": key[-1], **agent, **figures.to_json(), **more}


def _sources(report: EstimateReport) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for source in report.sources:
        row = rows.setdefault(source.agent, {"agent": source.agent, "files": 0, "bytes": 0})
        row["files"] += 1
        row["bytes"] += source.size
    return list(rows.values())
