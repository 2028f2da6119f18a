"""``install --wrap-mcp`` and the servers in ``doctor``, from the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from unpretty.cli.main import cli
from unpretty.errors import UnprettyError

STATE = {
    "mcpServers": {
        "db": {"command": "npx", "args": ["x"], "env": {"DB_KEY": "topsecret"}},
        "web": {"type": "http", "url": "https://example.com"},
    }
}


@pytest.fixture(autouse=True)
def state(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = home / ".claude.json"
    path.write_text(json.dumps(STATE, indent=2))
    return path


def run(*words: str) -> Result:
    result = CliRunner().invoke(cli, [*words], catch_exceptions=True)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_plan_shows_the_change_and_no_secret_and_how_to_write_it(state: Path) -> None:
    before = state.read_text()
    output = run("install", "claude-code", "--wrap-mcp", "all").output
    assert "Puts the proxy in front of db." in output
    assert '+        "--name=db",' in output
    assert "topsecret" not in output
    assert "install claude-code --wrap-mcp all --apply" in output
    assert "web in" in output
    assert state.read_text() == before


def test_wrapping_shows_in_the_doctor_and_uninstall_gives_the_file_back(state: Path) -> None:
    before = state.read_text()
    run("install", "claude-code", "--wrap-mcp", "db", "--apply")
    report = json.loads(run("doctor", "claude-code", "--json").output)["agents"][0]
    assert report["mcp_servers"] == [
        {"name": "db", "state": "wrapped", "scope": "user", "config": str(state)},
        {"name": "web", "state": "remote", "scope": "user", "config": str(state)},
    ]
    assert "MCP servers: wrapped: db; remote: web" in run("doctor", "claude-code").output
    run("uninstall", "claude-code", "--apply")
    assert state.read_text() == before
    assert "MCP servers: not wrapped: db; remote: web" in run("doctor", "claude-code").output


def test_a_name_that_nobody_has_is_an_error_and_nothing_is_written(state: Path, home: Path) -> None:
    with pytest.raises(UnprettyError, match="There is no MCP server called nope"):
        run("install", "claude-code", "--wrap-mcp", "nope", "--apply")
    assert sorted(home.iterdir()) == [state]


def test_of_several_agents_one_has_to_have_it(state: Path) -> None:
    result = run("install", "claude-code", "opencode", "--wrap-mcp", "db", "--apply")
    assert result.exit_code == 0
    assert "It has no MCP server called db." in result.output
    assert "--name=db" in state.read_text()
