"""Whatever the two sides say, the proxy passes it on: byte for byte, or with less whitespace and the same meaning."""

import contextlib
import json
import os
import threading

from hypothesis import given
from hypothesis import strategies as st

from unpretty.engine.json_text.scanner import InvalidJSON
from unpretty.proxy.channel import Outlet, read_lines
from unpretty.proxy.clients import read_call
from unpretty.proxy.current_settings import CurrentSettings
from unpretty.proxy.kept_results import KeptResults
from unpretty.proxy.message import literal, read_messages, splice
from unpretty.proxy.output_schemas import OutputSchemas
from unpretty.proxy.rewrite import Rewriter
from unpretty.proxy.rows import json_rows, line_rows
from unpretty.proxy.session import Session

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
_ROWS = st.lists(st.dictionaries(st.sampled_from(["id", "name", "\u00e9", "note"]), _VALUES, min_size=1), min_size=1)
_SPACE = st.text(" \t", max_size=3)


@st.composite
def _texts(draw):
    """A text as tools give it: pretty-printed JSON, perhaps with prose around it, or any text."""
    kind = draw(st.sampled_from(["document", "words", "any"]))
    if kind == "any":
        return draw(st.text())
    document = json.dumps(draw(_ROWS) * draw(st.integers(1, 8)), indent=draw(st.integers(0, 4)), ensure_ascii=False)
    return document if kind == "document" else f"{draw(st.text(max_size=9))}\n{document}\n{draw(st.text(max_size=9))}"


@st.composite
def _results(draw):
    """A tool result with text blocks, other blocks and, often, structuredContent that repeats a text."""
    texts = draw(st.lists(_texts(), max_size=3))
    blocks = [{"type": "text", "text": text} for text in texts]
    for block in draw(st.lists(st.dictionaries(st.text(), _VALUES, max_size=3), max_size=2)):
        blocks.insert(draw(st.integers(0, len(blocks))), block)
    result = {"content": blocks}
    structured = draw(st.sampled_from(["none", "wrapped", "same", "other"]))
    if structured == "wrapped" and texts:
        result["structuredContent"] = {"result": texts[0]}
    elif structured == "same" and texts:
        with contextlib.suppress(ValueError):
            result["structuredContent"] = {"result": json.loads(texts[0])}
    elif structured == "other":
        result["structuredContent"] = draw(st.dictionaries(st.text(), _VALUES))
    return {**result, **draw(st.dictionaries(st.sampled_from(["_meta", "x"]), _VALUES))}


def _same(before, after):
    """Equal, except for whitespace in strings that are JSON, or hold JSON."""
    if isinstance(before, str) and isinstance(after, str):
        return "".join(before.split()) == "".join(after.split())
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_same, before, after))
    if isinstance(before, dict) and isinstance(after, dict):
        return list(before) == list(after) and all(_same(before[key], after[key]) for key in before)
    return type(before) is type(after) and before == after


def _session(client, listed):
    session = Session("server")
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"clientInfo": {"name": client}}}
    (message,) = read_messages(json.dumps(hello))
    session.note_from_client(message)
    session.schemas = OutputSchemas()
    if listed:
        session.schemas.learn((("tools", [(("name", "rows"),)]),))
    return session


_CLIENTS = st.sampled_from(["claude-code", "codex-mcp-client", "opencode", "other"])


def _rewritten(session, text, limit=None):
    current = CurrentSettings()
    current.settings.min_bytes = 0
    (message,) = read_messages(text)
    call = read_call((("name", "rows"),))
    made = Rewriter(session, current, KeptResults(), limit).rewrite(text, message, call)
    return made, splice(text, made.edits)


@given(_results(), _CLIENTS, st.booleans(), st.booleans())
def test_a_rewritten_result_says_the_same_and_is_one_line_that_is_no_longer(result, client, listed, ascii_only):
    text = json.dumps({"jsonrpc": "2.0", "result": result, "id": 1}, ensure_ascii=ascii_only)
    _, after = _rewritten(_session(client, listed), text)
    assert len(after) <= len(text)
    assert "\n" not in after
    received = json.loads(after)["result"]
    if "structuredContent" in result and "structuredContent" not in received:
        # Left out only when the one text says the same.
        structured = result.pop("structuredContent")
        (block,) = received["content"]
        wrapped = structured.get("result")
        assert _same(block["text"], wrapped) or json.loads(block["text"]) in (wrapped, structured)
    assert _same(result, received)


@given(_results(), _CLIENTS, st.booleans(), st.integers(1024, 4096))
def test_a_cut_result_holds_the_first_rows_and_a_notice(result, client, listed, limit):
    text = json.dumps({"jsonrpc": "2.0", "result": result, "id": 1})
    made, after = _rewritten(_session(client, listed), text, limit)
    received = json.loads(after)["result"]
    if made.limited is None:
        assert "unpretty://" not in after
        return
    assert 0 < made.limited.shown < len(made.limited.rows)
    assert received["content"][-1] == {"type": "text", "text": made.limited.notice}
    assert [b for b in received["content"] if b.get("type") != "text"] == [
        b for b in result["content"] if b.get("type") != "text"
    ]
    if "structuredContent" in received:
        assert received["structuredContent"]["unpretty"] == made.limited.notice


@given(st.text(), _SPACE)
def test_a_literal_is_read_back_as_the_same_string(value, like):
    for similar in ('"abc"', '"\u00e9"', like):
        assert json.loads(literal(value, similar)) == value


@given(st.text(st.sampled_from('{}[]:,"\\ \tidresult0123456789methodcontent'), max_size=80) | st.text())
def test_any_text_is_read_or_refused(text):
    try:
        messages = read_messages(text)
    except InvalidJSON:
        return
    json.loads(text)
    for message in messages:
        assert text[message.start] == "{"
        assert text[message.end - 1] == "}"


@given(_VALUES, _VALUES, st.integers(0, 3))
def test_what_json_reads_as_a_response_is_read_the_same_way(value, identity, spaces):
    text = json.dumps({"id": identity, "result": value, "jsonrpc": "2.0"}, indent=spaces).replace("\n", " ")
    (message,) = read_messages(text)
    assert (message.result is not None) == isinstance(value, dict)
    if message.result is not None:
        assert json.loads(text[message.result.start : message.result.end]) == value


@given(st.binary(max_size=4000), st.integers(1, 200), st.integers(1, 3000))
def test_lines_put_together_are_what_was_sent_whatever_the_pieces(data, piece, max_line):
    reading, writing = os.pipe()

    def send():
        for start in range(0, len(data), piece):
            os.write(writing, data[start : start + piece])
        os.close(writing)

    sender = threading.Thread(target=send)
    sender.start()
    lines = list(read_lines(reading, max_line))
    sender.join()
    os.close(reading)
    assert b"".join(line.data for line in lines) == data
    whole = [line.data for line in lines if line.whole]
    assert all(line.count(b"\n") <= 1 for line in whole)


@given(st.lists(st.binary(max_size=2000), max_size=8))
def test_messages_of_several_threads_are_never_torn(messages):
    reading, writing = os.pipe()
    outlet = Outlet(writing)
    threads = [threading.Thread(target=outlet.write, args=(message + b"\n",)) for message in messages]
    received = bytearray()
    reader = threading.Thread(target=lambda: [received.extend(line.data) for line in read_lines(reading)])
    for thread in (reader, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    os.close(writing)
    reader.join()
    os.close(reading)
    rest = bytes(received)
    for message in sorted(messages, key=len, reverse=True):
        assert message + b"\n" in rest
        rest = rest.replace(message + b"\n", b"", 1)
    assert not rest


@given(st.lists(_VALUES, min_size=2, max_size=12), st.data())
def test_taking_rows_is_taking_elements(values, data):
    document = json.dumps(values, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 2])))
    rows = json_rows(document)
    first = data.draw(st.integers(0, len(values) - 1))
    count = data.draw(st.integers(1, len(values) - first))
    assert len(rows) == len(values)
    assert json.loads(rows.take(first, count)) == values[first : first + count]
    limit = data.draw(st.integers(0, 400))
    fitting = rows.fitting(limit)
    for shown in range(1, len(values) + 1):
        size = len(rows.take(0, shown).encode("utf-8", "surrogatepass"))
        assert (size <= limit) == (shown <= fitting)


@given(st.lists(st.text(st.characters(exclude_characters="\n")), min_size=2))
def test_taking_lines_is_taking_lines(lines):
    text = "\n".join(lines)
    rows = line_rows(text)
    count = len(lines) - (not lines[-1])
    if rows is None:
        assert count < 2
        return
    assert len(rows) == count
    assert rows.take(1, 1).rstrip("\n") == lines[1]
