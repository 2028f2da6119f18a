"""Conditions with numbers: exact, whatever their size, spelling and type."""

import json
import operator
from decimal import Decimal

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from unpretty.servers.files.number_filter import compare_sql
from unpretty.servers.files.row_filter import Condition
from unpretty.servers.files.server import FileServer

BIG = 1234567890123456785
OPERATORS = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@pytest.fixture
def root(tmp_path):
    ids = [BIG + n for n in range(-5, 5)] + [2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**40, 10**40 + 1]
    lines = "".join(f"{number},n{number}\n" for number in ids)
    (tmp_path / "t.csv").write_text("id,name\n" + lines)
    (tmp_path / "t.tsv").write_text("id\tname\n" + lines.replace(",", "\t"))
    (tmp_path / "t.jsonl").write_text("".join(f'{{"id": {number}, "name": "n{number}"}}\n' for number in ids))
    integers = ", ".join(str(number) for number in ids if -(2**63) <= number < 2**63)
    decimals = ", ".join(str(number) for number in ids if abs(number) < 10**38)
    duckdb.execute(f"COPY (SELECT unnest([{integers}]::BIGINT[]) AS id) TO '{tmp_path}/i.parquet'")
    duckdb.execute(f"COPY (SELECT unnest([{decimals}]::DECIMAL(38,0)[]) AS id) TO '{tmp_path}/d.parquet'")
    return tmp_path


def ids(served, name, op, value):
    where = [Condition(column="id", op=op, value=value)]
    text = served.read_rows(name, columns=["id"], where=where)
    return [int(row["id"]) for row in json.loads(text)["rows"]]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "i.parquet", "d.parquet"])
def test_integers_beyond_doubles_are_told_apart(root, name):
    served = FileServer(root, encoding="json")
    everything = ids(served, name, "!=", 0)
    for value in everything:
        for op, holds in OPERATORS.items():
            assert ids(served, name, op, value) == [number for number in everything if holds(number, value)]
    assert ids(served, name, "in", [BIG, BIG + 2]) == [BIG, BIG + 2]
    assert BIG in everything
    assert len(everything) > 10


def test_the_condition_of_a_client_keeps_every_digit(root):
    """Through JSON and the official SDK, as a model's call arrives."""
    import anyio
    from mcp import Client

    async def go():
        async with Client(FileServer(root, encoding="json").server()) as client:
            where = json.loads(f'[{{"column": "id", "op": "=", "value": {BIG}}}]')
            return await client.call_tool("read_rows", {"path": "t.csv", "where": where, "columns": ["name"]})

    assert json.loads(anyio.run(go).content[0].text)["rows"] == [{"name": f"n{BIG}"}]


@pytest.mark.parametrize("kind", ["DECIMAL(30,20)", "DECIMAL(4,1)", "DOUBLE", "FLOAT", "VARCHAR"])
def test_a_decimal_is_the_one_that_is_shown(tmp_path, kind):
    duckdb.execute(f"COPY (SELECT unnest([0.1, -0.1, 0.2, 12.5])::{kind} AS x) TO '{tmp_path}/t.parquet'")
    served = FileServer(tmp_path, encoding="json")

    def found(op, value):
        text = served.read_rows("t.parquet", where=[Condition(column="x", op=op, value=value)])
        return [float(row["x"]) for row in json.loads(text)["rows"]]

    assert found("=", 0.1) == [0.1]
    assert found("<=", 0.1) == [0.1, -0.1]
    assert found("<", 0.1) == [-0.1]
    assert found("in", [-0.1, 12.5]) == [-0.1, 12.5]
    assert found(">", 12) == [12.5]


@pytest.mark.parametrize(
    ("value", "cells"),
    [
        (1.1, ["1.1", "1.10", "01.1", "11e-1", "0.11E+1", "+1.1", " 1.1 "]),
        (7, ["7", "007", "7.0", "7.", "0.7e1", "70e-1"]),
        (0, ["0", "-0", "0.0", "0e5", ".0", "-0.00"]),
        (10**40, ["1e40", "1" + "0" * 40, "1" + "0" * 40 + ".0"]),
        (10**400, ["1e400", "1" + "0" * 400]),
        (1e-7, ["1e-7", "0.0000001"]),
    ],
)
def test_one_number_may_be_spelled_in_many_ways(tmp_path, value, cells):
    words = ["", "-", ".", "e5", "x", "1_000", "0x7", "1,1", "7 7", "1e", "NaN"]
    other = [f"{cells[0]}1", f"-{cells[0]}1"]
    duckdb.execute(f"COPY (SELECT unnest(?::VARCHAR[]) AS x) TO '{tmp_path}/t.parquet'", [[*cells, *words, *other]])
    served = FileServer(tmp_path, encoding="json")
    text = served.read_rows("t.parquet", where=[Condition(column="x", op="=", value=value)])
    assert [row["x"] for row in json.loads(text)["rows"]] == cells


def test_what_is_no_number_fits_no_number(tmp_path):
    (tmp_path / "t.csv").write_text("x,n\n" + "".join(f"{word},1\n" for word in ("", "-", "x", "1_000", "e5", "true")))
    served = FileServer(tmp_path, encoding="json")
    for op in OPERATORS:
        for value in (0, 1, 1000, -5, 0.5):
            text = served.read_rows("t.csv", where=[Condition(column="x", op=op, value=value)])
            assert json.loads(text)["rows"] == []


def test_a_number_in_quotes_is_compared_as_text(tmp_path):
    (tmp_path / "t.csv").write_text("x,n\n007,1\n7,2\n7.0,3\n10,4\n")
    served = FileServer(tmp_path, encoding="json")

    def found(op, value):
        return [row["n"] for row in json.loads(
            served.read_rows("t.csv", where=[Condition(column="x", op=op, value=value)])
        )["rows"]]  # fmt: skip

    assert found("=", "7") == [2]
    assert found("=", 7) == [1, 2, 3]
    assert found("<", "7") == [1, 4]
    assert found("<", 10) == [1, 2, 3]


DIGITS = st.text(st.sampled_from("0159"), min_size=1, max_size=25)
NUMBERS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    DIGITS,
    st.one_of(st.just(""), st.builds(".{}".format, DIGITS)),
    st.one_of(st.just(""), st.builds("e{}".format, st.integers(-330, 330))),
)
VALUES = st.one_of(
    st.integers(),
    st.builds(lambda power, near: 2**power + near, st.integers(50, 130), st.integers(-2, 2)),
    st.floats(allow_nan=False, allow_infinity=False),
)


@settings(deadline=None)
@given(cells=st.lists(NUMBERS, min_size=1, max_size=6), value=VALUES)
@example(cells=["0.1", "0.10000000000000000555", "0.09999999999999999999"], value=0.1)
@example(cells=["1e-330", "-1e-330", "0"], value=0)
@example(cells=["1e330", "2e330", "-1e330"], value=10**330)
def test_numbers_compare_as_decimals_do(cells, value):
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    cells = [*cells, str(number), str(number + 1)]
    for op, holds in OPERATORS.items():
        condition, parameters = compare_sql("x", op, value)
        found = duckdb.execute(
            f"SELECT {condition} FROM (SELECT unnest(?::VARCHAR[]) AS x)", [*parameters, cells]
        ).fetchall()
        assert [row[0] for row in found] == [holds(Decimal(cell), number) for cell in cells]
