"""Where the values of a TOML document are in its text."""

import pytest
import tomlkit

from unpretty_installer.edit import toml_spans

DOCUMENT = '''\
\ufeff# a comment with = and [brackets]
top = 1 # not a [table]
"quoted \\u00e9 key".'literal key' . bare = 'C:\\x'
date = 1979-05-27 07:32:00
float = 1e3

[ table . "sub.table" ]
text = """
one "quoted" \\"""
# no comment
[no.table]
"""""
literal = \'\'\'
it's \'\'quoted\'\' [x] # y\'\'\'\'
list = [ # first
  "a", # ] not the end
  [ 1, 2, ], { k = "v, }" },
  'b'
]
empty = []
none = {}
inline = { a = 1, "b c" = { d = [ "x" ] }, e.f = true }

[[array.of]]
x = 1
[[array.of]]
x = 2
[array.of.sub]
y = "last"
'''


def test_every_value_is_where_it_is_said_to_be():
    values = tomlkit.parse(DOCUMENT.removeprefix("\ufeff")).unwrap()
    found = toml_spans.members(DOCUMENT)
    for member in found:
        spelled = DOCUMENT[member.value : member.end]
        expected = values
        if member.keys[0].startswith("[["):
            continue
        for key in member.keys:
            expected = expected[key]
        assert tomlkit.parse(f"x = {spelled}").unwrap() == {"x": expected}, member
        assert DOCUMENT[member.key_end :].lstrip(" \t").startswith("=")
        assert member.start <= member.last_key < member.key_end
    assert [member.keys[-1] for member in found if member.inline] == ["a", "b c", "d", "f"]
    assert ("quoted é key", "literal key", "bare") in [member.keys for member in found]
    assert ("table", "sub.table", "inline", "b c", "d") in [member.keys for member in found]


def test_what_stands_in_an_array_of_tables_has_paths_of_its_own():
    paths = [member.keys for member in toml_spans.members(DOCUMENT) if member.keys[-1] in ("x", "y")]
    assert len(set(paths)) == 3
    assert all(path[0].startswith("[[") for path in paths)


def test_the_items_of_an_array():
    [member] = [member for member in toml_spans.members(DOCUMENT) if member.keys[-1] == "list"]
    spelled = [DOCUMENT[start:end] for start, end in toml_spans.items(DOCUMENT, member.value)]
    assert spelled == ['"a"', "[ 1, 2, ]", '{ k = "v, }" }', "'b'"]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment", "\ufeff"])
def test_a_document_may_say_nothing(text):
    assert toml_spans.members(text) == []


@pytest.mark.parametrize("text", ["= 1", "a", "a = ", "a = [1", "a = {b", "a = {b = 1", "[a", "a = {,}"])
def test_what_is_no_toml_ends_in_a_value_error(text):
    with pytest.raises(ValueError):
        toml_spans.members(text)
