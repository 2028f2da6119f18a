"""Documents are the whole text, or objects and arrays that begin at the start of a line."""

import json
from collections.abc import Callable

import pytest

from unpretty.engine.json_text.documents import Documents, may_hold_documents
from unpretty.engine.reason import INVALID_JSON, NOT_JSON, TOO_DEEP

PRETTY = json.dumps({"a": [1, {"b": None}], "c": "d e"}, indent=2)


def found(text: str, begin: int = 0) -> list[str]:
    return [text[start:end] for start, end, _ in Documents(text, begin)]


def why_none(text: str) -> str:
    documents = Documents(text)
    list(documents)
    return documents.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PRETTY, [PRETTY]),
        (f"  {PRETTY}\n\n", [PRETTY]),
        (f"\ufeff{PRETTY}", [PRETTY]),
        (f"=== label ===\n{PRETTY}\ndone", [PRETTY]),
        (f"{PRETTY}API OK", [PRETTY]),
        (f"{PRETTY}gh: Not Found\n{PRETTY}", [PRETTY, PRETTY]),
        (f"{PRETTY}\n{PRETTY}\n", [PRETTY, PRETTY]),
        (PRETTY.replace("\n", "\r\n"), [PRETTY.replace("\n", "\r\n")]),
        ('{"a": 1, "b": 2}\n{"a": 3}', ['{"a": 1, "b": 2}', '{"a": 3}']),
        (f"[INFO] starting\n{PRETTY}", [PRETTY]),
        (f"[12:30:01] starting\n[12:30:02] done\n{PRETTY}", [PRETTY]),
        ('{"a": 1} 200 OK', ['{"a": 1}']),
        (f"[ ] a task\n[x] another\n{PRETTY}", [PRETTY]),
        ("[1, 2].map(f)", []),
        ("[1, 2] says the paper", []),
        ("[1, 2]", ["[1, 2]"]),
        ("{ }", []),
        ('prose {"a": 1}', []),
        ('  {"a": 1}\n  {"b": 2}', []),
        ("", []),
        ("\n\n\n", []),
    ],
)
def test_documents_begin_at_line_starts_and_end_anywhere(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_a_frame_of_the_host_counts_as_the_start_of_the_line() -> None:
    frame = "[Resource from t at x://1] "
    assert found(frame + PRETTY, len(frame)) == [PRETTY]


@pytest.mark.parametrize(
    "text",
    [
        PRETTY[:-5],
        '{"a": 1,}\n',
        "{\"a\": 1, 'b': 2}",
        '{"a": NaN,\n "b": 1}',
        '[\n  {"a": 1}\n  {"b": 2}\n]',
        '{\n  // a comment\n  "a": 1\n}',
    ],
)
def test_what_looks_like_json_and_does_not_parse_is_named(text: str) -> None:
    assert found(text) == []
    assert why_none(text) == INVALID_JSON


@pytest.mark.parametrize("text", ["{'a': 1}", "[INFO] x", "{% raw %}", "plain", "{", "[x]"])
def test_other_text_is_not_json(text: str) -> None:
    assert found(text) == []
    assert why_none(text) == NOT_JSON


def test_rows_of_a_broken_array_stay_as_they_are() -> None:
    """The agent may be looking for the missing comma: nothing of the broken document is touched."""
    broken = '[\n{"a": 1}\n{"b": 2}\n{"c": 3}\n{"d": 4}\n]\n'
    assert found(broken) == []
    assert found(broken + "done\n" + PRETTY) == [PRETTY]
    assert found(broken + PRETTY) == [PRETTY]


def test_a_document_cut_in_the_middle_ends_before_the_next_line_of_text() -> None:
    assert found(f'{{\n  "a": [1,\n  2,\nExit code 1\n{PRETTY}') == [PRETTY]


def test_nesting_too_deep_to_follow_is_named() -> None:
    assert why_none("[" * 100_000 + "]" * 100_000) == TOO_DEEP
    assert why_none('{"a":' * 100_000) == TOO_DEEP


@pytest.mark.parametrize(
    "line",
    [
        "[",
        '{"a":\n',
        '{"a" x\n',
        "[1\n",
        '"\\',
        '{"',
        "[NaN,\n",
        "{\n",
        '["a\n',
        "[{\n",
        '{"a": "\\\\\\"\n',
        "[-\n",
        "}\n{\n]\n[",
    ],
)
def test_hostile_text_costs_time_in_proportion_to_its_length(
    line: str, processor_seconds: Callable[[Callable[[], object]], float]
) -> None:
    """Four times the text may not cost sixteen times the time."""

    def seconds(size: int) -> float:
        text = line * (size // len(line))
        return processor_seconds(lambda: list(Documents(text)))

    small, large = seconds(50_000), seconds(200_000)
    assert large < 0.05 or large < 9 * small


def test_many_faults_do_not_cost_the_square_of_the_text(
    processor_seconds: Callable[[Callable[[], object]], float],
) -> None:
    """json.JSONDecodeError counts lines up to each error; a window keeps that short."""

    def seconds(lines: int) -> float:
        text = '{"a" x\n' * lines
        assert found(text) == []
        return processor_seconds(lambda: found(text))

    assert seconds(100_000) < 9 * seconds(25_000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\n{", True),
        ("x\n[", True),
        (" " * 100 + "{", True),
        ("", False),
        ("plain\ntext {", False),
        ("\ufeff [", True),
    ],
)
def test_the_first_look_misses_nothing(text: str, expected: bool) -> None:
    assert may_hold_documents(text) is expected
