"""Lines as Claude Code 2.1.332 wrote them, shortened to what is read, for calls of scripted models."""

import json
from pathlib import Path

import pytest

from unpretty.stats.applied import Verifier
from unpretty.transcripts import claude_code
from unpretty.transcripts.outcomes import APPLIED, REJECTED, UNKNOWN, Check, checks

SESSION = "591b4edd-0a6e-4007-910c-0f32b355ca17"
BEFORE, AFTER = "b" * 2281, "a" * 1477


def result(identity: str, content: object, tool_use_result: object = None) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": content, "is_error": False}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": tool_use_result}


def stdout(text: str) -> dict[str, object]:
    return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}


def hook_error(identity: str) -> dict[str, object]:
    attachment = {
        "type": "hook_error_during_execution",
        "content": "PostToolUse hook returned updatedToolOutput that does not match Bash's output shape",
        "hookName": "PostToolUse:Bash", "toolUseID": identity, "hookEvent": "PostToolUse",
    }  # fmt: skip
    return {"type": "attachment", "attachment": attachment}


def decision(identity: str = "toolu_1", session: str = SESSION, agent: str = "claude-code") -> dict[str, object]:
    return {
        "agent": agent, "session": session, "tool_use_id": identity, "chars_in": len(BEFORE), "chars_out": len(AFTER),
    }  # fmt: skip


def write(config: Path, *entries: object, name: str = f"{SESSION}.jsonl") -> Check:
    path = config / "projects" / "-home-user-project" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    path.write_text("\n".join(lines) + "\n")
    return claude_code.check([config / "projects"])


@pytest.mark.parametrize(
    ("content", "tool_use_result", "outcome"),
    [
        (AFTER, stdout(AFTER), APPLIED),
        (BEFORE, stdout(BEFORE), REJECTED),
        (AFTER + "\nshell note", stdout(AFTER), APPLIED),
        (AFTER, AFTER, APPLIED),
        (AFTER + "\nShell cwd was reset to /home/user/project", None, APPLIED),
        ([{"type": "text", "text": AFTER}], [{"type": "text", "text": AFTER}], APPLIED),
        (
            [{"type": "text", "text": "x"}, {"type": "image", "source": {}}, {"type": "text", "text": AFTER}],
            None,
            APPLIED,
        ),
        ([{"type": "text", "text": BEFORE}], None, REJECTED),
        ("<persisted-output> a preview", {"content": "c"}, UNKNOWN),
        (None, None, UNKNOWN),
        ([{"type": "text"}, "odd", 7], 7, UNKNOWN),
    ],
)
def test_what_the_transcript_holds_decides(tmp_path, content, tool_use_result, outcome):
    transcripts = write(tmp_path, {"type": "mode"}, result("toolu_1", content, tool_use_result))
    assert transcripts(decision()) == outcome


def test_a_refused_reply_is_a_rejection_whatever_the_length(tmp_path):
    transcripts = write(tmp_path, result("toolu_1", AFTER, stdout(AFTER)), hook_error("toolu_1"))
    assert transcripts(decision()) == REJECTED


def test_a_refused_reply_to_another_call_says_nothing(tmp_path):
    transcripts = write(tmp_path, hook_error("toolu_2"), result("toolu_1", AFTER))
    assert transcripts(decision()) == APPLIED


def test_results_that_share_a_line_are_told_apart(tmp_path):
    entry = result("toolu_1", AFTER, stdout(BEFORE))
    entry["message"]["content"].append({"type": "tool_result", "tool_use_id": "toolu_2", "content": BEFORE})
    transcripts = write(tmp_path, entry)
    assert transcripts(decision("toolu_1")) == APPLIED
    assert transcripts(decision("toolu_2")) == REJECTED


def test_a_call_or_session_that_is_not_there_is_unknown(tmp_path):
    transcripts = write(tmp_path, result("toolu_1", AFTER))
    assert transcripts(decision("toolu_9")) == UNKNOWN
    assert transcripts(decision(session="another")) == UNKNOWN
    assert claude_code.check([tmp_path / "nowhere" / "projects"])(decision()) == UNKNOWN


def test_results_of_subagents_are_below_the_session(tmp_path):
    path = tmp_path / "projects" / "-home-user-project" / SESSION / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(result("toolu_1", AFTER)))
    assert claude_code.check([tmp_path / "projects"])(decision()) == APPLIED


@pytest.mark.parametrize("session", ["", "../../secrets", "a/b", "*", "x" * 101])
def test_a_session_that_is_no_name_leads_nowhere(tmp_path, session):
    (tmp_path / "projects" / "p").mkdir(parents=True)
    (tmp_path / "projects" / "p" / "any.jsonl").write_text(json.dumps(result("toolu_1", AFTER)))
    assert claude_code.check([tmp_path / "projects"])(decision(session=session)) == UNKNOWN


def test_damaged_lines_are_passed_over(tmp_path):
    whole = json.dumps(result("toolu_1", AFTER))
    odd = [
        whole[:50], '"tool_result"', '["tool_result"]', '{"type":"user","x":"tool_result"}',
        '{"type":"user","message":{"content":["tool_result"]},"y":"tool_result"}',
        '{"type":"attachment","attachment":{"type":"hook_error_during_execution"}}',
        '{"type":"attachment","attachment":"hook_error_during_execution"}',
        '{"type":"attachment","attachment":{"type":"other","content":"hook_error_during_execution"}}',
        '{"type":"system","content":"hook_error_during_execution"}',
    ]  # fmt: skip
    transcripts = write(tmp_path, *odd, whole, whole[:100])
    assert transcripts(decision()) == APPLIED


def test_the_config_directory_is_the_clients(tmp_path, monkeypatch, home):
    write(tmp_path / "elsewhere", result("toolu_1", AFTER))
    write(home / ".claude", result("toolu_1", BEFORE))
    assert checks()["claude-code"](decision()) == REJECTED
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert checks()["claude-code"](decision()) == APPLIED


def test_a_session_is_read_once(tmp_path):
    transcripts = write(tmp_path, result("toolu_1", AFTER))
    assert transcripts(decision()) == APPLIED
    (tmp_path / "projects" / "-home-user-project" / f"{SESSION}.jsonl").unlink()
    assert transcripts(decision()) == APPLIED


def test_a_transcript_that_cannot_be_read_is_unknown(tmp_path, monkeypatch):
    transcripts = write(tmp_path, result("toolu_1", AFTER))

    def refuse(self, *args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert transcripts(decision()) == UNKNOWN


def test_agents_without_a_check_are_unknown_and_a_failing_check_too():
    def fails(record: object) -> str:
        raise OSError("gone")

    verify = Verifier({"claude-code": fails})
    assert verify(decision()) == UNKNOWN
    assert verify(decision(agent="codex")) == UNKNOWN
    assert Verifier({"claude-code": lambda record: APPLIED})(decision()) == APPLIED
