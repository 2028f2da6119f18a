"""A report as one self-contained page: no script, nothing loaded from anywhere, dark and light, readable on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from unpretty import reason
from unpretty.stats.latency import histogram, percentiles
from unpretty.stats.period import local_time
from unpretty.stats.report import Report
from unpretty.stats.words import explanation, label, percent, size, tokens, visible

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
.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); margin: 1.2rem 0 }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem }
.card b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem }
th { text-align: right; font-weight: 600; color: var(--soft) } th:first-child, td:first-child { text-align: left }
th, td { padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td { text-align: right; white-space: nowrap } td:first-child { white-space: normal; overflow-wrap: anywhere }
td.say { text-align: left; white-space: normal; color: var(--soft) }
td.bar { width: 22%; min-width: 5rem; padding-right: 0 }
svg { display: block; width: 100% } .bar svg { height: 1.1rem } rect { fill: var(--bar) }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif }
</style>
</head>
<body>
"""


def render(report: Report) -> str:
    """The page as HTML text."""
    parts: list[str] = [_HEAD, *_summary(report)]
    if "day" in report.by:
        days = report.by["day"]
        bars = [(key, figures.bytes_saved, size(figures.bytes_saved)) for key, figures in days]
        parts += _section("Saved per day", _columns(bars))
    for dimension in report.by:
        parts += _section(f"By {dimension}", _breakdown(report, dimension))
    if "reason" in report.by:
        parts += _section("Why results were left alone", _left_alone(report))
    for via, times in sorted(report.latency.items()):
        median, most, slowest = percentiles(times)
        heading = f"Time of the {via}: median {median:g} ms, 95 % within {most:g} ms, longest {slowest:g} ms"
        steps = [(f"< {bound:g} ms", number, f"{number:,}") for bound, number in histogram(times)]
        parts += _section(heading, _columns(steps))
    parts += _section("Largest savings", _largest(report))
    parts.append(_footer(report))
    return "".join(parts)


def _section(heading: str, content: Iterable[str]) -> Iterator[str]:
    yield f"<section><h2>{_safe(heading)}</h2>\n"
    yield from content
    yield "</section>\n"


def _summary(report: Report) -> Iterator[str]:
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


def _table(headings: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    cells = "".join(f"<th>{_safe(heading)}</th>" for heading in headings)
    yield f"<div class=scroll><table><tr>{cells}</tr>\n"
    yield from rows
    yield "</table></div>\n"


def _breakdown(report: Report, dimension: str) -> Iterator[str]:
    groups = report.by[dimension]
    groups = groups[-_MOST:] if dimension == "day" else groups[:_MOST]
    highest = max((figures.bytes_saved for _, figures in groups), default=0)
    rows = []
    for key, figures in groups:
        cells = (
            label(dimension, key),
            f"{figures.results:,}",
            f"{figures.converted:,}",
            size(figures.bytes_saved),
            tokens(figures.tokens_saved, figures.tokens_saved_estimated),
            percent(figures.bytes_saved, report.totals.bytes_saved),
        )
        drawn = f"<td class=bar>{_bar(figures.bytes_saved, highest)}</td>"
        rows.append(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in cells)}{drawn}</tr>\n")
    yield from _table(("", "seen", "smaller", "saved", "tokens", "share", ""), rows)
    more = len(report.by[dimension]) - len(groups)
    if more:
        yield f"<p class=soft>{more:,} more are not shown.</p>\n"


def _left_alone(report: Report) -> Iterator[str]:
    groups = [(key, figures.results) for key, figures in report.by["reason"] if key != reason.CONVERTED]
    groups.sort(key=lambda group: -group[1])
    rows = (
        f"<tr><td>{_safe(key)}</td><td>{number:,}</td><td class=say>{_safe(explanation(key))}</td></tr>\n"
        for key, number in groups
    )
    yield from _table(("", "results", ""), rows)


def _largest(report: Report) -> Iterator[str]:
    rows = []
    for record in report.largest:
        before, after = record["bytes_in"], record["bytes_out"]
        cells = (record["tool"], local_time(record["ts"]), size(before), size(after), size(before - after))
        rows.append(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in cells)}</tr>\n")
    yield from _table(("", "when", "before", "after", "saved"), rows)
    if report.largest:
        yield f"<p class=soft>Together {100 * report.largest_share:.0f} % of what was saved.</p>\n"


def _bar(part: float, whole: float) -> str:
    width = round(100 * part / whole, 2) if whole > 0 and part > 0 else 0
    return (
        '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width}" height="10"/></svg>'
    )


def _columns(bars: Sequence[tuple[str, int, str]]) -> Iterator[str]:
    """Columns side by side, each with its name and number as a tooltip; the outer names are written below."""
    highest = max((number for _, number, _ in bars), default=0)
    step = 640 / max(len(bars), 1)
    yield '<svg viewBox="0 0 640 150" role="img">\n'
    for place, (name, number, words) in enumerate(bars):
        height = round(120 * number / highest, 2) if highest > 0 and number > 0 else 0
        left, width = round(place * step, 2), round(min(step * 0.8, 60), 2)
        yield (
            f'<rect x="{left}" y="{round(125 - height, 2)}" width="{width}" height="{height}">'
            f"<title>{_safe(name)}: {_safe(words)}</title></rect>\n"
        )
        # As many names as fit beside each other.
        if place % -(-len(bars) // 8) == 0:
            yield f'<text x="{left}" y="142">{_safe(name)}</text>\n'
    yield "</svg>\n"


def _footer(report: Report) -> str:
    log = report.log
    text = f"Log {log.path}, {size(log.bytes)}, {log.lines:,} lines read, {log.broken:,} of them broken."
    note = "o200k is a stand-in for the tokenizer of your model. What each figure means: docs/stats.md of unpretty."
    return f"<footer><h2>Source</h2><p>{_safe(text)}</p><p>{note}</p></footer>\n</body>\n</html>\n"


def _safe(text: str) -> str:
    return escape(visible(text))
