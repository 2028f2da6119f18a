"""Claude Code's transcripts: what is made of a record is what the client handed to its hook."""

import io
import json
from typing import Any

import pytest

from unpretty.engine import reason
from unpretty.transcripts.claude_code import read_lines
from unpretty.transcripts.reading import MAX_OPEN_CALLS, Reading
from unpretty.transcripts.result import FAILED, ToolResult
from unpretty_hooks import claude_code

from .recorded import decide, payloads, read, results


def call(name: str = "Bash", call_id: str = "toolu_1", **given: object) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call_id, "name": name, "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}


def result(content: object, call_id: str = "toolu_1", **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **more.pop("block", {})}
    record = {"type": "user", "message": {"role": "user", "content": [block]}, "sessionId": "s1", "cwd": "/p"}
    return {**record, "timestamp": "2026-11-30T02:39:32.767Z", **more}


def only(*lines: object) -> ToolResult:
    [one] = read(read_lines, *lines)
    return one


class TestRecordedSessions:
    """The same decisions as on the recorded payloads of the same session."""

    @pytest.mark.parametrize("name", ["session", "session.subagent"])
    def test_the_hook_decides_the_same(self, name: str) -> None:
        given = payloads(f"claude-code/{name}.payloads.jsonl")
        found = {one.call_id: one for one in results(read_lines, f"claude-code/{name}.jsonl") if not one.reason}
        assert set(found) == set(given)
        for call_id, one in found.items():
            ours, theirs = decide(claude_code, one.payload), decide(claude_code, given[call_id])
            if call_id == "toolu_002_0" and name == "session.subagent":
                # Of a long output only the preview is left; either way it is left alone.
                assert [line[1] for line in ours] == [line[1] for line in theirs] == [reason.CUT_BY_HOST]
            else:
                assert ours == theirs

    def test_the_main_session_holds_the_very_object(self) -> None:
        given = payloads("claude-code/session.payloads.jsonl")
        for one in results(read_lines, "claude-code/session.jsonl"):
            if not one.reason and one.tool in ("Bash", "mcp__t__both"):
                assert one.payload["tool_response"] == given[one.call_id]["tool_response"]

    def test_failing_calls_are_told_apart(self) -> None:
        failed = [one for one in results(read_lines, "claude-code/session.jsonl") if one.reason == FAILED]
        assert [one.tool for one in failed] == ["Bash", "Grep", "mcp__t__error"]

    def test_nothing_had_to_be_skipped(self) -> None:
        reading = Reading()
        results(read_lines, "claude-code/session.jsonl", reading)
        results(read_lines, "claude-code/session.subagent.jsonl", reading)
        assert (reading.broken, reading.unfinished, reading.huge, reading.unknown) == (0, 0, 0, {})


class TestOneResult:
    def test_it_says_whose_it_is_and_what_the_model_read(self) -> None:
        one = only(call(command="make"), result("ok", toolUseResult={"stdout": "ok", "stderr": ""}))
        assert (one.agent, one.tool, one.session, one.call_id, one.command) == (
            "claude-code", "Bash", "s1", "toolu_1", "make",
        )  # fmt: skip
        assert one.texts == ("ok",)
        assert one.when_ms == 1_796_006_372_767
        assert one.payload["tool_input"] == {"command": "make"}
        assert one.payload["cwd"] == "/p"

    def test_blocks_of_text_are_read_and_images_are_not(self) -> None:
        content = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}, "odd"]
        assert only(call("mcp__t__x"), result(content)).texts == ("a", "b")

    def test_results_in_one_line_do_not_share_the_object(self) -> None:
        lines = call(command="a"), call(command="b", call_id="toolu_2")
        both = result("one")
        both["message"]["content"] += result("two", "toolu_2")["message"]["content"]
        both["toolUseResult"] = {"stdout": "of which one?"}
        first, second = read(read_lines, *lines, both)
        assert first.payload["tool_response"]["stdout"] == "one"  # type: ignore[index]
        assert second.payload["tool_response"]["stdout"] == "two"  # type: ignore[index]

    def test_a_copy_in_a_forked_session_has_the_same_identity(self) -> None:
        one = only(call(), result("x", uuid="u1"))
        copy = only(call(), result("x", uuid="u1", sessionId="s2"))
        other = only(call(), result("x", uuid="u2", timestamp="2026-11-30T02:40:00.000Z"))
        assert one.identity == copy.identity != other.identity

    def test_a_record_without_a_time_is_told_by_its_uuid(self) -> None:
        one = only(call(), result("x", uuid="u1", timestamp=None))
        assert one.when_ms is None
        assert one.identity == "toolu_1 u1"

    def test_a_result_without_its_call_is_not_lost(self) -> None:
        one = only(result("x", toolUseResult={"stdout": "x"}))
        assert one.tool == ""
        assert decide(claude_code, one.payload)[0][1] == reason.BAD_PAYLOAD


class TestWithoutTheObject:
    """A subagent's transcript: the object is made from what the model read."""

    @pytest.mark.parametrize(
        ("content", "stdout", "stderr"),
        [
            ("out", "out", ""),
            ("(Bash completed with no output)", "", ""),
            ("Command running in background with ID: b1. Output is being written to: /t", "", ""),
            ("out\nShell cwd was reset to /p", "out", "Shell cwd was reset to /p"),
            ("a\nShell cwd was reset to /p\nb", "a\nShell cwd was reset to /p\nb", ""),
        ],
    )
    def test_a_command(self, content: str, stdout: str, stderr: str) -> None:
        response = only(call(command="x"), result(content)).payload["tool_response"]
        assert response == {"stdout": stdout, "stderr": stderr, "interrupted": False}

    def test_a_long_output_is_known_to_be_cut(self) -> None:
        preview = "<persisted-output>\nOutput too large (78.1KB). Full output saved to: /h/tool-results/a.txt\n\n[\n  1"
        one = only(call(command="x"), result(preview))
        assert one.payload["tool_response"]["persistedOutputPath"] == "/h/tool-results/a.txt"  # type: ignore[index]
        assert decide(claude_code, one.payload)[0][1] == reason.TOO_SMALL

    def test_a_search(self) -> None:
        found = only(call("Grep", output_mode="content"), result("a.py:1:x"))
        assert found.payload["tool_response"] == {"mode": "content", "content": "a.py:1:x"}
        files = only(call("Grep", pattern="x"), result("Found 1 file\na.py"))
        assert files.payload["tool_response"] == {"mode": ""}

    def test_an_mcp_result(self) -> None:
        blocks = [{"type": "text", "text": "{}"}]
        assert only(call("mcp__t__x"), result(blocks)).payload["tool_response"] == blocks
        assert only(call("mcp__t__x"), result("{}")).payload["tool_response"] == "{}"

    def test_an_mcp_result_that_was_cut_is_not_judged_by_its_preview(self) -> None:
        one = only(call("mcp__t__x"), result("<persisted-output>\nOutput too large"))
        assert one.reason == reason.CUT_BY_HOST

    def test_another_tool(self) -> None:
        assert only(call("Read"), result("1\tx")).payload["tool_response"] == {}


class TestOddRecords:
    def test_records_that_repeat_a_result_are_passed_over(self) -> None:
        reading = Reading()
        repeated = {"type": "api-request-blob", "message": result("x")["message"]}
        assert read(read_lines, repeated, {"type": "progress", "data": result("x")}, reading=reading) == []
        assert reading.unknown == {}

    def test_records_of_unknown_kinds_are_counted(self) -> None:
        reading = Reading()
        assert read(read_lines, {**result("x"), "type": "user2"}, reading=reading) == []
        assert reading.unknown == {"user2": 1}

    @pytest.mark.parametrize("content", [None, 5, [], [5], {"a": 1}])
    def test_a_message_without_blocks_holds_no_result(self, content: object) -> None:
        odd = {"type": "user", "message": {"content": content}, "note": "tool_result"}
        reading = Reading()
        assert read(read_lines, odd, {**odd, "message": "text"}, reading=reading) == []
        assert reading.broken == 0

    def test_a_call_in_a_record_of_another_kind_is_not_remembered(self) -> None:
        assert only({**call(), "type": "user"}, result("x")).tool == ""

    def test_broken_and_unfinished_lines_are_counted(self) -> None:
        reading = Reading()
        lines = b'{"type":"user","x":"tool_result"\n', b'["tool_use"]\n', b'{"type":"user","tool_result"'
        assert read(read_lines, *lines[:2], call(), lines[2], reading=reading) == []
        assert (reading.broken, reading.unfinished) == (2, 1)

    def test_calls_that_never_get_a_result_do_not_fill_the_memory(self) -> None:
        many = [call(call_id=f"toolu_{number}") for number in range(MAX_OPEN_CALLS + 1)]
        assert only(*many, result("x", "toolu_0")).tool == ""
        assert only(*many, result("x", "toolu_1")).tool == "Bash"


REFUSED = {"type": "attachment", "attachment": {"type": "hook_error_during_execution", "toolUseID": "toolu_1"}}


class TestRefusedReplies:
    def test_a_reply_that_the_client_did_not_take_is_told(self) -> None:
        refused: list[str] = []
        other = {"type": "attachment", "attachment": {"type": "note", "text": "hook_error_during_execution"}}
        lines = [REFUSED, other, b'{"hook_error_during_execution\n']
        text = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        reading = Reading()
        assert list(read_lines(io.BytesIO(text), reading, refused.append)) == []
        assert refused == ["toolu_1"]
        assert reading.broken == 1

    def test_nobody_needs_to_listen(self) -> None:
        assert read(read_lines, REFUSED) == []
