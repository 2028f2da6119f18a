"""A report on one screen of 80 columns, readable without colour."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from unpretty.engine import reason
from unpretty.engine.reason import explanation
from unpretty.report import tables
from unpretty.report.figures import total
from unpretty.report.period import local_time
from unpretty.report.tables import first_rows, left_alone, table
from unpretty.report.words import bar, label, percent, shortened, size, tokens, visible
from unpretty.stats.figures import COLUMNS, StatsFigures, cells
from unpretty.stats.latency import sentence
from unpretty.stats.report import StatsReport

_BAR = 16
_NAME = 30
# Rows of a breakdown that fit on a screen of 24 lines with everything else; --by shows more.
_SHORT, _LONG = 4, 40
_SENTENCE_CHARS = 45


def show(report: StatsReport, console: Console, *, full: bool) -> None:
    """Print ``report``; ``full`` shows the breakdowns that were asked for by name, with all their rows."""
    tables.show(_parts(report, full=full), console)


def _parts(report: StatsReport, *, full: bool) -> Iterator[RenderableType]:
    yield Text(_heading(report), style="bold")
    yield ""
    yield _reach(report)
    yield ""
    yield from _saved(report)
    for dimension in report.by:
        yield ""
        if full or dimension != "reason":
            yield _breakdown(report, dimension, _LONG if full else _SHORT)
        if dimension == "reason" and any(code != reason.CONVERTED for code, _ in report.by["reason"]):
            yield from [""] * full
            yield _left_alone(report, _LONG if full else _SHORT, wrap=full)
    yield ""
    yield from _footer(report)


def _heading(report: StatsReport) -> str:
    return f"{local_time(report.first_ts)} to {local_time(report.last_ts)}, {report.zone}"


def _reach(report: StatsReport) -> Table:
    totals = report.totals
    made = table()
    for justify in ("left", "right", "right", "left"):
        made.add_column(justify=justify, no_wrap=True)
    rows = [
        ("Tool results seen", totals.results),
        ("with something to work on", totals.eligible),
        ("made smaller" if report.verified else "made smaller, offered", totals.converted),
    ]
    if report.verified:
        rows.append(("  applied by the agent", totals.applied))
        rows.append(("  rejected by the agent", totals.rejected))
        rows.append(("  not known", totals.unknown))
    for name, number in rows:
        share = bar(number, totals.results, 2 * _BAR)
        made.add_row(name, f"{number:,}", percent(number, totals.results), Text(share, style="green"))
    return made


def _saved(report: StatsReport) -> Iterator[Text]:
    totals = report.totals
    saved = tokens(totals.tokens_saved, totals.tokens_saved_estimated)
    seen = tokens(totals.tokens_in, totals.tokens_estimated)
    yield Text.assemble(
        ("Saved  ", "bold"),
        (f"{size(totals.bytes_saved)}", "bold green"),
        f" of {size(totals.bytes_in)} seen ({percent(totals.bytes_saved, totals.bytes_in)})",
    )
    yield Text.assemble(
        "       ",
        (saved, "bold green"),
        f" of {seen} o200k tokens ({percent(totals.tokens_saved, totals.tokens_in)})",
        (", ~ estimated" if totals.tokens_estimated else "", "dim"),
    )
    if report.dollars_saved is not None:
        amount = f"{report.dollars_saved:,.2f} USD at {report.price:g} USD per million tokens"
        yield Text(f"       {amount}, each read once, none cached", style="dim")
    if totals.rejected:
        yield Text("       The agent rejects replies: `unpretty doctor` looks for the cause", style="bold red")


def _breakdown(report: StatsReport, dimension: str, most: int) -> Table:
    groups = report.by[dimension]
    made = table(f"By {dimension}", *COLUMNS, "")
    if dimension == "day":  # the last ones matter, of all else the first
        shown, left = (part[::-1] for part in first_rows(groups[::-1], most))
    else:
        shown, left = first_rows(groups, most)
    for key, figures in shown:
        _add_row(made, shortened(visible(label(dimension, key)), _NAME), figures, report.totals)
    if left:
        rest = total((figures for _, figures in left), StatsFigures())
        _add_row(made, f"{len(left):,} more", rest, report.totals)
    return made


def _add_row(made: Table, name: str, figures: StatsFigures, totals: StatsFigures) -> None:
    # Not a string: rich would take brackets in it for markup.
    drawn = Text(bar(figures.bytes_saved, totals.bytes_saved, 8), style="green")
    made.add_row(Text(name), *cells(figures, totals), drawn)


def _left_alone(report: StatsReport, most: int, *, wrap: bool) -> Table:
    groups = [group for group in report.by["reason"] if group[0] != reason.CONVERTED]
    groups.sort(key=lambda group: -group[1].results)
    shown, rest = first_rows(groups, most)
    rows = [(key, f"{figures.results:,}", explanation(key)) for key, figures in shown]
    if rest:
        results = total((figures for _, figures in rest), StatsFigures()).results
        rows.append((f"{len(rest)} more reasons", f"{results:,}", "see --by reason"))
    return left_alone(("results",), rows, None if wrap else _SENTENCE_CHARS)


def _footer(report: StatsReport) -> Iterator[Text]:
    for via, times in sorted(report.latency.items()):
        yield Text(f"{visible(via).capitalize()} time  {sentence(times)}")
    if report.largest:
        one = report.largest[0]
        row_saved = one["bytes_in"] - one["bytes_out"]
        yield Text(
            f"The {len(report.largest)} largest results are {100 * report.largest_share:.0f} % of what was saved; "
            f"the largest saved {size(row_saved)}"
        )
    log = report.log
    newer = f", {log.newer:,} by a newer version" if log.newer else ""
    yield Text(
        f"Log  {visible(str(log.path))}, {size(log.bytes)}, {log.lines:,} lines, {log.broken:,} broken{newer}",
        style="dim",
    )


def show_largest(report: StatsReport, console: Console) -> None:
    """Print the decisions that saved the most, for ``--top``."""
    made = table("Largest savings", "before", "after", "saved", "when")
    for record in report.largest:
        before, after = record["bytes_in"], record["bytes_out"]
        name = Text(shortened(visible(record["tool"]), _NAME))
        made.add_row(name, size(before), size(after), size(before - after), local_time(record["ts"]))
    console.print("")
    console.print(made)
