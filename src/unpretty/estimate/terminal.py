"""An estimate on one screen of 80 columns, readable without colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from unpretty.engine import reason
from unpretty.estimate.report import Figures, Report, explanation
from unpretty.report.period import local_time, zone_name
from unpretty.report.words import percent, shortened, size, visible

_NAME = 34
_ROWS = 8
_DAYS = 31
_SENTENCE = 38
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


def show(report: Report, console: Console) -> None:
    """Print ``report``."""
    for part in _parts(report):
        console.print(part, soft_wrap=isinstance(part, Text))


def _parts(report: Report) -> Iterator[RenderableType]:
    if not report.complete:
        yield Text("Stopped before the end: the figures cover what was read until then.", style="bold yellow")
    if report.totals.results:
        yield from _figures(report)
        yield ""
    yield Text(report.verdict.message, style="bold")
    yield from _footer(report)


def _figures(report: Report) -> Iterator[RenderableType]:
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
    left = [row for row in report.by["reason"] if row[0] != (reason.CONVERTED,)]
    if left:
        yield ""
        yield _left_alone(left, totals)


def _heading(report: Report) -> str:
    tally = report.tally
    sessions = sum(map(len, tally.sessions.values()))
    names = f"{sessions:,} session{'s' * (sessions != 1)}"
    if tally.first_ms is None or tally.last_ms is None:
        return names
    return f"{names}, {local_time(tally.first_ms)} to {local_time(tally.last_ms)}, {zone_name()}"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(columns):
        table.add_column(name, justify="left" if number == 0 else "right", no_wrap=True)
    return table


def _overview(report: Report) -> Table:
    table = _table("", "results", "smaller", "tokens", "JSON", "saved", "of all", "median", "p90")
    rows = [(visible(key[0]), figures) for key, figures in report.by["agent"]]
    if len(rows) > 1:
        rows.append(("all", report.totals))
    for name, figures in rows:
        table.add_row(
            name,
            f"{figures.results:,}",
            f"{figures.affected:,}",
            "~" * (figures.tokens_estimated > 0) + _short(figures.tokens_read),
            percent(figures.json_bytes, figures.bytes_read),
            _short(figures.tokens_saved),
            percent(figures.tokens_saved, figures.tokens_read),
            _percentage(figures.quantile(0.5)),
            _percentage(figures.quantile(0.9)),
        )
    return table


def _short(number: int) -> str:
    """A number of tokens in at most seven characters."""
    if abs(number) < 1_000_000:
        return f"{number:,}"
    return f"{number / 1e6:,.2f} M" if abs(number) < 1e8 else f"{number / 1e6:,.0f} M"


def _percentage(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} %"


def _steps(report: Report) -> Table:
    table = _table("Saved by", "results", "bytes", "tokens", "of saved")
    for name, step in report.steps.items():
        share = percent(step.tokens, report.totals.tokens_saved)
        table.add_row(_STEPS[name], f"{step.results:,}", size(step.bytes), f"{step.tokens:,}", share)
    return table


def _savers(title: str, rows: Sequence[tuple[tuple[str, ...], Figures]], report: Report) -> Table:
    """The rows that saved the most; the agent is named when there are several."""
    table = _table(title, "smaller", "saved", "of its own", "median", "of saved")
    several = len(report.by["agent"]) > 1
    for (agent, name), figures in rows[:_ROWS]:
        label = visible(name) + (f" ({agent})" if several else "")
        table.add_row(
            shortened(label, _NAME),
            f"{figures.affected:,}",
            _short(figures.tokens_saved),
            percent(figures.tokens_saved, figures.tokens_read),
            _percentage(figures.quantile(0.5)),
            percent(figures.tokens_saved, report.totals.tokens_saved),
        )
    if len(rows) > _ROWS:
        rest = rows[_ROWS:]
        saved = sum(figures.tokens_saved for _, figures in rest)
        affected = sum(figures.affected for _, figures in rest)
        share = percent(saved, report.totals.tokens_saved)
        table.add_row(f"{len(rest):,} more", f"{affected:,}", _short(saved), "", "", share)
    return table


def _days(report: Report) -> Table:
    table = _table("Day", "results", "smaller", "tokens", "saved", "of all")
    days = report.by["day"]
    if len(days) > _DAYS:
        table.title = f"the last {_DAYS} of {len(days)} days"
    for (day,), figures in days[-_DAYS:]:
        table.add_row(
            day,
            f"{figures.results:,}",
            f"{figures.affected:,}",
            "~" * (figures.tokens_estimated > 0) + _short(figures.tokens_read),
            _short(figures.tokens_saved),
            percent(figures.tokens_saved, figures.tokens_read),
        )
    return table


def _left_alone(rows: Sequence[tuple[tuple[str, ...], Figures]], totals: Figures) -> Table:
    table = _table("Left alone because", "results", "of all")
    table.add_column("")
    ordered = sorted(rows, key=lambda row: -row[1].tokens_read)
    for (code,), figures in ordered[: _ROWS - 1] if len(ordered) > _ROWS else ordered:
        sentence = explanation(code)
        cut = sentence if len(sentence) <= _SENTENCE else sentence[: _SENTENCE - 1].rstrip() + "…"
        share = percent(figures.tokens_read, totals.tokens_read)
        table.add_row(visible(code), f"{figures.results:,}", share, Text(cut, style="dim"))
    if len(ordered) > _ROWS:
        rest = ordered[_ROWS - 1 :]
        results = sum(figures.results for _, figures in rest)
        read = sum(figures.tokens_read for _, figures in rest)
        table.add_row(f"{len(rest)} more reasons", f"{results:,}", percent(read, totals.tokens_read))
    return table


def _footer(report: Report) -> Iterator[Text]:
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


def _skipped(report: Report) -> Iterator[Text]:
    reading = report.reading
    counts = (
        (reading.broken, "broken"),
        (reading.unfinished, "cut off at the end"),
        (reading.huge, "too long"),
        (sum(reading.unknown.values()), f"of unknown kinds ({', '.join(map(visible, list(reading.unknown)[:3]))})"),
    )
    told = [f"{number:,} {what}" for number, what in counts if number]
    if told:
        yield Text(f"Skipped records: {', '.join(told)}.", style="yellow")
    if report.tally.uncounted:
        yield Text(f"{report.tally.uncounted:,} texts could not be counted and are estimated.", style="yellow")
    for path, why in reading.unreadable[:_LISTED]:
        yield Text(f"Not read: {visible(str(path))}: {visible(why)}", style="yellow")
    if len(reading.unreadable) > _LISTED:
        yield Text(f"Not read: {len(reading.unreadable) - _LISTED:,} more files; --json lists them.", style="yellow")
