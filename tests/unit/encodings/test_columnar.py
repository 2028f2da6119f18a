"""Columnar JSON: one list of names, one array per row, at any path."""

import json

import pytest

from unpretty import decode, encode
from unpretty.encodings import Declined, DecodeError


def test_an_array_of_objects_becomes_columns_and_rows():
    text = '[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"}]'
    encoded = encode(text, "columnar")
    assert encoded == '{"columns":["id","name"],"rows":[[1,"a"],[2,"b"],[3,"c"]]}'
    assert decode(encoded, "columnar") == text


def test_tables_inside_objects_and_inside_cells_become_columnar_too():
    rows = [{"order": n, "lines": [{"product": k, "quantity": n} for k in range(9)]} for n in range(9)]
    encoded = encode({"total": 9, "orders": rows}, "columnar")
    table = json.loads(encoded)["orders"]
    assert table["columns"] == ["order", "lines"]
    assert table["rows"][0][1]["columns"] == ["product", "quantity"]
    assert json.loads(decode(encoded, "columnar")) == {"total": 9, "orders": rows}


def test_an_absent_key_is_told_apart_from_null_and_from_the_marker_as_a_string():
    rows = [{"first": 1, "second": "-"}, {"first": 2}, {"second": None}, {"first": "--", "second": 4}] * 2
    encoded = encode(rows, "columnar")
    cells = '[1,"-"],[2,"---"],["---",null],["--",4]'
    assert encoded == f'{{"columns":["first","second"],"absent":"---","rows":[{cells},{cells}]}}'
    assert json.loads(decode(encoded, "columnar")) == rows


def test_a_table_that_would_not_be_shorter_stays_as_it_is():
    for text in ('[{"a":1}]', '[{"a":1,"b":2},{"c":3,"d":4}]', '{"a":1}', "[]", "[{},{}]", "[1,{}]", '"x"', "null"):
        assert encode(text, "columnar") == text


def test_rows_in_different_key_orders_stay_objects():
    text = '[{"name":"a","path":"b"},{"path":"c","name":"d"},{"name":"e","path":"f"}]'
    assert encode(text, "columnar") == text


def test_an_object_with_a_key_twice_stays_as_it_is():
    text = '[{"name":1,"name":2},{"name":1,"name":2},{"name":1,"name":2}]'
    assert encode(text, "columnar") == text


@pytest.mark.parametrize(
    "text",
    [
        '{"columns":["a"],"rows":[[1],[2]]}',
        '{"columns":["a"],"rows":[]}',
        '{"columns":["a"],"absent":"-","rows":[["-"]]}',
        '[[{"columns":["a"],"rows":[]}]]',
        '[{"columns":["a"],"rows":[]},{"columns":["a"],"rows":[]}]',
        '{"columns":["a"],"rows":["no","table"]}',
    ],
)
def test_a_document_that_already_looks_columnar_is_declined(text):
    """Decoding could not distinguish it from a table."""
    with pytest.raises(Declined) as reason:
        encode(text, "columnar")
    assert reason.value.code == "looks_columnar"


@pytest.mark.parametrize(
    "text",
    [
        '{"columns":[],"rows":[]}',
        '{"columns":["a"],"rows":1}',
        '{"columns":[1],"rows":[]}',
        '{"rows":[],"columns":["a"]}',
        '{"columns":["a"],"rows":[],"n":1}',
    ],
)
def test_objects_that_only_resemble_a_table_are_carried(text):
    assert decode(encode(text, "columnar"), "columnar") == text


def test_a_row_with_too_few_cells_is_an_error():
    with pytest.raises(DecodeError, match=r"row 2 of a table does not have 2 cells"):
        decode('{"columns":["a","b"],"rows":[[1,2],[3]]}', "columnar")
    with pytest.raises(DecodeError, match="row 1"):
        decode('{"columns":["a"],"rows":[1]}', "columnar")
