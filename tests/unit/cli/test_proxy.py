"""``unpretty proxy`` as a command line; tests/unit/proxy tests the proxy itself."""

import pytest
from click.testing import CliRunner

from unpretty.cli.proxy import command
from unpretty.proxy.server_process import CannotStart


@pytest.fixture
def started(monkeypatch):
    """Commands that would have been started, and the options of the proxy."""
    seen = []
    monkeypatch.setattr("unpretty.proxy.server_process.ServerProcess", lambda words: seen.append(words) or "server")
    monkeypatch.setattr("unpretty.proxy.relay.run", lambda server, **options: seen.append(options) or (4, "a sum"))
    return seen


def test_the_words_behind_the_dashes_are_the_command_and_its_status_is_ours(started):
    arguments = ["--name", "n", "--max-result-bytes", "4096", "--passthrough", "--", "npx", "-y", "--name", "x"]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert started == [
        ("npx", "-y", "--name", "x"),
        {"name": "n", "max_result_bytes": 4096, "passthrough": True},
    ]
    assert result.return_value == 4
    assert result.stderr == "a sum\n"


def test_a_command_that_cannot_be_started_is_told(monkeypatch):
    def refuse(words):
        raise CannotStart("cannot start the MCP server: x was not found.", 127)

    monkeypatch.setattr("unpretty.proxy.server_process.ServerProcess", refuse)
    result = CliRunner().invoke(command, ["--", "x"], standalone_mode=False)
    assert (result.return_value, result.stderr) == (127, "unpretty: cannot start the MCP server: x was not found.\n")


@pytest.mark.parametrize("arguments", [[], ["--"], ["--max-result-bytes", "10", "--", "x"]])
def test_wrong_usage_exits_with_two(arguments):
    assert CliRunner().invoke(command, arguments).exit_code == 2
