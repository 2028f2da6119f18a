"""Parquet by DuckDB: types that JSON lacks, digits, errors."""

import io
import sys

import pytest

from unpretty.convert.parquet import read_parquet
from unpretty.convert.readers import record_reader
from unpretty.encodings import DecodeError
from unpretty.errors import UnprettyError


def test_without_duckdb_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UnprettyError, match="needs DuckDB") as error:
        next(read_parquet(io.BytesIO(b"")))
    assert "unpretty[parquet]" in error.value.hint


def parquet(directory, query):
    import duckdb

    path = directory / "it's * a [file]?.parquet"
    with duckdb.connect() as database:
        relation = database.sql(query)
        relation.write_parquet(str(path))
    return path


@pytest.fixture
def duckdb():
    return pytest.importorskip("duckdb")


def read(path):
    with path.open("rb") as stream:
        return [document.minified for document in record_reader("parquet")(stream)]


def test_every_kind_of_value_has_a_form_in_json(duckdb, tmp_path):
    path = parquet(
        tmp_path,
        """SELECT 18446744073709551615::UBIGINT AS big, 12.50::DECIMAL(10,2) AS price, 0.1::DOUBLE AS share,
           'naïve' AS "the name", NULL AS nothing, true AS yes, {'k': [1, NULL]} AS nested, MAP {1: 'x'} AS map,
           DATE '2026-01-02' AS day, TIMESTAMP '2026-01-02 03:04:05' AS moment, INTERVAL 90 SECOND AS length,
           'ab'::BLOB AS bytes, uuid '00000000-0000-0000-0000-000000000001' AS uuid,
           'nan'::DOUBLE AS nan, 'inf'::DOUBLE AS inf, '-inf'::DOUBLE AS minus""",
    )
    assert read(path) == [
        '{"big":18446744073709551615,"price":12.50,"share":0.1,"the name":"naïve","nothing":null,"yes":true,'
        '"nested":{"k":[1,null]},"map":{"1":"x"},"day":"2026-01-02","moment":"2026-01-02T03:04:05","length":"0:01:30",'
        '"bytes":"YWI=","uuid":"00000000-0000-0000-0000-000000000001",'
        '"nan":"NaN","inf":"Infinity","minus":"-Infinity"}'
    ]


def test_rows_are_read_in_batches_and_in_order(duckdb, tmp_path):
    rows = read(parquet(tmp_path, "SELECT range AS n FROM range(2500)"))
    assert rows == [f'{{"n":{n}}}' for n in range(2500)]


def test_what_is_not_parquet_is_an_error_that_does_not_show_our_copy(duckdb):
    with pytest.raises(DecodeError, match=r"^this cannot be read as Parquet \(") as error:
        next(read_parquet(io.BytesIO(b"no parquet")))
    assert "data.parquet" not in str(error.value)
