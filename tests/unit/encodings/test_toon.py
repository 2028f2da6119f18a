"""TOON by the toons library: the specification's own fixtures, and what TOON cannot carry."""

import json
from pathlib import Path

import pytest
import toons

from unpretty import decode, encode
from unpretty.encodings import Declined, DecodeError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "toon-spec-4.0"


def fixtures(category):
    return [
        pytest.param(test, id=f"{file.stem}: {test['name']}")
        for file in sorted((FIXTURES / category).glob("*.json"))
        for test in json.loads(file.read_text(encoding="utf-8"))["tests"]
    ]


def options(test):
    given = test.get("options", {})
    names = {"delimiter": "delimiter", "indentSize": "indent_size", "strict": "strict"}
    assert set(given) <= set(names)
    return {names[name]: value for name, value in given.items()}


@pytest.mark.parametrize("test", fixtures("encode"))
def test_the_writer_passes_the_fixtures_of_the_specification(test):
    assert toons.dumps(test["input"], **options(test)) == test["expected"]


@pytest.mark.parametrize("test", fixtures("decode"))
def test_the_reader_passes_the_fixtures_of_the_specification(test):
    if test.get("shouldError"):
        with pytest.raises(toons.ToonDecodeError):
            toons.loads(test["input"], **options(test))
    else:
        assert toons.loads(test["input"], **options(test)) == test["expected"]


@pytest.mark.parametrize("test", fixtures("encode"))
def test_our_encoder_writes_what_the_fixtures_expect_when_it_does_not_decline(test):
    if options(test):
        return
    text = json.dumps(test["input"])
    try:
        assert encode(text, "toon") == test["expected"]
    except Declined as reason:
        assert reason.code in ("number_text", "key_order")  # 1.0, 1e6; rows in another order


def test_a_table_comes_back_as_it_was():
    text = '[{"a":1.5,"b":"x"},{"a":-2,"b":null}]'
    assert encode(text, "toon") == "[2]{a,b}:\n  1.5,x\n  -2,null"
    assert decode("[2]{a,b}:\n  1.5,x\n  -2,null", "toon") == text


@pytest.mark.parametrize("number", ["0", "-1", "18446744073709551616", "0.1", "-12.75", "0.0000001", "1234567890.5"])
def test_numbers_in_toons_own_spelling_are_carried(number):
    assert decode(encode(number, "toon"), "toon") == number


@pytest.mark.parametrize(
    "number", ["-0", "1.0", "1.10", "0.0", "-0.0", "1e5", "1E+5", "1e-7", "1e400", "0.1234567890123456789", "9" * 5000]
)
def test_numbers_that_toon_would_spell_in_another_way_are_declined(number):
    assert code_of(number) == "number_text"


def test_what_toon_cannot_carry_is_declined_with_its_reason():
    assert code_of('{"a":1,"a":1}') == "duplicate_keys"
    assert code_of('[{"a":1,"b":2},{"b":1,"a":2}]') == "key_order"
    assert code_of('"\\ud800"') == "lone_surrogate"
    assert code_of('"\\ufeff"') == "byte_order_mark"
    assert code_of('{"\\ufeffa":1}') is None
    assert code_of('[{"\\ud800":0}]') == "lone_surrogate"
    assert code_of("[" * 400 + "]" * 400) in ("too_deep", None)
    assert code_of("[" * 100_000 + "]" * 100_000) == "too_deep"


def test_nesting_that_the_library_refuses_is_declined(monkeypatch):
    def refuse(_):
        raise ValueError("nested too deep")

    monkeypatch.setattr(toons, "dumps", refuse)
    assert code_of("[[]]") == "too_deep"


def test_what_is_not_toon_is_an_error_with_its_line():
    with pytest.raises(DecodeError) as error:
        decode("a: 1\nb[2]: 1", "toon")
    assert (error.value.line, error.value.encoding) == (2, "toon")
    assert str(error.value).startswith("line 2: array ")


def test_a_number_that_no_float_holds_is_an_error():
    with pytest.raises(DecodeError):
        decode("1e400", "toon")


def test_an_error_of_the_library_without_a_line_is_an_error_all_the_same(monkeypatch):
    def refuse(_):
        raise ValueError("an integer that is too long")

    monkeypatch.setattr(toons, "loads", refuse)
    with pytest.raises(DecodeError, match="an integer that is too long"):
        decode("1", "toon")


def code_of(text):
    try:
        encode(text, "toon")
    except Declined as reason:
        return reason.code
    return None
