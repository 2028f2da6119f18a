"""LDF v0.2: the published example byte for byte, each rule, the options, and errors."""

import json

import pytest

from unpretty import decode, encode
from unpretty.encodings import Declined, DecodeError

ORDERS = [
    ("ORD-1", "Val Thompson", [("E5", 3, 28.78), ("C3", 4, 157.4)], 715.94, "shipped"),
    ("ORD-2", "Sol Ritchie", [("A1", 1, 2757.03)], 2757.03, "cancelled"),
    ("ORD-3", "Kim Abara", [("B2", 2, 12.5), ("E5", 1, 28.78)], 53.78, "shipped"),
]
EXAMPLE = [
    {
        "id": order,
        "customer": {"name": name},
        "items": [{"sku": sku, "qty": qty, "price": price} for sku, qty, price in items],
        "total": total,
        "status": status,
    }
    for order, name, items, total, status in ORDERS
]
PUBLISHED = """\
@records id:s,customer.name:s,items:t,total:f,status:s
ORD-1,Val Thompson,2,715.94,shipped
ORD-2,Sol Ritchie,1,2757.03,cancelled
ORD-3,Kim Abara,2,53.78,shipped
@records.items id:s,sku:s,qty:i,price:f
ORD-1,E5,3,28.78
ORD-1,C3,4,157.4
ORD-2,A1,1,2757.03
ORD-3,B2,2,12.5
ORD-3,E5,1,28.78"""


def test_the_published_example_is_written_byte_for_byte_and_read_back():
    assert encode(EXAMPLE, "ldf") == PUBLISHED
    assert json.loads(decode(PUBLISHED, "ldf")) == EXAMPLE
    assert json.loads(decode(PUBLISHED + "\n", "ldf")) == EXAMPLE


RULES = {
    "a null in a column of strings, and the string null": (
        '[{"a":1,"b":null},{"a":2,"b":"null"}]', "@records a:i,b:s?\n1,null\n2,\"null\""),
    "a key in fewer than half of the rows is in the last column": (
        '[{"id":1},{"id":2,"rare":5},{"id":3},{"id":4}]', '@records id:i,~\n1,\n2,{"rare":5}\n3,\n4,'),
    "a rare key with others after it has a column, so that the order stays": (
        '[{"r":1,"id":1},{"id":2},{"id":3}]', "@records r:i,id:i\n1,1\n,2\n,3"),
    "rows of rare keys alone": (
        '[{"a":1},{"b":2},{"c":3}]', '@records ~\n{"a":1}\n{"b":2}\n{"c":3}'),
    "a column of two kinds holds JSON": (
        '[{"id":1,"v":1},{"id":2,"v":"1"}]', '@records id:i,v:j\n1,1\n2,"1"'),
    "numbers keep their text, and one with a fraction makes a column of numbers": (
        '[{"a":1.10,"b":1},{"a":1e5,"b":2.5}]', "@records a:f,b:f\n1.10,1\n1e5,2.5"),
    "truth values, and a column of nulls": (
        '[{"a":true,"b":null},{"a":null,"b":null}]', "@records a:b?,b:j\ntrue,null\nnull,null"),
    "an absent key is an empty cell, an empty string is quoted": (
        '[{"a":"","b":"x"},{"a":"y"},{"b":"z"}]', '@records a:s,b:s\n"",x\ny,\n,z'),
    "strings that could be misread are quoted": (
        '[{"a":" x"},{"a":"x "},{"a":"a,b"},{"a":"@x"},{"a":"~"},{"a":"#"},{"a":"\\"q\\""},{"a":"l\\nm"}]',
        '@records a:s\n" x"\n"x "\n"a,b"\n"@x"\n"~"\n"#"\n"\\"q\\""\n"l\\nm"'),
    "strings that look like other values are bare, since the column has a type": (
        '[{"a":"1"},{"a":"true"},{"a":"[x"},{"a":"{}"}]', "@records a:s\n1\ntrue\n[x\n{}"),
    "line separators of Unicode are escaped": (
        '[{"a":"x\x7f\x85\u2028"}]', '@records a:s\n"x\\u007f\\u0085\\u2028"'),
    "keys that are no names are quoted": (
        '[{"c.d":1,"":2,"~":3,"é":4,"_x-1":5}]', '@records "c.d":i,"":i,"~":i,"é":i,_x-1:i\n1,2,3,4,5'),
    "objects with the same keys flatten, at most four keys deep": (
        '[{"a":{"b":{"c":{"d":{"e":1}}}}}]', '@records a.b.c.d:j\n{"e":1}'),
    "an object that is not always there is a JSON cell": (
        '[{"i":1,"a":{"x":1}},{"i":2}]', '@records i:i,a:j\n1,{"x":1}\n2,'),
    "an empty object is a JSON cell": ('[{"a":{}}]', "@records a:j\n{}"),
    "arrays are JSON cells": ('[{"a":[1,2]},{"a":[]}]', "@records a:j\n[1,2]\n[]"),
    "a child table counts: none, empty, some": (
        '[{"a":1,"b":[]},{"a":2,"b":[{"a":1}]},{"a":3}]', "@records a:i,b:t\n1,0\n2,1\n3,\n@records.b a:i,a:i\n2,1"),
    "a child table with a last column": (
        '[{"a":1,"b":[{"x":1},{"x":2},{"x":3,"y":null}]}]',
        '@records a:i,b:t\n1,3\n@records.b a:i,x:i,~\n1,1,\n1,2,\n1,3,{"y":null}'),
    "no child table when the first column repeats": (
        '[{"a":1,"b":[{"x":1}]},{"a":1,"b":[]}]', '@records a:i,b:j\n1,[{"x":1}]\n1,[]'),
    "no child table when the first column is no integer or string": (
        '[{"a":1.5,"b":[{"x":1}]}]', '@records a:f,b:j\n1.5,[{"x":1}]'),
    "no child table when the first column has an absent key": (
        '[{"a":"k","b":[{"x":1}]},{"b":[]}]', '@records a:s,b:j\nk,[{"x":1}]\n,[]'),
    "no child table for the first column itself": ('[{"b":[{"x":1}]}]', '@records b:j\n[{"x":1}]'),
    "no child table of a child table": (
        '[{"a":1,"b":[{"x":1,"c":[{"y":1}]}]}]', '@records a:i,b:t\n1,1\n@records.b a:i,x:i,c:j\n1,1,[{"y":1}]'),
    "no child table for elements whose keys have no common order": (
        '[{"a":1,"b":[{"x":1,"y":2},{"y":1,"x":2}]}]', '@records a:i,b:j\n1,[{"x":1,"y":2},{"y":1,"x":2}]'),
    "no child table for an empty object or a key that is there twice": (
        '[{"a":1,"b":[{}],"c":[{"x":1,"x":2}]}]', '@records a:i,b:j,c:j\n1,[{}],[{"x":1,"x":2}]'),
}  # fmt: skip


@pytest.mark.parametrize(("text", "encoded"), RULES.values(), ids=RULES)
def test_rules(text, encoded):
    assert encode(text, "ldf") == encoded
    assert decode(encoded, "ldf") == text


def test_inline_arrays_stay_in_their_row():
    text = '[{"id":1,"items":[{"sku":"E5","qty":3},{"sku":"C3","qty":4}]},{"id":2,"items":[]},{"id":3}]'
    encoded = '@records id:i,items:[sku,qty]\n1,[["E5",3],["C3",4]]\n2,[]\n3,'
    assert encode(text, "ldf-inline") == encoded
    assert decode(encoded, "ldf-inline") == text
    assert decode(encoded, "ldf") == text


def test_arrays_whose_objects_are_not_flat_or_not_alike_become_child_tables_all_the_same():
    for items in ('[{"a":[1]}]', '[{"a":1,"b":2},{"a":1}]'):
        assert encode(f'[{{"id":1,"x":{items}}}]', "ldf-inline").startswith("@records id:i,x:t\n")


def test_a_columnar_document_becomes_a_frame_with_everything_else_in_the_first_line():
    text = '{"x":1,"columns":["a","b.c"],"rows":[[1,"x,y"],[null,""]],"n":2}'
    encoded = '{"x":1,"columns":["a","b.c"],"rows":"@records","n":2}\n@records a:i?,"b.c":s\n1,"x,y"\nnull,""'
    assert encode(text, "ldf") == encoded
    assert decode(encoded, "ldf") == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[]", "not_a_table"),
        ("[{}]", "not_a_table"),
        ('[{"a":1},2]', "not_a_table"),
        ('{"a":1}', "not_a_table"),
        ('"x"', "not_a_table"),
        ('{"columns":["a"],"rows":[]}', "not_a_table"),
        ('{"columns":["a"],"rows":[[1,2]]}', "not_a_table"),
        ('{"columns":[1],"rows":[[1]]}', "not_a_table"),
        ('{"columns":["a"],"rows":[[1]],"rows":[[1]]}', "duplicate_keys"),
        ('[{"a":1,"a":2}]', "duplicate_keys"),
        ('[{"a":1,"b":2},{"b":1,"a":2}]', "key_order"),
    ],
)
def test_what_ldf_cannot_carry_is_declined_with_its_reason(text, code):
    with pytest.raises(Declined) as reason:
        encode(text, "ldf")
    assert reason.value.code == code


def test_keys_that_come_after_one_another_for_long_get_columns():
    """A chain of rare keys, each before the next: the search for the last column is given up, not the document."""
    chain = [{f"k{n}": n, f"k{n + 1}": n} for n in range(9)]
    rows = [*chain, *[{"end": 1}] * 12, {"k9": 1, "end": 1}]
    text = json.dumps(rows, separators=(",", ":"))
    encoded = encode(text, "ldf")
    assert "~" not in encoded
    assert decode(encoded, "ldf") == text


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "'@' is missing"),
        ("@records", 1, 9, "' ' is missing"),
        ("@ a:i", 1, 2, "a name is missing"),
        ("@records a", 1, 11, "':' is missing"),
        ("@records a:x", 1, 12, "a type is missing"),
        ("@records a:", 1, 12, "a type is missing"),
        ("@records a:i b:i", 1, 13, "separated by commas"),
        ("@records ~,a:i", 1, 11, "separated by commas"),
        ("@records a:[x", 1, 14, "']' is missing"),
        ('@records "a', 1, 10, "unterminated string"),
        ("@records a:i,b:i\n1", 2, 2, "the row has 1 cells, the header 2 columns"),
        ("@records a:i\n1,2", 2, 2, "more than 1 cells"),
        ("@records a:i\n1.5", 2, 1, "does not fit a column of type i"),
        ("@records a:f\nx", 2, 1, "does not fit a column of type f"),
        ("@records a:b\n1", 2, 1, "does not fit a column of type b"),
        ("@records a:i,~\n1,2", 2, 3, "does not fit a column of type ~"),
        ("@records a:i,b:[x]\n1,[1]", 2, 3, "does not fit a column of type"),
        ("@records a:i,b:t\n1,x", 2, 3, "does not fit a column of type t"),
        ("@records a:i,b:j\n1,{", 2, 4, "expecting property name"),
        ("@records a:i,a:i\n1,2", 1, 1, "two columns are called a"),
        ("@records a:i,b:i,a:i\n1,2,3", 1, 1, "two columns have the same name"),
        ("@records a:i,a.b:i\n1,2", 1, 1, "two columns are called a"),
        ("@other a:i\n1", 1, 1, "there is no table called records"),
        ("@records a:i\n1\n@records a:i\n1", 3, 1, "two tables called records"),
        ("@records a:i\n1\n@records.b a:i\n1", 3, 1, "no column counts the rows"),
        ("@records a:i,b:t\n1,1", 2, 1, "does not have the rows that this row counts"),
        ("@records a:i,b:t\n1,1\n@records.b a:i,x:i\n2,1", 2, 1, "does not have the rows"),
        ("@records a:i,b:t\n1,0\n@records.b a:i,x:i\n1,1", 1, 1, "rows that no row counts"),
        ('{"rows":"@records"}\n@records a:i\n1', 1, 1, "the first line has to hold"),
        ('{"columns":["b"],"rows":"@records"}\n@records a:i\n1', 2, 1, "the columns that the first line names"),
        ('{"columns":["a"],"rows":"@records"}', 2, 1, "the columns that the first line names"),
        ('{"columns":["a","b"],"rows":"@records"}\n@records a:i,b:i\n1,', 3, 1, "a cell is empty"),
        ('{"columns"', 1, 11, "expecting ':' delimiter"),
    ],
)
def test_what_is_not_ldf_is_an_error_with_line_and_column(text, line, column, what):
    with pytest.raises(DecodeError, match=what) as error:
        decode(text, "ldf")
    assert (error.value.line, error.value.column, error.value.code) == (line, column, "invalid_ldf")


def test_a_flattened_object_without_any_cell_is_absent():
    """We never write this; another writer may."""
    assert decode("@records i:i,a.b:i,a.c:i\n1,,\n2,3,", "ldf") == '[{"i":1},{"i":2,"a":{"b":3}}]'
    assert decode("@records s:s\nnull\nx", "ldf") == '[{"s":null},{"s":"x"}]'
    assert decode("@records i:i,b:t\n1,0", "ldf") == '[{"i":1,"b":[]}]'
