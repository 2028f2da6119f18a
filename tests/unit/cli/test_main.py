"""The command table and the exit statuses: one function maps every kind of ending to a status."""

import runpy
import sys
from collections.abc import Callable

import click
import pytest

from unpretty import __version__
from unpretty.cli import main as main_module
from unpretty.cli.main import COMMANDS, cli, main
from unpretty.errors import UnprettyError


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def run(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["unpretty", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return ended.value.code

    return run


def test_every_command_of_the_table_is_there() -> None:
    context = click.Context(cli)
    assert cli.list_commands(context) == list(COMMANDS)
    assert all(isinstance(cli.get_command(context, name), click.Command) for name in COMMANDS)
    assert cli.get_command(context, "nope") is None


def test_success_and_the_version(run: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"unpretty, version {__version__}\n"
    assert run("config", "path") == 0


def test_without_a_command_the_overview_is_shown(run: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert "Next: " in capsys.readouterr().out


@pytest.mark.parametrize("words", [("nope",), ("config", "set", "enabled"), ("stats", "--nope")])
def test_wrong_usage_ends_with_two(
    words: tuple[str, ...], run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == 2
    assert "Usage: " in capsys.readouterr().err


def test_what_the_user_can_mend_is_one_line_and_one(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("config", "set", "min_byts", "1") == 1
    error = capsys.readouterr().err
    assert error.startswith("unpretty: There is no setting 'min_byts'")
    assert error.endswith("Did you mean min_bytes?\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (click.exceptions.Abort(), 130),
        (UnprettyError("No hint."), 1),
        (BrokenPipeError(), 0),
        (click.exceptions.Exit(2), 2),
        (RuntimeError("a bug"), 3),
    ],
)
def test_each_ending_has_its_status(
    fault: Exception, status: int, run: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> int:
        raise fault

    if not isinstance(fault, click.exceptions.Exit):
        monkeypatch.setattr(main_module.cli, "main", broken)
    else:
        monkeypatch.setattr(main_module.cli, "main", lambda **_: fault.exit_code)
    assert run() == status


def test_streams_that_cannot_be_reconfigured_are_left(run: Callable[..., int], monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        def write(self, text: str) -> int:
            return len(text)

        def flush(self) -> None:
            """Nothing is buffered."""

    monkeypatch.setattr(sys, "stdout", Stream())
    assert run("config", "path") == 0


def test_the_package_runs_as_a_module(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["unpretty", "--version"])
    with pytest.raises(SystemExit):
        runpy.run_module("unpretty", run_name="__main__")
    assert __version__ in capsys.readouterr().out
