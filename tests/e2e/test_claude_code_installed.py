"""Claude Code: installing unpretty, uninstalling it, and what happens when the installation is broken."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from . import clients
from .claude_code import ClaudeCode, bash
from .installed import Unpretty
from .mcp_server import COMPACT, PRETTY

# Nothing in it is as a JSON library would write it.
SETTINGS = (
    b'\xef\xbb\xbf{\r\n\t"permissions" : { "allow":["Bash(ls)" ] },\r\n\t"hooks": {"Stop": [ {"hooks":[ ] } ]},'
    b'\r\n\t"cleanupPeriodDays": 30.0,\r\n\r\n\t"env": {"A":"\\u0041"} }\r\n\r\n'
)


@pytest.fixture
def unpretty(unpretty_program: Path, claude_code: ClaudeCode) -> Unpretty:
    """The command, nothing set up yet; the project has a program that prints a pretty document."""
    (claude_code.project / "pretty").write_text(PRETTY)
    (claude_code.project / "report").write_text("exec cat pretty\n")
    return Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)


def converse(claude_code: ClaudeCode, env: Mapping[str, str] | None = None) -> list[str]:
    """The result of the report as the model receives it."""
    run = claude_code.run([[bash("sh report")]], env=env)
    assert run.client.exit_code == 0, run.client.stderr
    return run.texts


def files_below(folder: Path) -> dict[str, bytes | str]:
    """Every file below ``folder`` with its content, every link with its target."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def test_a_plan_alone_writes_nothing(unpretty: Unpretty) -> None:
    plan = unpretty.run("install", "claude-code").stdout
    assert str(unpretty.home / ".claude" / "settings.json") in plan
    assert files_below(unpretty.home) == {}


def test_installing_twice_changes_nothing(unpretty: Unpretty) -> None:
    unpretty.run("install", "claude-code", "--exit-code", status=2)
    unpretty.run("install", "claude-code", "--apply")
    before = files_below(unpretty.home)
    unpretty.run("install", "claude-code", "--exit-code")
    unpretty.run("install", "claude-code", "--apply")
    assert files_below(unpretty.home) == before


@pytest.mark.parametrize("settings", [SETTINGS, b"{}", b"", None], ids=["odd", "an empty object", "empty", "missing"])
def test_uninstalling_gives_back_identical_bytes(
    settings: bytes | None, unpretty: Unpretty, claude_code: ClaudeCode
) -> None:
    file = unpretty.home / ".claude" / "settings.json"
    if settings is not None:
        file.parent.mkdir()
        file.write_bytes(settings)
    unpretty.run("install", "claude-code", "--apply")
    assert converse(claude_code) == [COMPACT]
    unpretty.run("uninstall", "claude-code", "--apply")
    assert (file.read_bytes() if file.exists() else None) == settings
    assert converse(claude_code) == [PRETTY]


def test_a_python_that_is_gone_costs_the_call_nothing(unpretty: Unpretty, claude_code: ClaudeCode) -> None:
    unpretty.run("install", "claude-code", "--apply")
    link = unpretty.home / ".local" / "share" / "unpretty" / "python"
    link.unlink()
    link.symlink_to(unpretty.home / "no-python")
    assert converse(claude_code) == [PRETTY]
    report = unpretty.json("doctor", "claude-code", status=1)
    assert [agent["status"] for agent in report["agents"]] == ["broken"]
    unpretty.run("doctor", "claude-code", "--fix")
    assert converse(claude_code) == [COMPACT]


def test_a_data_folder_that_is_gone_costs_the_call_nothing(unpretty: Unpretty, claude_code: ClaudeCode) -> None:
    unpretty.run("install", "claude-code", "--apply")
    shutil.rmtree(unpretty.home / ".local")
    assert converse(claude_code) == [PRETTY]


def test_a_package_that_is_gone_costs_the_call_nothing(unpretty: Unpretty, claude_code: ClaudeCode) -> None:
    """The virtual environment was removed without uninstalling: the script is there, what it imports is not."""
    unpretty.run("install", "claude-code", "--apply")
    script = unpretty.home / ".local" / "share" / "unpretty" / "hook.py"
    text, places = re.subn(r"(__path__ = ).*", r"\1['/gone']", script.read_text())
    assert places == 1
    script.write_text(text)
    assert converse(claude_code) == [PRETTY]


def test_the_doctor_finds_a_working_set_up(unpretty: Unpretty, claude_code: ClaudeCode) -> None:
    assert unpretty.json("doctor", "claude-code")["agents"][0]["status"] == "not_installed"
    unpretty.run("install", "claude-code", "--apply")
    converse(claude_code)
    [agent] = unpretty.json("doctor", "claude-code")["agents"]
    assert (agent["agent"], agent["status"], agent["faults"]) == ("claude-code", "active", [])
    assert agent["version"] == clients.CLAUDE_CODE.version


def test_a_project_can_be_set_up_alone(unpretty: Unpretty, claude_code: ClaudeCode) -> None:
    unpretty.run("install", "claude-code", "--project", "--apply")
    assert (unpretty.project / ".claude" / "settings.local.json").exists()
    assert not (unpretty.home / ".claude" / "settings.json").exists()
    assert converse(claude_code) == [COMPACT]
    unpretty.run("uninstall", "claude-code", "--apply")
    assert not (unpretty.project / ".claude" / "settings.local.json").exists()


def test_the_clients_own_folder_variable_is_honoured(unpretty: Unpretty, claude_code: ClaudeCode) -> None:
    named = {"CLAUDE_CONFIG_DIR": str(unpretty.home / "elsewhere")}
    unpretty.run("install", "claude-code", "--apply", env=named)
    assert (unpretty.home / "elsewhere" / "settings.json").exists()
    assert converse(claude_code, env=named) == [COMPACT]


def test_another_hook_still_runs_beside_ours(unpretty: Unpretty, claude_code: ClaudeCode) -> None:
    command = f"cat > {unpretty.home / 'seen.json'}"
    settings = {"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]}}
    file = unpretty.home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps(settings))
    unpretty.run("install", "claude-code", "--apply")
    assert converse(claude_code) == [COMPACT]
    assert json.loads((unpretty.home / "seen.json").read_text())["tool_response"]["stdout"] == PRETTY


def test_a_client_that_is_too_old_is_named_by_plan_and_doctor(unpretty: Unpretty, home: Path, project: Path) -> None:
    old = clients.supply().program(clients.CLAUDE_CODE_TOO_OLD)
    with_old = Unpretty(unpretty.program, home, project, old)
    oldest = clients.CLAUDE_CODE_OLDEST.version
    plan = with_old.run("install", "claude-code").stdout
    assert clients.CLAUDE_CODE_TOO_OLD.version in plan
    assert oldest in plan
    with_old.run("install", "claude-code", "--apply")
    [agent] = with_old.json("doctor", "claude-code", status=1)["agents"]
    assert agent["status"] == "client_too_old"
    assert oldest in agent["faults"][0]["message"] + agent["faults"][0]["fix"]
    assert converse(ClaudeCode(old, home, project)) == [PRETTY]
    totals = with_old.json("stats", "--verify")["totals"]
    assert (totals["converted"], totals["applied"], totals["rejected"]) == (1, 0, 1)
