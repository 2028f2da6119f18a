"""Make a report of the decision log: a value that the terminal view, ``--json`` and ``--html`` all show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unpretty.decision_log.reader import DecisionLog, Record
from unpretty.report.period import LocalDays, Period, local_time, zone_name
from unpretty.stats.aggregate import Aggregator
from unpretty.stats.figures import Figures, Rates, Sum, settle
from unpretty.stats.latency import Times, percentiles

SCHEMA = 1


@dataclass(slots=True)
class Report:
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
    totals: Figures
    by: dict[str, list[tuple[str, Figures]]]
    latency: dict[str, Times]
    steps: dict[str, int]
    largest: list[Record]
    log: DecisionLog
    first_ts: int
    last_ts: int
    verified: bool
    price: float | None = None
    largest_share: float = field(default=0.0)

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
) -> Report:
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
    total = Sum()
    for cell in sums.cells.values():
        total.add(cell, rates)
    [totals] = settle([total])
    rows = sums.largest()
    report = Report(
        period=period,
        zone=zone_name(),
        totals=totals,
        by={name: _broken_down(sums, name, rates) for name in dimensions},
        latency=sums.latency,
        steps=dict(sorted(sums.steps.items(), key=lambda step: -step[1])),
        largest=rows,
        log=log,
        first_ts=sums.first_ts,
        last_ts=sums.last_ts,
        verified=applied is not None,
        price=price,
    )
    if totals.bytes_saved > 0:
        report.largest_share = min(1.0, sum(row["bytes_in"] - row["bytes_out"] for row in rows) / totals.bytes_saved)
    return report


def _broken_down(sums: Aggregator, dimension: str, rates: Rates) -> list[tuple[str, Figures]]:
    place = sums.keys.index(dimension)
    groups: dict[str, Sum] = {}
    for cell in sums.cells.values():
        groups.setdefault(cell.key[place], Sum()).add(cell, rates)
    keys = sorted(groups)
    if dimension != "day":
        keys.sort(key=lambda key: (-groups[key].figures.bytes_saved, -groups[key].figures.results))
    return list(zip(keys, settle(groups[key] for key in keys), strict=True))


def to_json(report: Report) -> dict[str, Any]:
    """The report as ``stats --json`` prints it; described in docs/stats.md."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "zone": report.zone,
        "since": _moment(report.period.since_ms),
        "until": _moment(report.period.until_ms),
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
            "first": _moment(report.first_ts or None),
            "last": _moment(report.last_ts or None),
        },
    }
    if report.dollars_saved is not None:
        document["money"] = {"usd_per_mtok": report.price, "usd_saved": round(report.dollars_saved, 6)}
    return document


def _moment(ts_ms: int | None) -> str | None:
    return None if ts_ms is None else local_time(ts_ms, with_offset=True)


def _latency(times: Times) -> dict[str, float | int]:
    median, most, slowest = percentiles(times)
    return {"p50": median, "p95": most, "max": slowest, "calls": sum(times.values())}


def _row(record: Record) -> dict[str, Any]:
    return {
        "when": _moment(record["ts"]),
        "agent": record.get("agent", ""),
        "tool": record["tool"],
        "tool_use_id": record.get("tool_use_id", ""),
        "bytes_in": record["bytes_in"],
        "bytes_out": record["bytes_out"],
    }
