"""Records in blocks: bounded memory, and one array on the way back."""

import json

import pytest

from unpretty import decode
from unpretty.convert.blocks import blocks, decode_blocks, joined
from unpretty.encodings import DecodeError, encode, names
from unpretty.encodings.document import Document


def records(count):
    return [Document.from_text(json.dumps({"id": n, "name": f"n{n}"})) for n in range(count)]


def test_records_become_one_array_when_they_fit():
    (block,) = blocks(records(3))
    assert block.minified == '[{"id":0,"name":"n0"},{"id":1,"name":"n1"},{"id":2,"name":"n2"}]'
    assert len(block.value) == 3


def test_no_records_are_an_empty_array():
    assert [block.minified for block in blocks([])] == ["[]"]


def test_a_block_ends_after_so_many_rows_or_characters():
    assert [len(block.value) for block in blocks(records(5), rows=2)] == [2, 2, 1]
    assert [len(block.value) for block in blocks(records(4), rows=2)] == [2, 2]
    assert [len(block.value) for block in blocks(records(5), chars=40)] == [2, 2, 1]


def test_blocks_are_made_when_asked_for():
    endless = (Document([], "[]") for _ in iter(int, 1))
    assert len(next(blocks(endless, rows=3)).value) == 3


@pytest.mark.parametrize("encoding", names())
@pytest.mark.parametrize("count", [1, 2, 5])
def test_blocks_lead_back_to_one_array_in_every_encoding(encoding, count):
    texts = [encode(block.minified, encoding) for block in blocks(records(count), rows=2)]
    text = "".join(joined(texts, encoding))
    assert text.endswith("\n")
    assert decode_blocks(text.removesuffix("\n"), encoding) == f"[{','.join(r.minified for r in records(count))}]"
    if encoding == "json":
        assert decode(text, "json") == decode_blocks(text, "json")


def test_empty_blocks_leave_no_comma():
    assert "".join(joined(["[1]", "[]", "[2]"], "json")) == "[1,2]\n"
    assert decode_blocks("[1]\n\n[]\n\n[2]", "tight-c") == "[1,2]"


def test_an_object_with_an_empty_line_is_one_document():
    text = "a\n[1]b\n1\n\nc:2"
    assert decode_blocks(text, "tight-c") == '{"a":[{"b":1}],"c":2}'


def test_what_is_neither_a_document_nor_blocks_is_an_error_about_the_whole_text():
    with pytest.raises(DecodeError) as error:
        decode_blocks("[1]a\n1\n\n[2]a\n1", "tight-c")
    assert (error.value.line, error.value.column) == (2, 2)
    with pytest.raises(DecodeError):
        decode_blocks('{"a":1}\n\n{"a":2}', "json")
    with pytest.raises(DecodeError):
        decode_blocks("[1", "json")
