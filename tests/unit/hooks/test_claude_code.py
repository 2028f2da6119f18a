"""Claude Code: recorded payloads in, the reply that the client accepts out (clients 2.1.121 to 2.1.332)."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from unpretty.engine import reason
from unpretty.engine.json_text.scanner import loads
from unpretty.settings.defaults import Settings
from unpretty_hooks import claude_code, serving
from unpretty_hooks.call import Call

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"
ROWS = [{"id": n, "name": f"user {n}", "ratio": 1.50} for n in range(40)]
PRETTY = json.dumps(ROWS, indent=2)
COMPACT = json.dumps(ROWS, separators=(",", ":"))


def recorded(name: str) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))
    return payload


def bash(stdout: str, command: str = "gh api x", **more: object) -> dict[str, Any]:
    payload = recorded("PostToolUse-Bash")
    payload["tool_input"]["command"] = command
    payload["tool_response"] |= {"stdout": stdout, **more}
    return payload


def mcp(response: object, tool: str = "mcp__t__text") -> dict[str, Any]:
    return recorded("PostToolUse-mcp__t__text") | {"tool_name": tool, "tool_response": response}


def serve(payload: dict[str, Any], **settings: object) -> tuple[Any, Call]:
    """The replaced tool_response (None: nothing printed) and the call with its decisions."""
    as_read = loads(json.dumps(payload))
    assert isinstance(as_read, dict)
    chosen = Settings(settings)
    call = claude_code.read(as_read, chosen)
    serving.decide(call, chosen)
    reply = claude_code.reply(as_read, call) if call.changed() else ""
    if not reply:
        return None, call
    answer = json.loads(reply)
    assert list(answer) == ["hookSpecificOutput"]
    assert answer["hookSpecificOutput"].pop("hookEventName") == "PostToolUse"
    assert list(answer["hookSpecificOutput"]) == ["updatedToolOutput"]
    return answer["hookSpecificOutput"]["updatedToolOutput"], call


def reasons(call: Call) -> list[str]:
    return [field.compaction.decision.reason for field in call.fields if field.compaction] or [call.reason]


def test_bash_gets_its_whole_response_back_with_only_stdout_changed() -> None:
    payload = bash(PRETTY)
    replaced, call = serve(payload)
    assert replaced == {**payload["tool_response"], "stdout": COMPACT}
    assert list(replaced) == list(payload["tool_response"])
    assert (call.session, call.tool_use_id, call.project) == (
        payload["session_id"],
        "toolu_fake00100",
        "/home/user/project",
    )


@pytest.mark.parametrize(
    "more",
    [
        {"backgroundTaskId": "b1"},
        {"backgroundTaskId": "b1", "timedOutAfterMs": 1000},
        {"interrupted": True},
        {"returnCodeInterpretation": "No matches found"},
        {"future": {"nested": [1.50, None, True, "é\n"]}},
    ],
    ids=["background", "timed out", "interrupted", "exit status explained", "unknown keys"],
)
def test_extra_keys_survive(more: dict[str, object]) -> None:
    payload = bash(PRETTY, **more)
    replaced, _ = serve(payload)
    assert replaced == {**payload["tool_response"], "stdout": COMPACT}


def test_numbers_of_the_response_are_spelled_as_they_came() -> None:
    as_read = loads(json.dumps(bash(PRETTY)).replace('"interrupted"', '"extra": 1.50, "big": 1e5, "interrupted"'))
    assert isinstance(as_read, dict)
    call = claude_code.read(as_read, Settings())
    serving.decide(call, Settings())
    assert '"extra":1.50,"big":1e5,' in claude_code.reply(as_read, call)


def test_an_envelope_whose_stdout_holds_pretty_json_is_converted_inside() -> None:
    envelope = json.dumps({"ok": True, "stdout": PRETTY + "\n"})
    replaced, call = serve(bash(envelope))
    assert json.loads(replaced["stdout"]) == {"ok": True, "stdout": COMPACT + "\n"}
    assert call.fields[0].compaction is not None
    assert "nested" in call.fields[0].compaction.decision.steps


def test_an_mcp_string_stays_a_string() -> None:
    structured = json.dumps({"result": PRETTY}, separators=(",", ":"))
    replaced, _ = serve(mcp(structured))
    assert isinstance(replaced, str)
    assert json.loads(replaced) == {"result": COMPACT}


def test_an_mcp_list_keeps_every_other_block_as_it_is() -> None:
    image = recorded("PostToolUse-mcp__t__image")["tool_response"][1]
    blocks = [{"type": "text", "text": PRETTY, "annotations": {"p": 0.5}}, image, {"type": "text", "text": "second"}]
    replaced, call = serve(mcp(blocks))
    assert replaced == [{**blocks[0], "text": COMPACT}, image, blocks[2]]
    assert [field.name for field in call.fields] == ["[0].text", "[2].text"]
    assert reasons(call) == [reason.CONVERTED, reason.TOO_SMALL]


def test_a_resource_keeps_the_clients_frame() -> None:
    frame = "[Resource from t at x://1] "
    replaced, _ = serve(mcp([{"type": "text", "text": frame + PRETTY}]))
    assert replaced == [{"type": "text", "text": frame + COMPACT}]


def test_grep_content_is_the_field_that_counts() -> None:
    payload = recorded("PostToolUse-Grep")
    payload["tool_response"]["content"] = "\n".join(
        f"src/some/long/path/module.py:{n}:  value = {n}" for n in range(60)
    )
    replaced, call = serve(payload)
    assert reasons(call) == [reason.CONVERTED]
    assert {**replaced, "content": ""} == {**payload["tool_response"], "content": ""}
    _, call = serve(payload, fold_paths=False)
    assert reasons(call) == [reason.NO_PATHS]


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (recorded("PostToolUse-Read"), reason.FILE_VIEW),
        (recorded("PostToolUse-Edit"), reason.UNSUPPORTED_TOOL),
        (recorded("PostToolUse-Write"), reason.UNSUPPORTED_TOOL),
        (recorded("PostToolUse-Glob"), reason.UNSUPPORTED_TOOL),
        (recorded("PostToolUse-Grep.files"), reason.UNSUPPORTED_TOOL),
        (recorded("PostToolUse-WebFetch"), reason.UNSUPPORTED_TOOL),
        (recorded("PostToolUse-Agent"), reason.UNSUPPORTED_TOOL),
        (recorded("PostToolUseFailure-Bash"), reason.UNSUPPORTED_TOOL),
        (recorded("PostToolBatch"), reason.BAD_PAYLOAD),
        ({}, reason.BAD_PAYLOAD),
        (bash(PRETTY, "cat rows.json"), reason.FILE_VIEW),
        (bash(PRETTY, "UNPRETTY_RAW=1 gh api x"), reason.BYPASSED),
        (bash(PRETTY, isImage=True), reason.UNSUPPORTED_TOOL),
        (bash("plain text " * 100), reason.NOT_JSON),
        (recorded("PostToolUse-Bash.no-output"), reason.TOO_SMALL),
        (recorded("PostToolUse-Bash.over30k"), reason.CUT_BY_HOST),
        (recorded("PostToolUse-mcp__t__big.oversize"), reason.CUT_BY_HOST),
        (mcp(PRETTY, "mcp__fs__read_file"), reason.FILE_VIEW),
        (mcp(None), reason.UNSUPPORTED_TOOL),
        (mcp([]), reason.UNSUPPORTED_TOOL),
        (mcp(["text", 1, {"type": "image"}, {"type": "text", "text": 1}]), reason.UNSUPPORTED_TOOL),
        (mcp({"content": [{"type": "text", "text": PRETTY}]}), reason.UNSUPPORTED_TOOL),
        (bash(PRETTY) | {"tool_response": PRETTY}, reason.UNSUPPORTED_TOOL),
        (bash(PRETTY) | {"tool_name": "NewTool"}, reason.UNSUPPORTED_TOOL),
    ],
)
def test_everything_else_is_left_alone_with_a_reason(payload: dict[str, Any], why: str) -> None:
    replaced, call = serve(payload)
    assert replaced is None
    assert reasons(call) == [why]


def test_settings_and_environment_switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reasons(serve(bash(PRETTY), enabled=False)[1]) == [reason.DISABLED]
    for settings in ({"exclude_tools": ["Ba*"]}, {"exclude_commands": ["gh *"]}, {"exclude_projects": ["/home/user"]}):
        replaced, call = serve(bash(PRETTY), **settings)
        assert replaced is None
        assert reasons(call) == [reason.EXCLUDED]
    assert reasons(serve(bash(PRETTY), exclude_tools=["Edit"], exclude_commands=["x"])[1]) == [reason.CONVERTED]
    monkeypatch.setenv("UNPRETTY", "off")
    assert reasons(serve(bash(PRETTY))[1]) == [reason.DISABLED]


def test_terminal_noise_goes_before_documents_are_looked_for() -> None:
    replaced, call = serve(bash("\x1b[32mok\x1b[0m\n" + PRETTY))
    assert replaced["stdout"] == "ok\n" + COMPACT
    _, call = serve(bash("\x1b[32mok\x1b[0m\n" + PRETTY), terminal_noise=False)
    assert call.fields[0].compaction is not None
    assert "noise" not in call.fields[0].compaction.decision.steps


def test_a_lone_surrogate_in_the_text_keeps_the_original() -> None:
    """The client would put a replacement character in its place."""
    replaced, call = serve(bash('{ "a": "\ud800" }\n' + PRETTY))
    assert replaced is None
    assert reasons(call) == [reason.NOT_VERIFIED]


class TestLimits:
    """What the client shows inline: 30,000 characters of Bash, 50,000 of an MCP tool."""

    def test_widened_bash_output_must_fit_when_it_is_compact(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = [{"id": n, "name": f"user {n}", "ratio": 1.50} for n in range(1200)]
        payload = bash(json.dumps(rows, indent=2))
        assert len(payload["tool_response"]["stdout"]) > claude_code.SHELL_CHARS
        assert reasons(serve(payload)[1]) == [reason.CONVERTED]
        monkeypatch.setenv("BASH_MAX_OUTPUT_LENGTH", "150000")
        assert reasons(serve(payload)[1]) == [reason.OVER_HOST_LIMIT]
        assert reasons(serve(bash(json.dumps(rows[:500], indent=2)))[1]) == [reason.CONVERTED]

    def test_mcp_text_over_the_limit_is_left_alone(self) -> None:
        rows = [{"id": n, "text": "x" * 50} for n in range(1000)]
        assert reasons(serve(mcp(json.dumps(rows, indent=2)))[1]) == [reason.OVER_HOST_LIMIT]
        half = {"type": "text", "text": json.dumps(rows[:500], indent=2)}
        replaced, call = serve(mcp([half, half]))
        assert replaced is None
        assert reasons(call) == [reason.OVER_HOST_LIMIT] * 2
        assert reasons(serve(mcp([half]))[1]) == [reason.CONVERTED]

    def test_what_the_model_would_have_read_as_a_preview_saves_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BASH_MAX_OUTPUT_LENGTH", "150000")
        rows = json.dumps([{"id": n, "tag": "a"} for n in range(1000)], indent=2)
        assert claude_code.MCP_CHARS > len(rows) > claude_code.SHELL_CHARS
        for payload in (bash(rows), mcp([{"type": "text", "text": rows}] * 2)):
            replaced, call = serve(payload)
            assert replaced is not None
            assert reasons(call) == [reason.CONVERTED] * len(call.fields)
            decisions = [field.compaction.decision for field in call.fields if field.compaction]
            assert [(d.bytes_in, d.chars_in) for d in decisions] == [(d.bytes_out, d.chars_out) for d in decisions]
        _, call = serve(mcp([{"type": "text", "text": rows}]))
        assert call.fields[0].compaction is not None
        assert call.fields[0].compaction.decision.bytes_in == len(rows)


class TestPersistedOutput:
    """Output over the inline limit arrives truncated, and all of it is in a file of the client's."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "tool-results"
        folder.mkdir()
        return folder

    def payload(self, path: Path, rows: int = 500) -> tuple[dict[str, Any], str]:
        data = [{"id": n, "name": f"user {n}", "tags": ["a"]} for n in range(rows)]
        whole = json.dumps(data, indent=2)
        path.write_text(whole + "\n", "utf-8")
        payload = bash(whole[:30_000], persistedOutputPath=str(path), persistedOutputSize=len(whole))
        return payload, json.dumps(data, separators=(",", ":"))

    def test_by_default_it_is_skipped(self, folder: Path) -> None:
        payload, _ = self.payload(folder / "x.txt")
        assert reasons(serve(payload)[1]) == [reason.CUT_BY_HOST]

    def test_with_the_setting_the_whole_takes_the_place_of_the_preview(self, folder: Path) -> None:
        payload, smaller = self.payload(folder / "x.txt")
        replaced, call = serve(payload, inline_persisted=True)
        expected = copy.deepcopy(payload["tool_response"]) | {"stdout": smaller}
        del expected["persistedOutputPath"], expected["persistedOutputSize"]
        assert replaced == expected
        decision = call.fields[0].compaction.decision  # type: ignore[union-attr]
        assert decision.bytes_in == decision.bytes_out == len(smaller)

    def test_what_would_not_fit_stays(self, folder: Path) -> None:
        payload, _ = self.payload(folder / "x.txt", 2000)
        assert reasons(serve(payload, inline_persisted=True)[1]) == [reason.OVER_HOST_LIMIT]

    def test_only_a_readable_file_of_the_client_is_read(self, folder: Path, tmp_path: Path) -> None:
        payload, _ = self.payload(tmp_path / "elsewhere.txt")
        assert reasons(serve(payload, inline_persisted=True)[1]) == [reason.CUT_BY_HOST]
        payload, _ = self.payload(folder / "x.txt")
        link = folder / "link.txt"
        link.symlink_to(folder / "x.txt")
        for path in (link, folder, folder / "missing.txt"):
            payload["tool_response"]["persistedOutputPath"] = str(path)
            assert reasons(serve(payload, inline_persisted=True)[1]) == [reason.CUT_BY_HOST]
        (folder / "binary.txt").write_bytes(b"\xff\xfe{}")
        payload["tool_response"]["persistedOutputPath"] = str(folder / "binary.txt")
        assert reasons(serve(payload, inline_persisted=True)[1]) == [reason.CUT_BY_HOST]

    def test_a_file_over_the_size_limit_is_not_read(self, folder: Path) -> None:
        payload, _ = self.payload(folder / "x.txt")
        assert reasons(serve(payload, inline_persisted=True, max_input_bytes=30_000)[1]) == [reason.CUT_BY_HOST]

    def test_an_mcp_result_over_the_token_limit_is_read_from_its_file(self, folder: Path) -> None:
        _, smaller = self.payload(folder / "mcp-t-big-1.txt")
        notice = recorded("PostToolUse-mcp__t__big.oversize")["tool_response"]
        old = notice.split("saved to ")[1].split(".txt")[0] + ".txt"
        response = notice.replace(old, str(folder / "mcp-t-big-1.txt"))
        replaced, _ = serve(mcp(response), inline_persisted=True)
        assert replaced == smaller
        assert serve(mcp(response))[0] is None


@pytest.mark.parametrize("blocks", [False, True], ids=["string", "blocks"])
def test_an_mcp_tool_that_runs_commands_is_judged_by_the_command(blocks: bool) -> None:
    payload = mcp([{"type": "text", "text": PRETTY}] if blocks else PRETTY, tool="mcp__desktop__start_process")
    for command, why in {
        "cat rows.json": reason.FILE_VIEW,
        "UNPRETTY_RAW=1 gh api x": reason.BYPASSED,
        "gh api x": reason.CONVERTED,
    }.items():
        _, call = serve(payload | {"tool_input": {"command": command}})
        assert [field.compaction and field.compaction.decision.reason for field in call.fields] == [why]


class TestModel:
    def test_the_last_assistant_message_of_the_transcript_names_it(self, tmp_path: Path) -> None:
        transcript = tmp_path / "t.jsonl"
        lines = [
            '{"type":"assistant","message":{"model":"claude-old-1"}}',
            "x" * 100_000,
            '{"type":"assistant","message":{"model":"claude-opus-5-5","content":[{"input":{"model":"haiku"}}]}}',
            '{"type":"user","toolUseResult":{"model":"of an assistant","type":"assistant"}}',
        ]
        transcript.write_text("\n".join(lines) + "\n{half a li", "utf-8")
        assert claude_code.model({"transcript_path": str(transcript)}) == "claude-opus-5-5"

    def test_it_is_unknown_without_a_transcript_and_in_subagents(self, tmp_path: Path) -> None:
        transcript = tmp_path / "t.jsonl"
        transcript.write_text('{"type":"assistant","message":{"model":"m"}}', "utf-8")
        for payload in (
            {},
            {"transcript_path": str(tmp_path / "missing")},
            {"transcript_path": str(tmp_path)},
            {"transcript_path": "\0"},
            {"transcript_path": str(transcript), "agent_id": "a1"},
        ):
            assert claude_code.model(payload) == ""
        transcript.write_text("{}", "utf-8")
        assert claude_code.model({"transcript_path": str(transcript)}) == ""


def test_the_clients_version_is_read_from_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert serve(bash(PRETTY))[1].agent_version == ""
    monkeypatch.setenv("AI_AGENT", "claude-code_2-1-332_cli")
    assert serve(bash(PRETTY))[1].agent_version == "2.1.332"
    monkeypatch.setenv("AI_AGENT", "other_1-2")
    assert serve(bash(PRETTY))[1].agent_version == ""
