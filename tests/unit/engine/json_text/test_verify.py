"""The proof must fail for any change but whitespace between tokens: it is what users rely on."""

import json

import pytest

from unpretty.engine.json_text.minify import Minified, minify
from unpretty.engine.json_text.scanner import scan
from unpretty.engine.json_text.verify import is_same

INNER = json.dumps({"rows": [{"id": 1, "name": "a b"}, {"id": 2, "name": "c d e f g h i j k l"}]}, indent=2)
DOCUMENT = json.dumps({"n": 1.5, "s": "x  y", "e": "é", "stdout": INNER, "k": {"a": 1, "b": [True, None]}}, indent=2)


def proven(flat: str, text: str | None = None, document: str = DOCUMENT) -> bool:
    return is_same(document, scan(document)[0], Minified(flat, flat if text is None else text))


def test_what_minify_makes_is_proven() -> None:
    minified = minify(DOCUMENT)
    assert minified.text != minified.flat
    assert proven(minified.flat, minified.text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1.5", "1.50"),
        ("x  y", "x y"),
        ("\\u00e9", "é"),
        ("null", "true"),
        ('"a":1', '"a":1,"a":1'),
        ('"a":1,"b":[true,null]', '"b":[true,null],"a":1'),
        ('"k"', '"K"'),
        ("}}", "}} "),
        ("}}", "}}x"),
        ("}}", "}"),
    ],
)
def test_any_other_change_fails(before: str, after: str) -> None:
    flat = minify(DOCUMENT).flat
    assert flat.count(before) >= 1
    changed = flat.replace(before, after, 1)
    assert not proven(changed) or changed.strip() == flat


@pytest.mark.parametrize(
    ("before", "after"), [("a b", "ab"), ('\\"id\\":1', '\\"id\\":1.0'), ("name", "Name"), ("}]}", "}]}}")]
)
def test_a_change_inside_a_nested_document_fails(before: str, after: str) -> None:
    minified = minify(DOCUMENT)
    assert before in minified.text
    assert not proven(minified.flat, minified.text.replace(before, after, 1))


def test_strings_that_are_no_documents_may_not_change_at_all() -> None:
    document = '["  a long text that is not a document, with whitespace at its ends  ", {"x": [1]}]'
    flat = minify(document).flat
    assert not proven(flat, flat.replace('"  a', '"a'), document)
    assert not proven(flat, flat.replace("[1]", "[2]"), document)
    assert not proven(flat, flat.replace("[1]", "[1,2]"), document)
    assert not proven(flat, flat.replace('{"x":[1]}', "[1]"), document)
    assert not proven(flat, flat + "]", document)


def test_whitespace_around_a_nested_document_may_not_change() -> None:
    document = json.dumps(["\n" + INNER + " "])
    minified = minify(document)
    assert proven(minified.flat, minified.text, document)
    assert not proven(minified.flat, minified.text.replace('"\\n{', '"{'), document)
    assert not proven(minified.flat, minified.text.replace('} "', '}"'), document)
