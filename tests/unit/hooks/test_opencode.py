"""OpenCode: which texts of a result are replaced, by what, and what the log says about it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from unpretty.engine import reason, system
from unpretty.engine.compaction import Decision
from unpretty.settings.defaults import Settings
from unpretty_hooks import opencode, serving, worker
from unpretty_hooks.call import Call

FIXTURES = Path(__file__).parents[2] / "fixtures" / "opencode"
CUT = "...output truncated...\n\nFull output saved to: /home/u/.local/share/opencode/tool-output/tool_1\n\n"


def recorded(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FIXTURES / f"{name}.json").read_text())
    return value


def request(tool: str, *fields: tuple[str, str], **more: object) -> dict[str, object]:
    return {"id": 7, "tool": tool, "call": "call_1", "fields": [list(field) for field in fields], **more}


def answer(request: dict[str, object], **settings: object) -> tuple[dict[str, str], Call]:
    """What the worker answers to ``request`` and the call as it is then logged."""
    asked = worker._parse(json.dumps(request).encode())
    wanted = Settings(settings)
    call = opencode.read(asked, wanted)
    serving.decide(call, wanted)
    said = json.loads(opencode.reply(asked, call))
    assert said["id"] == request.get("id")
    return said["texts"], call


def decision(call: Call, index: int = 0) -> Decision:
    compaction = call.fields[index].compaction
    assert compaction is not None
    return compaction.decision


def rows(count: int) -> list[dict[str, object]]:
    return [{"id": number, "name": f"row {number}", "tags": ["a", None]} for number in range(count)]


def dense(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


@pytest.fixture
def saved(tmp_path: Path) -> Any:
    """Save a text as OpenCode saves an output that it truncates, and return its path."""
    folder = tmp_path / "tool-output"
    folder.mkdir()

    def save(text: str) -> str:
        path = folder / "tool_1"
        path.write_bytes(text.encode())
        return str(path)

    return save


def test_json_that_a_command_printed_is_minified_and_the_text_around_it_stays() -> None:
    text = "Fetching\n" + json.dumps(rows(30), indent=2) + "\ndone\n"
    texts, call = answer(request("bash", ("output", text), command="curl localhost", session="s", project="/p"))
    assert texts == {"output": f"Fetching\n{dense(rows(30))}\ndone\n"}
    assert (call.agent, call.tool, call.session, call.project, call.tool_use_id) == (
        "opencode", "bash", "s", "/p", "call_1",
    )  # fmt: skip
    assert decision(call).reason == reason.CONVERTED


def test_the_notice_of_a_time_limit_stays_behind_the_output() -> None:
    notice = "\n\n<shell_metadata>\nbash tool terminated command after exceeding timeout 1000 ms.\n</shell_metadata>"
    texts, _ = answer(request("bash", ("output", json.dumps(rows(30), indent=2) + notice), command="x"))
    assert texts == {"output": dense(rows(30)) + notice}


def test_a_command_that_shows_a_file_is_left_alone() -> None:
    texts, call = answer(request("bash", ("output", json.dumps(rows(30), indent=2)), command="cat rows.json"))
    assert texts == {}
    assert decision(call).reason == reason.FILE_VIEW


def test_the_text_and_the_resource_of_an_mcp_result_are_minified_each_on_its_own() -> None:
    pretty = json.dumps(rows(30), indent=2)
    texts, call = answer(
        request("shop_list", ("content.0.text", pretty), ("content.2.resource.text", pretty), mcp=True)
    )
    assert texts == {"content.0.text": dense(rows(30)), "content.2.resource.text": dense(rows(30))}
    assert [field.name for field in call.fields] == ["content.0.text", "content.2.resource.text"]


@pytest.mark.parametrize("tool", ["fs_read_file", "fs_read", "github_get_file_contents"])
def test_an_mcp_tool_that_hands_out_files_is_left_alone(tool: str) -> None:
    texts, call = answer(request(tool, ("content.0.text", json.dumps(rows(30), indent=2)), mcp=True))
    assert texts == {}
    assert decision(call).reason == reason.FILE_VIEW


def test_an_mcp_tool_that_runs_commands_is_judged_by_the_command() -> None:
    text = json.dumps(rows(40), indent=2)
    for command, why in {"cat rows.json": reason.FILE_VIEW, "gh api x": reason.CONVERTED}.items():
        asked = request("desktop_start_process", ("content[0].text", text), mcp=True, command=command)
        assert decision(answer(asked)[1]).reason == why


def test_an_mcp_tool_that_only_sounds_like_a_file_reader_is_not_one() -> None:
    texts, _ = answer(request("github_issue_read", ("content.0.text", json.dumps(rows(30), indent=2)), mcp=True))
    assert texts == {"content.0.text": dense(rows(30))}


@pytest.mark.parametrize("name", ["a_log_read", "a_log_glob", "a_log_task", "a_log_write", "d_big_read"])
def test_other_built_in_tools_are_never_replaced(name: str) -> None:
    record = recorded(name)
    texts, call = answer(request(record["hook_input"]["tool"], ("output", record["hook_output"]["output"])))
    assert texts == {}
    assert call.reason == reason.UNSUPPORTED_TOOL


@pytest.mark.parametrize("name", ["a_log_grep", "d_big_grep"])
def test_matches_of_grep_keep_their_line_numbers(name: str) -> None:
    record = recorded(name)
    text = record["hook_output"]["output"]
    texts, _ = answer(request("grep", ("output", text)))
    assert texts.get("output", text).count("Line ") == text.count("Line ")


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"id": 7, "tool": "bash"},
        {"id": 7, "tool": "bash", "fields": "output"},
        {"id": 7, "tool": "bash", "fields": [["output"], ["output", 1], "x", None]},
        {"id": 7, "tool": 1, "fields": [["output", "{}"]]},
    ],
)
def test_a_request_of_another_shape_gets_an_answer_without_texts(asked: dict[str, object]) -> None:
    texts, call = answer(asked)
    assert texts == {}
    assert call.reason in (reason.BAD_PAYLOAD, reason.UNSUPPORTED_TOOL)


class TestOutputThatOpenCodeCut:
    """All of it is in a file; when it fits after compacting, it replaces the part."""

    def test_the_whole_takes_the_place_of_the_part_when_it_fits(self, saved: Any) -> None:
        whole = json.dumps(rows(800), indent=2) + "\n"
        path = saved(whole)
        cut = CUT + whole[-40_000:]
        texts, call = answer(request("bash", ("output", cut), command="curl x", saved=path))
        assert texts == {"output": dense(rows(800))}
        # What the model would have read against what it reads, not the whole file.
        assert (decision(call).bytes_in, decision(call).bytes_out) == (len(cut), len(texts["output"]))
        assert call.fields[0].text == cut

    def test_no_saving_is_claimed_where_the_model_now_reads_more(self, saved: Any) -> None:
        whole = json.dumps(rows(800), indent=2) + "\n"
        texts, call = answer(request("bash", ("output", CUT + "(no output)"), command="curl x", saved=saved(whole)))
        assert texts == {"output": dense(rows(800))}
        assert decision(call).reason == reason.CONVERTED
        assert decision(call).bytes_in == decision(call).bytes_out == len(texts["output"])
        assert decision(call).steps == {}

    def test_a_notice_behind_the_part_stays_behind_the_whole(self, saved: Any) -> None:
        notice = "\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>"
        whole = json.dumps(rows(800), indent=2) + "\n"
        texts, _ = answer(request("bash", ("output", CUT + whole[-900:] + notice), command="x", saved=saved(whole)))
        assert texts == {"output": dense(rows(800)) + notice}

    def test_the_part_stays_when_the_whole_does_not_fit_in_bytes(self, saved: Any) -> None:
        whole = json.dumps(rows(3000), indent=2) + "\n"
        cut = CUT + whole[-30_000:]
        texts, call = answer(request("bash", ("output", cut), command="x", saved=saved(whole)))
        assert texts == {}
        assert decision(call).reason == reason.OVER_HOST_LIMIT
        assert (decision(call).bytes_in, decision(call).bytes_out) == (len(cut), len(cut))

    def test_the_part_stays_when_the_whole_does_not_fit_in_lines(self, saved: Any) -> None:
        whole = "line\n" * 2000 + json.dumps(rows(100), indent=2)
        texts, call = answer(request("bash", ("output", CUT + "line"), command="x", saved=saved(whole)))
        assert texts == {}
        assert decision(call).reason == reason.OVER_HOST_LIMIT

    def test_limits_of_the_users_config_count(self, saved: Any) -> None:
        whole = json.dumps(rows(800), indent=2)
        asked = request("bash", ("output", CUT + whole[-500:]), command="x", saved=saved(whole))
        assert answer({**asked, "max_bytes": 1000, "max_lines": 100})[0] == {}
        assert answer({**asked, "max_bytes": 90_000, "max_lines": 1})[0] == {"output": dense(rows(800))}

    @pytest.mark.parametrize("text", ["1\n2\n3\n" * 900, "\n".join(map(str, range(2500)))])
    def test_text_without_json_stays_cut(self, saved: Any, text: str) -> None:
        cut = CUT + text[-1000:]
        texts, call = answer(request("bash", ("output", cut), command="seq 1 2500", saved=saved(text)))
        assert texts == {}
        assert decision(call).reason == reason.NOT_JSON
        assert decision(call).bytes_in == len(cut)

    @pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
    def test_one_line_over_the_limit_shows_its_last_rows_where_opencode_shows_nothing(
        self, saved: Any, separators: tuple[str, str]
    ) -> None:
        whole = json.dumps(rows(3000), separators=separators) + "\n"
        texts, call = answer(request("bash", ("output", CUT + "(no output)"), command="x", saved=saved(whole)))
        text = texts["output"]
        assert text.startswith(CUT)
        assert text.endswith('\n{"id":2999,"name":"row 2999","tags":["a",null]}]'.replace(",", separators[0].strip()))
        assert len(text.encode()) <= 51_200
        assert text.count("\n") < 2000
        assert len(text) > 45_000
        assert decision(call).bytes_out == len(text)
        for row in text.removeprefix(CUT).split("\n")[:-1]:
            json.loads(row.rstrip(","))

    def test_one_line_over_the_limit_that_is_no_json_stays_as_it_is(self, saved: Any) -> None:
        cut = CUT + "(no output)"
        texts, _ = answer(request("bash", ("output", cut), command="x", saved=saved("x" * 60_000)))
        assert texts == {}

    def test_a_line_without_rows_that_fit_stays_as_it_is(self, saved: Any) -> None:
        whole = json.dumps(["x" * 60_000])
        texts, call = answer(request("bash", ("output", CUT + "(no output)"), command="x", saved=saved(whole)))
        assert texts == {}
        assert decision(call).reason == reason.ALREADY_COMPACT

    def test_a_result_too_long_for_rows_stays_as_it_is(self, saved: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(opencode, "_MAX_ROWS_BYTES", 1000)
        texts, _ = answer(request("bash", ("output", CUT + "(no output)"), command="x", saved=saved(dense(rows(3000)))))
        assert texts == {}

    def test_a_file_view_is_not_rescued(self, saved: Any) -> None:
        texts, call = answer(
            request("bash", ("output", CUT + "(no output)"), command="cat x.json", saved=saved(dense(rows(3000))))
        )
        assert texts == {}
        assert decision(call).reason == reason.FILE_VIEW

    @pytest.mark.parametrize("tool", ["bash", "execute"])
    def test_a_missing_file_leaves_the_part(self, tmp_path: Path, tool: str) -> None:
        cut = CUT + json.dumps(rows(50), indent=2)
        gone = str(tmp_path / "tool-output" / "tool_9")
        texts, call = answer(request(tool, ("output", cut), command="x", saved=gone))
        assert texts == {}
        assert decision(call).reason == reason.CUT_BY_HOST

    def test_a_cut_that_names_no_file_leaves_the_part(self) -> None:
        texts, call = answer(request("bash", ("output", CUT + json.dumps(rows(50), indent=2)), command="x"))
        assert texts == {}
        assert decision(call).reason == reason.CUT_BY_HOST

    def test_only_opencodes_own_folder_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "secret.json"
        path.write_text(json.dumps(rows(100), indent=2))
        texts, _ = answer(request("bash", ("output", CUT + "x"), command="x", saved=str(path)))
        assert texts == {}

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_what_is_no_regular_utf8_file_of_bearable_size_is_not_read(self, tmp_path: Path) -> None:
        folder = tmp_path / "tool-output"
        folder.mkdir()
        os.mkfifo(folder / "pipe")
        (folder / "real").write_text("{}")
        (folder / "link").symlink_to(folder / "real")
        (folder / "bytes").write_bytes(b"\xff")
        (folder / "large").write_bytes(b"x" * 101)
        for name in ("pipe", "link", "bytes", "large", "none\0"):
            assert opencode._saved_output(str(folder / name), 100) is None
        assert opencode._saved_output(str(folder / "real"), 100) == "{}"

    def test_a_read_that_fails_leaves_the_part(self, saved: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(handle: int, limit: int) -> bytes:
            raise OSError("disk")

        monkeypatch.setattr(system, "read_to_end", fail)
        assert opencode._saved_output(saved("{}"), 100) is None

    def test_the_result_of_a_code_mode_program_is_mended_too(self, saved: Any) -> None:
        whole = json.dumps(rows(800), indent=2)
        cut = whole[:30_000] + "\n\n...9000 lines truncated...\n\nThe tool call succeeded but the output was truncated."
        texts, _ = answer(request("execute", ("output", cut), saved=saved(whole)))
        assert texts == {"output": dense(rows(800))}


class TestMcpResultsOverTheLimit:
    """OpenCode truncates them after us, to whole lines from the start."""

    def test_a_result_that_fits_when_minified_is_handed_over_whole(self) -> None:
        pretty = json.dumps(rows(800), indent=2)
        texts, call = answer(request("shop_list", ("content.0.text", pretty), mcp=True))
        assert texts == {"content.0.text": dense(rows(800))}
        assert decision(call).bytes_in < 51_200 < len(pretty)
        assert decision(call).bytes_out == len(dense(rows(800)))

    def test_a_result_that_stays_over_the_limit_keeps_one_row_per_line(self) -> None:
        texts, call = answer(request("shop_list", ("content.0.text", json.dumps(rows(3000), indent=2)), mcp=True))
        text = texts["content.0.text"]
        assert json.loads(text) == rows(3000)
        assert text.count("\n") == 2999
        assert max(map(len, text.split("\n"))) < 100
        shown = opencode._first_lines(text, 2000, 51_200)
        assert decision(call).bytes_out == len(shown) > 45_000

    def test_rows_below_a_key_get_lines_of_their_own_too(self) -> None:
        value = {"total": 3000, "rows": rows(3000)}
        texts, _ = answer(request("shop_list", ("content.0.text", json.dumps(value, indent=2)), mcp=True))
        assert json.loads(texts["content.0.text"]) == value
        assert texts["content.0.text"].startswith('{"total":3000,\n"rows":[{"id":0,')

    def test_a_result_of_which_less_would_remain_is_left_alone(self) -> None:
        pretty = json.dumps({"text": "x" * 60_000, "rows": rows(900)}, indent=2)
        first = json.dumps(rows(400), indent=2)
        texts, call = answer(
            request("shop_list", ("content.0.text", first), ("content.1.text", pretty), mcp=True, max_lines=3000)
        )
        shown_before = opencode._shown([first, pretty], 3000, 51_200)
        shown_after = opencode._shown(
            [texts.get("content.0.text", first), texts.get("content.1.text", pretty)], 3000, 51_200
        )
        assert sum(map(opencode._visible_chars, shown_after)) >= sum(map(opencode._visible_chars, shown_before))
        assert len(call.fields) == 2

    def test_one_long_string_is_left_alone_rather_than_lost(self) -> None:
        pretty = '[\n  1,\n  "' + "x" * 60_000 + '"\n]'
        texts, _ = answer(request("shop_list", ("content.0.text", pretty), mcp=True, max_lines=2000))
        assert "\n" in texts.get("content.0.text", pretty)
        shown = opencode._first_lines(texts.get("content.0.text", pretty), 2000, 51_200)
        assert opencode._visible_chars(shown) >= opencode._visible_chars(opencode._first_lines(pretty, 2000, 51_200))

    def test_a_document_whose_rows_are_longer_than_its_lines_is_left_alone(self) -> None:
        # Pretty, its head shows 50 short lines; minified, its only row is one line over the limit.
        value = {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": {"j": rows(2000)}}}}}}}}}}
        pretty = json.dumps(value, indent=1)
        texts, call = answer(request("shop_list", ("content.0.text", pretty), mcp=True))
        assert texts == {}
        assert decision(call).reason == reason.OVER_HOST_LIMIT

    def test_a_result_too_long_for_rows_is_left_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(opencode, "_MAX_ROWS_BYTES", 60_000)
        texts, call = answer(request("shop_list", ("content.0.text", json.dumps(rows(3000), indent=2)), mcp=True))
        assert texts == {}
        assert decision(call).reason == reason.OVER_HOST_LIMIT

    def test_text_that_did_not_change_is_not_laid_out(self) -> None:
        texts, call = answer(request("shop_list", ("content.0.text", "word\n" * 20_000), mcp=True))
        assert texts == {}
        assert decision(call).bytes_in == 100_000

    def test_what_remains_is_counted_as_opencode_counts_it(self) -> None:
        assert opencode._first_lines("a\nb\nc", 2, 100) == "a\nb"
        assert opencode._first_lines("aa\nbb\ncc", 100, 5) == "aa\nbb"
        assert opencode._first_lines("aa\nbb\ncc", 100, 4) == "aa"
        assert opencode._first_lines("é" * 3, 100, 5) == ""
        assert opencode._first_lines("a\nb", 0, 100) == ""
        assert opencode._shown(["a\nb", "c"], 4, 100) == ["a\nb", "c"]
        assert opencode._shown(["a\nb", "c"], 3, 100) == ["a\nb", ""]
        assert opencode._shown(["aaaa", "b", "c"], 100, 3) == ["", "", ""]


class TestInsideCodeMode:
    """A program reads the result, so it may only become equivalent JSON."""

    def test_a_whole_document_loses_its_white_space(self) -> None:
        texts, _ = answer(
            request("shop_list", ("content.0.text", json.dumps(rows(20), indent=2)), mcp=True, inner=True)
        )
        assert json.loads(texts["content.0.text"]) == rows(20)

    def test_the_rows_of_a_long_one_keep_lines_of_their_own(self) -> None:
        """The program may print it, and of one line over the limit OpenCode would show nothing."""
        texts, _ = answer(
            request("shop_list", ("content.0.text", json.dumps(rows(2000), indent=2)), mcp=True, inner=True)
        )
        assert json.loads(texts["content.0.text"]) == rows(2000)
        assert texts["content.0.text"].count("\n") == 1999

    @pytest.mark.parametrize(
        "text",
        [
            "Result:\n" + json.dumps(rows(20), indent=2),
            json.dumps(rows(20), indent=2) + "\n" + json.dumps(rows(20), indent=2),
            json.dumps({"body": json.dumps(rows(20), indent=2), "n": 1}, indent=2),
        ],
    )
    def test_anything_else_is_left_alone(self, text: str) -> None:
        texts, call = answer(request("shop_list", ("content.0.text", text), mcp=True, inner=True))
        assert texts == {}
        assert decision(call).reason == reason.HOST_CANNOT_REPLACE

    def test_no_other_encoding_is_used(self) -> None:
        texts, call = answer(
            request("shop_list", ("content.0.text", json.dumps(rows(40), indent=2)), mcp=True, inner=True),
            encodings=["auto"],
        )
        assert json.loads(texts["content.0.text"]) == rows(40)
        assert decision(call).encoding == "json"
