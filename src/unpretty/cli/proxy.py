"""``unpretty proxy``: run an MCP server on standard input and output, and make its tool results smaller."""

import click


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--max-result-bytes",
    type=click.IntRange(min=2048),
    metavar="N",
    help="Show only the first whole rows of a result that is larger than N bytes; the rest can be read as a resource.",
)
@click.option("--passthrough", is_flag=True, help="Change nothing; only log what would have been saved.")
@click.option(
    "--name", default="", metavar="NAME", help="Name of the server in the log; by default what it calls itself."
)
@click.argument("server", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND [ARG]...")
def command(max_result_bytes: int | None, passthrough: bool, name: str, server: tuple[str, ...]) -> int:
    """Run an MCP server and pass its tool results on smaller, with the same meaning.

    Every message passes byte for byte, except results of tool calls.
    """
    from unpretty.proxy.relay import run
    from unpretty.proxy.server_process import CannotStart, ServerProcess, end_like

    try:
        process = ServerProcess(server)
    except CannotStart as exc:
        click.echo(f"unpretty: {exc}", err=True)
        return exc.status
    status, summary = run(process, name=name, max_result_bytes=max_result_bytes, passthrough=passthrough)
    if summary:
        click.echo(summary, err=True)
    return end_like(status)
