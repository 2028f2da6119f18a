"""Claude Code's MCP servers: where they are found, which are wrapped, and how they are restored."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer import claude_code
from unpretty_installer.claude_code import places
from unpretty_installer.claude_code import servers as wrap_claude_code
from unpretty_installer.core import apply as transaction
from unpretty_installer.core import receipt
from unpretty_installer.core.plan import Options, Plan
from unpretty_installer.wrap import wrapped

STATE = """\
{
  "numStartups": 12,
  "projects": {
    "/home/somebody/app": {
      "allowedTools": [],
      "mcpServers": {
        "local": {
          "command": "uvx",
          "args": ["local-server"]
        }
      }
    },
    "/elsewhere": {"mcpServers": {"local": {"command": "uvx"}, "odd": 5}},
    "/odd": 5
  },
  "mcpServers": {
    "db": {
      "type": "stdio",
      "command": "npx",
      "args": [
        "-y",
        "db-server"
      ],
      "env": {
        "DB_KEY": "secret"
      }
    },
    "web": {"type": "http", "url": "https://example.com/mcp"},
    "old": {"type": "sse", "url": "https://example.com/sse"},
    "bare": {"url": "https://example.com"},
    "odd": {"command": ["x"]}
  }
}
"""


@pytest.fixture
def state(home: Path) -> Path:
    path = home / ".claude.json"
    path.write_text(STATE)
    return path


def plan(*names: str, project: Path | None = None) -> Plan:
    return claude_code.installer.plan_install(Options(project=project, wrap_mcp=names))


def install(*names: str, project: Path | None = None) -> Plan:
    made = plan(*names, project=project)
    transaction.apply(made)
    return made


def uninstall() -> Plan:
    made = claude_code.installer.plan_uninstall(Options())
    transaction.apply(made)
    return made


def states(here: Path | None = None) -> dict[tuple[str, str], str]:
    servers = wrap_claude_code.servers.servers(here or Path.cwd())
    return {
        (server.keys[-3] if server.scope == "local" else server.scope, server.name): server.state for server in servers
    }


def codes(notes: object) -> list[str]:
    return [note.code for note in notes]  # type: ignore[attr-defined]


class TestWhere:
    def test_the_clients_own_file_stands_in_the_home_directory(self, home: Path) -> None:
        assert wrap_claude_code.state_file() == home / ".claude.json"

    def test_or_in_the_directory_that_the_client_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
        assert wrap_claude_code.state_file() == tmp_path / ".claude.json"

    def test_an_older_file_comes_first_unless_it_is_empty(self, home: Path) -> None:
        older = home / ".claude" / ".config.json"
        older.parent.mkdir()
        older.write_text("")
        assert wrap_claude_code.state_file() == home / ".claude.json"
        older.write_text("{}")
        assert wrap_claude_code.state_file() == older

    def test_user_local_and_project_scope(self, state: Path) -> None:
        Path(".mcp.json").write_text('{"mcpServers": {"shared": {"command": "x"}}}')
        Path("..", ".mcp.json").write_text(
            '{"mcpServers": {"above": {"command": "x"}}, "projects": {"/a": {"mcpServers": {"n": {}}}}}'
        )
        assert states() == {
            ("user", "db"): "not_wrapped",
            ("user", "web"): "remote",
            ("user", "old"): "remote",
            ("user", "bare"): "remote",
            ("user", "odd"): "not_wrapped",
            ("/home/somebody/app", "local"): "not_wrapped",
            ("/elsewhere", "local"): "not_wrapped",
            ("project", "above"): "not_wrapped",
            ("project", "shared"): "not_wrapped",
        }

    @pytest.mark.parametrize("text", ["", " ", "{", "[]", "5", '{"mcpServers": []}', "[" * 100_000])
    def test_a_file_that_makes_no_sense_has_no_servers(self, home: Path, text: str) -> None:
        (home / ".claude.json").write_text(text)
        Path(".mcp.json").write_text(text)
        assert states() == {}

    def test_the_lock_is_the_clients_own(self, state: Path) -> None:
        assert wrap_claude_code.servers.lock(state) == state.with_name(".claude.json.lock")
        assert wrap_claude_code.servers.lock(state.with_name(".mcp.json")) is None


class TestWrapping:
    def test_all_of_the_users_servers_and_back_byte_for_byte(self, state: Path, home: Path) -> None:
        made = install("all")
        assert {key for key, value in states().items() if value == "wrapped"} == {
            ("user", "db"), ("/home/somebody/app", "local"), ("/elsewhere", "local"),
        }  # fmt: skip
        after = json.loads(state.read_text())
        assert after["mcpServers"]["db"] == {
            "type": "stdio",
            "command": str(home / ".local/share/unpretty/proxy"),
            "args": ["--name=db", "--", "npx", "-y", "db-server"],
            "env": {"DB_KEY": "secret"},
        }
        assert {"hook_covers", "wrap_effect"} <= set(codes(made.notices))
        [note] = [note for note in made.warnings if " odd " in note.message]
        assert "names no command" in note.message
        assert plan("all").is_empty
        uninstall()
        assert state.read_text() == STATE
        assert receipt.of_agent("wrap-claude-code") == []

    def test_only_the_one_that_is_named(self, state: Path) -> None:
        install("db")
        assert [key for key, value in states().items() if value == "wrapped"] == [("user", "db")]

    def test_nothing_without_being_asked(self, state: Path) -> None:
        made = install()
        assert state.read_text() == STATE
        assert "hook_covers" not in codes(made.notices)
        assert not (Path.home() / ".local/share/unpretty/proxy").exists()

    def test_of_a_project_only_what_belongs_to_it(self, state: Path, tmp_path: Path) -> None:
        app = tmp_path / "app"
        (app / ".git").mkdir(parents=True)
        (app / "deep").mkdir()
        state.write_text(STATE.replace("/home/somebody/app", str(app)))
        install("all", project=app / "deep")
        assert [key for key, value in states().items() if value == "wrapped"] == [(str(app), "local")]

    def test_what_others_share_is_not_touched_and_the_plan_says_what_to_do(self, state: Path) -> None:
        shared = Path(".mcp.json")
        shared.write_text('{"mcpServers": {"team": {"command": "npx", "args": ["it\'s"], "env": {"A": "${A}"}}}}')
        [note] = plan("team").warnings
        assert note.code == "not_wrapped"
        assert "others share this file" in note.message
        argv = subprocess.run(
            ["/bin/sh", "-c", f"for word in {note.message.split('name: ')[1]}; do echo \"$word\"; done"],
            capture_output=True, text=True, check=True,
        ).stdout.splitlines()  # fmt: skip
        assert argv[:6] == ["claude", "mcp", "add-json", "--scope", "local", "team"]
        entry = json.loads(argv[6])
        assert [entry["command"], *entry["args"]] == [*wrapped.front("team"), "npx", "it's"]
        assert entry["env"] == {"A": "${A}"}
        install("all")
        assert "proxy" not in shared.read_text()

    def test_what_somebody_put_into_a_shared_file_all_the_same_goes(self, state: Path) -> None:
        install("db")
        shared = Path(".mcp.json")
        argv = [*wrapped.front("team"), "npx"]
        shared.write_text(json.dumps({"mcpServers": {"team": {"command": argv[0], "args": argv[1:]}}}))
        uninstall()
        assert json.loads(shared.read_text()) == {"mcpServers": {"team": {"command": "npx", "args": []}}}

    @pytest.mark.parametrize("key", ["allowedMcpServers", "deniedMcpServers"])
    def test_rules_about_commands_are_not_got_round(self, state: Path, key: str) -> None:
        rules = {key: [{"serverName": "x"}, {"serverCommand": ["npx", "-y", "db-server"]}]}
        managed = places.MANAGED[sys.platform]
        managed.write_text(json.dumps(rules))
        made = install("db")
        assert state.read_text() == STATE
        [note] = made.warnings
        assert str(managed) in note.message

    def test_rules_about_names_do_not_matter(self, state: Path) -> None:
        places.MANAGED[sys.platform].write_text('{"allowedMcpServers": [{"serverName": "db"}, 5]}')
        install("db")
        assert state.read_text() != STATE

    def test_a_file_that_does_not_parse_is_refused_when_it_matters(self, state: Path) -> None:
        state.write_text("{nope")
        with pytest.raises(UnprettyError, match=r"\.claude\.json is not JSON"):
            plan("all")
        install()
        uninstall()
        state.write_text(json.dumps({"mcpServers": {"db": {"command": wrapped.front("db")[0]}}})[:-1])
        with pytest.raises(UnprettyError):
            uninstall()

    def test_secrets_beside_a_change_are_not_in_the_plan(self, state: Path) -> None:
        [change] = [change for change in plan("db").changes if change.path == state]
        assert change.context == 0


class TestTheClientWritesMeanwhile:
    """It rewrites its file at any time; what it wrote between the plan and the change stays."""

    def test_when_wrapping_and_when_unwrapping(self, state: Path) -> None:
        made = plan("db")
        state.write_text(STATE.replace('"numStartups": 12', '"numStartups": 13'))
        transaction.apply(made)
        assert states()["user", "db"] == "wrapped"
        assert '"numStartups": 13' in state.read_text()
        made = claude_code.installer.plan_uninstall(Options())
        state.write_text(state.read_text().replace('"numStartups": 13', '"numStartups": 14'))
        transaction.apply(made)
        assert state.read_text() == STATE.replace('"numStartups": 12', '"numStartups": 14')

    def test_when_everything_has_to_be_put_back(self, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail() -> None:
            state.write_text(state.read_text().replace('"numStartups": 12', '"numStartups": 13'))
            raise UnprettyError("It does not run.")

        monkeypatch.setattr("unpretty_installer.wrap.launcher.try_out", fail)
        with pytest.raises(UnprettyError, match=r"It does not run\. Everything is as it was before"):
            install("db")
        assert state.read_text() == STATE.replace('"numStartups": 12', '"numStartups": 13')
        assert not (Path.home() / ".local").exists()

    def test_when_unwrapping_has_to_be_put_back(self, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        install("db")
        after = state.read_text()
        made = claude_code.installer.plan_uninstall(Options())
        real = Path.unlink

        def fail(path: Path, missing_ok: bool = False) -> None:
            if "wrap-claude-code" in str(path):
                raise OSError(30, "Read-only file system")
            real(path, missing_ok)

        monkeypatch.setattr(Path, "unlink", fail)
        with pytest.raises(UnprettyError, match="Read-only"):
            transaction.apply(made)
        assert state.read_text() == after

    def test_a_server_that_came_or_went_or_was_edited(self, state: Path) -> None:
        install("all")
        value = json.loads(state.read_text())
        del value["projects"]["/elsewhere"]
        value["mcpServers"]["new"] = {"command": "npx", "args": ["new"]}
        value["mcpServers"]["db"]["args"] += ["--more"]
        state.write_text(json.dumps(value))
        uninstall()
        expected = json.loads(STATE)
        del expected["projects"]["/elsewhere"]
        expected["mcpServers"]["new"] = {"command": "npx", "args": ["new"]}
        expected["mcpServers"]["db"]["args"] += ["--more"]
        assert json.loads(state.read_text()) == expected
