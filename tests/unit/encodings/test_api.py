"""The public names: unpretty.encode and unpretty.decode."""

import doctest
import importlib

import pytest

import unpretty
from unpretty.encodings import Declined, DecodeError, names, registry, verified
from unpretty.encodings.document import Document
from unpretty.errors import UnprettyError


@pytest.mark.parametrize("module", ["unpretty.encodings"])
def test_the_examples_in_the_documentation_are_true(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted >= 6
    assert not results.failed


@pytest.mark.parametrize("encoding", names())
def test_python_values_text_and_bytes_give_the_same_result(encoding):
    rows = [{"id": 1, "city": "Bergen", "open": True}, {"id": 2, "city": "Gränna", "open": None}]
    text = '[ {"id": 1, "city": "Bergen", "open": true}, {"id": 2, "city": "Gr\\u00e4nna", "open": null} ]'
    encoded = unpretty.encode(rows, encoding)
    if encoding != "json":
        assert unpretty.encode(text, encoding) == encoded
        assert unpretty.encode(text.encode(), encoding) == encoded
    assert unpretty.decode(encoded, encoding) == unpretty.encode(rows, "json")


def test_json_keeps_strings_as_they_were_spelled():
    assert unpretty.encode(' {"a" : "\\u00e9\\/"} ', "json") == '{"a":"\\u00e9\\/"}'
    assert unpretty.decode('{"a": "\\u00e9"}', "json") == '{"a":"\\u00e9"}'


def test_an_unknown_encoding_is_an_error_that_names_the_known_ones():
    with pytest.raises(UnprettyError) as error:
        unpretty.encode([], "yaml")
    assert error.value.code == "unknown_encoding"
    assert "tight-c" in error.value.hint


def test_values_that_are_not_json_are_errors():
    for value in ({"a": float("nan")}, {1: 2}, {"a": {1, 2}}):
        with pytest.raises(UnprettyError, match="cannot be written as JSON") as error:
            unpretty.encode(value, "json")
        assert error.value.code == "not_json"


def test_bytes_that_are_not_utf_8_are_an_error():
    with pytest.raises(DecodeError, match="byte 2 is not UTF-8"):
        unpretty.encode(b'"a\xff"', "json")


def test_too_deep_nesting_is_declined_and_never_a_crash():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for encoding in names():
        with pytest.raises(Declined) as reason:
            unpretty.encode("[" * 100_000 + "]" * 100_000, encoding)
        assert reason.value.code == "too_deep"
        with pytest.raises(Declined):
            unpretty.encode(deep, encoding)
    for encoding in ("json", "columnar", "tight-c"):
        with pytest.raises(DecodeError, match="nested too deeply"):
            unpretty.decode("[" * 100_000 + "]" * 100_000, encoding)


def test_a_table_with_a_column_for_each_row_takes_no_more_room_than_its_cells():
    """Written as a table this would have 25 million cells."""
    rows = [{f"key{n}": n, "last": n} for n in range(5000)]
    assert unpretty.encode(rows, "columnar") == unpretty.encode(rows, "json")
    for encoding in ("ldf", "ldf-inline"):
        with pytest.raises(Declined) as reason:
            unpretty.encode(rows, encoding)
        assert reason.value.code == "not_smaller"
    nested = unpretty.encode([{"id": 1, "rows": rows}], "ldf")
    assert nested.startswith("@records id:i,rows:j\n")


class _Liar:
    """An encoding that decodes to another document, or to none."""

    name = "liar"

    def __init__(self, back):
        self.back = back

    def encode(self, document):
        return "text"

    def decode(self, text):
        if self.back is None:
            raise DecodeError("broken", 1, 1, "liar")
        return Document.from_text(self.back)


@pytest.mark.parametrize(
    ("back", "code"),
    [
        ('{"a":1,"b":[2,3]}', ""),
        ('{"b":[2,3],"a":1}', "key_order"),
        ('{"a":1.0,"b":[2,3]}', "not_verified"),
        ('{"a":1,"b":[3,2]}', "not_verified"),
        ('{"a":1,"b":[2,"3"]}', "not_verified"),
        (None, "not_verified"),
    ],
)
def test_a_text_that_does_not_lead_back_is_never_handed_out(back, code):
    document = Document.from_text('{"a":1,"b":[2,3]}')
    if not code:
        assert verified.encode_verified(document, _Liar(back)) == "text"
    else:
        with pytest.raises(Declined) as reason:
            verified.encode_verified(document, _Liar(back))
        assert reason.value.code == code


def test_a_text_that_utf_8_cannot_hold_is_never_handed_out():
    class Surrogate(_Liar):
        def encode(self, document):
            return "\ud800"

    with pytest.raises(Declined) as reason:
        verified.encode_verified(Document.from_text("[]"), Surrogate("[]"))
    assert reason.value.code == "lone_surrogate"


def test_every_registered_encoding_goes_by_its_name():
    for name in names():
        assert registry.get(name).name == name
