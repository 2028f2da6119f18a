"""A report on one screen of 80 columns, readable without colour."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from unpretty.engine import reason
from unpretty.engine.reason import explanation
from unpretty.report.period import local_time
from unpretty.report.words import bar, label, percent, shortened, size, tokens, visible
from unpretty.stats.aggregate import PROXY
from unpretty.stats.figures import Figures
from unpretty.stats.latency import percentiles
from unpretty.stats.report import Report

_BAR = 16
_NAME = 30
# Rows of a breakdown that fit on a screen of 24 lines beside the rest; --by shows more.
_SHORT, _LONG = 4, 40
_SENTENCE = 45


def show(report: Report, console: Console, *, full: bool) -> None:
    """Print ``report``; ``full`` shows the breakdowns that were asked for by name, with all their rows."""
    for part in _parts(report, full=full):
        console.print(part, soft_wrap=isinstance(part, Text))


def _parts(report: Report, *, full: bool) -> Iterator[RenderableType]:
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


def _heading(report: Report) -> str:
    return f"{local_time(report.first_ts)} to {local_time(report.last_ts)}, {report.zone}"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, show_header=bool(columns), header_style="bold")
    for number, name in enumerate(columns):
        table.add_column(name, justify="left" if number == 0 or not name else "right", no_wrap=True)
    return table


def _reach(report: Report) -> Table:
    totals = report.totals
    table = _table()
    for justify in ("left", "right", "right", "left"):
        table.add_column(justify=justify, no_wrap=True)
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
        table.add_row(name, f"{number:,}", percent(number, totals.results), Text(share, style="green"))
    return table


def _saved(report: Report) -> Iterator[Text]:
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


def _breakdown(report: Report, dimension: str, most: int) -> Table:
    groups = report.by[dimension]
    table = _table(f"By {dimension}", "seen", "smaller", "saved", "tokens", "share", "")
    shown = len(groups) if len(groups) <= most else most - 1
    # Of days the last ones matter, of all else the first.
    cut = len(groups) - shown if dimension == "day" else shown
    above, below = groups[:cut], groups[cut:]
    rows, left = (below, above) if dimension == "day" else (above, below)
    for key, figures in rows:
        _add_row(table, shortened(visible(label(dimension, key)), _NAME), figures, report.totals)
    if left:
        rest = Figures()
        for _, figures in left:
            rest.merge(figures)
        _add_row(table, f"{len(left):,} more", rest, report.totals)
    return table


def _add_row(table: Table, name: str, figures: Figures, totals: Figures) -> None:
    table.add_row(
        Text(name),  # not a string: rich would take brackets in it for markup
        f"{figures.results:,}",
        f"{figures.converted:,}",
        size(figures.bytes_saved),
        tokens(figures.tokens_saved, figures.tokens_saved_estimated),
        percent(figures.bytes_saved, totals.bytes_saved),
        Text(bar(figures.bytes_saved, totals.bytes_saved, 8), style="green"),
    )


def _left_alone(report: Report, most: int, *, wrap: bool) -> Table:
    table = _table("Left alone because", "results")
    table.add_column("")
    groups = [group for group in report.by["reason"] if group[0] != reason.CONVERTED]
    groups.sort(key=lambda group: -group[1].results)
    shown = groups if len(groups) <= most else groups[: most - 1]
    rows = [(visible(key), figures.results, explanation(key)) for key, figures in shown]
    if len(groups) > len(shown):
        more = groups[len(shown) :]
        rows.append((f"{len(more)} more reasons", sum(figures.results for _, figures in more), "see --by reason"))
    for name, number, sentence in rows:
        cut = sentence if wrap or len(sentence) <= _SENTENCE else sentence[: _SENTENCE - 1].rstrip() + "…"
        table.add_row(Text(name), f"{number:,}", Text(cut, style="dim"))
    return table


def _footer(report: Report) -> Iterator[Text]:
    for via, times in sorted(report.latency.items()):
        median, most, slowest = percentiles(times)
        name = "Proxy" if via == PROXY else visible(via).capitalize()
        yield Text(f"{name} time  median {median:g} ms, 95 % within {most:g} ms, longest {slowest:g} ms")
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


def show_largest(report: Report, console: Console) -> None:
    """Print the decisions that saved the most, for ``--top``."""
    table = _table("Largest savings", "before", "after", "saved", "when")
    for record in report.largest:
        before, after = record["bytes_in"], record["bytes_out"]
        name = Text(shortened(visible(record["tool"]), _NAME))
        table.add_row(name, size(before), size(after), size(before - after), local_time(record["ts"]))
    console.print("")
    console.print(table)
