"""An estimate on one screen of 80 columns, readable without colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from unpretty.engine import reason
from unpretty.estimate.report import EstimateFigures, EstimateReport, KeyedFigures, explanation
from unpretty.report import tables
from unpretty.report.figures import total
from unpretty.report.period import local_time, zone_name
from unpretty.report.tables import first_rows, left_alone, table
from unpretty.report.words import percent, shortened, size, visible

_NAME = 34
_ROWS = 8
_DAYS = 31
_SENTENCE_CHARS = 38
_LISTED = 10
_STEPS = {
    "document": "whole JSON documents",
    "embedded": "JSON among other text",
    "nested": "JSON inside JSON strings",
    "noise": "terminal noise",
    "paths": "repeated paths",
    "tables": "tables",
    "other": "long results, partly shown",
}


def show(report: EstimateReport, console: Console) -> None:
    """Print ``report``."""
    tables.show(_parts(report), console)


def _parts(report: EstimateReport) -> Iterator[RenderableType]:
    if not report.complete:
        yield Text("Stopped before the end: the figures cover what was read until then.", style="bold yellow")
    if report.totals.results:
        yield from _figures(report)
        yield ""
    yield Text(report.verdict.message, style="bold")
    yield from _footer(report)


def _figures(report: EstimateReport) -> Iterator[RenderableType]:
    totals = report.totals
    yield Text(_heading(report), style="bold")
    yield ""
    yield _overview(report)
    if totals.affected:
        yield ""
        yield _steps(report)
        for name in ("tool", "command"):
            rows = [row for row in report.by[name] if row[1].affected]
            if rows:
                yield ""
                yield _savers(f"Saved most, by {name}", rows, report)
    if report.by["day"]:
        yield ""
        yield _days(report)
    if _not_converted(report):
        yield ""
        yield _left_alone(report)


def _heading(report: EstimateReport) -> str:
    tally = report.tally
    sessions = sum(map(len, tally.sessions.values()))
    names = f"{sessions:,} session{'s' * (sessions != 1)}"
    if tally.first_ms is None or tally.last_ms is None:
        return names
    return f"{names}, {local_time(tally.first_ms)} to {local_time(tally.last_ms)}, {zone_name()}"


# The columns that show figures, and the share that they are of.
_COLUMNS: dict[str, Callable[[EstimateFigures, EstimateFigures], str]] = {
    "results": lambda figures, _: f"{figures.results:,}",
    "smaller": lambda figures, _: f"{figures.affected:,}",
    "tokens": lambda figures, _: "~" * (figures.tokens_estimated > 0) + _short(figures.tokens_read),
    "JSON": lambda figures, _: percent(figures.json_bytes, figures.bytes_read),
    "saved": lambda figures, _: _short(figures.tokens_saved),
    "of all": lambda figures, _: percent(figures.tokens_saved, figures.tokens_read),
    "of its own": lambda figures, _: percent(figures.tokens_saved, figures.tokens_read),
    "median": lambda figures, _: _percentage(figures.quantile(0.5)),
    "p90": lambda figures, _: _percentage(figures.quantile(0.9)),
    "of saved": lambda figures, totals: percent(figures.tokens_saved, totals.tokens_saved),
}
# Those that say nothing about several tools or commands together.
_OF_ONE = ("of its own", "median")


def _cells(columns: Sequence[str], figures: EstimateFigures, report: EstimateReport) -> list[str]:
    return [_COLUMNS[name](figures, report.totals) for name in columns]


def _overview(report: EstimateReport) -> Table:
    columns = ("results", "smaller", "tokens", "JSON", "saved", "of all", "median", "p90")
    made = table("", *columns)
    rows = [(visible(key[0]), figures) for key, figures in report.by["agent"]]
    if len(rows) > 1:
        rows.append(("all", report.totals))
    for name, figures in rows:
        made.add_row(name, *_cells(columns, figures, report))
    return made


def _short(number: int) -> str:
    """A number of tokens in at most seven characters."""
    if abs(number) < 1_000_000:
        return f"{number:,}"
    return f"{number / 1e6:,.2f} M" if abs(number) < 1e8 else f"{number / 1e6:,.0f} M"


def _percentage(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} %"


def _steps(report: EstimateReport) -> Table:
    made = table("Saved by", "results", "bytes", "tokens", "of saved")
    for name, step in report.steps.items():
        share = percent(step.tokens, report.totals.tokens_saved)
        made.add_row(_STEPS[name], f"{step.results:,}", size(step.bytes), f"{step.tokens:,}", share)
    return made


def _savers(title: str, rows: Sequence[KeyedFigures], report: EstimateReport) -> Table:
    """The rows that saved the most; the agent is named when there are several."""
    columns = ("smaller", "saved", "of its own", "median", "of saved")
    made = table(title, *columns)
    several = len(report.by["agent"]) > 1
    shown, rest = first_rows(rows, _ROWS + 1)
    for (agent, name), figures in shown:
        label = visible(name) + (f" ({agent})" if several else "")
        made.add_row(shortened(label, _NAME), *_cells(columns, figures, report))
    if rest:
        figures = total((figures for _, figures in rest), EstimateFigures())
        cells = zip(columns, _cells(columns, figures, report), strict=True)
        made.add_row(f"{len(rest):,} more", *("" if name in _OF_ONE else cell for name, cell in cells))
    return made


def _days(report: EstimateReport) -> Table:
    columns = ("results", "smaller", "tokens", "saved", "of all")
    made = table("Day", *columns)
    days = report.by["day"]
    if len(days) > _DAYS:
        made.title = f"the last {_DAYS} of {len(days)} days"
    for (day,), figures in days[-_DAYS:]:
        made.add_row(day, *_cells(columns, figures, report))
    return made


def _left_alone(report: EstimateReport) -> Table:
    read = report.totals.tokens_read
    ordered = sorted(_not_converted(report), key=lambda row: -row[1].tokens_read)
    shown, rest = first_rows(ordered, _ROWS)
    rows = [
        (code, f"{figures.results:,}", percent(figures.tokens_read, read), explanation(code))
        for (code,), figures in shown
    ]
    if rest:
        more = total((figures for _, figures in rest), EstimateFigures())
        rows.append((f"{len(rest)} more reasons", f"{more.results:,}", percent(more.tokens_read, read), ""))
    return left_alone(("results", "of all"), rows, _SENTENCE_CHARS)


def _not_converted(report: EstimateReport) -> list[KeyedFigures]:
    return [row for row in report.by["reason"] if row[0] != (reason.CONVERTED,)]


def _footer(report: EstimateReport) -> Iterator[Text]:
    totals, tally = report.totals, report.tally
    if totals.results:
        note = "Tokens are o200k tokens, a stand-in for other models' tokenizers. Saved tokens are counted;"
        yield Text(f"{note} ~ is estimated from bytes.", style="dim")
    if report.largest_share > 0.5:
        yield Text(f"One single result makes {100 * report.largest_share:.0f} % of what would have been saved.")
    if totals.gained:
        yield Text(
            f"{totals.gained:,} results would have been read whole, or more of them, instead of a part: no saving."
        )
    for number, sentence in (
        (tally.copies, "copies of results in forked sessions are counted once"),
        (tally.undated, "results without a date are left out"),
    ):
        if number:
            yield Text(f"{number:,} {sentence}.", style="dim")
    yield from _skipped(report)


def _skipped(report: EstimateReport) -> Iterator[Text]:
    reading = report.reading
    counts = (
        (reading.broken, "broken"),
        (reading.unfinished, "cut off at the end"),
        (reading.huge, "too long"),
        (sum(reading.unknown.values()), f"of unknown kinds ({', '.join(map(visible, list(reading.unknown)[:3]))})"),
    )
    skipped = [f"{number:,} {what}" for number, what in counts if number]
    if skipped:
        yield Text(f"Skipped records: {', '.join(skipped)}.", style="yellow")
    if report.tally.uncounted:
        yield Text(f"{report.tally.uncounted:,} texts could not be counted and are estimated.", style="yellow")
    for path, why in reading.unreadable[:_LISTED]:
        yield Text(f"Not read: {visible(str(path))}: {visible(why)}", style="yellow")
    if len(reading.unreadable) > _LISTED:
        yield Text(f"Not read: {len(reading.unreadable) - _LISTED:,} more files; --json lists them.", style="yellow")
