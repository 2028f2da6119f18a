"""``unpretty doctor``: what is right, what is wrong, and the command that fixes it."""

import dataclasses
import json
import sys
from collections.abc import Iterator

import click
from rich.console import Console
from rich.table import Table

from unpretty.cli import plan_output
from unpretty.report.period import local_time
from unpretty.report.words import visible
from unpretty_installer import agents, batch, render
from unpretty_installer.core.plan import Options
from unpretty_installer.core.report import AgentReport

SCHEMA = 1
_STYLES = {"active": "green", "not_installed": "dim"}


@click.command()
@click.argument("names", nargs=-1, metavar="[AGENT]...", type=click.Choice(agents.names()))
@click.option("--fix", is_flag=True, help="Fix what is ours: our own files and our entry.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...], *, fix: bool, as_json: bool) -> None:
    """Examine the agents named, or every agent found on this machine. Exits with 1 when something is wrong."""
    reports = [agent.examine(Options()) for agent in agents.chosen(names)]
    if fix:
        reports = [_repaired(report, quiet=as_json) for report in reports]
    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, "agents": [as_value(report) for report in reports]}, indent=2))
    elif reports:
        _show(reports)
    else:
        click.echo("No coding agent was found on this machine.")
    ctx.exit(1 if any(report.problems for report in reports) else 0)


def _repaired(report: AgentReport, *, quiet: bool) -> AgentReport:
    if not report.problems or not report.repair:
        return report
    results = batch.repair(report)
    if not quiet:
        plan_output.show(render.outcome_lines(results))
    return agents.get(report.agent).examine(Options())


def as_value(report: AgentReport) -> dict[str, object]:
    """One agent's report as plain values, for ``--json``."""
    return {
        "agent": report.agent,
        "found": report.found,
        "version": report.version,
        "status": report.status,
        "config": report.config,
        "faults": [dataclasses.asdict(problem) for problem in report.problems],
        "notices": [dataclasses.asdict(note) for note in report.notices],
        "run_ms": None if report.run_ms is None else round(report.run_ms, 1),
        "last_decision": report.last_decision,
        "mcp_servers": [
            {"name": server.name, "state": server.state, "scope": server.scope, "config": str(server.path)}
            for server in report.servers
        ],
    }


def _show(reports: list[AgentReport]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("Agent", "Version", "Status", "Command", "Last result"):
        table.add_column(heading, no_wrap=True)
    for report in reports:
        ran = "" if report.run_ms is None else f"runs in {report.run_ms:.0f} ms"
        status = report.status.replace("_", " ")
        row = (report.title, report.version or "?", status, ran, _last(report))
        table.add_row(*(visible(cell, tabs=True) for cell in row), style=_STYLES.get(report.status, "red"))
    Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)
    plan_output.show(_details(reports))


def _details(reports: list[AgentReport]) -> Iterator[render.Line]:
    for report in reports:
        yield "", ""
        yield "bold", f"{report.title}: {report.config}"
        for problem in report.problems:
            yield "red", f"  Problem: {problem.message}"
            yield "", f"    To fix it: {problem.fix}"
        for note in report.notices:
            yield "", f"  Note: {note.message}"
        if report.servers:
            yield "", f"  MCP servers: {_servers(report)}"
        if not report.problems and report.status == "not_installed":
            yield "", f"  To set it up: unpretty install {report.agent}"
        elif not report.problems:
            yield "green", "  Nothing is wrong."


def _servers(report: AgentReport) -> str:
    """The agent's MCP servers by what is in front of them."""
    groups: dict[str, list[str]] = {}
    for server in report.servers:
        groups.setdefault(server.state.replace("_", " "), []).append(server.name)
    return "; ".join(f"{state}: {', '.join(dict.fromkeys(names))}" for state, names in groups.items())


def _last(report: AgentReport) -> str:
    """The last decision in one line: when (local time), tool, what became of it."""
    last = report.last_decision
    if last is None:
        return "none seen" if report.status != "not_installed" else ""
    outcome = "converted" if last.get("decision") == "converted" else str(last.get("reason"))
    return f"{_when(last.get('ts'))} {last.get('tool')}: {outcome}"


def _when(ts: object) -> str:
    """A time of the log (milliseconds since 1970, UTC) on the local clock; ``?`` for one that is none."""
    if not isinstance(ts, (int, float)):
        return "?"
    try:
        return local_time(int(ts))
    except (OverflowError, OSError, ValueError):
        return "?"
