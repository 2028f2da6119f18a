"""The value model: everything that ``json.loads`` throws away stays."""

import pytest

from unpretty.encodings.errors import DecodeError
from unpretty.encodings.json_value import dump, from_python, is_integer, is_number, parse, quote


def test_numbers_key_order_and_duplicate_keys_stay_as_they_were_spelled():
    text = '{"b":1.10,"a":-0,"b":1E+5,"c":123456789012345678901234567890,"d":[1e400]}'
    assert dump(parse(text)) == text


def test_values_of_different_kinds_are_never_equal():
    values = [parse(text) for text in ("1", '"1"', "1.0", "true", "null", "[]", "{}", '""', "0", "false")]
    for place, value in enumerate(values):
        assert all(value != other for other in values[place + 1 :])


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("[1,\n 2,,3]", 2, 4),
        ('{"a": 1}\n{"b": 2}', 2, 1),
        ('{"a": "NaN", "b":\n  NaN}', 2, 3),
        ("[-Infinity]", 1, 2),
        ('["x', 1, 2),
        ("\n\n  nul", 3, 3),
    ],
)
def test_what_is_not_json_is_an_error_with_line_and_column(text, line, column):
    with pytest.raises(DecodeError) as error:
        parse(text)
    assert (error.value.line, error.value.column) == (line, column)
    assert error.value.code == "invalid_json"
    assert str(error.value).startswith(f"line {line}, column {column}: ")


def test_an_error_is_one_sentence_without_a_second_place():
    with pytest.raises(DecodeError, match=r"^line 1, column 6: expecting ',' delimiter\.$"):
        parse('[1, "a" "b"]'.replace(" ", "", 1).replace('"a"', "2"))
    with pytest.raises(DecodeError, match=r"^line 1, column 2: NaN is not JSON\.$"):
        parse("[NaN]")


def test_strings_are_escaped_only_where_json_or_utf_8_needs_it():
    assert quote('"\\\n\x00\x7fé𝄞\ud800') == '"\\"\\\\\\n\\u0000\x7fé𝄞\\ud800"'
    assert dump(parse('"\\u00e9\\/\\ud834\\udd1e"')) == '"é/𝄞"'


def test_python_values_become_the_same_json():
    value = from_python({"a": [1, 2.5, True, None, "x"], "b": (1e22, -0.0), "c": {}})
    assert dump(value) == '{"a":[1,2.5,true,null,"x"],"b":[1e+22,-0.0],"c":{}}'


@pytest.mark.parametrize(
    ("value", "error"),
    [(float("nan"), ValueError), (float("inf"), ValueError), ({1: 2}, TypeError), (b"x", TypeError), ({1}, TypeError)],
)
def test_python_values_that_json_lacks_are_refused(value, error):
    with pytest.raises(error):
        from_python([value])


def test_subclasses_of_numbers_are_written_as_numbers():
    class Level(int):
        def __repr__(self):
            return "Level()"

    class Share(float):
        def __repr__(self):
            return "Share()"

    assert dump(from_python([Level(3), Share(0.5)])) == "[3,0.5]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", True),
        ("-0.5e+3", True),
        ("01", False),
        ("1.", False),
        (".5", False),
        ("+1", False),
        ("", False),
        ("1 ", False),
        ("٣", False),
    ],
)
def test_number_text_is_that_of_json(text, expected):
    assert is_number(text) is expected


def test_an_integer_has_neither_fraction_nor_exponent():
    assert [is_integer(number) for number in (b"-12", b"0", b"1.0", b"1e5")] == [True, True, False, False]
