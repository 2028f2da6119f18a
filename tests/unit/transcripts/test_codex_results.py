"""Codex's rollouts: what is made of a call's lines is what Codex handed to its hook."""

import json
from typing import Any

import pytest

from unpretty.engine import reason
from unpretty.transcripts.codex import read_lines
from unpretty.transcripts.reading import MAX_OPEN_CALLS, Reading
from unpretty.transcripts.result import FAILED, NO_HOOK, REPLACED, ToolResult
from unpretty_hooks import codex

from .recorded import decide, payloads, read, results

HEADER = "Chunk ID: 1a2b3c\nWall time: 0.0000 seconds\nProcess exited with code 3\nOriginal token count: 2\nOutput:\n"
DOCUMENT = json.dumps([{"id": number, "name": "x"} for number in range(40)], indent=2)
SMALLER = json.dumps(json.loads(DOCUMENT), separators=(",", ":"))


def line(kind: str, **payload: object) -> dict[str, Any]:
    return {"timestamp": "2026-11-30T02:39:55.826Z", "type": "response_item", "payload": {"type": kind, **payload}}


def shell(command: str = "make", call_id: str = "call_1") -> dict[str, Any]:
    return line("function_call", name="exec_command", call_id=call_id, arguments=json.dumps({"cmd": command}))


def tool(name: str = "x", namespace: str = "mcp__t") -> dict[str, Any]:
    return line("function_call", name=name, namespace=namespace, call_id="call_1", arguments="{}")


def output(content: object, call_id: str = "call_1", kind: str = "function_call_output") -> dict[str, Any]:
    return line(kind, call_id=call_id, output=content)


def completed(kind: str, **item: object) -> dict[str, Any]:
    item = {"type": kind, "id": "call_1", **item}
    return {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}


def served(result: object, status: str = "completed") -> dict[str, Any]:
    return completed("McpToolCall", server="t", tool="x", status=status, result=result)


def blocks(*texts: str) -> list[dict[str, str]]:
    return [{"type": "input_text", "text": text} for text in ("Wall time: 0.1 seconds\nOutput:", *texts)]


def content(*texts: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts]}


def only(*lines: object) -> ToolResult:
    [one] = read(read_lines, *lines)
    return one


class TestRecordedSessions:
    """The same decisions as on the recorded payloads of the same session."""

    @pytest.mark.parametrize("name", ["rollout", "rollout.poll"])
    def test_the_hook_decides_the_same(self, name: str) -> None:
        given = payloads(f"codex/{name}.payloads.jsonl")
        found = {one.call_id: one for one in results(read_lines, f"codex/{name}.jsonl") if not one.reason}
        unsupported = {"call_011_0"}  # apply_patch: Codex asks the hook, which leaves it alone
        assert set(found) == set(given) - unsupported
        for call_id, one in found.items():
            theirs = given[call_id]
            # The hook finds the exit status in the rollout, which is not there any more.
            theirs["completed_item"] = one.payload.get("completed_item")
            assert decide(codex, one.payload) == decide(codex, theirs)
            assert one.payload["tool_response"] == theirs["tool_response"] or one.tool == "mcp__t__both"

    def test_what_is_no_business_of_the_hook_says_why(self) -> None:
        told = {one.call_id: one.reason for one in results(read_lines, "codex/rollout.jsonl") if one.reason}
        assert told == {
            "call_009_0": NO_HOOK,  # still running
            "call_010_0": FAILED,  # asks about a command that is not there
            "call_011_0": reason.UNSUPPORTED_TOOL,
            "call_014_0": reason.UNSUPPORTED_TOOL,
            "call_023_0": FAILED,  # the MCP tool's error
        }

    def test_a_program_reads_what_its_calls_give(self) -> None:
        [one] = results(read_lines, "codex/rollout.code_mode.jsonl")
        assert (one.tool, one.reason) == ("exec", reason.HOST_CANNOT_REPLACE)
        assert one.texts[0].startswith("Script completed")

    def test_the_session_is_told_by_its_first_line(self) -> None:
        one = results(read_lines, "codex/rollout.jsonl")[0]
        assert one.session == "01a22a52-bf7e-7b30-b676-0ba35c3e15ba"
        assert one.payload["cwd"] == "/home/user/project"
        assert one.payload["model"] == "gpt-5.5"


class TestCommands:
    def test_the_text_after_the_header_is_the_output(self) -> None:
        one = only(shell(), output(HEADER + "out\n"))
        assert (one.tool, one.command, one.reason, one.texts) == ("Bash", "make", "", (HEADER + "out\n",))
        assert one.payload["tool_response"] == "out\n"
        assert one.payload["completed_item"] == {"exit_code": b"3", "aggregated_output": "out\n"}

    def test_an_output_that_quotes_a_header_stays_whole(self) -> None:
        assert only(shell(), output(HEADER + HEADER)).payload["tool_response"] == HEADER

    @pytest.mark.parametrize(
        ("name", "arguments", "command"),
        [
            ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
            ("shell", {"command": ["ls", "-l"]}, "ls -l"),
            ("shell_command", {"command": "ls"}, "ls"),
            ("container.exec", {"cmd": "ls"}, "ls"),
            ("shell", {"command": [1]}, ""),
            ("shell", ["ls"], ""),
        ],
    )
    def test_older_names_of_the_shell_tool(self, name: str, arguments: object, command: str) -> None:
        one = only(line("function_call", name=name, call_id="call_1", arguments=json.dumps(arguments)), output(HEADER))
        assert (one.tool, one.command) == ("Bash", command)

    def test_arguments_that_are_no_json_cost_only_the_command(self) -> None:
        one = only(line("function_call", name="shell", call_id="call_1", arguments="{"), output(HEADER + "x"))
        assert (one.tool, one.command, one.reason) == ("Bash", "", "")

    def test_a_local_shell_call(self) -> None:
        action = {"type": "exec", "command": ["bash", "-lc", "make"]}
        one = only(line("local_shell_call", call_id="call_1", action=action), output(HEADER + "x"))
        assert (one.tool, one.command) == ("Bash", "make")

    @pytest.mark.parametrize(
        "old",
        [
            json.dumps({"output": "out\n", "metadata": {"exit_code": 3, "duration_seconds": 0.1}}),
            "Exit code: 3\nWall time: 1 seconds\nTotal output lines: 1\nOutput:\nout\n",
            {"content": "Exit code: 3\nWall time: 1 seconds\nOutput:\nout\n", "success": False},
        ],
    )
    def test_older_forms_of_the_output(self, old: object) -> None:
        one = only(shell(), output(old))
        assert one.payload["tool_response"] == "out\n"
        assert one.payload["completed_item"]["exit_code"] == b"3"  # type: ignore[index]

    def test_records_without_an_envelope(self) -> None:
        one = only(shell()["payload"], {**output(HEADER + "x")["payload"], "timestamp": "2025-06-01T00:00:00Z"})
        assert (one.tool, one.payload["tool_response"], one.when_ms) == ("Bash", "x", 1_748_736_000_000)

    @pytest.mark.parametrize("text", ["exec_command failed: no such folder", '{"output": 1', '{"output":"x"}'])
    def test_a_call_that_never_ran_has_no_header(self, text: str) -> None:
        assert only(shell(), output(text)).reason == FAILED

    def test_without_an_exit_status_the_result_stays(self) -> None:
        one = only(shell(), output("Wall time: 1 seconds\nOutput:\n" + DOCUMENT))
        assert [line[1] for line in decide(codex, one.payload)] == [reason.EXIT_STATUS_UNKNOWN]

    def test_a_poll_is_about_the_command_that_runs(self) -> None:
        running = "Wall time: 0.3 seconds\nProcess running with session ID 77\nOutput:\na"
        poll = line("function_call", name="write_stdin", call_id="call_2", arguments='{"session_id":77,"chars":""}')
        first, last = read(read_lines, shell("slow"), output(running), poll, output(HEADER + "b", "call_2"))
        assert first.reason == NO_HOOK
        assert (last.call_id, last.command, last.payload["tool_response"]) == ("call_1", "slow", "b")
        assert first.identity != last.identity

    def test_a_text_that_a_hook_put_in_place_is_told_by_the_event(self) -> None:
        event = completed("CommandExecution", aggregated_output=DOCUMENT, exit_code=0)
        head = "Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"
        assert only(shell(), event, output(head + SMALLER)).reason == REPLACED
        assert only(shell(), event, output(head + DOCUMENT)).reason == ""
        # Codex itself shortens it, too, and says so.
        cut = "Warning: truncated output (original token count: 500)\nTotal output lines: 9\n\n["
        assert only(shell(), event, output(HEADER + cut)).reason == ""
        assert only(shell(), event, output(head + cut)).reason == ""


class TestTools:
    def test_the_event_holds_what_the_hook_is_given(self) -> None:
        given = {"content": [], "structuredContent": {"price": 1.50, "big": 18446744073709551615}}
        event = json.dumps(served(given)).replace("1.5,", "1.50,").encode() + b"\n"
        body = '{"price":1.50,"big":18446744073709551615}'
        one = only(tool(), event, output(f"Wall time: 0.1 seconds\nOutput:\n{body}"))
        assert (one.tool, one.reason) == ("mcp__t__x", "")
        [(field, _, size, _)] = decide(codex, one.payload)
        assert (field, size) == ("structuredContent", len(body))

    def test_a_tool_that_runs_commands_is_judged_by_them(self) -> None:
        call = tool("run")
        call["payload"]["arguments"] = '{"command":"cat x.json"}'
        one = only(call, served(content(DOCUMENT)), output(blocks(DOCUMENT)))
        assert decide(codex, one.payload)[0][1] == reason.FILE_VIEW

    def test_blocks_of_text(self) -> None:
        one = only(tool(), served(content("a", "b")), output(blocks("a", "b")))
        assert one.payload["tool_response"] == content("a", "b")
        assert one.texts[1:] == ("a", "b")

    def test_the_tool_is_named_by_the_event_of_older_versions(self) -> None:
        old = line("function_call", name="t__x", call_id="call_1", arguments="{}")
        assert only(old, served(content("a")), output(blocks("a"))).tool == "mcp__t__x"

    def test_without_an_event_the_texts_are_those_that_the_model_read(self) -> None:
        assert only(tool(), output(blocks("a", "b"))).payload["tool_response"] == content("a", "b")
        text = only(tool(), output("Wall time: 0.1 seconds\nOutput:\na"))
        assert (text.payload["tool_response"], text.reason) == (content("a"), "")
        assert only(tool(), output("tool call error: timed out")).reason == FAILED

    def test_an_error_is_shown_to_no_hook(self) -> None:
        assert only(tool(), served({**content("a"), "isError": True}), output(blocks("a"))).reason == FAILED
        assert only(tool(), served(content("a"), status="failed"), output(blocks("a"))).reason == FAILED

    def test_what_was_cut_cannot_be_judged(self) -> None:
        cut = output(blocks("[\n 1 …32732 tokens truncated… 2]"))
        assert only(tool(), served(content('{"content":[')), cut).reason == reason.CUT_BY_HOST

    def test_an_event_that_codex_shortened_gives_way_to_what_the_model_read(self) -> None:
        one = only(tool(), served(content('{"content":[{"te')), output(blocks(DOCUMENT)))
        assert one.payload["tool_response"] == content(DOCUMENT)

    def test_a_text_that_a_hook_put_in_place(self) -> None:
        head = "Wall time: 0.1 seconds\nOutput:\n"
        assert only(tool(), served(content(DOCUMENT)), output(head + SMALLER)).reason == REPLACED
        structured = {"content": [], "structuredContent": {"a": DOCUMENT}}
        assert only(tool(), served(structured), output(head + '{"a":"[]"}')).reason == REPLACED

    def test_an_event_with_bytes_that_are_no_text_is_read_all_the_same(self) -> None:
        event = json.dumps(served({"content": [], "structuredContent": {"a": "?"}})).encode().replace(b"?", b"\xff")
        one = only(tool(), event + b"\n", output('Wall time: 0.1 seconds\nOutput:\n{"a":"\ufffd"}'))
        assert one.reason == ""

    def test_a_program_may_wait(self) -> None:
        wait = line("function_call", name="wait", call_id="call_1", arguments="{}")
        assert only(wait, output("Script running")).reason == reason.HOST_CANNOT_REPLACE

    def test_other_tools_are_left_alone(self) -> None:
        patch = line("custom_tool_call", name="apply_patch", call_id="call_1", input="*** Begin Patch")
        assert only(patch, output("Success.", kind="custom_tool_call_output")).reason == reason.UNSUPPORTED_TOOL


class TestOddRecords:
    def test_a_result_without_its_call_is_not_lost(self) -> None:
        one = only(output(HEADER + "x"))
        assert (one.tool, one.reason) == ("", reason.UNSUPPORTED_TOOL)

    def test_other_events_say_nothing(self) -> None:
        assert read(read_lines, completed("FileChange"), {"type": "event_msg", "payload": {"type": "x_call"}}) == []

    def test_broken_lines_are_counted(self) -> None:
        reading = Reading()
        read(read_lines, b'{"type":"function_call"\n', b'"x_call_output"', reading=reading)
        assert (reading.broken, reading.unfinished) == (1, 1)

    def test_calls_that_never_get_a_result_do_not_fill_the_memory(self) -> None:
        many = [shell(call_id=f"call_{number}") for number in range(MAX_OPEN_CALLS + 1)]
        assert only(*many, output(HEADER, "call_0")).tool == ""
        assert only(*many, output(HEADER, "call_1")).tool == "Bash"
