"""``unpretty stats``: what was seen, converted and saved, and why the rest was left alone."""

import os
from collections.abc import Callable

import click
import orjson

from unpretty import locations
from unpretty.decision_log.reader import Record
from unpretty.engine import system
from unpretty.errors import UnprettyError
from unpretty.report.period import parse_period
from unpretty.stats.aggregate import DIMENSIONS
from unpretty.stats.report import StatsReport, build_report, to_json

_DEFAULT_JSON = ("agent", "tool", "reason")
_DEFAULT_VIEW = ("tool", "reason")
_DEFAULT_PAGE = ("day", "tool", "reason")


def _dimensions(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(name.strip() for text in value for name in text.split(","))
    for name in names:
        if name not in DIMENSIONS:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(DIMENSIONS)}.", ctx, param)
    return tuple(dict.fromkeys(names))


@click.command()
@click.option("--since", metavar="WHEN", help="From this day or age on: 2026-11-30, today, 7d, 12h.")
@click.option("--until", metavar="WHEN", help="Up to and including this day.")
@click.option(
    "--by",
    "dimensions",
    multiple=True,
    callback=_dimensions,
    metavar="WHAT",
    help=f"Break down by {', '.join(DIMENSIONS)}; several are allowed, also separated by commas.",
)
@click.option("--top", type=click.IntRange(1, 1000), metavar="N", help="List the N results that saved the most.")
@click.option("--verify", is_flag=True, help="Look up in the agents' own records which conversions were applied.")
@click.option(
    "--price", type=click.FloatRange(0), metavar="USD", help="Price of a million tokens, to show money saved."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (see docs/stats.md).")
@click.option("--html", "page", metavar="FILE", help="Write one self-contained page; - is standard output.")
def command(  # noqa: PLR0913, PLR0917  one argument per option
    since: str | None,
    until: str | None,
    dimensions: tuple[str, ...],
    top: int | None,
    verify: bool,
    price: float | None,
    as_json: bool,
    page: str | None,
) -> None:
    """Show what was seen, converted and saved, and why the rest was left alone.

    Days are days of the local clock. Bytes are exact; tokens are o200k counts, estimates are marked.
    """
    default = _DEFAULT_JSON if as_json else _DEFAULT_PAGE if page else _DEFAULT_VIEW
    path = locations.decision_log_file()
    try:
        report = build_report(
            path,
            parse_period(since, until),
            dimensions or default,
            largest=top or 10,
            applied=_verifier() if verify else None,
            price=price,
        )
    except OSError as exc:
        raise UnprettyError(f"Cannot read the decision log {path}: {exc.strerror}.", code="log_unreadable") from None
    if as_json:
        click.echo(orjson.dumps(to_json(report), option=orjson.OPT_INDENT_2).decode())
    if page:
        _write_page(report, page)
    if not as_json and not page:
        _show(report, full=bool(dimensions), list_largest=top is not None)


def _verifier() -> Callable[[Record], str]:
    from unpretty.stats.applied import Verifier
    from unpretty.transcripts.outcomes import checks

    return Verifier(checks())


def _show(report: StatsReport, *, full: bool, list_largest: bool) -> None:
    from rich.text import Text

    from unpretty.report.tables import screen
    from unpretty.stats import empty, terminal

    console = screen()
    if not report.totals.results:
        for sentence in empty.reasons(report):
            console.print(Text(sentence), soft_wrap=True)
        return
    terminal.show(report, console, full=full)
    if list_largest:
        terminal.show_largest(report, console)


def _write_page(report: StatsReport, page: str) -> None:
    from unpretty.stats.html import render

    text = render(report)
    if page == "-":
        click.echo(text)
        return
    try:
        handle = system.open_file(page, system.WRITE | system.CREATE | system.TRUNCATE, 0o666)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as exc:
        raise UnprettyError(f"Cannot write {page}: {exc.strerror}.", code="unwritable") from None
    click.echo(f"{page} is written.", err=True)
