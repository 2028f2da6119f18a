"""JSON-RPC lines: what is found in them, what is refused, and that splicing changes nothing else."""

import pytest

from unpretty.engine.json_text.scanner import InvalidJSON
from unpretty.proxy.message import literal, read_messages, splice

RESULT = '{"content":[{"type":"text","text":"a"},7,{"text":"b"}],"isError":null,"structuredContent":{"a":1}}'


def test_a_response_is_taken_apart():
    text = f' {{"result": {RESULT} , "id":"x" }} \n'
    (message,) = read_messages(text)
    result = message.result
    assert (message.id, message.is_response) == ("x", True)
    assert text[result.start : result.end] == RESULT
    assert [block.is_text for block in result.content] == [True, False, False]
    assert [text[block.start : block.end] for block in result.content] == [
        '{"type":"text","text":"a"}', "7", '{"text":"b"}',
    ]  # fmt: skip
    assert text[slice(*result.content_span)].startswith("[{")
    assert text[result.structured.start : result.structured.end] == '{"a":1}'
    assert text[slice(*result.structured_member)] == ',"structuredContent":{"a":1}'
    assert result.is_error  # anything but false


def test_a_request_and_a_notification_are_no_responses():
    request, notification = read_messages('[{"id":1,"method":"a","params":[]},{"method":"b"}]')
    assert (request.id, request.method, request.params, request.is_response) == (b"1", "a", [], False)
    assert (notification.id, notification.is_response) == (None, False)


@pytest.mark.parametrize("name", ["result", "\\u0072esult", "resul\\u0074"])
def test_a_result_is_found_however_its_name_is_spelled(name):
    (message,) = read_messages(f'{{"id":1,"{name}":{{"content":[]}}}}')
    assert message.result.content == []


@pytest.mark.parametrize("other", ["", ',"note":"result"', ',"note":"\\u0041"'])
def test_a_request_is_read_alike_at_once_and_member_by_member(other):
    text = f'[ {{"id":1, "method":"a","params":{{"x":[1.0]}}{other}}} , {{"method":"b"}}]'
    request, notification = read_messages(text)
    assert (request.id, request.method, request.params) == (b"1", "a", (("x", [b"1.0"]),))
    assert text[request.start : request.end] == text[2 : text.index(" , ")]
    assert text[notification.start : notification.end] == '{"method":"b"}'


def test_an_empty_batch_holds_no_messages():
    assert read_messages("[]\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "", "7", "{}x", "{} {}", '{"a"}', '{"a":1,}', "{,}", "{1:2}", '{"a":1 "b":2}', '{"id":1,"id":2}', "[{},]",
        "[7]", '{"id":1,"\\u0069d":2}', '{"id":1,"id":2,"a":"result"}',
        '{"result":{"content":[],"content":[]}}', '{"result":{"content":[{"text":"a","text":"b"}]}}', '{"a":NaN}',
        '{"id":1', '{"result":{"content":[{"text":"a"}',
    ],
)  # fmt: skip
def test_what_is_no_message_or_can_be_read_in_two_ways_is_refused(text):
    with pytest.raises(InvalidJSON):
        read_messages(text)


def test_nesting_beyond_measure_is_an_error_and_no_crash():
    with pytest.raises((RecursionError, InvalidJSON)):
        read_messages('{"params":' + "[" * 1_000_000)


def test_edits_may_come_in_any_order():
    assert splice("abcdef", [(4, 5, "E"), (0, 1, ""), (2, 2, "+")]) == "b+cdEf"


def test_a_literal_is_spelled_like_the_one_it_replaces():
    assert literal("\u00e9", '"plain"') == '"\\u00e9"'
    assert literal("\u00e9", '"\u00e8"') == '"\u00e9"'
    assert literal("\u00e9") == '"\u00e9"'
    assert literal("\u00e9\ud800", '"\u00e8"') == '"\\u00e9\\ud800"'
