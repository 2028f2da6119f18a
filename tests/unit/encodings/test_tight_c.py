"""tight-c: the original grammar where it is unambiguous, something else where it is not, and decoding."""

import pytest

from unpretty import decode, encode
from unpretty.encodings import DecodeError

# What the original writes, from its documentation and tests.
ORIGINAL = [
    ('[{"id":1,"name":"a","yrs":12},{"id":2,"name":"b","yrs":8}]', "[2]id,name,yrs\n1,a,12\n2,b,8"),
    ('[{"id":1,"name":"a"},{"id":2,"role":"x"}]', "[{id:1,name:a},{id:2,role:x}]"),
    ('{"o":"O6","c":{"id":9},"items":[{"sku":"x","q":2}]}', "o:O6\nc:{id:9}\nitems\n[1]sku,q\nx,2"),
    ('{"rows":[{"a":1}],"n":1}', "rows\n[1]a\n1\n\nn:1"),
    ('{"a":{"z":1,"m":2,"b":3}}', "a:{z:1,m:2,b:3}"),
    ('{"n":42,"s":"hi"}', "n:42,s:hi"),
    ('{"pattern":"[a-z+"}', 'pattern:"[a-z+"'),
    ('{"v":"{x"}', 'v:"{x"'),
    ('{"[2x":1,"z":2}', '"[2x":1,z:2'),
    ('{"num":"42","real":42}', 'num:"42",real:42'),
    ('{"t":"true","b":true,"n":null,"s":"null"}', 't:"true",b:true,n:null,s:"null"'),
    ('{"true":1,"12":2,"null":3}', "true:1,12:2,null:3"),
    ('{"url":"http://x/y?a=b","time":"12:30"}', "url:http://x/y?a=b,time:12:30"),
    ('{"a b":"c d","":"","p":"x|y","q":"say \\"hi\\""}', '"a b":"c d","":"",p:"x|y",q:"say \\"hi\\""'),
    ('[{"tags":["a","b"],"n":[]},{"tags":[],"n":[1,null]}]', "[2]tags,n\n[a,b],[]\n[],[1,null]"),
    ('[{"a":{"b":1}},{"a":{"b":2}}]', "[{a:{b:1}},{a:{b:2}}]"),
    ('{"a":{},"b":[[1],[2]]}', "a:{}\nb:[[1],[2]]"),
    ('{"html":"<b> & </b>"}', 'html:"\\u003cb\\u003e \\u0026 \\u003c/b\\u003e"'),
    ('"two\\u2028 lines"', '"two\\u2028 lines"'),
    ("[1.10,1e5,-0]", "[1.10,1e5,-0]"),
    ("[]", "[]"),
    ("{}", "{}"),
    ("[{},{}]", "[{},{}]"),
    ('"word"', "word"),
    ("null", "null"),
]


@pytest.mark.parametrize(("text", "encoded"), ORIGINAL)
def test_documents_outside_of_collisions_are_written_as_the_original_writes_them(text, encoded):
    assert encode(text, "tight-c") == encoded
    assert decode(encoded, "tight-c") in (text, text.replace("\\u2028", "\u2028"))


# Pairs of documents for which the original writes one text.
COLLISIONS = {
    "a closing brace in a string": ('{"z":{"k":{"a":"x}","b":1}}}', '{"z":{"k":{"a":"x"},"b":"1}"}}'),
    "a closing bracket in a string": ('[["a]","b"]]', '[["a"],"b]"]'),
    "a top-level string with the lines of a table": ('"[1]k\\n1"', '[{"k":1}]'),
    "a top-level string with the lines of a member": ('"items\\n[1]k\\n1"', '{"items":[{"k":1}]}'),
    "a top-level string like a pair": ('"a:1"', '{"a":1}'),
    "rows with another order of keys": ('[{"a":1,"b":2},{"b":4,"a":3}]', '[{"a":1,"b":2},{"a":3,"b":4}]'),
    "a key that is there twice": ('{"a":1,"a":2}', '{"a":2}'),
    "a byte order mark, for a reader that takes it off": ('"\ufeffx"', '"x"'),
    "half of a surrogate pair": ('"\\ud800"', '"\ufffd"'),
}


@pytest.mark.parametrize("pair", COLLISIONS.values(), ids=COLLISIONS)
def test_documents_that_the_original_maps_to_one_text_have_two_here(pair):
    one, other = (encode(text, "tight-c") for text in pair)
    assert one.removeprefix("\ufeff") != other
    assert decode(one, "tight-c") == pair[0]
    assert decode(other, "tight-c") == pair[1]


def test_what_takes_part_in_a_collision_is_quoted_and_nothing_else():
    assert encode('{"z":{"k":{"a":"x}","b":1}}}', "tight-c") == 'z:{k:{a:"x}",b:1}}'
    assert encode('"a:1"', "tight-c") == '"a:1"'
    assert encode('["a:1"]', "tight-c") == "[a:1]"
    assert encode('"[1]k\\n1"', "tight-c") == '"[1]k\\n1"'
    assert encode('{"a]":1}', "tight-c") == '"a]":1'


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "a key is missing"),
        ("a:", 1, 3, "a value is missing"),
        ("a:1,", 1, 5, "a key is missing"),
        ("[1]a", 1, 5, "a line break is missing"),
        ("[2]a\n1", 2, 2, "a line break is missing"),
        ("[1]a,b\n1", 2, 2, "',' is missing"),
        ("[1]a\n1,2", 2, 2, "more text follows"),
        ("a\nb", 2, 1, "a table has to begin"),
        ("x\n[1]a\n1\ny:1", 3, 2, "more text follows"),
        ("a:1\n\nb:2", 2, 1, "a key is missing"),
        ("[1", 1, 3, "']' is missing"),
        ("[1,]", 1, 4, "a value is missing"),
        ("{a}", 1, 3, "':' is missing"),
        ("{a:1", 1, 5, "',' is missing"),
        ('a:"x', 1, 3, "unterminated string"),
        ('{"a":{b:1}}x', 1, 12, "more text follows"),
        ("[999999999999999]a\n1", 2, 2, "a line break is missing"),
    ],
)
def test_what_is_not_tight_c_is_an_error_with_line_and_column(text, line, column, what):
    with pytest.raises(DecodeError, match=what) as error:
        decode(text, "tight-c")
    assert (error.value.line, error.value.column, error.value.code) == (line, column, "invalid_tight_c")
