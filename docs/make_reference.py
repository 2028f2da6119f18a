"""Writes docs/reference.md from the command line itself, the settings and the reason codes, so that it cannot drift.

python docs/make_reference.py
"""

from collections.abc import Iterator
from pathlib import Path

import click

from unpretty import agents
from unpretty.cli.main import COMMANDS, cli
from unpretty.encodings.registry import ENCODINGS
from unpretty.engine.reason import TABLE
from unpretty.settings.config_file import explanation
from unpretty.settings.defaults import SETTINGS

REFERENCE = Path(__file__).with_name("reference.md")


def reference() -> str:
    """The whole page."""
    return "\n".join([*_head(), *_commands(), *_settings(), *_encodings(), *_reasons(), *_statuses()]) + "\n"


def _head() -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield "Made by `python docs/make_reference.py`; change the program instead."
    yield ""
    names = ", ".join(f"`{agent}`" for agent in agents.names())
    yield f"AGENT is one of {names}; without one, every agent found on this machine."
    yield "`-` and no FILE mean standard input."


def _commands() -> Iterator[str]:
    yield ""
    yield "## Commands"
    yield from _command("unpretty", cli)
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        yield from _command(f"unpretty {name}", command)


def _command(path: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    yield ""
    yield f"### `{path}`"
    yield ""
    yield "```text"
    yield command.get_usage(context).removeprefix("Usage: ")
    yield "```"
    for paragraph in (command.help or "").split("\n\n"):
        yield ""
        yield " ".join(paragraph.split())
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    if options:
        yield ""
        for option in options:
            value = f" {option.make_metavar(context)}" if not option.is_flag else ""
            yield f"- `{', '.join(option.opts)}{value}`: {option.help or ''}".rstrip(": ")
    if isinstance(command, click.Group) and command is not cli:
        for name, inner in command.commands.items():
            yield from _command(f"{path} {name}", inner)


def _settings() -> Iterator[str]:
    yield ""
    yield "## Settings"
    yield ""
    yield "In `config.toml` (`unpretty config path`), or with `unpretty config set NAME VALUE`."
    yield ""
    yield "| setting | default | meaning |"
    yield "| --- | --- | --- |"
    for name, (default, _) in SETTINGS.items():
        yield f"| `{name}` | `{_toml(default)}` | {explanation(name)} |"


def _encodings() -> Iterator[str]:
    yield ""
    yield "## Encodings"
    yield ""
    yield "| encoding | what it is | in settings and `serve` |"
    yield "| --- | --- | --- |"
    for name, entry in ENCODINGS.items():
        link = f"[`{name}`](formats.md#{entry.section or name})"
        yield f"| {link} | {entry.title} | {'yes' if entry.offered else 'no'} |"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _reasons() -> Iterator[str]:
    yield ""
    yield "## Reasons"
    yield ""
    yield "`converted`, or the first gate that ended it: in the log, `stats --by reason` and `explain`."
    yield ""
    yield "| reason | meaning |"
    yield "| --- | --- |"
    for code, reason in TABLE.items():
        yield f"| `{code}` | {reason.sentence} |"


def _statuses() -> Iterator[str]:
    yield ""
    yield "## Exit statuses"
    yield ""
    yield "| status | meaning |"
    yield "| --- | --- |"
    yield "| 0 | Done, or nothing to do. |"
    yield "| 1 | Something you can fix: one sentence says what. `doctor`: there are problems. |"
    yield "| 2 | Wrong usage; `--exit-code`: changes are pending. |"
    yield "| 3 | A bug in unpretty; a report file is left. |"
    yield "| 130 | Interrupted. |"


if __name__ == "__main__":
    REFERENCE.write_text(reference(), "utf-8")
