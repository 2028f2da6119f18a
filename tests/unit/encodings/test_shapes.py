"""Shapes in the terms of the study, and the structural rule for tables."""

import json

import pytest

from unpretty.encodings.json_value import parse
from unpretty.encodings.shapes import classify, has_table


def shape(value):
    return classify(parse(json.dumps(value)))


@pytest.mark.parametrize(
    ("rows", "traits"),
    [
        ([{"a": 1, "b": "x"}, {"a": 2.5, "b": "y"}], {"flat"}),
        ([{"a": 1}, {"a": [1]}], {"nested"}),
        ([{"a": 1}, {"a": {}}], {"nested"}),
        ([{"a": 1, "b": 2}, {"a": 1}], {"sparse"}),
        ([{"a": 1}, {"a": "1"}], {"mixed"}),
        ([{"a": True}, {"a": 1}], {"mixed"}),
        ([{"a": None}, {"a": 1}], {"null_heavy"}),
        ([{"a": n, "b": 1} for n in [None, *range(9)]], {"flat"}),
        ([{"a": None, "b": []}, {"a": "x", "c": 1}, {"a": 5}], {"null_heavy", "nested", "sparse", "mixed"}),
    ],
)
def test_a_document_has_all_traits_that_apply_and_is_flat_without_any(rows, traits):
    assert shape(rows) == (frozenset(traits), len(rows))


@pytest.mark.parametrize("value", [[], [1], [{}], [{"a": 1}, 2], {"a": 1}, {"items": [{"a": 1}]}, "x", None])
def test_what_is_no_array_of_objects_is_other(value):
    assert shape(value) == (frozenset({"other"}), 0)


ROW = {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([ROW, ROW, ROW], True),
        ([ROW, ROW], False),
        ({"x": {"y": [1, [ROW, {**ROW, "c": 3}, ROW]]}}, True),
        ([{"a": 1}, {"a": 2}, {"a": 3}], False),
        ([ROW, {"a": 1}, ROW], False),
        ([ROW, 1, ROW], False),
        ([[1, 2], [1, 2], [1, 2]], False),
        ("x", False),
    ],
)
def test_a_table_is_three_objects_with_two_keys_in_common_at_any_path(value, expected):
    assert has_table(parse(json.dumps(value))) is expected
