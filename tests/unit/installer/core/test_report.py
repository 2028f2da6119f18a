"""What the doctor finds in our own files and in Claude Code."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from unpretty import locations
from unpretty_installer import batch, claude_code
from unpretty_installer.claude_code import entry, places
from unpretty_installer.core import launcher, receipt
from unpretty_installer.core import report as doctor
from unpretty_installer.core.plan import Options
from unpretty_installer.core.report import AgentReport

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


def install(options: Options | None = None) -> None:
    (result,) = batch.carry_out(batch.plan_install([claude_code.installer], options or Options()))
    assert result.state == "applied"


def examine(options: Options | None = None) -> AgentReport:
    return claude_code.installer.examine(options or Options())


def problems(report: AgentReport) -> list[str]:
    return [problem.code for problem in report.problems]


def notices(report: AgentReport) -> list[str]:
    return [note.code for note in report.notices]


def mend(report: AgentReport) -> AgentReport:
    assert all(result.state == "applied" for result in batch.repair(report))
    return examine()


def edit(path: Path, change) -> None:
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value, indent=2))


def test_a_machine_without_us_has_no_problem(home):
    report = examine()
    assert (report.status, report.found, report.problems, report.notices) == ("not_installed", False, (), ())
    assert report.config == str(home / ".claude" / "settings.json")
    assert report.repair == ()
    assert os.listdir(home) == []


def test_a_fresh_installation_is_active_and_was_run(settings_file, client, home, snapshot):
    client("2.1.332 (Claude Code)")
    install()
    before = snapshot(home)
    report = examine()
    assert (report.status, report.problems, report.notices) == ("active", (), ())
    assert (report.agent, report.title, report.found, report.version) == ("claude-code", "Claude Code", True, "2.1.332")
    assert report.config == str(settings_file)
    assert report.run_ms is not None
    assert 0 < report.run_ms < 20_000
    assert report.last_decision is None
    assert report.repair == (Options(),)
    assert snapshot(home) == before


@posix
@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (lambda: launcher.hook_file().unlink(), ["launcher_missing", "command_failed"]),
        (lambda: launcher.python_link().unlink(), ["launcher_missing", "command_failed"]),
        (lambda: launcher.hook_file().write_text("pass\n"), ["launcher_outdated", "command_failed"]),
        (lambda: launcher.hook_file().write_bytes(launcher.hook_source() + b"\n"), ["launcher_outdated"]),
    ],
)
def test_damage_to_our_own_files_is_found_and_mended(settings_file, damage, found):
    install()
    damage()
    report = examine()
    assert problems(report) == found
    assert report.status == ("broken" if "command_failed" in found else "active")
    assert all(problem.fix == "unpretty doctor --fix" for problem in report.problems)
    report = mend(report)
    assert (report.status, report.problems) == ("active", ())


@posix
def test_a_python_that_is_gone_is_named_and_mended(settings_file, tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(python))
        install()
    python.unlink()
    report = examine()
    assert problems(report) == ["launcher_outdated", "python_gone", "command_failed"]
    assert report.status == "broken"
    assert str(python) in report.problems[1].message
    assert mend(report).status == "active"


def test_several_copies_are_counted_and_come_down_to_one(settings_file):
    install()
    edit(settings_file, lambda value: value["hooks"]["PostToolUse"].extend([entry.group()] * 2))
    report = examine()
    assert report.status == "modified"
    assert problems(report) == ["entry_repeated"]
    assert "holds 3 copies" in report.problems[0].message
    assert mend(report).status == "active"


def test_a_hand_edited_entry_is_modified_and_comes_back(settings_file):
    install()
    edit(settings_file, lambda value: value["hooks"]["PostToolUse"][0].update(matcher="Bash"))
    report = examine()
    assert (report.status, problems(report)) == ("modified", ["entry_modified"])
    assert mend(report).status == "active"


def test_an_entry_that_vanished_is_told_apart_from_one_that_never_was(settings_file):
    install()
    settings_file.write_text("{}")
    report = examine()
    assert (report.status, problems(report)) == ("broken", ["entry_missing"])
    assert "uninstall claude-code --apply forgets it" in report.problems[0].fix
    assert mend(report).status == "active"


def test_a_settings_file_that_the_client_cannot_read_is_a_fault_only_when_it_is_ours(settings_file):
    settings_file.write_text("{ // theirs\n}")
    assert examine().status == "not_installed"
    settings_file.unlink()
    install()
    settings_file.write_bytes(b"// note\n" + settings_file.read_bytes())
    report = examine()
    assert (report.status, problems(report)) == ("broken", ["unreadable_settings"])
    assert "line 1, column 1" in report.problems[0].message
    assert report.problems[0].fix == f"Fix {settings_file}."


@posix
def test_a_settings_file_in_place_of_a_directory_does_not_stop_the_doctor(home):
    (home / ".claude").write_text("")
    assert examine().status == "not_installed"


@pytest.mark.parametrize(
    ("value", "status"),
    [({"disableAllHooks": True}, "disabled"), ({"disableAllHooks": False}, "active")],
)
def test_hooks_that_are_switched_off_are_a_problem(settings_file, value, status):
    install()
    edit(settings_file, lambda settings: settings.update(value))
    report = examine()
    assert report.status == status
    assert problems(report) == (["hooks_disabled"] if status == "disabled" else [])


def test_a_client_that_is_too_old_is_a_problem(settings_file, client):
    client("2.1.119 (Claude Code)")
    install()
    report = examine()
    assert (report.status, problems(report)) == ("client_too_old", ["client_too_old"])


def test_other_hooks_and_switches_of_the_users_are_notices_and_no_problems(settings_file, monkeypatch):
    install()
    theirs = {"hooks": [{"type": "command", "command": "redact"}]}
    edit(settings_file, lambda value: value["hooks"]["PostToolUse"].append(theirs))
    monkeypatch.setenv("UNPRETTY", "off")
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
    report = examine()
    assert report.problems == ()
    assert notices(report) == ["off_in_environment", "simple_mode", "redacting_hook"]


@posix
def test_a_log_that_cannot_be_written_is_a_problem(settings_file):
    install()
    log = locations.decision_log_file()
    log.write_text("")
    log.chmod(0o444)
    report = examine()
    assert problems(report) == ["log_not_writable"]
    assert report.status == "active"
    log.unlink()
    log.mkdir()
    assert problems(examine()) == ["log_not_writable"]


def test_settings_that_do_not_parse_are_a_fault_and_enabled_false_is_a_notice(settings_file):
    install()
    path = locations.config_file()
    path.parent.mkdir(parents=True)
    path.write_text("enabled = \n")
    report = examine()
    assert problems(report) == ["config_invalid"]
    assert report.status == "broken"
    path.write_text("enabled = false\n")
    report = examine()
    assert (problems(report), notices(report)) == ([], ["off_in_settings"])


def decision(ts: int, agent: str = "claude-code", **more) -> str:
    line = {
        "v": 1,
        "kind": "decision",
        "ts": ts,
        "agent": agent,
        "tool": "Bash",
        "decision": "skipped",
        "reason": "not_json",
    }
    return json.dumps({**line, **more}) + "\n"


def test_the_last_decision_about_the_agent_is_read_from_the_end_of_the_log():
    log = locations.decision_log_file()
    log.parent.mkdir(parents=True)
    assert doctor.last_decision("claude-code") is None
    log.with_name("decisions.jsonl.1").write_text(decision(1))
    assert doctor.last_decision("claude-code") == {"ts": 1, "tool": "Bash", "decision": "skipped", "reason": "not_json"}
    log.write_text(
        decision(2) * 5000
        + decision(3, tool="mcp__x__y")
        + decision(4, "codex")
        + json.dumps({"kind": "tokens", "ts": 5, "agent": "claude-code"})
        + '\n7\nnot json\n{"kind": "decision", "agent": "claude-co'
    )
    last = doctor.last_decision("claude-code")
    assert last and (last["ts"], last["tool"]) == (3, "mcp__x__y")


def converted(session: str, agent: str = "claude-code", age_days: float = 0) -> str:
    """A conversion of 1000 characters to 600."""
    return decision(
        int((time.time() - age_days * 86_400) * 1000), agent, decision="converted", reason="converted",
        session=session, tool_use_id="call_1", chars_in=1000, chars_out=600,
    )  # fmt: skip


def transcript(home: Path, session: str, chars: int) -> None:
    """What Claude Code keeps of the call of ``converted`` when it showed ``chars`` characters."""
    block = {"type": "tool_result", "tool_use_id": "call_1", "content": "x" * chars}
    path = home / ".claude" / "projects" / "p" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"type": "user", "message": {"content": [block]}}) + "\n")


def test_rejected_rewrites_are_a_notice(settings_file, home):
    install()
    transcript(home, "taken", 600)
    transcript(home, "refused", 1000)
    log = locations.decision_log_file()
    log.write_text(converted("taken") + converted("gone") + converted("refused", "codex"))
    assert notices(examine()) == []
    log.write_text(log.read_text() + converted("refused"))
    report = examine()
    assert (report.status, report.problems) == ("active", ())
    (note,) = report.notices
    assert note.code == "rewrites_rejected"
    assert note.message.startswith("1 of the last 3 conversions were rejected")


def test_rewrites_that_were_rejected_long_ago_are_no_notice(settings_file, home):
    install()
    transcript(home, "refused", 1000)
    locations.decision_log_file().write_text(converted("refused", age_days=8))
    assert notices(examine()) == []


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
def test_the_look_for_rejected_rewrites_ends_in_time(home, monkeypatch, agent):
    transcript(home, "refused", 1000)
    log = locations.decision_log_file()
    log.parent.mkdir(parents=True)
    log.write_text(converted("refused", agent))
    monkeypatch.setattr(doctor, "_SECONDS_TO_VERIFY", -1)
    assert doctor.shared_notices(agent) == []


def test_a_project_is_examined_from_inside_it_and_from_its_receipt(home, tmp_path, monkeypatch):
    project = tmp_path / "p"
    project.mkdir()
    install(Options(project=project))
    report = examine()
    local = places.entry_file(project)
    assert (report.status, report.config, report.repair) == ("active", str(local), (Options(project=project),))
    for file in receipt.directory().iterdir():
        file.unlink()
    assert examine().status == "not_installed"
    monkeypatch.chdir(project)
    assert examine().status == "active"


def test_a_project_that_was_deleted_is_no_problem(tmp_path):
    project = tmp_path / "p"
    project.mkdir()
    install(Options(project=project))
    (project / ".claude" / "settings.local.json").unlink()
    (project / ".claude").rmdir()
    project.rmdir()
    report = examine()
    assert (report.status, report.problems, report.repair) == ("not_installed", (), ())


def test_an_entry_in_the_exec_form_is_run_as_such(settings_file):
    install()

    def exec_form(value: dict) -> None:
        (handler,) = value["hooks"]["PostToolUse"][0]["hooks"]
        program, *arguments = entry.registered.argv("claude-code")
        handler.update(command=program, args=arguments)

    edit(settings_file, exec_form)
    report = examine()
    assert problems(report) == ["entry_modified"]
    assert report.run_ms is not None
