"""``unpretty uninstall``: show what would be undone, and with ``--apply`` undo it."""

import click

from unpretty.cli import plan_output
from unpretty_installer import agents, batch
from unpretty_installer.core.plan import Options


@click.command()
@click.argument("names", nargs=-1, metavar="[AGENT]...", type=click.Choice(agents.names()))
@click.option("--apply", is_flag=True, help="Do what the plan says; without it nothing is written.")
@click.option("--purge", is_flag=True, help="Delete the decision log, the settings and everything else of ours too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...], *, apply: bool, purge: bool, as_json: bool) -> None:
    """Undo what was installed, in the agents named or in all: files that nobody touched are restored byte for byte."""
    chosen = agents.chosen(names) if names else agents.every()
    results = batch.plan_uninstall(chosen, Options(), purge=purge)
    if not names:
        shown = [result for result in results if result.state != "nothing_to_do" or result.agent == batch.OWN]
        results = shown or results[:1]
    results = plan_output.run(
        results, "uninstall", [*names, *(["--purge"] if purge else [])], apply=apply, as_json=as_json
    )
    ctx.exit(plan_output.exit_status(results))
