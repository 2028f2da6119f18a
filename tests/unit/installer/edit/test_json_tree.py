import pytest

from unpretty_installer.edit.json_document import JsonDocument
from unpretty_installer.edit.json_tree import JsonSyntaxError, parse


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("{\n  'a': 1\n}", 2, 3, "a key in double quotes was expected"),
        ('{"a" 1}', 1, 6, "a colon was expected after the key"),
        ('{"a": 1 "b": 2}', 1, 9, "a comma or } was expected"),
        ("[1\n2]", 2, 1, "a comma or ] was expected"),
        ('{"a": }', 1, 7, "a value was expected"),
        ('{"a":', 1, 6, "the text ends where a value should be"),
        ('{"a": 1', 1, 8, "a comma or } was expected"),
        ('{"a": "x\ny"}', 1, 7, "this string is not closed or holds a character that must be escaped"),
        ('{"a": "\\x"}', 1, 7, "this string is not closed or holds a character that must be escaped"),
        ('\ufeff{"a": nul}', 1, 7, "a value was expected"),
        ("{}\r\n{}", 2, 1, "there is more text after the end of the value"),
        ("{}\r[]", 2, 1, "there is more text after the end of the value"),
        ("[01]", 1, 3, "a comma or ] was expected"),
        ("[NaN]", 1, 2, "a value was expected"),
        ("[,]", 1, 2, "a value was expected"),
        ("/* x", 1, 1, "this comment never ends"),
        ("[1,,2]", 1, 4, "a value was expected"),
    ],
)
def test_a_parse_error_names_line_and_column(text, line, column, problem):
    with pytest.raises(JsonSyntaxError) as caught:
        parse(text, name="settings.json")
    assert (caught.value.line, caught.value.column, caught.value.problem) == (line, column, problem)
    assert str(caught.value) == f"settings.json, line {line}, column {column}: {problem}."
    assert caught.value.code == "invalid_json"


@pytest.mark.parametrize(
    ("text", "line", "column", "word"),
    [
        ('{\n  // note\n  "a": 1\n}', 2, 3, "comments"),
        ('{"a": 1} /* end */', 1, 10, "comments"),
        ('{\n  "a": 1,\n}', 2, 9, "trailing comma"),
        ("[1, 2,]", 1, 6, "trailing comma"),
    ],
)
def test_strict_json_refuses_comments_and_trailing_commas_where_they_stand(text, line, column, word):
    assert parse(text) is not None
    with pytest.raises(JsonSyntaxError, match=word) as caught:
        parse(text, strict=True)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_slashes_in_strings_are_no_comments():
    assert JsonDocument.read(b'{"a": "http://x/*y*/"}', strict=True).value() == {"a": "http://x/*y*/"}


def test_nesting_beyond_what_python_can_follow_is_an_error_with_a_position():
    with pytest.raises(JsonSyntaxError, match="nested too deeply"):
        parse("[" * 200_000)


def test_numbers_of_any_length_and_spelling_are_read():
    text = '{"a": 1.0, "b": -0, "c": 1e400, "d": ' + "9" * 5000 + "}"
    document = JsonDocument.read(text.encode(), strict=True)
    assert document.value(("d",)) == "9" * 5000
    assert document.append((), 1, key="e").text == text[:-1] + ', "e": 1}'


def test_of_duplicate_keys_the_last_one_counts():
    document = JsonDocument.read(b'{"a": {"x": 1}, "a": {"y": 2}}')
    assert document.value(("a",)) == {"y": 2}
    assert document.append(("a",), 3, key="z").text == '{"a": {"x": 1}, "a": {"y": 2, "z": 3}}'


def test_megabytes_without_an_end_are_refused_quickly():
    for text in ('"' * 1_000_000, '["' + "\\" * 1_000_000, "/*" * 500_000, '{"a":' + " " * 1_000_000):
        with pytest.raises(JsonSyntaxError):
            parse(text)
