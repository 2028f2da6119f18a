"""The estimate on a screen of 80 columns."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from unpretty.estimate.report import build_report
from unpretty.estimate.tally import Tally
from unpretty.estimate.terminal import show
from unpretty.settings.defaults import Settings
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import FAILED, REPLACED, ToolResult

from .made import COLOURED, COMPACT, FOUND, NESTED, PLAIN, PRETTY, bash, mcp, opencode


def words(text: str) -> int:
    return len(text.split())


def shown(*results: ToolResult, reading: Reading | None = None, complete: bool = True, days: bool = False) -> str:
    tally = Tally(Settings(), words, day_of=(lambda when: f"2026-11-{when % 40:02}") if days else None)
    for one in results:
        tally.add(one)
    output = io.StringIO()
    report = build_report(tally, [], reading or Reading(), words, complete=complete)
    show(report, Console(file=output, width=80, highlight=False))
    return output.getvalue()


def mixed() -> list[ToolResult]:
    results = [bash(text, "make test") for text in (PRETTY, NESTED, COLOURED, FOUND, PLAIN, PRETTY[:-1], "small")]
    results += [
        mcp(text, f"mcp__a_server_with_a_long_name__and_a_tool_{n}") for n in range(12) for text in (PRETTY, PLAIN)
    ]
    return [*results, opencode(PRETTY), bash(PRETTY, reason=FAILED), bash(COMPACT), bash(PRETTY, "cat x")]


def test_tables_fit_into_80_columns() -> None:
    text = shown(*mixed(), days=True)
    notes = ("Tokens are", "Worth it")
    assert max(len(line.rstrip()) for line in text.splitlines() if not line.startswith(notes)) <= 80
    assert "\x1b" not in text


def test_each_part_is_there() -> None:
    text = shown(*mixed())
    for part in (
        "2 sessions, ",
        "claude-code",
        "opencode",
        "all ",
        "whole JSON documents",
        "JSON inside JSON strings",
        "terminal noise",
        "repeated paths",
        "Saved most, by tool",
        "Saved most, by command",
        "make (claude-code)",
        "more",
        "Left alone because",
        "failed_call",
        "file_view",
        "Worth it for sessions like these",
        "a stand-in for other models' tokenizers",
    ):
        assert part in text
    assert "Day" not in text
    assert "Skipped" not in text


def test_one_agent_needs_no_names_and_no_sum() -> None:
    text = shown(bash(PRETTY, "make"), mcp(PRETTY))
    assert "all " not in text.replace("of all", "")
    assert "(claude-code)" not in text
    assert "-" in text


def test_days_are_shown_the_last_ones_when_there_are_many() -> None:
    text = shown(*(bash(PLAIN, when_ms=number) for number in range(40)), days=True)
    assert "the last 31 of 40 days" in text
    assert "2026-11-39" in text
    assert "2026-11-05" not in text
    assert "of 3 days" not in shown(*(bash(PLAIN, when_ms=number) for number in range(3)), days=True)


def test_nothing_saved_is_said_without_empty_tables() -> None:
    text = shown(bash(PLAIN), bash(PLAIN, reason=FAILED, when_ms=None))
    assert "not worth it" in text
    assert "Saved" not in text.replace("Saved tokens", "")


def test_results_without_any_date() -> None:
    assert "1 session\n" in shown(bash(PLAIN, when_ms=None))


def test_no_results_at_all() -> None:
    assert shown() == "No tool result was found, so nothing can be said.\n"


def test_an_early_end_is_said_first() -> None:
    assert shown(bash(PRETTY), complete=False).startswith("Stopped before the end")


def test_one_result_that_makes_most_of_it_is_named() -> None:
    assert "One single result makes 100 %" in shown(bash(PRETTY))
    assert "One single" not in shown(*(bash(PRETTY) for _ in range(3)))


def test_what_is_left_out_is_told() -> None:
    long = json.dumps([{"id": number} for number in range(3500)], indent=2)
    one = bash(PLAIN)
    text = shown(one, one, mcp(long), bash(COMPACT, reason=REPLACED))
    assert "1 copies of results in forked sessions are counted once" in text
    assert "1 results would have been read whole" in text
    assert "unpretty is at work in these sessions: 1 results" in text


def test_what_was_skipped_is_told() -> None:
    reading = Reading(broken=2, unfinished=1, huge=3, unknown={"new\x1bkind": 5})
    reading.unreadable = [(Path(f"/file{number}"), "Permission denied") for number in range(12)]
    text = shown(bash(PRETTY), reading=reading)
    assert "Skipped records: 2 broken, 1 cut off at the end, 3 too long, 5 of unknown kinds (new\\x1bkind)." in text
    assert "Not read: /file0: Permission denied" in text
    assert "Not read: 2 more files; --json lists them." in text


def test_texts_that_could_not_be_counted_are_told() -> None:
    from unpretty.errors import UnprettyError

    def fail(text: str) -> int:
        if len(text) > 1000:
            raise UnprettyError("no")
        return 5

    tally = Tally(Settings(), fail)
    tally.add(bash(PRETTY))
    tally.undated = 2
    output = io.StringIO()
    show(build_report(tally, [], Reading(), fail), Console(file=output, width=80))
    assert "2 texts could not be counted" in output.getvalue()
    assert "2 results without a date are left out" in output.getvalue()


@pytest.mark.parametrize(
    ("number", "text"), [(999_999, "999,999"), (1_000_000, "1.00 M"), (99e6, "99.00 M"), (1.2e9, "1,200 M")]
)
def test_numbers_of_tokens_stay_short(number: int, text: str) -> None:
    from unpretty.estimate.terminal import _short

    assert _short(int(number)) == text


def test_many_reasons_are_summed_up() -> None:
    results = [bash(PLAIN, reason=f"reason_{number}") for number in range(12)]
    text = shown(*results)
    assert "5 more reasons" in text
    assert text.count("reason_") == 7


def test_results_before_a_command_was_known_have_no_line_by_command() -> None:
    assert "by command" not in shown(mcp(PRETTY))
