"""What the hook would have done with one result."""

import json

import pytest

from unpretty.engine import reason
from unpretty.engine.compaction import Compaction, Decision
from unpretty.engine.context import Context
from unpretty.estimate import outcome as module
from unpretty.estimate.outcome import STEPS, judge
from unpretty.settings.defaults import Settings
from unpretty.transcripts.result import FAILED
from unpretty_hooks import serving

from .made import COLOURED, COMPACT, FOUND, NESTED, PLAIN, PRETTY, bash, mcp, opencode

DEFAULTS = Settings()


def steps(text: str, **settings: object) -> dict[str, int]:
    """Bytes saved by each step on the output of a command."""
    [change] = judge(bash(text), Settings(settings) if settings else DEFAULTS).changes
    assert sum(change.steps.values()) == change.bytes_in - change.bytes_out
    assert set(change.steps) <= set(STEPS)
    return change.steps


class TestSteps:
    def test_a_document_alone_is_told_from_one_among_text(self) -> None:
        saved = len(PRETTY) - len(COMPACT)
        assert steps(PRETTY) == {"document": saved}
        assert steps("\n" + PRETTY + "\n \n") == {"document": saved}
        assert steps("orders:\n" + PRETTY) == {"embedded": saved}
        assert steps(PRETTY + "done") == {"embedded": saved}
        assert steps(PRETTY + "\n" + PRETTY) == {"embedded": 2 * saved}

    def test_a_document_in_a_string(self) -> None:
        found = steps(NESTED)
        assert set(found) == {"document", "nested"}
        assert found["document"] == len(NESTED) - len(json.dumps(json.loads(NESTED), separators=(",", ":")))

    def test_terminal_noise_and_paths(self) -> None:
        assert steps(COLOURED) == {"noise": 40 * len("\x1b[32m\x1b[0m")}
        assert set(steps(FOUND)) == {"paths"}

    def test_a_coloured_document_is_a_document(self) -> None:
        assert set(steps(f"\x1b[1m{PRETTY}\x1b[0m")) == {"noise", "document"}

    def test_a_table(self) -> None:
        assert set(steps(PRETTY, encodings=["columnar"])) == {"document", "tables"}

    def test_a_frame_of_the_agents_is_not_other_text(self) -> None:
        [change] = judge(mcp("[Resource from t at test://1] " + PRETTY), DEFAULTS).changes
        assert set(change.steps) == {"document"}
        [change] = judge(mcp("[Resource from t at test://1] " + PRETTY + "\nend"), DEFAULTS).changes
        assert set(change.steps) == {"embedded"}


class TestOutcome:
    def test_bytes_before_and_after_and_what_was_read(self) -> None:
        found = judge(bash(PRETTY), DEFAULTS)
        [change] = found.changes
        assert (found.reason, found.bytes_read, found.json_bytes) == (reason.CONVERTED, len(PRETTY), len(PRETTY))
        assert (change.bytes_in, change.bytes_out) == (len(PRETTY), len(COMPACT))
        assert (change.before, change.after) == (PRETTY, COMPACT)

    @pytest.mark.parametrize(
        ("text", "command", "why", "json_bytes"),
        [
            (PLAIN, "make", reason.NOT_JSON, 0),
            (COMPACT, "make", reason.ALREADY_COMPACT, len(COMPACT)),
            (PRETTY, "cat x", reason.FILE_VIEW, len(PRETTY)),
            ('{"a": 1}', "make", reason.TOO_SMALL, 8),
            ('é\n{"a": "é"}\nx', "make", reason.TOO_SMALL, 11),
            (PRETTY[:-2], "make", reason.INVALID_JSON, 0),
        ],
    )
    def test_what_is_left_alone_says_why(self, text: str, command: str, why: str, json_bytes: int) -> None:
        found = judge(bash(text, command), DEFAULTS)
        assert (found.reason, found.changes, found.json_bytes) == (why, [], json_bytes)

    def test_a_result_that_no_hook_is_asked_about_is_only_measured(self) -> None:
        found = judge(bash(PRETTY, reason=FAILED), DEFAULTS)
        assert (found.reason, found.changes, found.json_bytes) == (FAILED, [], len(PRETTY))

    def test_of_several_texts_one_that_is_converted_decides(self) -> None:
        one = mcp(PLAIN * 5)
        blocks = [{"type": "text", "text": text} for text in (PLAIN * 5, PRETTY, "x")]
        one.payload["tool_response"] = blocks
        assert judge(one, DEFAULTS).reason == reason.CONVERTED
        one.payload["tool_response"] = [blocks[2], blocks[0]]
        assert judge(one, DEFAULTS).reason == reason.NOT_JSON

    def test_a_tool_without_text_to_replace(self) -> None:
        one = bash("x")
        one.payload |= {"tool_name": "Edit"}
        assert judge(one, DEFAULTS).reason == reason.UNSUPPORTED_TOOL

    def test_what_would_have_been_a_preview_gains_and_saves_nothing(self) -> None:
        long = json.dumps([{"id": number} for number in range(3500)], indent=2)
        found = judge(mcp(long), DEFAULTS)
        assert (found.reason, found.changes, found.gained) == (reason.CONVERTED, [], 1)

    def test_settings_count(self) -> None:
        assert judge(bash(PRETTY), Settings({"exclude_tools": ["Bash"]})).reason == reason.EXCLUDED
        assert judge(bash(FOUND), Settings({"fold_paths": False})).changes == []


class TestOpenCode:
    def test_of_a_text_that_is_cut_only_the_beginning_is_counted(self) -> None:
        long = json.dumps([{"a": number} for number in range(5000)], indent=20)
        [change] = judge(opencode(long), DEFAULTS).changes
        assert change.bytes_in == len(change.before) <= 51_200 < len(long)
        assert change.bytes_out == len(change.after)
        assert change.after.count("\n") == 1999
        assert change.steps == {"other": change.bytes_in - change.bytes_out}

    def test_where_more_is_read_than_before_nothing_is_saved(self) -> None:
        long = json.dumps([{"id": number, "text": "lorem"} for number in range(3000)], indent=4)
        found = judge(opencode(long), DEFAULTS)
        assert (found.reason, found.changes, found.gained) == (reason.CONVERTED, [], 1)

    def test_the_worker_has_less_time_than_the_settings_give(self, monkeypatch: pytest.MonkeyPatch) -> None:
        budgets: list[float] = []

        def note(text: str, context: Context) -> Compaction:
            budgets.append(context.budget_seconds * 1000)
            return Compaction(text, Decision(reason.NOT_JSON, text))

        monkeypatch.setattr(serving, "compact", note)
        judge(opencode(PRETTY), DEFAULTS)
        judge(bash(PRETTY), DEFAULTS)
        assert budgets == [2000, 5000]

    def test_a_program_is_given_plain_json(self) -> None:
        assert judge(opencode("orders:\n" + PRETTY, inner=True), DEFAULTS).reason == reason.HOST_CANNOT_REPLACE


class TestTrouble:
    def test_an_error_of_ours_leaves_the_result_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise RuntimeError

        monkeypatch.setattr(serving, "decide", fail)
        found = judge(bash(PRETTY), DEFAULTS)
        assert (found.reason, found.changes) == (reason.ERROR, [])

    def test_documents_without_end_are_no_documents(self) -> None:
        assert judge(bash("[" * 200_000), DEFAULTS).json_bytes == 0

    def test_the_collector_is_left_as_it_was(self) -> None:
        module.gc.disable()
        try:
            judge(bash(PRETTY), DEFAULTS)
            assert not module.gc.isenabled()
        finally:
            module.gc.enable()
        judge(bash(PRETTY), DEFAULTS)
        assert module.gc.isenabled()

    def test_a_scan_that_fails_leaves_no_documents(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise MemoryError

        monkeypatch.setattr(module, "Documents", fail)
        assert judge(bash(PRETTY), DEFAULTS).json_bytes == 0
