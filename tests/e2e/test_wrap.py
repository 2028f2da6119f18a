"""Wrapped MCP servers: each client calls one, the model receives what it should, and uninstalling leaves no trace.

Each client first uses the server alone, then with the proxy in front: what differs is asserted, the rest is the same.
"""

import json
import shlex
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import tomlkit

from .claude_code import ClaudeCode
from .codex import CODE_MODE, Codex, javascript, mcp
from .installed import Unpretty
from .mcp_server import COMPACT, PRETTY, STRUCTURED, rows
from .model import Call, Json
from .opencode import OpenCode

# About 200 KB, and what is left of it.
MANY = 2100
BIG = rows(MANY)
DENSE = json.dumps(json.loads(BIG), separators=(",", ":"))
INNER = {**STRUCTURED, "stdout": json.dumps(json.loads(str(STRUCTURED["stdout"])), separators=(",", ":"))}
# The last call shows the state of the connection after the crash.
TOOLS = ("text", "both", "schema", "image", "error", "big", "slow", "crash", "text after the crash")

Calls = dict[str, str]


def arguments(tool: str) -> Json:
    return {"big": {"rows": MANY}, "slow": {"seconds": 1}}.get(tool, {})


def by_tool(texts: list[str]) -> Calls:
    assert len(texts) == len(TOOLS)
    return dict(zip(TOOLS, texts, strict=True))


def turns(call: Callable[[str, Json], Call]) -> list[list[Call]]:
    return [[call(tool.partition(" ")[0], arguments(tool))] for tool in TOOLS]


def proxied(unpretty: Unpretty) -> dict[str, list[str]]:
    """The reasons of the proxy's decisions by tool."""
    found: dict[str, list[str]] = {}
    for line in unpretty.log_lines("decision"):
        if line["via"] == "proxy":
            found.setdefault(line["tool"], []).append(line["reason"])
    return found


def states(unpretty: Unpretty, agent: str, status: int = 0) -> dict[str, str]:
    """What the doctor says of the agent's servers."""
    [report] = unpretty.json("doctor", agent, status=status)["agents"]
    return {server["name"]: server["state"] for server in report["mcp_servers"]}


class TestClaudeCode:
    """The hook is there as well; it finds nothing left to do."""

    @pytest.fixture
    def unpretty(self, unpretty_program: Path, claude_code: ClaudeCode) -> Unpretty:
        return Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)

    @pytest.fixture
    def state(self, claude_code: ClaudeCode, shapes: list[str]) -> Path:
        """The client's own file, with the server for the user and once more for the project alone."""
        file = claude_code.home / ".claude.json"
        server = {"type": "stdio", "command": shapes[0], "args": shapes[1:], "env": {"A": "b"}}
        project = {"hasTrustDialogAccepted": True, "mcpServers": {"local": server}}
        known = {
            "hasCompletedOnboarding": True,
            "customApiKeyResponses": {"approved": ["none"], "rejected": []},
            "projects": {str(claude_code.project): project},
            "mcpServers": {"shapes": server, "web": {"type": "http", "url": "http://127.0.0.1:9/mcp"}},
        }
        file.write_text(json.dumps(known, indent=1))
        return file

    def converse(self, claude_code: ClaudeCode) -> Calls:
        run = claude_code.run(turns(lambda tool, given: Call(f"mcp__shapes__{tool}", given)))
        assert run.client.exit_code == 0, run.client.stderr
        assert run.client.survivors == ()
        return by_tool(run.texts)

    def test_what_the_model_receives(self, unpretty: Unpretty, claude_code: ClaudeCode, state: Path) -> None:
        alone = self.converse(claude_code)
        plan = unpretty.run("install", "claude-code", "--wrap-mcp", "all", "--apply").stdout
        assert "The hook makes results of MCP servers smaller already" in plan
        assert states(unpretty, "claude-code") == {"shapes": "wrapped", "local": "wrapped", "web": "remote"}
        wrapped = self.converse(claude_code)
        assert alone["text"] == PRETTY
        assert wrapped["text"] == wrapped["slow"] == wrapped["text after the crash"] == COMPACT
        assert wrapped["image"].startswith(f"{COMPACT}<image>")  # what follows names a file of this very session
        assert len(alone["image"]) - len(wrapped["image"]) == len(PRETTY) - len(COMPACT)
        assert json.loads(wrapped["both"]) == json.loads(wrapped["schema"]) == INNER
        assert wrapped["error"] == alone["error"]
        assert wrapped["error"].startswith(PRETTY)  # the client adds a hint
        assert wrapped["crash"] == alone["crash"]
        assert saved(alone["big"]) == BIG
        assert saved(wrapped["big"]) == DENSE
        reasons = proxied(unpretty)
        assert reasons.pop("mcp__shapes__text") == ["converted"] * 2
        assert set(reasons) == {f"mcp__shapes__{tool}" for tool in ("both", "schema", "image", "big", "slow")}
        assert all(found == ["converted"] for found in reasons.values())

    def test_servers_of_a_project_alone(self, unpretty: Unpretty, claude_code: ClaudeCode, state: Path) -> None:
        unpretty.run("install", "claude-code", "--project", "--wrap-mcp", "all", "--apply")
        assert states(unpretty, "claude-code") == {"shapes": "not_wrapped", "local": "wrapped", "web": "remote"}
        run = claude_code.run([[Call("mcp__local__text", {})]])
        assert run.texts == [COMPACT]
        assert list(proxied(unpretty)) == ["mcp__local__text"]

    def test_uninstalling_gives_back_identical_bytes(
        self, unpretty: Unpretty, claude_code: ClaudeCode, state: Path
    ) -> None:
        before = state.read_bytes()
        unpretty.run("install", "claude-code", "--wrap-mcp", "all", "--apply")
        assert state.read_bytes() != before
        unpretty.run("install", "claude-code", "--wrap-mcp", "all", "--exit-code")
        unpretty.run("uninstall", "claude-code", "--apply")
        assert state.read_bytes() == before
        assert not (claude_code.home / ".local" / "share" / "unpretty").exists()

    def test_what_the_client_wrote_meanwhile_stays(
        self, unpretty: Unpretty, claude_code: ClaudeCode, state: Path
    ) -> None:
        before = json.loads(state.read_text())
        unpretty.run("install", "claude-code", "--wrap-mcp", "all", "--apply")
        claude_code.run([[Call("mcp__shapes__text", {})]])
        during = json.loads(state.read_text())
        assert "firstStartVersion" in during
        unpretty.run("uninstall", "claude-code", "--apply")
        after = json.loads(state.read_text())
        assert {name: after[name] for name in after if name not in ("mcpServers", "projects")} == {
            name: during[name] for name in during if name not in ("mcpServers", "projects")
        }
        assert after["mcpServers"] == before["mcpServers"]
        assert claude_code.run([[Call("mcp__shapes__text", {})]]).texts == [PRETTY]

    def test_no_change_is_lost_when_both_write_at_the_same_time(
        self, unpretty: Unpretty, claude_code: ClaudeCode, state: Path
    ) -> None:
        """The client adds servers while we wrap and unwrap; its lock prevents conflicts."""
        before = json.loads(state.read_text())["mcpServers"]
        names = [f"added{number}" for number in range(4)]

        def add() -> None:
            for name in names:
                command: list[str | Path] = [
                    claude_code.program,
                    "mcp",
                    "add",
                    "--scope",
                    "user",
                    name,
                    "--",
                    "npx",
                    name,
                ]
                subprocess.run(
                    command, cwd=claude_code.project, env=claude_code.environment(), check=True, capture_output=True
                )

        client = threading.Thread(target=add)
        client.start()
        while client.is_alive():
            unpretty.run("install", "claude-code", "--wrap-mcp", "shapes", "--apply")
            assert states(unpretty, "claude-code")["shapes"] == "wrapped"
            unpretty.run("uninstall", "claude-code", "--apply")
        client.join()
        servers = json.loads(state.read_text())["mcpServers"]
        assert {name: servers.pop(name)["command"] for name in names} == dict.fromkeys(names, "npx")
        assert servers == before

    def test_a_shared_server_can_be_given_to_oneself_with_the_command_of_the_plan(
        self, unpretty: Unpretty, claude_code: ClaudeCode, shapes: list[str]
    ) -> None:
        shared = claude_code.project / ".mcp.json"
        shared.write_text(json.dumps({"mcpServers": {"team": {"command": shapes[0], "args": shapes[1:]}}}))
        before = shared.read_bytes()
        plan = unpretty.run("install", "claude-code", "--wrap-mcp", "team", "--apply").stdout
        [line] = [line for line in plan.splitlines() if "claude mcp add-json" in line]
        command = line[line.index("claude mcp") :]
        subprocess.run(
            command, shell=True, cwd=claude_code.project, env=claude_code.environment(), check=True, capture_output=True
        )
        run = claude_code.run([[Call("mcp__team__text", {})]])
        assert run.texts == [COMPACT]
        assert proxied(unpretty) == {"mcp__team__text": ["converted"]}
        unpretty.run("uninstall", "claude-code", "--apply")
        assert shared.read_bytes() == before
        assert claude_code.run([[Call("mcp__team__text", {})]]).texts == [PRETTY]


def saved(text: str) -> str:
    """The text that Claude Code saved to a file because it was too long."""
    [path] = [word.rstrip(".\n") for word in text.split() if word.startswith("/")][:1]
    return Path(path).read_text()


class TestCodex:
    """The hook is not trusted here, so whatever gets smaller got it from the proxy."""

    @pytest.fixture
    def unpretty(self, unpretty_program: Path, codex: Codex) -> Unpretty:
        return Unpretty(unpretty_program, codex.home, codex.project, codex.program)

    @pytest.fixture
    def config(self, codex: Codex, shapes: list[str]) -> Path:
        codex.folder.mkdir()
        file = codex.folder / "config.toml"
        file.write_text(
            f"# The user's own words.\n[mcp_servers.shapes]  # the tests' server\ncommand = '{shapes[0]}'  # keep\n"
            f"args = [\n  # in two lines\n  {json.dumps(shapes[1])},\n  {json.dumps(shapes[2])}, # last\n]\n"
            "startup_timeout_sec = 20\n\n[mcp_servers.shapes.env]\nA = 'b'\n\n"
            '[mcp_servers.web]\nurl = "http://127.0.0.1:9/mcp"\nenabled = false\n'
        )
        return file

    def converse(self, codex: Codex) -> Calls:
        run = codex.run(turns(lambda tool, given: mcp("shapes", tool, **given)))
        assert run.client.exit_code == 0, run.client.stderr
        assert run.client.survivors == ()
        return by_tool([text.partition("Output:")[2].lstrip("\n") for text in run.texts])

    def test_what_the_model_receives(self, unpretty: Unpretty, codex: Codex, config: Path) -> None:
        alone = self.converse(codex)
        assert "--wrap-mcp all" in unpretty.run("install", "codex").stdout
        unpretty.run("install", "codex", "--wrap-mcp", "all", "--apply")
        assert states(unpretty, "codex", 1) == {"shapes": "wrapped", "web": "remote"}
        wrapped = self.converse(codex)
        assert alone["text"] == PRETTY
        assert wrapped["text"] == wrapped["slow"] == COMPACT
        assert wrapped["image"] == alone["image"].replace(PRETTY, COMPACT)
        assert json.loads(wrapped["both"]) == json.loads(wrapped["schema"]) == INNER
        assert wrapped["error"] == alone["error"] == PRETTY
        for tool in ("crash", "text after the crash"):
            assert wrapped[tool] == alone[tool]
        assert "truncated" in alone["big"]
        assert len(wrapped["big"]) <= len(alone["big"]) + 100
        assert wrapped["big"].count('"number"') > 1.5 * alone["big"].count('"number"')
        reasons = proxied(unpretty)
        assert set(reasons) == {f"mcp__shapes__{tool}" for tool in ("text", "both", "schema", "image", "big", "slow")}
        assert all(found == ["converted"] for found in reasons.values())

    def test_a_script_in_code_mode_can_parse_what_it_gets(self, unpretty: Unpretty, codex: Codex, config: Path) -> None:
        program = (
            f"const big = await tools.mcp__shapes__big({{rows: {MANY}}});"
            "const both = await tools.mcp__shapes__both({});"
            f"const row = JSON.parse(big.content[0].text)[{MANY - 1}];"
            "text(JSON.stringify([JSON.parse(big.content[0].text).length, row, big.content[0].text.length,"
            " both.structuredContent, JSON.parse(both.content[0].text).rows.length]))"
        )

        def run() -> list[object]:
            done = codex.run([[javascript(program)]], model=CODE_MODE)
            assert done.client.exit_code == 0, done.client.stderr
            [text] = done.texts
            found: list[object] = json.loads(text.partition("Output:\n")[2])
            return found

        last = {"number": MANY - 1, "value": None, "text": "lorem ipsum"}
        assert run() == [MANY, last, len(BIG), STRUCTURED, 12]
        unpretty.run("install", "codex", "--wrap-mcp", "shapes", "--apply")
        assert run() == [MANY, last, len(DENSE), INNER, 12]
        assert proxied(unpretty) == {"mcp__shapes__big": ["converted"], "mcp__shapes__both": ["converted"]}

    def test_uninstalling_gives_back_identical_bytes(self, unpretty: Unpretty, codex: Codex, config: Path) -> None:
        before = config.read_bytes()
        unpretty.run("install", "codex", "--trust", "--wrap-mcp", "all", "--apply")
        assert states(unpretty, "codex") == {"shapes": "wrapped", "web": "remote"}
        unpretty.run("install", "codex", "--trust", "--wrap-mcp", "all", "--exit-code")
        self.converse(codex)
        unpretty.run("uninstall", "codex", "--apply")
        assert config.read_bytes() == before

    def test_a_server_that_the_client_added_meanwhile_stays(
        self, unpretty: Unpretty, codex: Codex, config: Path
    ) -> None:
        before = tomlkit.parse(config.read_text()).unwrap()
        unpretty.run("install", "codex", "--wrap-mcp", "all", "--apply")
        command: list[str | Path] = [codex.program, "mcp", "add", "later", "--", "npx", "later"]
        subprocess.run(command, cwd=codex.project, env=codex.environment(), check=True, capture_output=True)
        assert states(unpretty, "codex", 1)["later"] == "not_wrapped"
        unpretty.run("uninstall", "codex", "--apply")
        text = config.read_text()
        assert '[mcp_servers.later]\ncommand = "npx"\nargs = ["later"]' in text
        after = tomlkit.parse(text).unwrap()
        assert after["mcp_servers"].pop("later") == {"command": "npx", "args": ["later"]}
        assert after == before
        assert self.converse(codex)["text"] == PRETTY

    def test_the_log_is_where_it_belongs_although_codex_hides_the_variables(
        self, unpretty: Unpretty, codex: Codex, config: Path
    ) -> None:
        elsewhere = codex.home / "elsewhere"
        unpretty.run("install", "codex", "--wrap-mcp", "all", "--apply", env={"XDG_STATE_HOME": str(elsewhere)})
        self.converse(codex)
        log = elsewhere / "unpretty" / "decisions.jsonl"
        assert '"tool":"mcp__shapes__text"' in log.read_text()
        assert not unpretty.log.exists()

    @pytest.mark.parametrize("lost", ["python", "package"])
    def test_a_server_works_without_us_when_we_are_gone(
        self, unpretty: Unpretty, codex: Codex, config: Path, lost: str
    ) -> None:
        """unpretty was removed without uninstalling it from the agents first."""
        unpretty.run("install", "codex", "--wrap-mcp", "all", "--apply")
        data = codex.home / ".local" / "share" / "unpretty"
        file = data / ("proxy" if lost == "python" else "proxy.py")
        lines = file.read_text().splitlines(keepends=True)
        [number] = [at for at, line in enumerate(lines) if line.startswith(("python=", "sys.path += "))]
        absent = str(codex.home / "does" / "not" / "exist")
        lines[number] = f"python={shlex.quote(absent)}\n" if lost == "python" else f"sys.path += [{absent!r}]\n"
        file.write_text("".join(lines))
        assert self.converse(codex)["text"] == PRETTY
        unpretty.run("doctor", "codex", "--fix", status=1)
        assert self.converse(codex)["text"] == COMPACT


class TestOpenCode:
    """The plugin is there as well; it finds nothing left to do."""

    @pytest.fixture
    def unpretty(self, unpretty_program: Path, opencode: OpenCode) -> Unpretty:
        return Unpretty(unpretty_program, opencode.home, opencode.project, opencode.program)

    @pytest.fixture
    def config(self, opencode: OpenCode, shapes: list[str]) -> Path:
        """Two files, of which the second decides."""
        opencode.folder.mkdir(parents=True)
        first = {
            "$schema": "https://opencode.ai/config.json",
            "mcp": {"shapes": {"type": "local", "command": ["false"]}},
        }
        (opencode.folder / "opencode.json").write_text(json.dumps(first))
        file = opencode.folder / "opencode.jsonc"
        file.write_text(
            '{ "$schema": "https://opencode.ai/config.json", // mine\n  "mcp": {\n    "shapes": {\n'
            f'      "type": "local", "command": [{json.dumps(shapes[0])}, /* isolated */ "-I",\n'
            f"        {json.dumps(shapes[2])},],\n"
            '      "environment": {"A": "b"},\n    },\n'
            '    "web": {"type": "remote", "url": "http://127.0.0.1:9/mcp", "enabled": false},\n  },\n}\n'
        )
        return file

    def converse(self, opencode: OpenCode) -> Calls:
        run = opencode.run(turns(lambda tool, given: Call(f"shapes_{tool}", given)))
        assert run.client.exit_code == 0, run.client.stderr
        assert run.client.survivors == ()
        return by_tool(run.texts)

    def test_what_the_model_receives(self, unpretty: Unpretty, opencode: OpenCode, config: Path) -> None:
        alone = self.converse(opencode)
        first = (opencode.folder / "opencode.json").read_bytes()
        before = config.read_bytes()
        plan = unpretty.run("install", "opencode", "--wrap-mcp", "all", "--apply").stdout
        assert "The plugin makes results of MCP servers smaller already" in plan
        assert states(unpretty, "opencode") == {"shapes": "wrapped", "web": "remote"}
        assert (opencode.folder / "opencode.json").read_bytes() == first
        wrapped = self.converse(opencode)
        assert alone["text"] == PRETTY
        for tool in ("text", "both", "schema", "slow"):
            assert wrapped[tool] == COMPACT
        assert wrapped["image"] == alone["image"].replace(PRETTY, COMPACT)
        assert wrapped["error"] == alone["error"] == PRETTY
        for tool in ("crash", "text after the crash"):
            assert wrapped[tool] == alone[tool]
        assert wrapped["big"].count('"number"') > 1.5 * alone["big"].count('"number"')
        first_row = json.loads(wrapped["big"].split("\n")[0].removeprefix("[").rstrip(","))
        assert first_row == {"number": 0, "value": None, "text": "lorem ipsum"}
        reasons = proxied(unpretty)
        assert set(reasons) == {f"mcp__shapes__{tool}" for tool in ("text", "both", "schema", "image", "big", "slow")}
        assert all(found == ["converted"] for found in reasons.values())
        unpretty.run("install", "opencode", "--wrap-mcp", "all", "--exit-code")
        unpretty.run("uninstall", "opencode", "--apply")
        assert config.read_bytes() == before
        assert (opencode.folder / "opencode.json").read_bytes() == first
        assert opencode.run([[Call("shapes_text", {})]]).texts == [PRETTY]
