"""The table of agents: every part reaches every member through it, and nothing else names one."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import unpretty
import unpretty_hooks
import unpretty_installer.agents
from unpretty import agents, locations
from unpretty.engine import context
from unpretty_hooks import serving
from unpretty_installer.core import launcher

ROOT = Path(__file__).parents[2]
PACKAGES = {
    package.__name__: Path(str(package.__file__)).parent for package in (unpretty, unpretty_hooks, unpretty_installer)
}
ROWS = [{"id": number, "name": f"user {number}"} for number in range(60)]
PRETTY, COMPACT = json.dumps(ROWS, indent=2), json.dumps(ROWS, separators=(",", ":"))
# Nothing is left beside the tests: `-I` would ignore PYTHONDONTWRITEBYTECODE.
ADD = (
    f"import sys; sys.dont_write_bytecode = True; sys.path.append({str(Path(__file__).parent)!r})\n"
    "import demo_agent; demo_agent.add()\n"
)


@pytest.mark.parametrize("row", agents.every(), ids=agents.names())
class TestEachAgent:
    def test_its_modules_have_what_the_callers_use(self, row: agents.Agent) -> None:
        adapter = serving.adapter_of(row.name)
        assert all(callable(getattr(adapter, name)) for name in ("read", "reply", "model", "payload_of"))
        records = agents.module("unpretty.transcripts", row)
        assert all(callable(getattr(records, name)) for name in ("session_files", "mark", "read_results", "check"))
        assert unpretty_installer.agents.get(row.name).row is row

    def test_its_tools_return_kinds_that_the_engine_knows(self, row: agents.Agent) -> None:
        kinds = {context.SHELL, context.SEARCH, context.MCP, context.FILE}
        assert set(row.tools.values()) <= kinds == {agents.SHELL, agents.SEARCH, agents.MCP, agents.FILE}

    def test_it_has_a_page_and_is_in_the_reference(self, row: agents.Agent) -> None:
        assert (ROOT / "docs" / f"{row.name}.md").is_file()
        assert f"`{row.name}`" in (ROOT / "docs" / "reference.md").read_text("utf-8")

    def test_sizes_and_times_have_units(self, row: agents.Agent) -> None:
        assert all(name.endswith(("_chars", "_bytes", "_lines", "_ms")) for name in row.limits)


def test_names_and_titles_are_unique() -> None:
    for values in (
        [row.title for row in agents.every()],
        [row.mcp_client for row in agents.every()],
        [row.module for row in agents.every()],
    ):
        assert len(set(values)) == len(values)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, ".default"), ("", ".default"), (" \t", ".default"), ("~/x y", "x y"), ("/a/b", "/a/b")],
)
def test_a_directory_is_where_its_variable_says(
    value: "str | None", expected: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv("DEMO", raising=False)
    else:
        monkeypatch.setenv("DEMO", value)
    assert agents.Directory("DEMO", ".default", "below").path() == home / expected / "below"
    without = agents.Directory("DEMO", None).path()
    assert without == (None if expected == ".default" else home / expected)


def test_a_relative_directory_begins_in_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEMO", "here")
    assert agents.Directory("DEMO", ".default").path() == tmp_path / "here"


def test_a_user_who_is_not_known_and_a_deleted_current_directory_are_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert agents.written_path("~nobody-of-that-name/x") == Path.cwd() / "~nobody-of-that-name" / "x"
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert agents.written_path("here") == Path("here")
        monkeypatch.setenv("CODEX_HOME", "here")
        assert agents.get("codex").session_directories == [Path("here/sessions"), Path("here/archived_sessions")]
    finally:
        os.chdir(tmp_path)


def test_an_agent_that_is_not_in_the_table_is_an_error() -> None:
    with pytest.raises(KeyError):
        agents.get("gemini")


def test_nothing_but_the_table_and_an_agents_own_modules_names_it() -> None:
    """Where a name of an agent's is written in code, a new agent would be forgotten."""
    wanted = {text for row in agents.every() for text in (row.name, row.title, row.mcp_client)}
    own = {row.module for row in agents.every()}
    found = []
    for package, directory in PACKAGES.items():
        for path in directory.rglob("*.py"):
            parts = path.relative_to(directory).with_suffix("").parts
            if any(part == name or part.startswith(f"{name}_") for part in parts for name in own) or (
                package,
                *parts,
            ) == ("unpretty", "agents"):
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and node.value in wanted:
                    found.append(f"{path.relative_to(directory)}:{node.lineno}: {node.value}")
    assert found == []


class TestOneMore:
    """An agent that was added to the table works everywhere, with no other file touched."""

    def run(self, program: str, *arguments: str, given: str = "", status: int = 0, isolated: bool = False) -> str:
        options = ["-I", "-S"] if isolated else []
        command = [sys.executable, *options, "-c", program, *arguments]
        environment = {**os.environ, "COLUMNS": "200"}
        done = subprocess.run(command, input=given, capture_output=True, text=True, env=environment, timeout=60)
        assert (done.returncode, done.stderr) == (status, "")
        return done.stdout

    def unpretty(self, *arguments: str, given: str = "", status: int = 0) -> str:
        return self.run(f"{ADD}from unpretty.cli.main import main; main()", *arguments, given=given, status=status)

    def hook(self, agent: str, given: str) -> str:
        source = launcher.hook_source().decode("ascii")
        with_demo = source.replace("    main(", "    " + ADD.replace("\n", "\n    ").rstrip() + "\n    main(")
        return self.run(with_demo, agent, given=given, isolated=True)

    @pytest.fixture(autouse=True)
    def settings(self, home: Path) -> None:
        locations.config_file().parent.mkdir(parents=True, exist_ok=True)
        locations.config_file().write_text('count_tokens = "estimate"\n')

    def test_hook_and_stats(self) -> None:
        answer = self.hook("demo", json.dumps({"demo": PRETTY}))
        assert json.loads(answer)["texts"] == {"output": COMPACT}
        report = json.loads(self.unpretty("stats", "--json", "--verify", "--by", "agent"))
        assert [(row["key"], row["converted"], row["applied"]) for row in report["by"]["agent"]] == [("demo", 1, 1)]

    def test_worker(self) -> None:
        answer = self.hook("demo-worker", json.dumps({"id": 5, "demo": PRETTY}) + "\n")
        assert json.loads(answer) == {"id": 5, "texts": {"output": COMPACT}}

    def test_explain(self) -> None:
        for arguments in ((), ("--agent", "demo")):
            explained = json.loads(self.unpretty("explain", "--json", *arguments, given=json.dumps({"demo": PRETTY})))
            assert "demo" in json.dumps(explained) and COMPACT in json.dumps(explained).replace('\\"', '"')

    def test_estimate(self, home: Path) -> None:
        sessions = home / ".demo" / "sessions"
        sessions.mkdir(parents=True)
        (sessions / "one.demo").write_text(json.dumps({"demo_session": PRETTY}, separators=(",", ":")))
        for what in ("demo", str(sessions)):
            report = json.loads(self.unpretty("estimate", "--json", what))
            assert '"demo"' in json.dumps(report)
            assert report["totals"]["results"] == 1

    def test_settings_and_reference(self) -> None:
        # Not for the hook: up to Python 3.10 another process parses the file for it, and there is no demo in that one.
        with locations.config_file().open("a") as file:
            file.write('[[encodings_for]]\nagent = "demo"\nencodings = ["json"]\n')
        assert "encodings_for" in self.unpretty("config", "show")
        script = str(ROOT / "docs" / "make_reference.py")
        program = f"{ADD}import runpy; print(runpy.run_path({script!r})['reference']())"
        assert "`demo`" in self.run(program)

    def test_install_doctor_and_overview(self) -> None:
        for command in ("install", "uninstall"):
            assert "Demo" in self.unpretty(command, "demo")
        report = json.loads(self.unpretty("doctor", "demo", "--json"))
        assert [one["agent"] for one in report["agents"]] == ["demo"]
        assert "Demo" in self.unpretty()

    def test_the_proxy_knows_its_client(self) -> None:
        program = f"{ADD}from unpretty.proxy.clients import client_named; print(client_named('demo-client').agent)"
        assert self.run(program) == "demo\n"
