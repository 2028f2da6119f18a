"""``unpretty install``: show what would be written, and with ``--apply`` write it."""

import click

from unpretty.cli import plan_output
from unpretty_installer import agents, batch
from unpretty_installer.core.plan import Options
from unpretty_installer.wrap import plans


@click.command()
@click.argument("names", nargs=-1, metavar="[AGENT]...", type=click.Choice(agents.names()))
@click.option("--apply", is_flag=True, help="Write what the plan says; without it nothing is written.")
@click.option(
    "--project",
    is_flag=False,
    flag_value=".",
    metavar="[DIR]",
    help="Only for one project (default: the current directory).",
)
@click.option("--trust", is_flag=True, help="Have Codex trust our entry, and only that.")
@click.option("--wrap-mcp", multiple=True, metavar="NAME|all", help="Also put the proxy before an MCP server.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--exit-code", is_flag=True, help="Exit with 2 when the plan would change something.")
@click.pass_context
def command(  # noqa: PLR0913  one keyword per option
    ctx: click.Context,
    names: tuple[str, ...],
    *,
    apply: bool,
    project: str | None,
    trust: bool,
    wrap_mcp: tuple[str, ...],
    as_json: bool,
    exit_code: bool,
) -> None:
    """Set agents up: those named, or every agent found on this machine."""
    directory, names = plan_output.project_directory(project, names, agents.names())
    chosen = agents.chosen(names)
    if not chosen:
        raise plan_output.nothing_found()
    results = batch.plan_install(chosen, Options(project=directory, trust=trust, wrap_mcp=wrap_mcp))
    plans.require_known((result.plan for result in results), wrap_mcp)
    arguments = list(names)
    arguments += ["--project", str(directory)] if directory else []
    arguments += ["--trust"] if trust else []
    arguments += [word for name in wrap_mcp for word in ("--wrap-mcp", name)]
    results = plan_output.run(results, "install", arguments, apply=apply, as_json=as_json)
    ctx.exit(plan_output.exit_status(results, pending_is_2=exit_code and not apply))
