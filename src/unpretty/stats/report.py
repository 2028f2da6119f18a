"""Make a report of the decision log: a value that the terminal view, ``--json`` and ``--html`` all show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unpretty.decision_log.reader import DecisionLog, Record
from unpretty.report.period import LocalDays, Period, rfc3339, zone_name
from unpretty.stats.aggregate import Aggregator
from unpretty.stats.figures import CellSum, Rates, StatsFigures, settle
from unpretty.stats.latency import Times, percentiles

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class StatsReport:
    """The figures of one period.

    Attributes:
        period: what was asked for.
        zone: the zone that days are counted in.
        totals: all results together.
        by: for each dimension asked for its values, in order of bytes saved, then of results (days by date).
        latency: the time that calls took, by ``via``.
        steps: bytes saved by each step.
        largest: the decisions that saved the most bytes, largest first.
        log: the log that was read, with its size and its broken lines.
        first_ts, last_ts: moments of the first and the last call read, milliseconds since 1970 UTC; 0 when none.
        verified: whether applied and rejected were looked up; otherwise every conversion is unknown.
        price: US dollars per million tokens, None when no price was given.
    """

    period: Period
    zone: str
    totals: StatsFigures
    by: dict[str, list[tuple[str, StatsFigures]]]
    latency: dict[str, Times]
    steps: dict[str, int]
    largest: list[Record]
    log: DecisionLog
    first_ts: int
    last_ts: int
    verified: bool
    price: float | None

    @property
    def largest_share(self) -> float:
        """The share (0..1) of all that was saved that the ``largest`` decisions saved."""
        saved = sum(row["bytes_in"] - row["bytes_out"] for row in self.largest)
        return min(1.0, saved / self.totals.bytes_saved) if self.totals.bytes_saved > 0 else 0.0

    @property
    def dollars_saved(self) -> float | None:
        """What the saved tokens would have cost at ``price``, once each; None without a price."""
        return None if self.price is None else self.totals.tokens_saved * self.price / 1_000_000


def build_report(  # noqa: PLR0913  one keyword for each option of the command
    log_path: Path,
    period: Period,
    dimensions: Sequence[str] = (),
    *,
    largest: int = 10,
    applied: Callable[[Record], str] | None = None,
    price: float | None = None,
) -> StatsReport:
    """Read the decision log and add it up.

    Args:
        log_path: the current file of the log.
        period: which decisions count.
        dimensions: of ``aggregate.DIMENSIONS``, what to break the figures down by.
        largest: how many of the largest savings to list.
        applied: says of a converted decision whether the agent applied it; see ``stats.applied``.
        price: US dollars per million tokens.

    Raises:
        OSError: the log is there and cannot be read.
    """
    log = DecisionLog(log_path)
    sums = Aggregator(dimensions, day_of=LocalDays(), largest=largest, applied=applied)
    sums.consume(log.records(period.since_ms, period.until_ms))
    log.broken += sums.refused
    rates = Rates(sums.cells.values())
    total = CellSum()
    for cell in sums.cells.values():
        total.add(cell, rates)
    [totals] = settle([total])
    return StatsReport(
        period=period,
        zone=zone_name(),
        totals=totals,
        by={name: _broken_down(sums, name, rates) for name in dimensions},
        latency=sums.latency,
        steps=dict(sorted(sums.steps.items(), key=lambda step: -step[1])),
        largest=sums.largest(),
        log=log,
        first_ts=sums.first_ts,
        last_ts=sums.last_ts,
        verified=applied is not None,
        price=price,
    )


def _broken_down(sums: Aggregator, dimension: str, rates: Rates) -> list[tuple[str, StatsFigures]]:
    position = sums.keys.index(dimension)
    groups: dict[str, CellSum] = {}
    for cell in sums.cells.values():
        groups.setdefault(cell.key[position], CellSum()).add(cell, rates)
    keys = sorted(groups)
    if dimension != "day":
        keys.sort(key=lambda key: (-groups[key].figures.bytes_saved, -groups[key].figures.results))
    return list(zip(keys, settle(groups[key] for key in keys), strict=True))


def to_json(report: StatsReport) -> dict[str, Any]:
    """The report as ``stats --json`` prints it; described in docs/stats.md."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "zone": report.zone,
        "since": rfc3339(report.period.since_ms),
        "until": rfc3339(report.period.until_ms),
        "totals": report.totals.to_json(),
        "by": {
            name: [{"key": key, **figures.to_json()} for key, figures in groups] for name, groups in report.by.items()
        },
        "verified": report.verified,
        "steps": report.steps,
        "latency_ms": {via: _latency(times) for via, times in report.latency.items()},
        "largest": [_row(record) for record in report.largest],
        "largest_share": round(report.largest_share, 4),
        "log": {
            "path": str(report.log.path),
            "bytes": report.log.bytes,
            "lines": report.log.lines,
            "broken": report.log.broken,
            "newer": report.log.newer,
            "first": rfc3339(report.first_ts or None),
            "last": rfc3339(report.last_ts or None),
        },
    }
    if report.dollars_saved is not None:
        document["money"] = {"usd_per_mtok": report.price, "usd_saved": round(report.dollars_saved, 6)}
    return document


def _latency(times: Times) -> dict[str, float | int]:
    median, most, slowest = percentiles(times)
    return {"p50": median, "p95": most, "max": slowest, "calls": sum(times.values())}


def _row(record: Record) -> dict[str, Any]:
    return {
        "when": rfc3339(record["ts"]),
        "agent": record.get("agent", ""),
        "tool": record["tool"],
        "tool_use_id": record.get("tool_use_id", ""),
        "bytes_in": record["bytes_in"],
        "bytes_out": record["bytes_out"],
    }
