"""``unpretty estimate``: what the hook would have saved on the user's own past sessions."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import orjson
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from unpretty import agents, locations
from unpretty.errors import UnprettyError
from unpretty.estimate.report import EstimateReport, build_report, to_json
from unpretty.estimate.run import replaced_by_hook, run
from unpretty.estimate.tally import Tally
from unpretty.report.period import LocalDays, parse_period
from unpretty.report.words import one_of
from unpretty.settings.config_file import read_config
from unpretty.settings.defaults import Settings
from unpretty.tokens.count import load_counter
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.sources import Source, own_sources, sources_at

_INTERRUPTED = 130


_HELP = f"""Show what the hook would have saved on your own past sessions, before you install it.

AGENT is {one_of(agents.names())}; PATH is a session file, an opencode.db or a directory with such files, also of
another machine. Without any: the sessions of every agent on this machine. Everything is only read.
"""


@click.command(help=_HELP)
@click.argument("what", nargs=-1, metavar="[AGENT|PATH]...")
@click.option("--since", metavar="WHEN", help="Only results from this day or age on (2026-11-30, 7d, 12h), by day.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (see docs/estimate.md).")
def command(what: tuple[str, ...], since: str | None, as_json: bool) -> int:
    """Print the estimate; the exit status."""
    since_ms = parse_period(since, None).since_ms
    reading = Reading()
    sources = _sources(what, reading)
    _require(sources, what, reading)
    count = load_counter()
    tally = Tally(
        _settings(),
        count,
        since_ms=since_ms,
        day_of=LocalDays() if since else None,
        seen_by_hook=replaced_by_hook(locations.decision_log_file()),
    )
    with _stop_on_interrupt() as stopped, _progress(sources) as reading.progress:
        complete = run(sources, tally, reading, since_ms=since_ms, stopped=stopped)
    report = build_report(tally, sources, reading, count, complete=complete, since_ms=since_ms)
    _print(report, as_json)
    return 0 if complete else _INTERRUPTED


def _sources(what: tuple[str, ...], reading: Reading) -> list[Source]:
    """The files to read: of the agents and paths named, each once, else of all agents."""
    found: dict[Path, Source] = {}
    for name in dict.fromkeys(what or agents.names()):
        if name in agents.names():
            sources = own_sources(name, reading)
        elif Path(name).exists():
            sources = sources_at(Path(name), reading)
        else:
            raise UnprettyError(
                f"{name} is neither an agent nor a file or directory.",
                code="not_found",
                hint=f"Agents are {', '.join(agents.names())}.",
            )
        for source in sources:
            found.setdefault(source.path.resolve(), source)
    return list(found.values())


def _require(sources: list[Source], what: tuple[str, ...], reading: Reading) -> None:
    if sources or reading.unreadable:
        return
    rows = [agents.get(name) for name in what or agents.names() if name in agents.names()]
    searched = [str(directory) for row in rows for directory in row.session_directories]
    paths = [name for name in what if name not in agents.names()]
    variables = one_of(dict.fromkeys(row.data.variable for row in agents.every()))
    raise UnprettyError(
        f"No session records were found in {', '.join(searched + paths)}.",
        code="no_sessions",
        hint=f"Name the directory that holds them, or set {variables}.",
    )


def _settings() -> Settings:
    """The user's settings, switched on: the question is what the hook would have done."""
    file = locations.config_file()
    settings = Settings(read_config(file) if file.exists() else None)
    settings.enabled = True
    os.environ.pop("UNPRETTY", None)
    return settings


@contextmanager
def _stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C end the reading, so that the figures so far are shown; the second one ends the program."""
    caught = False

    def note(*_: object) -> None:
        nonlocal caught
        caught = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: caught
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress(sources: list[Source]) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal's standard error, nothing elsewhere."""
    columns = (TextColumn("Reading sessions"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    total = sum(source.size for source in sources)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)
        yield lambda size: bar.advance(task, size)


def _print(report: EstimateReport, as_json: bool) -> None:
    if as_json:
        click.echo(orjson.dumps(to_json(report), option=orjson.OPT_INDENT_2).decode())
        return
    from unpretty.estimate.terminal import show
    from unpretty.report.tables import screen

    show(report, screen())
