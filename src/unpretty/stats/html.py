"""A report as one self-contained page: no script, nothing loaded from anywhere, dark and light, readable on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from unpretty.engine import reason
from unpretty.engine.reason import explanation
from unpretty.report.period import local_time
from unpretty.report.words import label, percent, size, tokens, visible
from unpretty.stats.figures import COLUMNS, cells
from unpretty.stats.latency import histogram, sentence
from unpretty.stats.report import StatsReport

_MOST = 20

# The policy lets a browser load nothing, whatever a name in the log may look like.
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>unpretty stats</title>
<style>
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5d6670; --line: #dfe3e8; --bar: #2f8f5b; --page: #fff;
  --card: #f6f8fa }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #9aa4ae; --line: #31373e; --bar: #4cc38a;
  --page: #121417; --card: #1b1f23 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 56rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.05rem; margin: 2.2rem 0 .5rem }
p { margin: .3rem 0 } .soft, footer { color: var(--soft); font-size: .875rem }
.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); margin: 1.2rem 0 }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem }
.card b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem }
th { text-align: right; font-weight: 600; color: var(--soft) } th:first-child, td:first-child { text-align: left }
th, td { padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td { text-align: right; white-space: nowrap }
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 9.5rem }
td.say { text-align: left; white-space: normal; color: var(--soft) }
td.bar { width: 22%; min-width: 5rem; padding-right: 0 }
svg { display: block; width: 100%; height: 1.1rem } rect { fill: var(--bar) }
.columns { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 2px }
.columns svg { height: 7rem; max-width: 3.5rem } .columns span { color: var(--soft); font-size: .75rem;
  white-space: nowrap; display: block; width: 0 }
@media (max-width: 40rem) { body { padding: 1rem .8rem 2rem } .wide, td.bar { display: none }
  .cards { grid-template-columns: 1fr 1fr } .card b { font-size: 1.15rem } }
</style>
</head>
<body>
"""


def render(report: StatsReport) -> str:
    """The page as HTML text."""
    parts: list[str] = [_HEAD, *_summary(report)]
    if "day" in report.by:
        days = report.by["day"]
        bars = [(key, figures.bytes_saved, size(figures.bytes_saved)) for key, figures in days]
        parts += _section("Saved per day", _columns(bars))
    for dimension in report.by:
        if dimension == "reason":
            parts += _section("Why results were left alone", _left_alone(report))
        else:
            parts += _section(f"By {dimension}", _breakdown(report, dimension))
    for via, times in sorted(report.latency.items()):
        steps = [(f"< {bound:g} ms", number, f"{number:,}") for bound, number in histogram(times)]
        parts += _section(f"Time of the {via}: {sentence(times)}", _columns(steps))
    parts += _section("Largest savings", _largest(report))
    parts.append(_footer(report))
    return "".join(parts)


def _section(heading: str, content: Iterable[str]) -> Iterator[str]:
    yield f"<section><h2>{_safe(heading)}</h2>\n"
    yield from content
    yield "</section>\n"


def _summary(report: StatsReport) -> Iterator[str]:
    totals = report.totals
    span = f"{local_time(report.first_ts)} to {local_time(report.last_ts)}" if report.first_ts else "no results"
    yield f"<h1>unpretty stats</h1>\n<p class=soft>{_safe(span)}, {_safe(report.zone)}</p>\n<div class=cards>\n"
    saved = tokens(totals.tokens_saved, totals.tokens_saved_estimated)
    cards = [
        (f"{totals.results:,}", "tool results seen"),
        (f"{totals.eligible:,}", f"with something to work on ({percent(totals.eligible, totals.results)})"),
        (f"{totals.converted:,}", f"made smaller ({percent(totals.converted, totals.results)})"),
        (size(totals.bytes_saved), f"saved, {percent(totals.bytes_saved, totals.bytes_in)} of all output seen"),
        (saved, f"o200k tokens saved, {percent(totals.tokens_saved, totals.tokens_in)} of all"),
    ]
    if report.verified:
        text = f"applied; {totals.rejected:,} rejected, {totals.unknown:,} not known"
        cards.append((f"{totals.applied:,}", text))
    if report.dollars_saved is not None:
        text = f"at {report.price:g} USD per million tokens, each read once, none cached"
        cards.append((f"{report.dollars_saved:,.2f} USD", text))
    for number, text in cards:
        yield f"<div class=card><b>{_safe(number)}</b><span class=soft>{_safe(text)}</span></div>\n"
    yield "</div>\n"
    offered = "" if report.verified else " Conversions were offered to the agent; whether it applied them is not known."
    yield f"<p class=soft>Bytes are exact. Tokens with ~ are partly estimated from bytes.{offered}</p>\n"


# Columns that a narrow screen leaves out.
_WIDE = frozenset(("smaller", "share", "after"))


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table; a cell that begins with ``<td`` is taken as it is, any other is text."""
    classes = [" class=wide" if heading in _WIDE else "" for heading in headings]
    cells = "".join(f"<th{kind}>{_safe(heading)}</th>" for heading, kind in zip(headings, classes, strict=True))
    yield f"<div class=scroll><table><tr>{cells}</tr>\n"
    for row in rows:
        cells = "".join(
            cell if cell.startswith("<td") else f"<td{kind}>{_safe(cell)}</td>"
            for cell, kind in zip(row, classes, strict=True)
        )
        yield f"<tr>{cells}</tr>\n"
    yield "</table></div>\n"


def _breakdown(report: StatsReport, dimension: str) -> Iterator[str]:
    groups = report.by[dimension]
    groups = groups[-_MOST:] if dimension == "day" else groups[:_MOST]
    highest = max((figures.bytes_saved for _, figures in groups), default=0)
    rows = [
        (_name(label(dimension, key)), *cells(figures, report.totals), _bar(figures.bytes_saved, highest))
        for key, figures in groups
    ]
    yield from _table(("", *COLUMNS, ""), rows)
    more = len(report.by[dimension]) - len(groups)
    if more:
        yield f"<p class=soft>{more:,} more are not shown.</p>\n"


def _left_alone(report: StatsReport) -> Iterator[str]:
    groups = [(key, figures.results) for key, figures in report.by["reason"] if key != reason.CONVERTED]
    groups.sort(key=lambda group: -group[1])
    highest = max((number for _, number in groups), default=0)
    rows = [
        (_name(key), f"{number:,}", f"<td class=say>{_safe(explanation(key))}</td>", _bar(number, highest))
        for key, number in groups
    ]
    yield from _table(("", "results", "", ""), rows)


def _largest(report: StatsReport) -> Iterator[str]:
    rows = []
    for record in report.largest:
        before, after = record["bytes_in"], record["bytes_out"]
        rows.append((_name(record["tool"]), local_time(record["ts"]), size(before), size(after), size(before - after)))
    yield from _table(("", "when", "before", "after", "saved"), rows)
    if report.largest:
        yield f"<p class=soft>Together {100 * report.largest_share:.0f} % of what was saved.</p>\n"


def _name(text: str) -> str:
    return f"<td>{_safe(text)}</td>"


def _bar(part: float, whole: float) -> str:
    width = round(100 * part / whole, 2) if whole > 0 and part > 0 else 0
    return f'<td class=bar>{_SVG}<rect width="{width}" height="100"/></svg></td>'


_SVG = '<svg viewBox="0 0 100 100" preserveAspectRatio="none">'


def _columns(bars: Sequence[tuple[str, int, str]]) -> Iterator[str]:
    """Columns side by side, each with its name and number as a tooltip; every few their name is written below."""
    highest = max((number for _, number, _ in bars), default=0)
    yield "<div class=columns>\n"
    for index, (name, number, text) in enumerate(bars):
        height = round(100 * number / highest, 2) if highest > 0 and number > 0 else 0
        tooltip = f"<title>{_safe(name)}: {_safe(text)}</title>"
        shown = _safe(name) if index % -(-len(bars) // 4) == 0 else "&nbsp;"
        drawn = f'{_SVG}<rect y="{round(100 - height, 2)}" width="100" height="{height}"/>{tooltip}</svg>'
        yield f"<div>{drawn}<span>{shown}</span></div>\n"
    yield "</div>\n"


def _footer(report: StatsReport) -> str:
    log = report.log
    text = f"Log {log.path}, {size(log.bytes)}, {log.lines:,} lines read, {log.broken:,} of them broken."
    note = "o200k is a stand-in for the tokenizer of your model. What each figure means: docs/stats.md of unpretty."
    return f"<footer><h2>Source</h2><p>{_safe(text)}</p><p>{note}</p></footer>\n</body>\n</html>\n"


def _safe(text: str) -> str:
    return escape(visible(text))
