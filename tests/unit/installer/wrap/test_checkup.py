"""What the doctor says about MCP servers, and how it fixes the wrapped ones."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from unpretty_installer import batch, claude_code
from unpretty_installer.core import apply as transaction
from unpretty_installer.core.plan import Options
from unpretty_installer.core.report import AgentReport
from unpretty_installer.wrap import launcher
from unpretty_installer.wrap import wrapped as wrap

STATE = {"mcpServers": {"db": {"command": "npx", "args": ["x"]}, "web": {"type": "http", "url": "https://example.com"}}}


@pytest.fixture
def state(home: Path) -> Path:
    path = home / ".claude.json"
    path.write_text(json.dumps(STATE))
    return path


@pytest.fixture
def wrapped(state: Path) -> Path:
    transaction.apply(claude_code.installer.plan_install(Options(wrap_mcp=("all",))))
    return state


def examine() -> AgentReport:
    return claude_code.installer.examine(Options())


def codes(report: AgentReport) -> list[str]:
    return [problem.code for problem in report.problems]


def states(report: AgentReport) -> dict[str, str]:
    return {server.name: server.state for server in report.servers}


def test_servers_are_listed_whether_the_hook_is_there_or_not(state):
    report = examine()
    assert (report.status, report.problems) == ("not_installed", ())
    assert states(report) == {"db": "not_wrapped", "web": "remote"}


def test_wrapped_servers_that_run_are_no_problem(wrapped):
    report = examine()
    assert (report.status, report.problems) == ("active", ())
    assert states(report) == {"db": "wrapped", "web": "remote"}


@pytest.mark.parametrize(("name", "fate"), [("proxy", "cannot start: db"), ("proxy.py", "run without the proxy: db")])
def test_a_missing_launcher_is_found_and_mended(wrapped, name, fate):
    launcher.program().with_name(name).unlink()
    report = examine()
    assert codes(report) == ["proxy_missing"]
    assert fate in report.problems[0].message
    assert [one.state for one in batch.repair(report)] == ["applied"]
    assert examine().problems == ()


def test_a_launcher_of_another_install_is_found_and_mended(wrapped):
    launcher.script().write_text("raise SystemExit\n")
    report = examine()
    assert codes(report) == ["proxy_outdated"]
    batch.repair(report)
    assert examine().problems == ()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permission")
def test_a_launcher_that_may_not_be_executed_is_found(wrapped):
    launcher.program().chmod(0o600)
    [problem] = examine().problems
    assert (problem.code, problem.fix) == ("proxy_not_executable", f"chmod u+x {shlex.quote(str(launcher.program()))}")


@pytest.mark.parametrize("there", [True, False])
def test_a_server_that_starts_another_launcher_is_found_and_mended(wrapped, tmp_path, there):
    old = tmp_path / "unpretty" / "proxy"
    old.parent.mkdir()
    if there:
        old.write_text("")
    wrapped.write_text(wrapped.read_text().replace(wrap.front("db")[0], str(old)))
    report = examine()
    assert codes(report) == ["wrap_outdated"]
    assert ("cannot start" in report.problems[0].message) is not there
    batch.repair(report)
    assert examine().problems == ()
    assert str(old) not in wrapped.read_text()


def test_a_launcher_in_a_file_that_others_share_is_for_the_user_to_take_out(state):
    server = {"command": "/home/colleague/.local/share/unpretty/proxy", "args": ["--name=team", "--", "npx"]}
    Path(".mcp.json").write_text(json.dumps({"mcpServers": {"team": server}}))
    problem = next(problem for problem in examine().problems if problem.code == "wrap_outdated")
    assert "cannot start" in problem.message
    assert problem.fix == f"Take it out of {Path.cwd() / '.mcp.json'} by hand."


def test_a_proxy_that_does_not_run_is_found(wrapped, monkeypatch):
    monkeypatch.setattr(launcher, "_SAMPLE_SERVER", "raise SystemExit('broken')")
    [problem] = examine().problems
    assert problem.code == "proxy_failed"
    assert problem.message.endswith("These servers depend on it: db.")


def test_wrapped_servers_without_the_hook_are_mended_too(wrapped, home):
    (home / ".claude" / "settings.json").unlink()
    for file in (home / ".local/state/unpretty/receipts").glob("claude-code-*"):
        file.unlink()
    launcher.program().unlink()
    report = examine()
    assert report.status == "not_installed"
    assert report.repair == (Options(),)
    batch.repair(report)
    assert examine().problems == ()
