"""``unpretty`` alone: one screen for each situation a user can be in."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from unpretty import __version__, locations
from unpretty.cli import overview
from unpretty.cli.main import cli
from unpretty.decision_log.writer import append
from unpretty_installer.core.report import AgentReport, Problem


def report(agent: str = "claude-code", status: str = "active", problems: tuple[Problem, ...] = ()) -> AgentReport:
    return AgentReport(agent, agent.title(), True, "1.2.3", status, "/c", problems)  # type: ignore[arg-type]


def write_result(**fields: object) -> None:
    record: dict[str, object] = {
        "v": 1, "kind": "decision", "id": "1", "ts": 1_790_000_000_000, "via": "hook", "agent": "claude-code",
        "session": "s", "tool_use_id": "t", "project": "/p", "model": "", "tool": "Bash", "decision": "converted",
        "reason": "converted", "encoding": "json", "bytes_in": 1000, "bytes_out": 600, "steps": {}, "ms": 2.0,
    }  # fmt: skip
    assert append(str(locations.decision_log_file()), {**record, **fields})


def shown(monkeypatch: pytest.MonkeyPatch, *reports: AgentReport) -> str:
    monkeypatch.setattr(overview, "_examine", lambda: list(reports))
    done = CliRunner().invoke(cli, [], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_with_nothing_on_the_machine(monkeypatch):
    text = shown(monkeypatch)
    assert f"unpretty {__version__}" in text
    assert "No coding agent was found" in text
    assert "Next: install Claude Code" in text
    assert "Saved" not in text
    assert not locations.state_dir().exists()


def test_before_the_installation(monkeypatch):
    text = shown(monkeypatch, report(status="not_installed"), report("codex", "not_installed"))
    assert "not installed" in text
    assert "Next: `unpretty install`" in text


def test_after_the_installation_and_before_the_first_result(monkeypatch):
    text = shown(monkeypatch, report())
    assert "active" in text
    assert "Next: let the agent run a command" in text


def test_with_results(monkeypatch):
    write_result()
    write_result(tool_use_id="t2", decision="skipped", reason="too_small", bytes_out=1000)
    text = shown(monkeypatch, report())
    assert "Last result: 2026-09-21 " in text
    assert "claude-code Bash, left alone (too_small)" in text
    assert "Saved so far: 400 B of 2.0 kB (20.0 %), ~120 tokens (o200k), in 1 of 2 results since 2026-09-21" in text
    assert "Next: `unpretty stats`" in text


def test_the_last_result_may_have_been_made_smaller(monkeypatch):
    write_result(ts="odd")
    assert "Last result: ?, claude-code Bash, made smaller" in shown(monkeypatch, report())


def test_another_agent_that_could_be_set_up_is_named(monkeypatch):
    write_result()
    text = shown(monkeypatch, report(), report("codex", "not_installed"))
    assert "`unpretty install codex`" in text


def test_a_fault_comes_first_with_what_mends_it(monkeypatch):
    problem = Problem("gone", "The hook [red]is gone[/red].\x1b[2J", "unpretty doctor --fix")
    text = shown(monkeypatch, report(), report("codex", "broken", (problem,)))
    assert "The hook [red]is gone[/red].\\x1b[2J" in text.replace("\n", "")
    assert "Next: Codex: unpretty doctor --fix" in text


def test_a_log_that_cannot_be_read_is_told(monkeypatch):
    write_result()

    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(overview, "build_report", refuse)
    assert "The decision log cannot be read: Permission denied" in shown(monkeypatch, report())


def test_every_agent_found_is_examined(home: Path, monkeypatch):
    (home / ".claude").mkdir()
    monkeypatch.setenv("PATH", str(home))
    reports = overview._examine()
    assert "claude-code" in [one.agent for one in reports]
    assert overview.next_step(reports, seen=False)
