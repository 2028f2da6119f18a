"""Prints plans, outcomes and reports: colours on a terminal (``NO_COLOR`` honoured), plain text elsewhere."""

import json
import shlex
from collections.abc import Iterable
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from unpretty.agents import written_path
from unpretty.errors import UnprettyError
from unpretty.report.words import one_of, visible
from unpretty_installer import agents, batch, render
from unpretty_installer.batch import AgentResult
from unpretty_installer.core import planning


def show(lines: Iterable[render.Line]) -> None:
    """Print lines as they are: no wrapping, no markup; control codes that come from a file are made visible."""
    console = Console(highlight=False, soft_wrap=True)
    for style, line in lines:
        console.print(Text(visible(line, tabs=True), style=style), soft_wrap=True)


def run(
    results: list[AgentResult], command: str, arguments: list[str], *, apply: bool, as_json: bool
) -> list[AgentResult]:
    """Show plans, and with ``apply`` carry them out and show what came of it.

    Args:
        results: the plans.
        command: ``install`` or ``uninstall``.
        arguments: what else was on the command line; for the hint on how to apply.
        apply: carry the plans out.
        as_json: print one JSON document instead of text.
    """
    if not as_json:
        show(render.plan_lines(results))
    if apply:
        results = batch.carry_out(results)
    if as_json:
        click.echo(json.dumps(render.as_json(results, command, applied=apply), indent=2))
    elif apply:
        show(render.outcome_lines(results))
    elif any(result.state == "pending" for result in results):
        line = shlex.join([command, *arguments, "--apply"])
        show([("bold", f"Nothing has been written yet. To write it: {planning.own_program()} {line}")])
    return results


def exit_status(results: list[AgentResult], *, pending_is_2: bool = False) -> int:
    """1 when something failed, 2 when changes are pending and the caller wants to know, otherwise 0."""
    if any(result.state == "failed" for result in results):
        return 1
    return 2 if pending_is_2 and any(result.state == "pending" for result in results) else 0


def project_directory(
    value: str | None, chosen: tuple[str, ...], names: tuple[str, ...]
) -> tuple[Path | None, tuple[str, ...]]:
    """The directory of ``--project [DIR]``, and the agents: ``--project codex`` means codex unless that exists."""
    if value is None:
        return None, chosen
    if value in names and not Path(value).is_dir():
        return planning.here(), (value, *chosen)
    return written_path(value), chosen


def nothing_found() -> UnprettyError:
    """The error for a machine without any agent that we know."""
    return UnprettyError(
        "No coding agent was found on this machine.",
        code="no_agent",
        hint=f"Name one to set it up all the same: {one_of(agents.names())}.",
    )
