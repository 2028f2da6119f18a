"""Codex's MCP servers: recommended for wrapping, wrapped together with our hook and trust, and restored."""

from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer import codex
from unpretty_installer.codex import places, servers
from unpretty_installer.core import apply as transaction
from unpretty_installer.core.plan import Options, Plan
from unpretty_installer.wrap import wrapped

CONFIG = """\
# mine
[mcp_servers.db]
command = "npx"   # keep
args = ["-y", "db"]
env_vars = ["DB_KEY"]
[mcp_servers.db.env]
A = "1"

[mcp_servers.web]
url = "https://example.com"

[mcp_servers.alone]
command = "alone"
"""
HOOKS = '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n'


@pytest.fixture
def config(home: Path) -> Path:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(CONFIG)
    return path


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(places, "SYSTEM_DIRECTORY", tmp_path)
    return tmp_path


def plan(*names: str, project: Path | None = None) -> Plan:
    return codex.installer.plan_install(Options(project=project, wrap_mcp=names))


def install(*names: str) -> Plan:
    made = plan(*names)
    transaction.apply(made)
    return made


def uninstall() -> None:
    transaction.apply(codex.installer.plan_uninstall(Options()))


def states() -> dict[str, str]:
    return {server.name: server.state for server in servers.servers.servers(Path.cwd())}


def test_the_plan_recommends_it_where_there_are_servers(config: Path) -> None:
    [note] = [note for note in plan().notices if note.code == "wrap_recommended"]
    assert "db, alone" in note.message
    assert "--wrap-mcp all" in note.message
    install("all")
    assert "wrap_recommended" not in [note.code for note in plan().notices]


def test_wrapping_and_back_byte_for_byte(config: Path) -> None:
    install("all")
    assert states() == {"db": "wrapped", "web": "remote", "alone": "wrapped"}
    program = wrapped.front("x")[0]
    assert config.read_text() == (
        CONFIG.replace('"npx"   # keep', f'"{program}"   # keep')
        .replace('["-y"', '["--name=db", "--", "npx", "-y"')
        .replace('command = "alone"', f'command = "{program}"\nargs = ["--name=alone", "--", "alone"]')
    )
    assert plan("all").is_empty
    uninstall()
    assert config.read_text() == CONFIG
    assert sorted(config.parent.iterdir()) == [config]


@pytest.mark.parametrize("order", ["together", "the hook first", "the servers first"])
def test_hook_and_servers_in_one_file(config: Path, order: str) -> None:
    """Hooks are in config.toml already, so ours goes there too: the file is changed once for both."""
    text = CONFIG + HOOKS
    if order == "the servers first":
        install("all")
        config.write_text(config.read_text() + HOOKS)
        (config.parent / "hooks.json").unlink()
    else:
        config.write_text(text)
    if order == "the hook first":
        install()
    made = install("all")
    assert len([change for change in made.changes if change.path == config]) <= 1
    assert states()["db"] == states()["alone"] == "wrapped"
    assert "hook.py" in config.read_text()
    assert plan("all").is_empty
    uninstall()
    assert config.read_text() == text


def test_a_server_that_was_added_or_edited_meanwhile(config: Path) -> None:
    install("all")
    new = '\n[mcp_servers.new]\ncommand = "new"\n'
    config.write_text(config.read_text().replace('"-y", "db"', '"-y", "db", "--more"') + new)
    uninstall()
    assert config.read_text() == CONFIG.replace('"-y", "db"', '"-y", "db", "--more"') + new


def test_a_project_is_told_to_use_the_users_file(config: Path) -> None:
    directory = Path.cwd() / ".codex"
    directory.mkdir()
    (directory / "config.toml").write_text('[mcp_servers.team]\ncommand = "x"\n')
    [note] = [note for note in plan("all", project=Path.cwd()).warnings if note.code == "not_wrapped"]
    assert "others share this file" in note.message
    assert "codex mcp add" in note.message
    assert not any(change.path == config for change in plan("all", project=Path.cwd()).pending)


def test_in_the_home_directory_the_users_file_is_read_once(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert servers.servers.places(Path.home()) == [(config, "user")]


@pytest.mark.parametrize("name", ["requirements.toml", "managed_config.toml"])
def test_rules_about_commands_are_not_got_round(config: Path, system: Path, name: str) -> None:
    (system / name).write_text('[mcp_servers.db.identity]\ncommand = "npx"\n')
    made = install("db")
    assert config.read_text() == CONFIG
    assert any(str(system / name) in note.message for note in made.warnings)


@pytest.mark.parametrize("text", ["nope [", '[mcp_servers.db]\ncommand = "npx"\n'])
def test_other_files_of_the_administrator_do_not_matter(config: Path, system: Path, text: str) -> None:
    (system / "requirements.toml").write_text(text)
    install("db")
    assert states()["db"] == "wrapped"


def test_a_file_that_does_not_parse_is_refused(config: Path) -> None:
    config.write_text("nope [")
    with pytest.raises(UnprettyError, match="not valid TOML"):
        plan("all")
    assert states() == {}
