"""Entry point of the command line: the command table, and the one function that turns errors into exit statuses.

Exit statuses: 0 done, 1 something the user can fix, 2 wrong usage (or changes pending with ``--exit-code``),
3 a bug in unpretty (a report file is left), 130 interrupted.
"""

import sys
from importlib import import_module

import click

from unpretty import __version__
from unpretty.errors import UnprettyError

# name -> module under unpretty.cli, imported only when that command runs: start-up stays short.
COMMANDS = {
    "install": "install",
    "uninstall": "uninstall",
    "doctor": "doctor",
    "stats": "stats",
    "estimate": "estimate",
    "explain": "explain",
    "convert": "convert",
    "config": "config",
    "proxy": "proxy",
    "serve": "serve",
}


class _LazyGroup(click.Group):
    """A group whose commands live in modules of their own; each module has one ``command``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"unpretty.cli.{COMMANDS[cmd_name]}").command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="unpretty")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Smaller tool results for coding agents, with exactly the same meaning.

    Without a command: which agents are on, the last result seen, what was saved, and what to do next.
    """
    if ctx.invoked_subcommand is None:
        from unpretty.cli.overview import show_overview

        show_overview()


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as exc:
        exc.show()
        sys.exit(exc.exit_code)
    except UnprettyError as exc:
        click.echo(f"unpretty: {exc}" + (f" {exc.hint}" if exc.hint else ""), err=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(0)
    except PermissionError as exc:
        _say_no_access(exc)
        sys.exit(1)
    except Exception:  # a bug: leave a report that can be attached to an issue
        from unpretty.cli.bug_report import write_bug_report

        click.echo(write_bug_report(), err=True)
        sys.exit(3)
    sys.exit(status if isinstance(status, int) else 0)


def _say_no_access(exc: PermissionError) -> None:
    """A file that the user may not use is no bug of ours: root may have made it with this user's HOME."""
    what = exc.filename or "A file"
    click.echo(
        f"unpretty: {what} cannot be used ({exc.strerror}). If another user made it, give it back with"
        ' `sudo chown -R "$USER"` and the name of its directory.',
        err=True,
    )
