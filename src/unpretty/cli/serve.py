"""``unpretty serve``: two small read-only MCP servers."""

from __future__ import annotations

import os
from pathlib import Path

import click

from unpretty.encodings.registry import offered
from unpretty.errors import UnprettyError

_encoding = click.option(
    "--encoding",
    type=click.Choice(["auto", *offered()]),
    default=None,
    help="How rows are written; by default as the settings say, else as columnar JSON.",
)
_max_bytes = click.option(
    "--max-bytes",
    type=click.IntRange(min=1000),
    default=40_000,
    show_default=True,
    metavar="N",
    help="Maximum size of an answer in bytes; it ends with a whole row.",
)
_seconds = click.option(
    "--seconds", type=click.FloatRange(min=0.1), default=30.0, show_default=True, help="Time limit of one query."
)


@click.group("serve")
def command() -> None:
    """Serve data to an agent over MCP (standard input and output), read-only."""


@command.command("files")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The directory whose CSV, TSV, JSON, JSON Lines and Parquet files can be read.",
)
@_encoding
@_max_bytes
@_seconds
def files(root: Path, encoding: str | None, max_bytes: int, seconds: float) -> None:
    """Serve the data files below a directory: list, describe, filter and page through them."""
    try:
        from unpretty.servers.files.server import FileServer
    except ImportError as missing:
        raise _extra_missing(missing) from None
    FileServer(root, encoding=encoding or "", max_bytes=max_bytes, seconds=seconds).server().run()


def _extra_missing(missing: ImportError) -> UnprettyError:
    return UnprettyError(
        f"`unpretty serve` needs packages that are not installed ({missing.name}).",
        code="extra_missing",
        hint='Install them with: pip install "unpretty[mcp]"',
    )


@command.command("clickhouse")
@click.option(
    "--url",
    required=True,
    metavar="URL",
    help="http://host:8123 or https://user@host:8443/database. Give the password in CLICKHOUSE_PASSWORD.",
)
@click.option("--user", envvar="CLICKHOUSE_USER", default="", help="User, when the address has none.")
@click.option(
    "--max-rows",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Maximum number of rows of an answer.",
)
@_encoding
@_max_bytes
@_seconds
def clickhouse(url: str, user: str, max_rows: int, encoding: str | None, max_bytes: int, seconds: float) -> None:  # noqa: PLR0913, PLR0917
    """Serve the databases and tables of a ClickHouse server: read-only SQL."""
    from unpretty.servers.clickhouse.http_client import ClickHouse

    password = os.environ.get("CLICKHOUSE_PASSWORD", "")
    server = ClickHouse(url, user=user, password=password, seconds=seconds, max_rows=max_rows, max_bytes=max_bytes)
    try:
        from unpretty.servers.clickhouse.server import ClickHouseServer
    except ImportError as missing:
        raise _extra_missing(missing) from None
    ClickHouseServer(server, encoding=encoding or "").server().run()
