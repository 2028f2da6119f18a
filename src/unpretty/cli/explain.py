"""``unpretty explain``: one tool result in, each decision with its reason out."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console
from rich.text import Text

from unpretty import agents, locations
from unpretty.engine.reason import explanation
from unpretty.errors import UnprettyError
from unpretty.explain import Explained, explain
from unpretty.report.words import visible
from unpretty.settings.config_file import read_config
from unpretty.settings.defaults import Settings

# Lines of a text that are shown, and characters of a line.
_LINES, _CHARS = 12, 160


@click.command()
@click.argument("file", default="-", type=click.Path(allow_dash=True))
@click.option(
    "--agent", type=click.Choice(agents.names()), help="The agent whose payload this is (detected if not given)."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the decisions as the log holds them, with the texts to be sent."
)
def command(file: str, agent: str | None, as_json: bool) -> None:
    """Show what the hook does with one tool result, and why.

    FILE holds what the agent hands to its hook (a JSON payload), or any other text, which is treated as the output of a
    shell command. "-" or nothing is standard input.
    """
    settings = Settings(read_config(locations.config_file()) if locations.config_file().exists() else None)
    explained = explain(_read(file), settings, agent or "")
    count = _counter()
    if as_json:
        decisions = [_as_json(item, count) for item in explained]
        click.echo(orjson.dumps({"schema": 1, "decisions": decisions}, option=orjson.OPT_INDENT_2).decode())
        return
    console = Console(highlight=False, soft_wrap=True)
    for item in explained:
        _show(console, item, count)


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as exc:
        raise UnprettyError(f"Cannot read {file}: {exc.strerror}.", code="unreadable") from None


def _counter() -> Callable[[str], int] | None:
    """Exact o200k counts, or none when tiktoken or its vocabulary fail."""
    from unpretty.tokens.count import load_counter

    try:
        return load_counter()
    except UnprettyError:
        return None


def _as_json(item: Explained, count: Callable[[str], int] | None) -> dict[str, Any]:
    tokens = (count(item.before), count(item.after)) if count else (None, None)
    text = item.after.encode("utf-8", "replace").decode("utf-8")
    sentence = explanation(str(item.record["reason"]))
    return {**item.record, "explanation": sentence, "tokens_in": tokens[0], "tokens_out": tokens[1], "text": text}


def _show(console: Console, item: Explained, count: Callable[[str], int] | None) -> None:
    record = item.record
    converted = record["decision"] == "converted"
    name = " ".join(str(part) for part in (record["agent"], record["tool"], record["field"]) if part)
    style = "bold green" if converted else "bold yellow"
    console.print(Text.assemble((visible(name, tabs=True) or "text", "bold"), ": ", (str(record["reason"]), style)))
    console.print(Text("  " + explanation(str(record["reason"]))))
    if not item.before:
        return
    console.print(Text(f"  bytes   {_pair(_size(record['bytes_in']), _size(record['bytes_out']), converted)}"))
    if count:
        console.print(Text(f"  tokens  {_pair(count(item.before), count(item.after), converted)} (o200k)"))
    steps = record["steps"]
    if isinstance(steps, dict) and steps:
        saved = ", ".join(f"{step} {size:,} bytes" for step, size in steps.items())
        console.print(Text(f"  saved by {saved}"))
    if converted:
        _show_text(console, "before", item.before)
        _show_text(console, "after", item.after)


def _pair(before: int, after: int, converted: bool) -> str:
    if not converted:
        return f"{before:,}"
    share = (before - after) / before if before else 0.0
    return f"{before:,} -> {after:,} ({share:.1%} less)"


def _size(value: object) -> int:
    return value if isinstance(value, int) else 0


def _show_text(console: Console, title: str, text: str) -> None:
    """The first lines of a text, control characters made visible, and how much more there is."""
    console.print(Text(f"  {title}:", style="bold"))
    lines = text.split("\n")
    for line in lines[:_LINES]:
        shown = visible(line, tabs=True)
        more = f" ... {len(shown) - _CHARS:,} more characters" if len(shown) > _CHARS else ""
        console.print(Text("    " + shown[:_CHARS] + more, style="dim"))
    if len(lines) > _LINES:
        console.print(Text(f"    ... {len(lines) - _LINES:,} more lines", style="dim"))
