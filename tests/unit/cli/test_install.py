"""``install``, ``uninstall`` and ``doctor`` as a user calls them."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from unpretty import locations
from unpretty.cli.main import cli
from unpretty_installer.claude_code import entry, places
from unpretty_installer.core import client as clients
from unpretty_installer.core import planning

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


@pytest.fixture(autouse=True)
def machine(machine, monkeypatch) -> Path:
    """No real agent on PATH; unpretty is on it. Returns the directory for programs."""
    monkeypatch.setitem(places.MANAGED, sys.platform, machine.parent / "managed.json")
    monkeypatch.setattr(planning, "own_program", lambda: "unpretty")
    clients._answer.cache_clear()
    return machine


@pytest.fixture
def settings_file(home) -> Path:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "opus"\n}\n')
    return path


@pytest.fixture
def contents():
    """Kind, permission bits and content of everything under a directory."""

    def take(directory: Path) -> dict[str, tuple[str, object]]:
        found: dict[str, tuple[str, object]] = {}
        for path in sorted(directory.rglob("*")):
            content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path.relative_to(directory))] = (oct(path.lstat().st_mode), content)
        return found

    return take


def run(*arguments: str, status: int = 0):
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == status, (result.output, result.exception)
    return result


def run_json(*arguments: str, status: int = 0) -> dict:
    value = json.loads(run(*arguments, "--json", status=status).stdout)
    assert value["schema"] == 1
    return value


def entries(path: Path) -> list:
    return json.loads(path.read_text())["hooks"]["PostToolUse"]


def test_install_shows_the_plan_and_how_to_apply_it_and_writes_nothing(settings_file, home):
    output = run("install", "claude-code").output
    assert f"  change  {settings_file}" in output
    assert '+        "matcher": "Bash|Grep|mcp__.*",' in output
    assert "  Undo: unpretty uninstall claude-code --apply" in output
    assert output.endswith("Nothing has been written yet. To write it: unpretty install claude-code --apply\n")
    assert settings_file.read_text() == '{\n  "model": "opus"\n}\n'
    assert os.listdir(home) == [".claude"]


def test_output_is_plain_when_it_is_no_terminal_and_lines_are_not_wrapped(settings_file):
    output = run("install").output
    assert "\x1b" not in output
    assert any(len(line) > 150 for line in output.splitlines())


def test_the_whole_way_there_and_back(settings_file, home):
    original = settings_file.read_bytes()
    output = run("install", "--apply").output
    assert output.index("+++") < output.index("Claude Code: done.")
    assert entries(settings_file) == [entry.group()]
    assert "Nothing to do." in run("install", "--apply").output
    assert "active" in run("doctor").output
    assert settings_file.read_bytes() != original
    output = run("uninstall").output
    assert "Restores the file as it was before the hook." in output
    assert output.endswith("To write it: unpretty uninstall --apply\n")
    output = run("uninstall", "--apply").output
    assert "Claude Code: done." in output
    assert "unpretty's own files: done." in output
    assert settings_file.read_bytes() == original
    assert not locations.data_dir().exists()
    assert "Nothing to do." in run("uninstall", "--apply").output


def test_exit_code_tells_pending_changes_from_none(settings_file):
    run("install", "--exit-code", status=2)
    run("install", "--exit-code", "--apply")
    run("install", "--exit-code")
    run("install", "--exit-code", "--json")


def test_json_tells_the_same(settings_file):
    value = run_json("install")
    assert (value["command"], value["apply"]) == ("install", False)
    (agent,) = value["agents"]
    assert (agent["agent"], agent["state"], agent["found"]) == ("claude-code", "pending", True)
    assert [change["operation"] for change in agent["changes"]] == ["create", "create", "create", "change"]
    (agent,) = run_json("install", "--apply")["agents"]
    assert (agent["state"], agent["error"]) == ("applied", None)
    assert Path(agent["backup"], "1-settings.json").read_text() == '{\n  "model": "opus"\n}\n'
    (agent,) = run_json("install")["agents"]
    assert (agent["state"], agent["changes"]) == ("nothing_to_do", [])
    value = run_json("uninstall", "--apply")
    assert [agent["state"] for agent in value["agents"]] == ["applied", "applied"]


@pytest.mark.parametrize("form", [["--project"], ["--project", "."], ["--project", "claude-code"]])
def test_project_means_the_current_directory_unless_one_is_named(home, form):
    name = [] if "claude-code" in form else ["claude-code"]
    run("install", *name, *form, "--apply")
    assert entries(Path(".claude/settings.local.json")) == [entry.group()]
    assert not (home / ".claude").exists()


def test_the_command_that_applies_repeats_what_was_asked_for(tmp_path):
    output = run("install", "claude-code", "--trust", "--project", str(tmp_path)).output
    assert output.endswith(f"unpretty install claude-code --project {shlex.quote(str(tmp_path))} --trust --apply\n")


def test_a_directory_that_is_called_like_an_agent_is_a_directory():
    Path("codex").mkdir()
    output = run("install", "claude-code", "--project", "codex").output
    assert str(Path("codex").absolute() / ".claude" / "settings.local.json") in output


def test_a_project_directory_that_is_missing_is_said_and_fails():
    output = run("install", "claude-code", "--project", "missing", status=1).output
    assert "is not a directory" in output


def test_without_any_agent_install_says_which_can_be_named():
    result = CliRunner().invoke(cli, ["install"])
    assert result.exit_code == 1
    assert "No coding agent was found" in str(result.exception)


def test_a_named_agent_is_planned_though_it_was_not_found(home):
    assert "was not found on this machine" in run("install", "claude-code").output


@pytest.mark.parametrize("arguments", [["install", "cursor"], ["uninstall", "x"], ["doctor", "x"], ["install", "--x"]])
def test_wrong_usage_exits_with_2(arguments):
    run(*arguments, status=2)


def test_a_file_that_does_not_parse_fails_with_its_place_and_nothing_is_written(settings_file, home):
    settings_file.write_text('{\n  "model": "opus", // mine\n}')
    output = run("install", "--apply", status=1).output
    assert f"{settings_file}, line 2, column 20: comments are not allowed" in output
    assert os.listdir(home) == [".claude"]
    (agent,) = run_json("install", status=1)["agents"]
    assert (agent["state"], agent["error"]["code"]) == ("failed", "invalid_json")


@posix
def test_a_read_only_file_is_said_in_the_plan_and_refused_by_apply(settings_file):
    settings_file.chmod(0o444)
    output = run("install").output
    assert f"Cannot be written: {settings_file} is read-only." in output
    assert '"PostToolUse": [' in output
    assert "Claude Code: failed." in run("install", "--apply", status=1).output


def test_control_characters_from_a_file_cannot_steer_the_terminal(settings_file):
    hook = {"hooks": [{"type": "command", "command": "x\x1b[31m\x07\u202e"}]}
    settings_file.write_text(json.dumps({"hooks": {"PostToolUse": [hook]}}))
    output = run("install").output
    assert "\\x1b[31m\\x07\\u202e" in output
    assert "\x1b" not in output


def test_purge_lists_and_then_deletes_everything_of_ours(settings_file, home):
    run("install", "--apply")
    locations.config_file().parent.mkdir(parents=True)
    locations.config_file().write_text("enabled = true\n")
    output = run("uninstall", "--purge").output
    assert f"  delete  {locations.config_file()}" in output
    assert locations.config_file().exists()
    run("uninstall", "--purge", "--apply")
    assert list(home.rglob("*unpretty*")) == []
    assert settings_file.read_text() == '{\n  "model": "opus"\n}\n'


def test_uninstall_names_the_agent_asked_for_even_when_there_is_nothing_to_do(home):
    assert run("uninstall", "claude-code").output.startswith("Claude Code\n  Nothing to do.")


def test_doctor_without_agents_says_so(home):
    assert run("doctor").output == "No coding agent was found on this machine.\n"
    assert run_json("doctor")["agents"] == []


def test_doctor_names_the_command_that_sets_an_agent_up(home):
    output = run("doctor", "claude-code").output
    assert "not installed" in output
    assert "To set it up: unpretty install claude-code" in output


def test_doctor_finds_faults_exits_with_1_and_mends_them(settings_file):
    run("install", "--apply")
    (locations.data_dir() / "hook.py").unlink()
    output = run("doctor", status=1).output
    assert "broken" in output
    assert "Problem: " in output
    assert "To fix it: unpretty doctor --fix" in output
    output = run("doctor", "--fix").output
    assert "Claude Code: done." in output
    assert "Nothing is wrong." in output
    assert run_json("doctor", "--fix")["agents"][0]["status"] == "active"


@posix
@pytest.mark.parametrize("command", [("doctor", "--fix"), ("install", "--apply")])
@pytest.mark.parametrize("held", ["{old}/tools/unpretty/bin/python", "python", "{old}", "python.gone"])
def test_our_link_is_replaced_wherever_it_leads_and_nothing_is_made_there(
    settings_file, home, tmp_path, contents, command, held
):
    """The fix for an install that was moved or removed: nothing may be created at the old path."""
    run("install", "--apply")
    link = locations.data_dir() / "python"
    good = link.readlink()
    old = tmp_path / "old"
    old.mkdir()
    link.unlink()
    link.symlink_to(held.format(old=old))
    old.chmod(0o555)  # as the directory of another user: not even an attempt to write may be made
    before = contents(tmp_path)
    try:
        run(*command)
    finally:
        old.chmod(0o755)
    assert link.readlink() == good
    assert {**contents(tmp_path), "old": before["old"]} == before
    assert "active" in run("doctor").output


@posix
def test_the_directory_of_ours_may_be_a_link_and_stays_one(settings_file, home, tmp_path):
    """Only what is in it is ours; the user decides where the directory is."""
    data = locations.data_dir()
    data.parent.mkdir(parents=True)
    data.symlink_to(tmp_path / "disk" / "unpretty")
    run("install", "--apply")
    (data / "python").unlink()
    (data / "python").symlink_to("/nowhere/python")
    run("doctor", "--fix")
    assert data.is_symlink()
    assert sorted(os.listdir(tmp_path / "disk" / "unpretty")) == ["hook.py", "python"]
    assert "active" in run("doctor").output
    run("uninstall", "--apply")
    assert data.is_symlink()
    assert os.listdir(tmp_path / "disk" / "unpretty") == []


def test_doctor_cannot_mend_what_is_not_ours(settings_file):
    run("install", "--apply")
    value = json.loads(settings_file.read_text())
    settings_file.write_text(json.dumps({**value, "disableAllHooks": True}))
    assert "disableAllHooks" in run("doctor", "--fix", status=1).output


def test_the_doctors_json_has_these_keys(settings_file):
    """The contract of ``doctor --json``: keys may be added, never renamed or removed."""
    run("install", "--apply")
    line = {"kind": "decision", "agent": "claude-code", "ts": 1750000000000, "tool": "Bash"}
    locations.decision_log_file().write_text(json.dumps({**line, "decision": "converted", "reason": "converted"}))
    settings_file.write_text(settings_file.read_text().replace('"timeout": 10', '"timeout": 9'))
    (agent,) = run_json("doctor", status=1)["agents"]
    assert agent.pop("run_ms") > 0
    (problem,) = agent.pop("faults")
    assert set(problem) == {"code", "message", "fix"}
    assert agent == {
        "agent": "claude-code",
        "found": True,
        "version": None,
        "status": "modified",
        "config": str(settings_file),
        "mcp_servers": [],
        "notices": [],
        "last_decision": {"ts": 1750000000000, "tool": "Bash", "decision": "converted", "reason": "converted"},
    }
    output = run("doctor", status=1).output
    assert "Bash: converted" in output
    assert "2025-06-1" in output


@pytest.mark.parametrize("ts", [None, "x", 10**30, -(10**30)])
def test_a_decision_with_an_impossible_time_is_shown_without_one(settings_file, ts):
    run("install", "--apply")
    line = {"kind": "decision", "agent": "claude-code", "ts": ts, "tool": "Bash", "reason": "too_small"}
    locations.decision_log_file().write_text(json.dumps(line))
    assert "? Bash: too_small" in run("doctor").output


def test_a_note_goes_with_a_notice(settings_file, monkeypatch):
    run("install", "--apply")
    monkeypatch.setenv("UNPRETTY", "off")
    assert "Note: UNPRETTY in the environment" in run("doctor").output
