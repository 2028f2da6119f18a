"""Adding up results: each is counted once, exactly, and on one line of every breakdown."""

import pytest

from unpretty.encodings.registry import ENCODINGS
from unpretty.engine import reason
from unpretty.errors import UnprettyError
from unpretty.estimate import tally as module
from unpretty.estimate.commands import OTHER
from unpretty.estimate.tally import Tally, shared_out
from unpretty.settings.defaults import Settings
from unpretty.tokens.count import load_counter
from unpretty.transcripts.result import FAILED, REPLACED

from .made import COLOURED, COMPACT, NESTED, PLAIN, PRETTY, bash, mcp, opencode


def words(text: str) -> int:
    """A tokenizer whose counts are easy to know."""
    return len(text.split())


def tally(**more: object) -> Tally:
    return Tally(Settings(), words, **more)  # type: ignore[arg-type]


class TestCounting:
    def test_a_result_that_becomes_smaller(self) -> None:
        sums = tally()
        sums.add(bash(PRETTY, "cd x && make -j2"))
        [(key, cell)] = sums.cells.items()
        assert key == ("claude-code", "Bash", reason.CONVERTED, "make", "")
        assert (cell.results, cell.affected, cell.json_results, cell.gained) == (1, 1, 1, 0)
        assert (cell.bytes_read, cell.json_bytes, cell.bytes_rest) == (len(PRETTY), len(PRETTY), 0)
        assert (cell.bytes_in, cell.bytes_out) == (len(PRETTY), len(COMPACT))
        assert (cell.tokens_in, cell.tokens_out) == (words(PRETTY), words(COMPACT))
        assert list(cell.shares) == [pytest.approx(100 * (1 - words(COMPACT) / words(PRETTY)))]
        assert sums.rates == {}

    def test_a_session_is_told_of_an_encoding_once_as_the_hook_does(self) -> None:
        sizes = []
        for results in (1, 2, 3):
            sums = Tally(Settings({"encodings": ["columnar"]}), words)
            for _ in range(results):
                sums.add(opencode(PRETTY, session="s"))
            [cell] = sums.cells.values()
            sizes.append(cell.bytes_out)
        first, second, third = sizes[0], sizes[1] - sizes[0], sizes[2] - sizes[1]
        assert second == third < len(COMPACT)
        assert first - second == len(f"[{ENCODINGS['columnar'].notice}]\n")

    def test_a_result_that_stays(self) -> None:
        sums = tally()
        sums.add(bash(PLAIN))
        [(key, cell)] = sums.cells.items()
        assert key[2] == reason.NOT_JSON
        assert (cell.results, cell.affected, cell.bytes_in, cell.tokens_in, len(cell.shares)) == (1, 0, 0, 0, 0)
        assert cell.bytes_read == cell.bytes_rest == len(PLAIN)
        assert sums.rates["claude-code", "Bash"].measure(words) == words(PLAIN) / len(PLAIN)

    def test_tokens_are_an_independent_count_of_the_same_texts(self) -> None:
        import tiktoken

        from unpretty.tokens.count import _ranks

        oracle = tiktoken.Encoding("o200k", pat_str=_pattern(), mergeable_ranks=_ranks(), special_tokens={})
        sums = Tally(Settings(), load_counter())
        sums.add(bash(PRETTY))
        sums.add(mcp(PRETTY))
        counted = [(cell.tokens_in, cell.tokens_out) for cell in sums.cells.values()]
        assert counted == [(len(oracle.encode(PRETTY)), len(oracle.encode(COMPACT)))] * 2

    def test_of_what_is_read_apart_from_a_smaller_text_the_tokens_are_estimated(self) -> None:
        sums = tally()
        one = mcp(PRETTY)
        one.texts = (PRETTY, "beside")
        sums.add(one)
        [cell] = sums.cells.values()
        assert (cell.bytes_read, cell.bytes_rest) == (len(PRETTY) + 6, 6)

    def test_of_a_text_that_was_cut_more_is_counted_than_was_read(self) -> None:
        sums = tally()
        one = bash(PRETTY)
        one.texts = ("a preview",)
        sums.add(one)
        [cell] = sums.cells.values()
        assert (cell.bytes_read, cell.bytes_rest) == (9, 0)

    def test_what_would_be_read_more_of_is_no_saving(self) -> None:
        import json

        sums = tally()
        sums.add(opencode(json.dumps([{"id": number, "text": "lorem"} for number in range(3000)], indent=4)))
        [cell] = sums.cells.values()
        assert (cell.results, cell.gained, cell.affected, cell.tokens_in) == (1, 1, 0, 0)

    def test_a_text_that_cannot_be_counted_is_estimated(self) -> None:
        def fail(_: str) -> int:
            raise UnprettyError("no")

        sums = Tally(Settings(), fail)
        sums.add(bash(PRETTY))
        [cell] = sums.cells.values()
        assert sums.uncounted == 2
        assert cell.tokens_in == round(len(PRETTY) * 0.3)

    def test_the_largest_saving_of_one_result_is_known(self) -> None:
        sums = tally()
        for text in (COLOURED, PRETTY, PLAIN):
            sums.add(bash(text))
        assert sums.largest_saving == words(PRETTY) - words(COMPACT)


class TestSteps:
    def test_each_step_gets_its_part_of_the_tokens(self) -> None:
        sums = tally()
        sums.add(bash(NESTED))
        sums.add(bash(PRETTY))
        [cell] = sums.cells.values()
        assert {name: step.results for name, step in cell.steps.items()} == {"document": 2, "nested": 1}
        assert sum(step.bytes for step in cell.steps.values()) == cell.bytes_in - cell.bytes_out
        assert sum(step.tokens for step in cell.steps.values()) == cell.tokens_in - cell.tokens_out

    def test_a_result_of_several_texts_counts_once_for_a_step(self) -> None:
        sums = tally()
        one = mcp(PRETTY)
        one.payload["tool_response"] = [{"type": "text", "text": PRETTY}] * 2
        sums.add(one)
        [cell] = sums.cells.values()
        assert (cell.affected, cell.steps["document"].results) == (1, 1)
        assert cell.bytes_in == 2 * len(PRETTY)

    @pytest.mark.parametrize(
        ("tokens", "steps", "parts"),
        [
            (10, {"a": 5}, [("a", 5, 10)]),
            (10, {"a": 1, "b": 1, "c": 1}, [("a", 1, 3), ("b", 1, 3), ("c", 1, 4)]),
            (-5, {"a": 1, "b": 4}, [("a", 1, -1), ("b", 4, -4)]),
            (7, {"a": 3, "other": -3}, [("a", 3, 7), ("other", -3, 0)]),
            (3, {}, []),
        ],
    )
    def test_parts_add_up(self, tokens: int, steps: dict[str, int], parts: list[tuple[str, int, int]]) -> None:
        assert shared_out(tokens, steps) == parts


class TestOnce:
    def test_a_copy_in_a_forked_session_is_counted_once(self) -> None:
        sums = tally()
        one = bash(PLAIN)
        sums.add(one)
        one.session = "s2"
        sums.add(one)
        assert sums.copies == 1
        assert sum(cell.results for cell in sums.cells.values()) == 1
        assert sums.sessions == {"claude-code": {"s1"}}

    def test_two_agents_may_use_the_same_id(self) -> None:
        sums = tally()
        sums.add(bash(PLAIN, identity="same"))
        sums.add(opencode(PLAIN))
        other = opencode(PLAIN)
        other.identity = "same"
        sums.add(other)
        assert sums.copies == 0

    def test_what_a_hook_made_smaller_is_left_out(self) -> None:
        sums = tally(seen_by_hook=frozenset([("claude-code", "s1", "one")]))
        sums.add(bash(COMPACT, call_id="one"))
        sums.add(bash(COMPACT, call_id="one", session="s2", identity="2"))
        sums.add(bash(COMPACT, call_id="one", identity="3", reason=FAILED))
        sums.add(bash(COMPACT, reason=REPLACED))
        assert sums.replaced == 2
        assert sum(cell.results for cell in sums.cells.values()) == 2


class TestPeriod:
    def test_older_results_and_those_without_a_date_are_left_out(self) -> None:
        sums = tally(since_ms=1000)
        for when in (999, 1000, 5000, None):
            sums.add(bash(PLAIN, when_ms=when))
        assert sum(cell.results for cell in sums.cells.values()) == 2
        assert (sums.undated, sums.first_ms, sums.last_ms) == (1, 1000, 5000)

    def test_without_a_period_a_date_is_not_needed(self) -> None:
        sums = tally()
        sums.add(bash(PLAIN, when_ms=None))
        assert (sums.undated, sums.first_ms, sums.last_ms) == (0, None, None)
        assert sum(cell.results for cell in sums.cells.values()) == 1

    def test_days_are_told_apart_when_asked_for(self) -> None:
        sums = tally(day_of=lambda when: f"day {when // 10}")
        for when in (5, 9, 11, None):
            sums.add(bash(PLAIN, when_ms=when))
        assert {key[4]: cell.results for key, cell in sums.cells.items()} == {"day 0": 2, "day 1": 1, "": 1}


def test_many_different_commands_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_COMMANDS", 3)
    sums = tally()
    for number in range(10):
        sums.add(bash(PLAIN, f"script{number}"))
    sums.add(bash(PLAIN, "script0"))
    assert {key[3]: cell.results for key, cell in sums.cells.items()} == {
        "script0": 2, "script1": 1, "script2": 1, OTHER: 7,
    }  # fmt: skip


def _pattern() -> str:
    """The split pattern of o200k_base as tiktoken states it."""
    import inspect

    from tiktoken_ext import openai_public

    source = inspect.getsource(openai_public.o200k_base)
    start, end = source.index("pat_str = "), source.index("return {")
    names: dict[str, str] = {}
    exec(source[start:end].replace("\n    ", "\n"), names)
    return names["pat_str"]
