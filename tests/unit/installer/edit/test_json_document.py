"""Whole documents before and after, one edit each."""

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer.edit.json_document import JsonDocument

GROUP = {"matcher": "Bash", "hooks": [{"x": 1}]}


def edited(text: str, edit) -> str:
    return edit(JsonDocument.read(text.encode())).text


def test_a_missing_an_empty_and_a_blank_file_count_as_an_empty_object():
    for data in (None, b"", b" \n", b"\xef\xbb\xbf"):
        assert JsonDocument.read(data).value() == {}
    assert JsonDocument.read(None).append((), [1], key="a").text == '{\n  "a": [\n    1\n  ]\n}\n'
    assert JsonDocument.read(b"// only a note").append((), 1, key="a").text == '// only a note\n{\n  "a": 1\n}\n'
    assert JsonDocument.read(b"\r\n").append((), 1, key="a").text == '\r\n{\r\n  "a": 1\r\n}\r\n'
    assert JsonDocument.read(b"\xef\xbb\xbf").append((), 1, key="a").to_bytes() == b'\xef\xbb\xbf{\n  "a": 1\n}\n'


def test_a_key_goes_behind_the_last_one_in_the_files_own_indentation_and_line_ending():
    before = '\ufeff{\r\n\t"model": "opus",\r\n\t"env": {}\r\n}\r\n'
    after = (
        '\ufeff{\r\n\t"model": "opus",\r\n\t"env": {},\r\n\t"a": {\r\n\t\t"b": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n'
    )
    assert edited(before, lambda d: d.append((), {"b": [1]}, key="a")) == after


def test_four_spaces_stay_four_spaces_also_in_an_empty_array_deep_inside():
    before = '{\n    "hooks": {\n        "PostToolUse": []\n    }\n}'
    after = before.replace("[]", '[\n            {\n                "m": 1\n            }\n        ]')
    assert edited(before, lambda d: d.append(("hooks", "PostToolUse"), {"m": 1})) == after


def test_a_file_on_one_line_stays_on_one_line():
    assert (
        edited('{"a":1}', lambda d: d.append((), GROUP, key="g")) == '{"a":1,"g":{"matcher":"Bash","hooks":[{"x":1}]}}'
    )
    assert edited('{"a": [1]}', lambda d: d.prepend(("a",), {"b": 2})) == '{"a": [{"b": 2}, 1]}'
    assert edited('{"a": [ 1 ]}', lambda d: d.prepend(("a",), 2)) == '{"a": [ 2, 1 ]}'
    assert edited("[1,2]", lambda d: d.append((), 3)) == "[1,2,3]"


def test_a_trailing_comma_stays_trailing():
    before = '{\n  "a": 1, // one\n}\n'
    assert edited(before, lambda d: d.append((), 2, key="b")) == '{\n  "a": 1, // one\n  "b": 2,\n}\n'


def test_a_comment_at_the_end_of_a_line_stays_with_its_line():
    before = '{\n  "a": 1 // one\n}\n'
    assert edited(before, lambda d: d.append((), 2, key="b")) == '{\n  "a": 1, // one\n  "b": 2\n}\n'
    before = '{\n  "a": [ // all of them\n    1\n  ]\n}\n'
    after = '{\n  "a": [ // all of them\n    0,\n    1\n  ]\n}\n'
    assert edited(before, lambda d: d.prepend(("a",), 0)) == after


def test_a_commented_empty_array_keeps_its_comment():
    before = '{\n  "a": [\n    // none yet\n  ]\n}'
    assert edited(before, lambda d: d.append(("a",), 1)) == '{\n  "a": [\n    1\n    // none yet\n  ]\n}'


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ('{"a": 1, "b": 2, "c": 3}', ("a",), '{"b": 2, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', ("b",), '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', ("c",), '{"a": 1, "b": 2}'),
        ("[1,]", (0,), "[]"),
        ("[\n  1\n]", (0,), "[]"),
        ("[\n  1,\n  2\n]", (0,), "[\n  2\n]"),
        ("[1, // one\n 2 // two\n]", (1,), "[1 // one\n // two\n]"),
        ("[1, // one\n 2]", (1,), "[1 // one\n]"),
        ("[1, // one\n 2, 3]", (1,), "[1, // one\n 3]"),
        ("[1, /* two */ 2 /* two */, 3]", (1,), "[1, /* two */ /* two */ 3]"),
        ("[ // note\n 1]", (0,), "[ // note\n]"),
    ],
)
def test_removing_takes_the_comma_along_and_leaves_every_comment(before, path, after):
    assert edited(before, lambda d: d.remove(path)) == after


def test_a_line_comment_never_swallows_what_comes_after_a_removed_element():
    text = edited("[1, // one\r\n 2]", lambda d: d.remove((1,)))
    assert text == "[1 // one\r\n]"
    assert JsonDocument.read(text.encode()).value() == [1]


def test_replacing_keeps_the_place_and_the_layout():
    before = '{\n  "a": [\n    {"x": 1}, // keep\n    2\n  ]\n}'
    assert edited(before, lambda d: d.replace(("a", 0), {"y": 2})) == before.replace('{"x": 1}', '{"y": 2}')
    before = '{\n  "a": {\n    "x": 1\n  }\n}'
    assert edited(before, lambda d: d.replace(("a",), {"y": [2]})) == '{\n  "a": {\n    "y": [\n      2\n    ]\n  }\n}'


def test_text_that_is_not_utf8_is_refused():
    for data in (b"\xff\xfe{\x00}\x00", b'{"a": "\xe9"}'):
        with pytest.raises(UnprettyError, match=r"settings\.json is not UTF-8 text") as caught:
            JsonDocument.read(data, name="settings.json")
        assert caught.value.code == "invalid_json"


def test_a_path_that_leads_nowhere_gives_none_or_a_key_error():
    document = JsonDocument.read(b'{"a": [1], "b": null}')
    assert document.node(("x",)) is None
    assert document.node(("a", 1)) is None
    assert document.node(("a", "x")) is None
    assert document.node(("b", 0)) is None
    assert document.value(("b",)) is None
    for edit in (
        lambda: document.remove(("x",)),
        lambda: document.replace(("x",), 1),
        lambda: document.append(("b",), 1),
        lambda: document.append(("a",), 1, key="k"),
        lambda: document.prepend((), 1),
    ):
        with pytest.raises(KeyError):
            edit()


def test_non_ascii_text_is_written_as_it_is():
    assert JsonDocument.read(b"{}").append((), "é 漢", key="ü").to_bytes() == '{\n  "ü": "é 漢"\n}'.encode()
