"""Codex: which results are replaced, by what, and what stays because Codex would lose or ignore it."""

import json
from pathlib import Path
from typing import Any

import pytest

from unpretty.engine import reason, system
from unpretty.engine.compaction import Decision
from unpretty.engine.json_text.scanner import loads
from unpretty.settings.defaults import Settings
from unpretty_hooks import codex, serving
from unpretty_hooks.call import Call

FIXTURES = Path(__file__).parents[2] / "fixtures" / "codex"
ROWS = [{"id": number, "name": f"row {number}"} for number in range(60)]
PRETTY = json.dumps(ROWS, indent=2)
COMPACT = json.dumps(ROWS, separators=(",", ":"))


def recorded(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FIXTURES / f"post_tool_use.{name}.stdin.json").read_text())
    return value


def answer(payload: dict[str, Any], **settings: object) -> tuple[dict[str, Any] | None, Call]:
    """What the hook answers to ``payload`` and the call as it is then logged."""
    asked = loads(json.dumps(payload))
    assert isinstance(asked, dict)
    wanted = Settings(settings)
    call = codex.read(asked, wanted)
    serving.decide(call, wanted)
    said = codex.reply(asked, call) if call.changed() else ""
    return (json.loads(said) if said else None), call


def decision(call: Call) -> Decision:
    [field] = call.fields
    assert field.compaction is not None
    return field.compaction.decision


def completed(call_id: str, **item: object) -> str:
    """A line of a rollout: the item of one call that ended."""
    whole = {"id": call_id, "duration": {"secs": 1, "nanos": 59243411}, **item}
    return json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": whole}})


META = json.dumps({"type": "session_meta", "payload": {"cli_version": "0.171.0"}}, separators=(",", ":"))


@pytest.fixture
def rollout(tmp_path: Path) -> Any:
    """Write the lines of a rollout after its first one and return its path."""

    def write(*lines: str, end: str = "\n") -> str:
        path = tmp_path / "rollout.jsonl"
        path.write_text("\n".join([META, *lines]) + end)
        return str(path)

    return write


def shell(output: str, transcript: str | None, **more: object) -> dict[str, Any]:
    return {
        **recorded("shell.direct"), "tool_use_id": "call_1", "tool_response": output, "transcript_path": transcript,
        "tool_input": {"command": "curl localhost"}, **more,
    }  # fmt: skip


def mcp(response: object, transcript: str | None = None) -> dict[str, Any]:
    payload = {**recorded("mcp_both.direct"), "tool_use_id": "call_1", "tool_response": response}
    return {**payload, "transcript_path": transcript}


class TestShell:
    """Direct calls of the shell."""

    @pytest.mark.parametrize("code", [0, 3, 137])
    def test_the_header_that_a_replacement_drops_is_put_back(self, rollout: Any, code: int) -> None:
        path = rollout(completed("call_1", type="CommandExecution", exit_code=code, aggregated_output=PRETTY))
        said, call = answer(shell(PRETTY, path))
        assert said == {
            "continue": False,
            "stopReason": "unpretty: 2.6 kB -> 1.5 kB",
            "reason": f"Wall time: 1.0592 seconds\nProcess exited with code {code}\nOutput:\n{COMPACT}",
        }
        assert (call.agent, call.agent_version, call.tool, call.model) == ("codex", "0.171.0", "Bash", "gpt-5.1-codex")
        assert decision(call).reason == reason.CONVERTED

    def test_the_last_part_of_a_polled_output_gets_no_wall_time(self, rollout: Any) -> None:
        """The one on record is the command's, the model would have read the poll's."""
        path = rollout(completed("call_1", type="CommandExecution", exit_code=0, aggregated_output="first\n" + PRETTY))
        said, _ = answer(shell(PRETTY, path))
        assert said is not None
        assert said["reason"] == f"Process exited with code 0\nOutput:\n{COMPACT}"

    @pytest.mark.parametrize(
        "lines",
        [
            [],
            [completed("call_2", exit_code=0)],
            [completed("call_1", type="CommandExecution", exit_code=None, aggregated_output=PRETTY)],
            [completed("call_1", type="CommandExecution", aggregated_output=PRETTY)],
            [json.dumps({"type": "response_item", "payload": {"type": "function_call", "call_id": "call_1"}})],
            [json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": "call_1"}})],
            [json.dumps(["item_completed", "call_1"])],
            ['{"type":"item_completed","item":{"id":"call_1"'],
        ],
    )
    def test_a_result_whose_exit_status_is_not_on_record_stays(self, rollout: Any, lines: list[str]) -> None:
        said, call = answer(shell(PRETTY, rollout(*lines)))
        assert said is None
        assert decision(call).reason == reason.EXIT_STATUS_UNKNOWN

    @pytest.mark.parametrize("transcript", [None, "", "{absent}", "bad\0path"])
    def test_without_a_rollout_the_result_stays(self, transcript: str | None, absent: str) -> None:
        said, call = answer(shell(PRETTY, transcript and transcript.replace("{absent}", absent)))
        assert said is None
        assert decision(call).reason == reason.EXIT_STATUS_UNKNOWN
        assert call.agent_version == ""

    def test_a_call_without_an_id_is_not_looked_for(self, rollout: Any) -> None:
        path = rollout(completed("", type="CommandExecution", exit_code=0))
        said, call = answer(shell(PRETTY, path, tool_use_id=""))
        assert said is None
        assert decision(call).reason == reason.EXIT_STATUS_UNKNOWN

    def test_the_record_is_found_behind_megabytes_of_other_calls(self, rollout: Any) -> None:
        ours = completed("call_1", type="CommandExecution", exit_code=5, aggregated_output=PRETTY)
        # Its output even names our call.
        other = completed(
            "call_2", type="CommandExecution", exit_code=0, aggregated_output="item_completed call_1 " * 50_000
        )
        said, _ = answer(shell(PRETTY, rollout(ours, other)))
        assert said is not None
        assert "Process exited with code 5\n" in said["reason"]

    def test_the_record_is_found_when_the_last_line_is_half_written(self, rollout: Any) -> None:
        ours = completed("call_1", type="CommandExecution", exit_code=5, aggregated_output=PRETTY)
        said, _ = answer(
            shell(
                PRETTY,
                rollout(ours, '{"type":"event_msg","payload":{"type":"item_completed","item":{"id":"call_1"', end=""),
            )
        )
        assert said is not None

    def test_the_search_ends_at_its_bound(self, rollout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(codex, "_TAILS", (100, 200))
        ours = completed("call_1", type="CommandExecution", exit_code=5, aggregated_output=PRETTY)
        said, call = answer(shell(PRETTY, rollout(ours, "x" * 1000)))
        assert said is None
        assert decision(call).reason == reason.EXIT_STATUS_UNKNOWN

    def test_a_rollout_that_cannot_be_read_is_none(self, rollout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(handle: int, limit: int) -> bytes:
            raise OSError("disk")

        path = rollout(completed("call_1", type="CommandExecution", exit_code=0))
        monkeypatch.setattr(system, "read_to_end", fail)
        assert answer(shell(PRETTY, path))[0] is None

    @pytest.mark.parametrize(("room", "why"), [(9_990, reason.OVER_HOST_LIMIT), (9_600, reason.CONVERTED)])
    def test_a_replacement_that_codex_would_cut_is_not_offered(self, rollout: Any, room: int, why: str) -> None:
        """10,000 bytes with the header; the rest of it is one string here."""
        text = json.dumps({"a": "é" * ((room - 8) // 2)}, indent=40, ensure_ascii=False)
        path = rollout(completed("call_1", type="CommandExecution", exit_code=0, aggregated_output=text))
        said, call = answer(shell(text, path), min_gain_percent=0)
        assert decision(call).reason == why
        assert said is None or len(said["reason"].encode()) <= 10_000

    def test_a_text_that_grew_over_the_limit_since_it_was_decided_is_not_offered(self, rollout: Any) -> None:
        """The line that names another encoding is put before it."""
        asked = loads(json.dumps(shell(PRETTY, rollout(completed("call_1", exit_code=0, aggregated_output=PRETTY)))))
        assert isinstance(asked, dict)
        call = codex.read(asked, Settings())
        serving.decide(call, Settings())
        [field] = call.fields
        assert field.compaction is not None
        field.compaction.text += " " * 9_000
        assert codex.reply(asked, call) == ""
        assert decision(call).reason == reason.OVER_HOST_LIMIT

    @pytest.mark.parametrize(
        "output",
        [
            "Warning: truncated output (original token count: 48946)\nTotal output lines: 1\n\n" + PRETTY,
            PRETTY + "\n... 1951424 bytes omitted ...\n" + PRETTY,
        ],
    )
    def test_what_codex_has_cut_stays_as_it_is(self, output: str) -> None:
        said, call = answer(shell(output, None))
        assert said is None
        assert decision(call).reason == reason.CUT_BY_HOST

    def test_output_that_gains_nothing_stays(self) -> None:
        said, call = answer(shell("plain text\n" * 100, None))
        assert said is None
        assert decision(call).reason == reason.NOT_JSON


class TestCodeMode:
    """There Codex ignores the answer, so there is none."""

    @pytest.mark.parametrize("name", ["shell.code_mode", "mcp_both.code_mode", "mcp_content_only.code_mode"])
    def test_nothing_is_answered_and_the_log_says_why(self, name: str) -> None:
        said, call = answer({**recorded(name), "transcript_path": None}, min_bytes=0)
        assert said is None
        assert decision(call).reason == reason.HOST_CANNOT_REPLACE
        assert decision(call).bytes_in > 0


class TestMcp:
    """Direct calls of MCP tools: what the model would have read is what has to become smaller."""

    def test_the_text_is_minified_behind_the_header(self, rollout: Any) -> None:
        path = rollout(completed("call_1", type="McpToolCall"))
        said, call = answer(mcp({"content": [{"type": "text", "text": PRETTY}]}, path))
        assert said is not None
        assert said["reason"] == f"Wall time: 1.0592 seconds\nOutput:\n{COMPACT}"
        assert call.fields[0].name == "content"

    def test_without_a_record_only_the_time_is_missing(self) -> None:
        said, _ = answer(mcp({"content": [{"type": "text", "text": PRETTY}]}))
        assert said is not None
        assert said["reason"] == f"Output:\n{COMPACT}"

    def test_several_texts_stand_below_one_another(self) -> None:
        said, _ = answer(mcp({"content": [{"type": "text", "text": PRETTY}, {"type": "text", "text": "second"}]}))
        assert said is not None
        assert said["reason"] == f"Output:\n{COMPACT}\nsecond"

    def test_structured_content_is_what_the_model_reads_and_is_compact_already(self) -> None:
        response = {"content": [{"type": "text", "text": PRETTY}], "structuredContent": {"rows": ROWS, "é": 1.50}}
        said, call = answer(mcp(response))
        assert said is None
        assert decision(call).reason == reason.ALREADY_COMPACT
        assert call.fields[0].text == json.dumps(
            response["structuredContent"], separators=(",", ":"), ensure_ascii=False
        )

    def test_a_document_in_a_string_of_structured_content_is_minified(self) -> None:
        said, call = answer(mcp({"content": [], "structuredContent": {"stdout": PRETTY, "exit": 0}}))
        assert said is not None
        assert json.loads(said["reason"].removeprefix("Output:\n")) == {"stdout": COMPACT, "exit": 0}
        assert call.fields[0].name == "structuredContent"

    def test_structured_content_that_is_null_does_not_count(self) -> None:
        said, _ = answer(mcp({"content": [{"type": "text", "text": PRETTY}], "structuredContent": None}))
        assert said is not None

    @pytest.mark.parametrize(
        "response",
        [
            {"content": [{"type": "text", "text": PRETTY}, {"type": "image", "data": "", "mimeType": "image/png"}]},
            {"content": [{"type": "text", "text": 1}]},
            {"content": [{"type": "text"}]},
            {"content": [PRETTY]},
            {"content": []},
            {"content": PRETTY},
            {},
            PRETTY,
            None,
        ],
    )
    def test_a_result_that_is_not_all_text_stays(self, response: object) -> None:
        said, call = answer(mcp(response))
        assert said is None
        assert call.reason == reason.UNSUPPORTED_TOOL

    def test_only_what_codex_would_have_shown_of_a_long_result_counts_as_saved(self) -> None:
        said, call = answer(
            mcp({"content": [{"type": "text", "text": '{"a":' + " " * 100_000 + '"' + "x" * 600 + '"}'}]})
        )
        assert said is not None
        assert said["stopReason"] == "unpretty: 48.0 kB -> 0.6 kB"
        assert (decision(call).bytes_in, decision(call).chars_in, decision(call).steps) == (48_000, 48_000, {})
        assert len(call.fields[0].text) == 48_000

    def test_a_tool_that_hands_out_files_is_left_alone(self) -> None:
        payload = mcp({"content": [{"type": "text", "text": PRETTY}]})
        said, call = answer({**payload, "tool_name": "mcp__fs__read_file"})
        assert said is None
        assert decision(call).reason == reason.FILE_VIEW

    @pytest.mark.parametrize("duration", [None, {}, {"secs": 1}, {"secs": "1", "nanos": 2}])
    def test_a_record_without_a_duration_is_no_fault(self, rollout: Any, duration: object) -> None:
        path = rollout(completed("call_1", type="McpToolCall", duration=duration))
        said, _ = answer(mcp({"content": [{"type": "text", "text": PRETTY}]}, path))
        assert said is not None
        assert said["reason"].startswith("Output:\n")


@pytest.mark.parametrize("name", ["apply_patch.direct", "apply_patch.code_mode"])
def test_other_tools_are_never_replaced(name: str) -> None:
    said, call = answer(recorded(name), min_bytes=0)
    assert said is None
    assert call.reason == reason.UNSUPPORTED_TOOL


@pytest.mark.parametrize(
    "name", ["shell.direct", "shell.exit3", "shell.after_write_stdin", "mcp_structured_only.direct"]
)
def test_recorded_payloads_are_understood(name: str) -> None:
    payload = recorded(name)
    _, call = answer(payload)
    assert (call.session, call.tool_use_id, call.project) == (
        payload["session_id"], payload["tool_use_id"], payload["cwd"],
    )  # fmt: skip
    assert decision(call).reason == reason.TOO_SMALL
    assert codex.model(payload) == payload["model"]


def test_a_payload_that_names_no_tool_is_a_bad_one() -> None:
    said, call = answer({})
    assert said is None
    assert call.reason == reason.BAD_PAYLOAD


def test_the_answer_holds_only_keys_that_codex_knows(rollout: Any) -> None:
    """Codex 0.171 drops an answer with any other key, and with it the replacement."""
    path = rollout(completed("call_1", type="CommandExecution", exit_code=0, aggregated_output=PRETTY))
    said, _ = answer(shell(PRETTY, path))
    assert said is not None
    assert set(said) == {"continue", "stopReason", "reason"}


def test_the_version_is_read_off_the_first_line_only(tmp_path: Path) -> None:
    path = tmp_path / "rollout"
    for first, version in [
        ('{"cli_version":"0.171.0"}', "0.171.0"),
        ('{"cli_version":"0.17', ""),
        ('{"cli_version":"' + "9" * 50 + '"}', ""),
        ('{}\n{"cli_version":"1"}', ""),
    ]:
        path.write_text(first + "\n")
        assert codex._client_version(str(path)) == version


def test_an_mcp_tool_that_runs_commands_is_judged_by_the_command() -> None:
    for command, why in {"cat rows.json": reason.FILE_VIEW, "gh api x": reason.CONVERTED}.items():
        payload = mcp({"content": [{"type": "text", "text": PRETTY}]}) | {"tool_input": {"command": command}}
        assert decision(answer(payload)[1]).reason == why
