"""Our resources in a server's own reply, spliced in at one position."""

import json

import pytest

from unpretty.proxy.kept_results import KeptResults
from unpretty.proxy.message import read_messages, splice
from unpretty.proxy.resource_replies import add_resources, offer_resources
from unpretty.proxy.rows import Rows


def response(result):
    text = json.dumps({"id": 1, "result": result})
    (message,) = read_messages(text)
    return text, message.result


@pytest.mark.parametrize("result", [{}, {"capabilities": None}, {"capabilities": {"resources": {}}}])
def test_nothing_is_offered_where_there_is_no_place_or_no_need(result):
    text, read = response(result)
    assert offer_resources(text, read) == []


def test_the_offer_comes_first_among_the_capabilities():
    text, read = response({"x": [1], "capabilities": {"tools": {"a": 1}}, "y": 2})
    assert splice(text, offer_resources(text, read)) == text.replace(
        '"capabilities": {', '"capabilities": {"resources":{"listChanged":true},'
    )


@pytest.mark.parametrize("result", [{}, {"resources": None, "x": [1]}])
def test_nothing_is_listed_in_what_is_no_list(result):
    store = KeptResults()
    store.keep("t", Rows("[1,2]", [(1, 2), (3, 4)]))
    text, read = response(result)
    assert add_resources(text, read, None, store) == []


def test_nothing_is_listed_when_nothing_is_kept():
    text, read = response({"resources": []})
    assert add_resources(text, read, None, KeptResults()) == []
