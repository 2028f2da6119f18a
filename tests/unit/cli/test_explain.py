"""``unpretty explain``: the same decisions as the hook's, nothing written."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from unpretty import locations
from unpretty.cli import explain as explain_command
from unpretty.errors import UnprettyError

FIXTURES = Path(__file__).parents[2] / "fixtures"
RUFF = FIXTURES / "claude-code" / "PostToolUse-Bash.ruff.json"
PRETTY = json.dumps([{"id": n, "name": f"user {n}"} for n in range(40)], indent=2)
COMPACT = json.dumps(json.loads(PRETTY), separators=(",", ":"))


def run(*arguments: str, data: str | bytes = "") -> Result:
    return CliRunner().invoke(explain_command.command, arguments, input=data, catch_exceptions=False)


def decisions(*arguments: str, data: str | bytes = "") -> list[dict[str, Any]]:
    document = json.loads(run("--json", *arguments, data=data).output)
    assert document["schema"] == 1
    found: list[dict[str, Any]] = document["decisions"]
    return found


def test_a_payload_is_explained_with_sizes_tokens_and_both_texts() -> None:
    shown = run(str(RUFF)).output
    assert shown.startswith("claude-code Bash stdout: converted\n")
    assert "bytes   5,143 -> 3,390 (34.1% less)" in shown
    assert "tokens  1,539 -> 943 (38.7% less) (o200k)" in shown
    assert "before:" in shown
    assert "after:" in shown
    assert not locations.state_dir().exists()


def test_json_holds_the_decision_of_the_log_and_the_text_to_be_sent() -> None:
    (decision,) = decisions(data=json.dumps(_bash(PRETTY)))
    assert decision["text"] == COMPACT
    assert (decision["decision"], decision["reason"], decision["via"]) == ("converted", "converted", "explain")
    assert (decision["bytes_in"], decision["bytes_out"]) == (len(PRETTY), len(COMPACT))
    assert 0 < decision["tokens_out"] < decision["tokens_in"]
    assert decision["explanation"].endswith(".")
    assert {"v", "kind", "id", "ts", "agent", "session", "tool_use_id", "steps", "ms"} <= set(decision)


def _bash(stdout: str) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads((FIXTURES / "claude-code" / "PostToolUse-Bash.json").read_text("utf-8"))
    payload["tool_input"]["command"] = "gh api x"
    payload["tool_response"]["stdout"] = stdout
    return payload


def test_any_other_text_is_taken_for_shell_output() -> None:
    (decision,) = decisions("-", data=f"=== \x1b[1mlabel\x1b[0m ===\n{PRETTY}\n")
    assert decision["text"] == f"=== label ===\n{COMPACT}\n"
    assert set(decision["steps"]) == {"noise", "json"}
    assert decisions(data=PRETTY)[0]["text"] == COMPACT
    assert run(data="text").output.startswith("text: too_small")


@pytest.mark.parametrize(
    ("agent", "name", "reasons"),
    [
        ("claude-code", "PostToolUse-Read", ["file_view"]),
        ("claude-code", "PostToolUse-mcp__t__multi", ["too_small", "too_small"]),
        ("codex", "post_tool_use.shell.code_mode.stdin", ["host_cannot_replace"]),
        ("codex", "post_tool_use.shell.truncated.stdin", ["cut_by_host"]),
        ("opencode", "a_log_bash", ["too_small"]),
        ("opencode", "a_log_probe_two", ["too_small", "too_small"]),
        ("opencode", "a_log_probe_res", ["too_small"]),
    ],
)
def test_each_agents_recorded_payloads_are_recognised(agent: str, name: str, reasons: list[str]) -> None:
    found = decisions(str(FIXTURES / agent / f"{name}.json"))
    assert [decision["reason"] for decision in found] == reasons
    assert {decision["agent"] for decision in found} == {agent}


def test_a_result_without_text_still_says_why() -> None:
    shown = run(str(FIXTURES / "claude-code" / "PostToolUse-Edit.json")).output
    assert shown.startswith("claude-code Edit: unsupported_tool\n")
    assert "bytes" not in shown


def test_settings_count() -> None:
    locations.config_dir().mkdir(parents=True)
    locations.config_file().write_text("enabled = false\n", "utf-8")
    assert decisions(str(RUFF))[0]["reason"] == "disabled"


def test_what_cannot_be_explained_is_said(absent: str) -> None:
    with pytest.raises(UnprettyError, match="Cannot read"):
        run(absent)
    with pytest.raises(UnprettyError, match="not UTF-8"):
        run(data=b"\xff")
    with pytest.raises(UnprettyError, match="not a payload of codex"):
        run("--agent", "codex", data="plain")


def test_without_a_counter_only_the_tokens_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise UnprettyError("no vocabulary")

    monkeypatch.setattr("unpretty.tokens.count.load_counter", fail)
    assert "tokens" not in run(str(RUFF)).output
    assert decisions(str(RUFF))[0]["tokens_in"] is None


def test_control_characters_of_a_result_never_reach_the_terminal() -> None:
    shown = run(data=f"{PRETTY}\n\x1b]0;title\x07\x1b[6n").output
    assert "\x1b" not in shown
