"""What became of the hook's answers in Codex: recorded rollouts, with outputs as they are when an answer was taken."""

import json
from pathlib import Path
from typing import Any

import pytest

from unpretty.decision_log.reader import Record
from unpretty.settings.defaults import Settings
from unpretty.stats.applied import Verifier, time_limit
from unpretty.transcripts.codex import read_lines
from unpretty.transcripts.outcomes import APPLIED, REJECTED, UNKNOWN, checks
from unpretty_hooks import codex, serving

from .recorded import path_of, records, results

SESSION = "01a22a52-bf7e-7b30-b676-0ba35c3e15ba"
BEFORE, AFTER = "b" * 2281, "a" * 1477
THEIRS = "Chunk ID: 1a2b3c\nWall time: 0.0000 seconds\nProcess exited with code 3\nOriginal token count: 2\nOutput:\n"
OURS = "Wall time: 0.0094 seconds\nProcess exited with code 3\nOutput:\n"


def write(home: Path, *lines: Any, name: str = SESSION, directory: str = "sessions/2026/11/30") -> None:
    path = home / ".codex" / directory / f"rollout-2026-11-30T02-39-55-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line, separators=(",", ":"))) + "\n"
                            for line in lines))  # fmt: skip


def meta(session: str = SESSION, thread: str = SESSION) -> dict[str, Any]:
    return {"type": "session_meta", "payload": {"session_id": session, "id": thread, "cwd": "/home/user/project"}}


def call(name: str = "exec_command", call_id: str = "call_1", kind: str = "function_call", **more: Any) -> Any:
    payload = {"type": kind, "name": name, "call_id": call_id, "arguments": '{"cmd":"make"}', **more}
    return {"type": "response_item", "payload": payload}


def output(content: object, call_id: str = "call_1", kind: str = "function_call_output") -> dict[str, Any]:
    return {"type": "response_item", "payload": {"type": kind, "call_id": call_id, "output": content}}


def blocks(*texts: str) -> list[dict[str, str]]:
    return [{"type": "input_text", "text": text} for text in ("Wall time: 0.1 seconds\nOutput:", *texts)]


def decision(call_id: str = "call_1", session: str = SESSION, before: int = 2281, after: int = 1477) -> Record:
    return {"agent": "codex", "session": session, "tool_use_id": call_id, "chars_in": before, "chars_out": after}


def answers() -> dict[str, tuple[Record, str]]:
    """By call of the recorded session, what the hook logs and the output that its answer makes."""
    found: dict[str, tuple[Record, str]] = {}
    for one in results(read_lines, "codex/rollout.jsonl"):
        if one.reason:
            continue
        settings = Settings()
        asked = codex.read(one.payload, settings)
        serving.decide(asked, settings)
        answer = codex.reply(one.payload, asked)
        for field in asked.changed() if answer else ():
            assert field.compaction is not None
            made = field.compaction.decision
            line = decision(one.call_id, before=made.chars_in, after=made.chars_out)
            found[one.call_id] = line, json.loads(answer)["reason"]
    assert len(found) > 5
    return found


class TestRecordedSession:
    def test_where_the_original_stands_the_answer_was_rejected(self, home: Path) -> None:
        write(home, *records("codex/rollout.jsonl"))
        rollouts = checks()["codex"]
        outcomes = {call_id: rollouts(line) for call_id, (line, _) in answers().items()}
        assert outcomes == dict.fromkeys(outcomes, REJECTED)

    def test_where_our_text_stands_the_answer_was_applied(self, home: Path) -> None:
        lines = records("codex/rollout.jsonl")
        replaced = answers()
        for line in lines:
            payload = line["payload"]
            if payload.get("type") == "function_call_output" and payload["call_id"] in replaced:
                payload["output"] = replaced[payload["call_id"]][1]
        write(home, *lines)
        rollouts = checks()["codex"]
        outcomes = {call_id: rollouts(line) for call_id, (line, _) in replaced.items()}
        assert outcomes == dict.fromkeys(outcomes, APPLIED)

    def test_the_answer_to_a_poll_is_about_the_call_that_it_asks_about(self, home: Path) -> None:
        write(home, *records("codex/rollout.poll.jsonl"))
        [one] = [one for one in results(read_lines, "codex/rollout.poll.jsonl") if not one.reason]
        shown = one.payload["tool_response"]
        assert isinstance(shown, str)
        session = json.loads(path_of("codex/rollout.poll.jsonl").read_text().partition("\n")[0])["payload"]["id"]
        assert checks()["codex"](decision(one.call_id, session, before=len(shown), after=7)) == REJECTED
        assert checks()["codex"](decision(one.call_id, session, before=7, after=len(shown))) == APPLIED

    def test_code_mode_tells_nothing(self, home: Path) -> None:
        write(home, *records("codex/rollout.code_mode.jsonl"))
        [one] = results(read_lines, "codex/rollout.code_mode.jsonl")
        session = one.session
        size = len("".join(one.texts))
        for call_id in (one.call_id, "exec-1"):
            assert checks()["codex"](decision(call_id, session, after=size)) == UNKNOWN


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        ([call(), output(OURS + AFTER)], APPLIED),
        ([call(), output(THEIRS + BEFORE)], REJECTED),
        ([call(), output("Output:\n" + AFTER)], APPLIED),
        ([call(), output(OURS + AFTER + "\n\nof another hook")], UNKNOWN),
        ([call("x", namespace="mcp__t"), output("Wall time: 0.1 seconds\nOutput:\n" + AFTER)], APPLIED),
        ([call("x", namespace="mcp__t"), output(blocks(BEFORE))], REJECTED),
        ([call("x", namespace="mcp__t"), output(blocks(BEFORE[:-4], "two"))], REJECTED),
        ([call("x", namespace="mcp__t"), output(blocks("one", AFTER))], APPLIED),
        ([call("exec", kind="custom_tool_call"), output(OURS + AFTER, kind="custom_tool_call_output")], UNKNOWN),
        ([call(), output(None)], UNKNOWN),
        ([call()], UNKNOWN),
        ([call(), '{"payload":{"type":"function_call_output"', output(OURS + AFTER)], APPLIED),
    ],
)
def test_what_the_model_read_decides(home: Path, lines: list[Any], outcome: str) -> None:
    write(home, meta(), *lines)
    assert checks()["codex"](decision()) == outcome


def test_a_subagents_rollout_is_of_the_session_that_it_names(home: Path) -> None:
    write(home, meta(), call(), output(THEIRS + BEFORE))
    write(home, meta(thread="sub"), call(call_id="call_2"), output(OURS + AFTER, "call_2"), name="sub")
    rollouts = checks()["codex"]
    assert rollouts(decision()) == REJECTED
    assert rollouts(decision("call_2")) == APPLIED
    assert rollouts(decision("call_2", session="sub")) == APPLIED


def test_archived_sessions_count_and_others_are_unknown(home: Path) -> None:
    write(home, meta(), call(), output(OURS + AFTER), directory="archived_sessions")
    assert checks()["codex"](decision()) == APPLIED
    assert checks()["codex"](decision(session="another")) == UNKNOWN
    assert checks()["codex"](decision("call_9")) == UNKNOWN


def test_codex_home_is_honoured(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, meta(), call(), output(OURS + AFTER))
    (home / ".codex").rename(tmp_path / "elsewhere")
    assert checks()["codex"](decision()) == UNKNOWN
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    assert checks()["codex"](decision()) == APPLIED


def test_a_rollout_that_cannot_be_read_is_unknown(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, meta(), call(), output(OURS + AFTER))

    def refuse(self: Path, *args: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert checks()["codex"](decision()) == UNKNOWN


def test_reading_ends_when_its_time_is_over(home: Path) -> None:
    write(home, meta(), call(), output(OURS + AFTER))
    assert Verifier(checks())(decision()) == APPLIED
    assert Verifier(checks(progress=time_limit(-1)))(decision()) == UNKNOWN
