"""OpenCode's database: what is made of a part is what the plugin hands to the worker."""

import json
from pathlib import Path
from typing import Any

import pytest

from unpretty.engine import reason
from unpretty.transcripts import opencode as records_module
from unpretty.transcripts.opencode import read_results
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import FAILED, ToolResult
from unpretty_hooks import opencode

from .recorded import add_part, add_row, decide, opencode_database, records

ROWS = json.dumps([{"number": n, "value": None} for n in range(1000)], indent=4)
BUILT_IN = {"bash", "grep"}


def part(tool: str = "bash", text: str = "out", call: str = "call_1", **more: Any) -> dict[str, Any]:
    state = {"status": "completed", "input": {"command": "make"}, "output": text, "metadata": {}, "time": {"end": 5}}
    return {"type": "tool", "tool": tool, "callID": call, "state": {**state, **more}}


def found(directory: Path, *parts: object, reading: Reading | None = None) -> list[ToolResult]:
    """The results in a database with these parts; strings are taken as they are."""
    path = directory / "opencode.db"
    with_session = {"id": "ses_1", "directory": "/p", "version": "1.18.33", "model": '{"id":"gpt-5"}'}
    database = opencode_database(path)
    database.execute("DELETE FROM part")
    database.execute("DELETE FROM session")
    [recorded] = records("opencode/sessions.jsonl")
    add_row(database, "session", {**recorded, **with_session})
    for number, one in enumerate(parts):
        text = one if isinstance(one, str) else json.dumps(one, separators=(",", ":"))
        add_part(database, f"prt_{number}", text, updated=number)
    try:
        return list(read_results(path, reading or Reading()))
    finally:
        database.close()


class TestRecordedSession:
    """The same decisions as on the recorded arguments of the hook in the same session."""

    def test_the_worker_decides_the_same(self, tmp_path: Path) -> None:
        opencode_database(tmp_path / "opencode.db").close()
        reading = Reading()
        ours = {one.call_id: one for one in read_results(tmp_path / "opencode.db", reading) if not one.reason}
        hooked = {line["hook_input"]["callID"]: line for line in records("opencode/parts.payloads.jsonl")}
        assert set(ours) == {call for call, line in hooked.items() if self._is_handed_over(line)}
        for call, one in ours.items():
            texts = self._texts(hooked[call]["hook_output"])
            fields = one.payload["fields"]
            assert isinstance(fields, list)
            assert [text for _, text in fields] == ["\n\n".join(texts)]
            asked = {**one.payload, "fields": [[name, text] for (name, _), text in zip(fields, texts[:1], strict=True)]}
            if len(texts) == 1:
                assert decide(opencode, one.payload) == decide(opencode, asked)
        assert (reading.broken, reading.huge) == (0, 0)

    @staticmethod
    def _is_handed_over(line: dict[str, Any]) -> bool:
        return "content" in line["hook_output"] or line["hook_input"]["tool"] in BUILT_IN

    @staticmethod
    def _texts(output: dict[str, Any]) -> list[str]:
        if "content" not in output:
            return [output["output"]]
        texts = [block.get("text") or block.get("resource", {}).get("text") for block in output["content"]]
        return [text for text in texts if text]

    def test_what_no_hook_is_asked_about_says_why(self, tmp_path: Path) -> None:
        opencode_database(tmp_path / "opencode.db").close()
        told = {one.tool: one.reason for one in read_results(tmp_path / "opencode.db", Reading()) if one.reason}
        assert told == {
            "glob": reason.UNSUPPORTED_TOOL,
            "read": reason.UNSUPPORTED_TOOL,
            "invalid": reason.UNSUPPORTED_TOOL,
            "t_error": FAILED,
        }


class TestOneResult:
    def test_it_says_whose_it_is_and_what_the_model_read(self, tmp_path: Path) -> None:
        [one] = found(tmp_path, part())
        assert (one.agent, one.tool, one.session, one.call_id, one.command) == (
            "opencode", "bash", "ses_1", "call_1", "make",
        )  # fmt: skip
        assert (one.texts, one.when_ms, one.identity) == (("out",), 5, "call_1 5")
        assert one.payload["project"] == "/p"
        assert one.payload["version"] == "1.18.33"
        assert one.payload["model"] == "gpt-5"
        assert one.payload["inner"] is False

    def test_a_call_of_a_program_is_marked(self, tmp_path: Path) -> None:
        [one] = found(tmp_path, part("t_text", call="call_1/1"))
        assert one.payload["inner"] is True

    def test_a_tool_with_an_underline_is_an_mcp_servers_unless_it_is_opencodes_own(self, tmp_path: Path) -> None:
        server, own = found(tmp_path, part("t_text"), part("plan_exit"))
        assert (server.payload["mcp"], server.payload["fields"]) == (True, [["content.0.text", "out"]])
        assert own.reason == reason.UNSUPPORTED_TOOL

    def test_what_runs_or_is_no_tool_call_is_no_result(self, tmp_path: Path) -> None:
        running = part(status="running")
        mentions = {"type": "text", "text": '{"type":"tool"}', "about": {"type": "tool"}}
        assert found(tmp_path, running, mentions, {"type": "step-start"}) == []

    def test_a_model_that_is_no_json_is_unknown(self, tmp_path: Path) -> None:
        database = opencode_database(tmp_path / "opencode.db")
        database.execute("UPDATE session SET model = '{'")
        database.close()
        assert next(read_results(tmp_path / "opencode.db", Reading())).payload["model"] == ""

    def test_results_from_before_the_period_are_not_read(self, tmp_path: Path) -> None:
        found(tmp_path, part(call="old"), part(call="new"))
        ours = read_results(tmp_path / "opencode.db", Reading(), since_ms=1)
        assert [one.call_id for one in ours] == ["new"]


class TestCutOutput:
    NOTICE = (
        "\n\n...9 lines truncated...\n\nThe tool call succeeded but the output was truncated. Full output saved to: "
    )

    def saved(self, directory: Path, text: str = ROWS) -> dict[str, Any]:
        """Metadata of a result whose whole text is kept in a file; its directory has moved since."""
        file = directory / "tool-output" / "tool_1"
        file.parent.mkdir()
        file.write_text(text)
        return {"truncated": True, "outputPath": "/elsewhere/opencode/tool-output/tool_1"}

    def test_the_whole_of_a_commands_output_is_found_next_to_the_database(self, tmp_path: Path) -> None:
        [one] = found(tmp_path, part(text="...output truncated...", metadata=self.saved(tmp_path)))
        assert one.payload["saved"] == str(tmp_path / "tool-output" / "tool_1")
        assert decide(opencode, one.payload)[0][1] == reason.CONVERTED

    def test_without_its_file_a_commands_output_is_cut(self, tmp_path: Path) -> None:
        metadata = {"truncated": True, "outputPath": "/gone/tool-output/tool_1"}
        [one] = found(
            tmp_path, part(text="...output truncated...\n\nFull output saved to: x" + "y" * 600, metadata=metadata)
        )
        assert decide(opencode, one.payload)[0][1] == reason.CUT_BY_HOST

    def test_the_whole_of_an_mcp_result_is_what_the_plugin_was_given(self, tmp_path: Path) -> None:
        shown = ROWS[:1000] + self.NOTICE
        [one] = found(tmp_path, part("t_big", shown, metadata=self.saved(tmp_path)))
        assert one.payload["fields"] == [["content.0.text", ROWS]]
        assert one.texts == (shown,)

    def test_without_its_file_an_mcp_result_cannot_be_judged(self, tmp_path: Path) -> None:
        [one] = found(tmp_path, part("t_big", "x" + self.NOTICE, metadata={"truncated": True}))
        assert one.reason == reason.CUT_BY_HOST

    def test_a_link_in_place_of_the_file_is_not_followed(self, tmp_path: Path) -> None:
        metadata = self.saved(tmp_path)
        file = tmp_path / "tool-output" / "tool_1"
        file.rename(tmp_path / "secret")
        file.symlink_to(tmp_path / "secret")
        [one] = found(tmp_path, part("t_big", "x" + self.NOTICE, metadata=metadata))
        assert one.reason == reason.CUT_BY_HOST

    def test_a_file_that_is_no_text_or_too_long_is_not_taken(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        metadata = self.saved(tmp_path)
        (tmp_path / "tool-output" / "tool_1").write_bytes(b"\xff\xfe")
        [one] = found(tmp_path, part("t_big", "x" + self.NOTICE, metadata=metadata))
        assert one.reason == reason.CUT_BY_HOST
        (tmp_path / "opencode.db").unlink()
        monkeypatch.setattr(records_module, "MAX_LINE_BYTES", 1)
        assert records_module._read_text(tmp_path / "tool-output" / "tool_1") is None

    def test_what_the_plugin_leaves_alone_for_its_size_is_left_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(records_module, "_LARGEST_CHARS", 2)
        [one] = found(tmp_path, part())
        assert one.reason == reason.TOO_LARGE


class TestDamage:
    def test_rows_that_are_no_json_are_counted(self, tmp_path: Path) -> None:
        reading = Reading()
        assert len(found(tmp_path, '{"type":"tool"', part(), reading=reading)) == 1
        assert reading.broken == 1

    def test_huge_rows_are_counted(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(records_module, "MAX_LINE_BYTES", 500)
        reading = Reading()
        assert len(found(tmp_path, part(), part(text="x" * 500), reading=reading)) == 1
        assert reading.huge == 1

    def test_a_row_whose_pages_are_gone_is_counted(self, tmp_path: Path) -> None:
        path = tmp_path / "opencode.db"
        database = opencode_database(path)
        database.execute("DELETE FROM part")
        for number in range(3):
            add_part(database, f"prt_{number}", json.dumps(part(text="x" * 20_000), separators=(",", ":")))
        database.close()
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) - 3 * 4096])
        reading = Reading()
        assert len(list(read_results(path, reading))) == 2
        assert reading.broken == 1
