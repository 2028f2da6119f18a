"""The harness itself, with a hook written here: what is scripted runs, and what the model gets is seen."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from . import sandbox
from .claude_code import ClaudeCode, bash
from .codex import CODE_MODE, Codex, javascript, mcp, shell
from .mcp_server import PRETTY
from .model import Call
from .opencode import OpenCode
from .opencode import bash as opencode_bash
from .sandbox import NoNamespace

# Replaces the output of a shell tool by the same in upper case, as each agent allows it.
CLAUDE_CODE_HOOK = """
import json, sys
call = json.load(sys.stdin)
call["tool_response"]["stdout"] = call["tool_response"]["stdout"].upper()
output = {"hookEventName": "PostToolUse", "updatedToolOutput": call["tool_response"]}
print(json.dumps({"hookSpecificOutput": output}))
"""
CODEX_HOOK = """
import json, sys
print(json.dumps({"continue": False, "stopReason": "louder", "reason": json.load(sys.stdin)["tool_response"].upper()}))
"""
OPENCODE_PLUGIN = """
export const Louder = async () => ({
  "tool.execute.after": async (input, result) => {
    if (input.tool === "bash") result.output = result.output.toUpperCase()
  },
})
"""


def _hook(folder: Path, program: str) -> str:
    file = folder / "hook.py"
    file.write_text(program)
    return shlex.join([sys.executable, "-I", str(file)])


def test_nothing_but_the_loopback_is_there(home: Path) -> None:
    interfaces = sandbox.isolated(lambda: Path("/proc/self/net/dev").read_text().splitlines()[2:])
    assert [line.partition(":")[0].strip() for line in interfaces] == ["lo"]


def test_an_error_in_the_isolated_process_is_raised_with_its_place() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        sandbox.isolated(lambda: 1 // 0)


@pytest.mark.parametrize("at", ["unshare", "the first use"])
def test_where_no_namespace_can_be_made_one_sentence_says_why_and_what_to_do(
    at: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some systems refuse it at once, others only when the new namespace is used."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)  # then root, too, does it as a user
    if at == "unshare":
        monkeypatch.setattr(sandbox, "_CLONE_NEWNET", 0x1)  # no flag that can be unshared
    else:
        monkeypatch.setattr(sandbox, "_SIOCSIFFLAGS", 0)
    with pytest.raises(NoNamespace, match=r"no network namespace could be made \(.*\): run as root, or allow user"):
        sandbox.isolated(lambda: None)
    assert sandbox.main() == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_process_that_outlives_the_client_is_named_and_ended(project: Path) -> None:
    script = "setsid sleep 1000 & echo started"
    finished = sandbox.isolated(
        lambda: sandbox.run_to_end(
            ["sh", "-c", script], folder=project, env={"PATH": sandbox.PATH}, timeout=5, settle=0.2
        )
    )
    assert (finished.exit_code, finished.stdout, finished.survivors) == (0, "started\n", ("sleep 1000",))


def test_a_client_that_hangs_is_killed_at_its_time_limit(project: Path) -> None:
    finished = sandbox.isolated(
        lambda: sandbox.run_to_end(["sleep", "1000"], folder=project, env={"PATH": sandbox.PATH}, timeout=0.2)
    )
    assert finished.exit_code is None
    assert finished.seconds < 5


def test_claude_code_sends_the_outputs_of_scripted_calls(claude_code: ClaudeCode, shapes: list[str]) -> None:
    steps = [[bash("echo hello"), bash("echo again; exit 3")], [bash("pwd")], [Call("mcp__t__text", {})]]
    run = claude_code.run(steps, mcp={"t": {"command": shapes[0], "args": shapes[1:]}})
    assert run.client.exit_code == 0, run.client.stderr
    assert run.texts == ["hello", "Exit code 3\nagain", str(claude_code.project), PRETTY]
    assert [result.is_error for result in run.tool_results] == [False, True, False, False]
    assert run.client.survivors == ()


def test_claude_code_sends_what_a_hook_made_of_it(claude_code: ClaudeCode, tmp_path: Path) -> None:
    hook = {"type": "command", "command": _hook(tmp_path, CLAUDE_CODE_HOOK)}
    settings = claude_code.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}))
    run = claude_code.run([[bash("echo hello")]])
    assert run.texts == ["HELLO"]


def test_codex_sends_the_outputs_of_scripted_calls(codex: Codex, shapes: list[str]) -> None:
    steps = [[shell("echo hello"), shell("echo again; exit 3")], [mcp("t", "text")]]
    run = codex.run(steps, mcp={"t": {"command": shapes[0], "args": shapes[1:]}})
    assert run.client.exit_code == 0, run.client.stderr
    hello, again, text = run.texts
    assert hello.endswith("exited with code 0\nOriginal token count: 2\nOutput:\nhello\n")
    assert again.endswith("exited with code 3\nOriginal token count: 2\nOutput:\nagain\n")
    assert text.endswith("\nOutput:" + PRETTY)
    assert run.client.survivors == ()


def test_codex_sends_what_a_program_of_code_mode_printed(codex: Codex) -> None:
    program = 'const done = await tools.exec_command({cmd: "echo hello"}); text(done.output + done.exit_code)'
    run = codex.run([[javascript(program)]], model=CODE_MODE)
    assert run.client.exit_code == 0, run.client.stderr
    assert run.texts[0].startswith("Script completed")
    assert run.texts[0].endswith("hello\n0")


def test_codex_runs_a_hook_only_when_it_is_trusted(codex: Codex, tmp_path: Path) -> None:
    hook = {"type": "command", "command": _hook(tmp_path, CODEX_HOOK)}
    codex.folder.mkdir()
    hooks = {"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    (codex.folder / "hooks.json").write_text(json.dumps(hooks))
    [listed] = codex.app_server([("hooks/list", {"cwds": [str(codex.project)]})])
    [found] = listed["result"]["data"][0]["hooks"]
    assert found["trustStatus"] == "untrusted"
    steps = [[shell("echo hello")]]
    assert codex.run(steps).texts[0].endswith("hello\n")
    assert codex.run(steps, args=["--dangerously-bypass-hook-trust"]).texts == ["HELLO"]


def test_opencode_sends_the_outputs_of_scripted_calls(opencode: OpenCode, shapes: list[str]) -> None:
    (opencode.project / "data.txt").write_text("a needle in it\n")
    steps = [[opencode_bash("echo hello"), opencode_bash("echo again; exit 3")], [Call("t_both", {})]]
    if opencode.ripgrep:
        steps.append([Call("grep", {"pattern": "needle"})])
    run = opencode.run(steps, mcp={"t": {"type": "local", "command": shapes}})
    assert run.client.exit_code == 0, run.client.stderr
    assert run.texts[:3] == ["hello\n", "again\n", PRETTY]
    assert all("Line 1: a needle in it" in text for text in run.texts[3:])
    assert run.client.survivors == ()


def test_opencode_sends_what_a_plugin_made_of_it(opencode: OpenCode) -> None:
    plugins = opencode.folder / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "louder.js").write_text(OPENCODE_PLUGIN)
    run = opencode.run([[opencode_bash("echo hello")]])
    assert run.texts == ["HELLO\n"]
    assert run.client.seconds < 30, "the start waited for npm"
