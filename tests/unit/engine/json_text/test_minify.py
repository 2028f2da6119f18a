"""Whitespace between tokens is removed, nothing else; documents inside strings likewise."""

import json

import pytest

from unpretty.engine.json_text.minify import NESTED_MIN_BYTES, minify, minify_string

TASKS = {"tasks": [{"id": n, "note": 'say "hi" \\ to é / <b> \U0001f600'} for n in range(3)]}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ('{\n  "a": 1\n}', '{"a":1}'),
        ('{"a" : [ 1 ,\t2 ]\r\n}', '{"a":[1,2]}'),
        ('{ "a b" : " c  d " }', '{"a b":" c  d "}'),
        ('[ "\\" : \\\\" , "x" ]', '["\\" : \\\\","x"]'),
        ('[ "\\\\" , " \\\\\\" " ]', '["\\\\"," \\\\\\" "]'),
        ('{ "a": 1, "a": 1.0, "a": 1e5 }', '{"a":1,"a":1.0,"a":1e5}'),
        ("[ -0, 1E+5, 0.10, 18446744073709551615 ]", "[-0,1E+5,0.10,18446744073709551615]"),
        (
            '[ "\\u00e9", "\\/", "\\u003c", "\\ud83d\\ude00", "\\ud800" ]',
            '["\\u00e9","\\/","\\u003c","\\ud83d\\ude00","\\ud800"]',
        ),
        ("[ ]", "[]"),
    ],
)
def test_only_whitespace_between_tokens_goes(document: str, expected: str) -> None:
    assert minify(document).text == expected
    assert minify(document).flat == expected


def test_integers_of_any_length_keep_every_digit() -> None:
    """Python refuses to convert over 4,300 digits; nothing here converts."""
    digits = "7" * 10_000
    assert minify(f"[ {digits} ]").text == f"[{digits}]"


def test_large_documents_are_minified_in_pieces_with_the_same_result() -> None:
    rows = [{"id": n, "text": f'a "quoted" \\ text {n}', "nested": json.dumps(TASKS, indent=2)} for n in range(2_000)]
    document = json.dumps(rows, indent=2)
    assert len(document) > 1 << 19
    minified = minify(document)
    assert minified.flat == json.dumps(rows, separators=(",", ":"))
    expected = [{**row, "nested": json.dumps(TASKS, separators=(",", ":"))} for row in rows]
    assert minified.text == json.dumps(expected, separators=(",", ":"))


def _go(value: object) -> str:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    for char in "<>&\u2028":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


@pytest.mark.parametrize(
    "spell",
    [
        lambda value: json.dumps(value, indent=1),
        lambda value: json.dumps(value, indent=1, ensure_ascii=False),
        _go,
        lambda value: json.dumps(value, indent=1).replace("/", "\\/"),
        lambda value: json.dumps(value, indent=1, ensure_ascii=False).replace("/", "\\/"),
        lambda value: (
            json.dumps(value, indent=1).replace("\\u00e9", "\\u00E9").replace("\\ud83d\\ude00", "\\uD83D\\uDE00")
        ),
    ],
    ids=["ascii", "plain", "go", "php", "slashes", "upper-case"],
)
def test_documents_in_strings_are_minified_and_escaped_as_they_were(spell) -> None:
    """Every remaining character of the string keeps its spelling, whichever writer made it."""
    inner = json.dumps(TASKS, indent=2, ensure_ascii=False)
    document = spell({"stdout": inner})
    shorter = minify(document).text
    assert shorter == spell({"stdout": json.dumps(TASKS, ensure_ascii=False, separators=(",", ":"))}).replace(
        "\n ", ""
    ).replace("\n", "").replace('"stdout": ', '"stdout":')
    assert json.loads(json.loads(shorter)["stdout"]) == TASKS


def test_a_string_with_mixed_spelling_stays() -> None:
    """No known writer spells é both ways, so what remains could not be spelled as it was."""
    inner = json.dumps({"a": "é", "b": "é", "c": "x" * 64}, indent=2, ensure_ascii=False)
    literal = json.dumps(inner, ensure_ascii=False).replace("é", "\\u00e9", 1)
    assert minify("[ " + literal + " ]").text == "[" + literal + "]"


def test_descent_goes_through_several_levels_of_strings() -> None:
    level = json.dumps(TASKS, indent=2)
    expected = json.dumps(TASKS, separators=(",", ":"))
    for _ in range(4):
        level = json.dumps({"inner": level}, indent=2)
        expected = json.dumps({"inner": expected}, separators=(",", ":"))
    assert minify(level).text == expected


def test_whitespace_around_a_document_in_a_string_stays() -> None:
    inner = json.dumps(TASKS, indent=2)
    document = json.dumps({"stdout": "\n \t" + inner + "\r\n"}, indent=2)
    assert json.loads(minify(document).text)["stdout"] == "\n \t" + json.dumps(TASKS, separators=(",", ":")) + "\r\n"


@pytest.mark.parametrize(
    "value",
    [
        "plain text that is long enough to be looked at, but holds no document at all, really none",
        "{ this is not JSON however much it starts like it and goes on for over sixty-four bytes }",
        json.dumps({"a": 1}, indent=2),
        json.dumps(TASKS, indent=2) + "trailing text",
        "[" * 80,
        json.dumps(TASKS, separators=(",", ":")),
    ],
    ids=["text", "not JSON", "under 64 bytes", "text after", "open brackets", "compact"],
)
def test_other_strings_stay(value: str) -> None:
    document = json.dumps({"stdout": value}, indent=2)
    assert minify(document).text == json.dumps({"stdout": value}, separators=(",", ":"))


def test_keys_stay_even_when_they_look_like_documents() -> None:
    key = json.dumps(TASKS, indent=2)
    document = json.dumps({key: key}, indent=2)
    assert json.loads(minify(document).text) == {key: json.dumps(TASKS, separators=(",", ":"))}


def test_a_key_stays_a_key_at_the_edge_of_a_piece() -> None:
    """Large documents are worked on in pieces, which never end between a key and its colon."""
    key = json.dumps(json.dumps(TASKS, indent=2))
    document = "{" + f'"filler": [{"1," * 70_000}1],\n' + key + "\n:1," + f'\n"more": [{"1," * 70_000}1]}}'
    assert json.dumps(TASKS, indent=2) in json.loads(minify(document).text)


def test_the_size_of_a_nested_document_is_counted_in_bytes() -> None:
    text = json.dumps({"k": "é" * ((NESTED_MIN_BYTES - 10) // 2)}, indent=2, ensure_ascii=False)
    assert len(text) < NESTED_MIN_BYTES <= len(text.encode())
    assert minify_string(text) == json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
