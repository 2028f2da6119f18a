"""``unpretty config``: show, set and find the settings."""

import click
import orjson
from rich.console import Console
from rich.text import Text

from unpretty import locations
from unpretty.settings.config_file import explanation, read_config, set_config
from unpretty.settings.defaults import SETTINGS
from unpretty.settings.resolved import refresh


@click.group()
def command() -> None:
    """Show and change the settings.

    A change takes effect on the next tool call, in every agent.
    """


@command.command()
def path() -> None:
    """Print the path of config.toml, whether it exists or not."""
    click.echo(locations.config_file())


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document: schema, path, and each setting.")
def show(as_json: bool) -> None:
    """Print every setting with its value and meaning; those that differ from the default are marked with *."""
    file = locations.config_file()
    chosen = read_config(file) if file.exists() else {}
    rows = [(name, chosen.get(name, default), default, explanation(name)) for name, (default, _) in SETTINGS.items()]
    if as_json:
        settings = {
            name: {"value": value, "default": default, "changed": value != default, "explanation": text}
            for name, value, default, text in rows
        }
        document = {"schema": 1, "path": str(file), "exists": file.exists(), "settings": settings}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(f"{file}{'' if file.exists() else ' (not there: defaults)'}\n", style="dim"))
    for name, value, default, text in rows:
        changed = value != default
        setting = Text.assemble("* " if changed else "  ", (f"{name} = {spelled(value)}", "bold" if changed else ""))
        console.print(setting)
        console.print(Text(f"      {text}" + (f" Default: {spelled(default)}." if changed else ""), style="dim"))


@command.command(name="set")
@click.argument("name")
@click.argument("value")
def set_(name: str, value: str) -> None:
    """Set one setting; items of a list are separated by commas, and "" empties it."""
    file = locations.config_file()
    now = set_config(file, name, value)
    refresh(str(file), str(locations.resolved_settings_file()))
    click.echo(f"{name} = {spelled(now)} ({file}). It takes effect on the next tool call.")


def spelled(value: object) -> str:
    """A value as TOML spells it."""
    return orjson.dumps(value).decode()
