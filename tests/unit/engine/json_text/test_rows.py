"""Line breaks between the elements of a document: the document stays the same, its lines become short."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unpretty.engine.json_text.rows import MAX_DEPTH, ROW_CHARS, one_row_per_line

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=6), inner, max_size=6),
    max_leaves=40,
)


def dense(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def rows(count: int) -> list[dict[str, object]]:
    return [{"id": number, "name": f"row {number}", "tags": ["a", {"b": None}]} for number in range(count)]


def test_each_element_of_a_long_array_gets_a_line_of_its_own() -> None:
    text = one_row_per_line(dense(rows(100)))
    assert text.split("\n")[1] == '{"id":1,"name":"row 1","tags":["a",{"b":null}]},'
    assert text.count("\n") == 99


def test_an_array_below_keys_is_broken_up_and_its_small_neighbours_are_not() -> None:
    text = one_row_per_line(dense({"meta": {"n": [1, 2]}, "data": {"rows": rows(100)}, "end": True}))
    lines = text.split("\n")
    assert lines[0] == '{"meta":{"n":[1,2]},'
    assert lines[1].startswith('"data":{"rows":[{"id":0,')
    assert lines[-1] == '"end":true}'


def test_short_documents_and_other_text_stay() -> None:
    text = "Results:\n" + dense(rows(3)) + "\n[not json " + "x" * 2000 + "\n" + "word " * 1000 + "\n{"
    assert one_row_per_line(text) == text


def test_each_document_of_a_text_is_broken_up_and_the_rest_of_its_line_stays() -> None:
    text = f"first\n{dense(rows(100))}\nbetween\n{dense(rows(50))} after\n"
    lines = one_row_per_line(text).split("\n")
    assert len(lines) == 1 + 100 + 1 + 50 + 1
    assert lines[-2].endswith("] after")


@pytest.mark.parametrize(
    "text",
    ["[" * 5000, "[" * 900 + "1" * 2000 + "]" * 900, '{"a":' * 500 + "1" + "}" * 500, "[1 ,2" + " " * 2000 + "]"],
)
def test_what_is_too_deep_or_not_minified_stays_valid(text: str) -> None:
    try:
        expected = json.loads(text)
    except (ValueError, RecursionError):
        assert one_row_per_line(text) == text
    else:
        assert json.loads(one_row_per_line(text)) == expected


def test_nesting_is_followed_only_so_deep() -> None:
    value: object = rows(100)
    for _ in range(MAX_DEPTH + 2):
        value = [value]
    text = one_row_per_line(dense(value))
    assert max(map(len, text.split("\n"))) > ROW_CHARS


@given(VALUES, st.integers(1, 60))
def test_the_document_says_the_same_and_only_line_breaks_were_added(value: object, row_chars: int) -> None:
    text = dense(value)
    broken = one_row_per_line(text, row_chars)
    assert json.loads(broken) == value
    if "\n" not in text:
        assert broken.replace("\n", "") == text
