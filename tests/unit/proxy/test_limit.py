"""``--max-result-bytes``: whole rows, the same in both copies, one line about it, and the rest as a resource."""

import json
import re

import pytest

from unpretty import locations
from unpretty.encodings import decode

LIMIT = 4000
ROWS = [{"id": i, "name": f"name {i} \u00e9", "price": i / 4} for i in range(500)]
PRETTY = json.dumps(ROWS, indent=2, ensure_ascii=False)
OPEN = {"type": "object", "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}}}}
ADDRESS = re.compile(r"unpretty://result/\d+(?:/rows/\d+-\d+)?")


def text_result(*texts, **members):
    return {"content": [{"type": "text", "text": text} for text in texts], **members}


def tool(**members):
    return {"name": "rows", "inputSchema": {"type": "object"}, **members}


def result_of(line):
    return json.loads(line)["result"]


def texts_of(result):
    return [block["text"] for block in result["content"]]


def size(value):
    return len(value.encode() if isinstance(value, str) else json.dumps(value, ensure_ascii=False).encode())


def read(made, address, identity="r"):
    made.client.send({"jsonrpc": "2.0", "id": identity, "method": "resources/read", "params": {"uri": address}})
    return made.client.receive()


@pytest.fixture
def limited(wire):
    def start(client="claude-code", *tools, **capabilities):
        made = wire(max_result_bytes=LIMIT)
        made.initialize(client, **capabilities)
        if tools:
            made.list_tools(*tools)
        return made

    return start


def test_the_rows_that_fit_stay_whole_and_one_line_says_how_many_there_are(limited, log):
    made = limited()
    body, notice = texts_of(result_of(made.call(text_result(PRETTY))))
    shown = json.loads(body)
    assert shown == ROWS[: len(shown)]
    assert LIMIT - 500 < size(body) + size(notice) <= LIMIT
    whole = len(json.dumps(ROWS, separators=(",", ":"), ensure_ascii=False).encode())
    assert notice == (
        f"{len(shown)} of 500 rows are shown; all are {whole:,} bytes. For less, use the tool's own arguments to "
        f"filter or page. For the rest, read the resource unpretty://result/1/rows/{len(shown) + 1}-500 of this "
        "MCP server (all: unpretty://result/1)."
    )
    made.finish()
    (line,) = log()
    assert (line["rows"], line["rows_shown"], line["bytes_out"]) == (500, len(shown), whole)


def test_the_rest_and_the_whole_can_be_read_as_resources(limited):
    made = limited()
    body, notice = texts_of(result_of(made.call(text_result(PRETTY))))
    rest, whole = ADDRESS.findall(notice)
    shown = json.loads(body)
    reply = read(made, rest, 2**80)
    assert reply["id"] == 2**80
    (contents,) = reply["result"]["contents"]
    assert contents["uri"] == rest
    assert contents["mimeType"] == "application/json"
    assert shown + json.loads(contents["text"]) == ROWS
    assert json.loads(read(made, whole)["result"]["contents"][0]["text"]) == ROWS
    assert json.loads(read(made, whole + "/rows/3-4")["result"]["contents"][0]["text"]) == ROWS[2:4]
    assert json.loads(read(made, whole + "/rows/500-999999")["result"]["contents"][0]["text"]) == ROWS[499:]


@pytest.mark.parametrize("tail", ["2", "1/rows/0-4", "1/rows/4-3", "1/rows/501-502", "1/x", "", "\u0661"])
def test_an_address_without_a_result_is_not_found(limited, tail):
    made = limited()
    made.call(text_result(PRETTY))
    address = "unpretty://result/" + tail
    error = read(made, address)["error"]
    assert (error["code"], error["data"]) == (-32002, {"uri": address})


def test_a_server_with_a_given_name_is_named(wire):
    made = wire(max_result_bytes=LIMIT, name="orders")
    made.initialize()
    assert 'of MCP server "orders" (all:' in texts_of(result_of(made.call(text_result(PRETTY))))[1]


def test_the_client_is_told_that_the_list_of_resources_has_changed_if_that_was_promised(wire):
    for capabilities, told in (({}, 1), ({"resources": {}}, 0)):
        made = wire(max_result_bytes=LIMIT)
        made.initialize(**capabilities)
        made.call(text_result(PRETTY))
        made.call(text_result("short"))
        assert made.client.changes == told


def test_a_result_within_the_limit_is_not_cut(limited):
    made = limited()
    short = json.dumps(ROWS[:40], indent=2, ensure_ascii=False)
    assert len(texts_of(result_of(made.call(text_result(short))))) == 1


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"text": "x" * 5000}, {"id": 2}], indent=1),
        json.dumps({"text": "x" * 9000, "tags": ["a", "b"]}, indent=1),
        json.dumps({"a": {"b": "x" * 9000}}, indent=1),
        json.dumps([ROWS[0]] * 1, indent=1) + " " * 9000,
        "x" * 9000,
        "Found:\n" + PRETTY,
        "   1\u2192first\n   2\u2192second\n" + "".join(f"{n:4}\u2192line\n" for n in range(3, 900)),
        "diff --git a b\n" + "+ line\n" * 2000,
    ],
    ids=["huge row", "huge string", "no array", "one row", "one line", "prose and JSON", "numbered", "diff"],
)
def test_what_has_no_rows_that_fit_stays_whole(limited, text):
    made = limited()
    after = texts_of(result_of(made.call(text_result(text))))
    assert len(after) == 1
    assert "".join(after[0].split()) == "".join(text.split())


def test_a_file_stays_whole(limited):
    made = limited()
    assert result_of(made.call(text_result(PRETTY), tool="read_file")) == text_result(PRETTY)


def test_rows_are_those_of_the_largest_array_in_an_object_and_its_name_is_told(limited):
    made = limited()
    value = {"meta": {"tags": ["a", "b"], "total": 500}, "data": {"hits": ROWS}, "ok": True}
    body, notice = texts_of(result_of(made.call(text_result(json.dumps(value, indent=2)))))
    cut = json.loads(body)
    shown = len(cut["data"]["hits"])
    assert cut == {**value, "data": {"hits": ROWS[:shown]}}
    assert notice.startswith(f'{shown} of 500 rows of "hits" are shown;')


@pytest.mark.parametrize(
    "lines",
    [
        [json.dumps(row) for row in ROWS],
        ["id,name", *(f"{row['id']},{row['name']}" for row in ROWS * 2)],
        ["id,name", *(f"{row['id']},{row['name']}" for row in ROWS * 2), ""],
    ],
    ids=["JSON lines", "CSV", "CSV with a last line end"],
)
def test_lines_are_rows_where_there_is_no_document_around_them(limited, lines):
    made = limited()
    body, notice = texts_of(result_of(made.call(text_result("\n".join(lines)))))
    kept = [line.replace(" ", "") for line in body.rstrip("\n").split("\n")]
    assert kept == [line.replace(" ", "") for line in lines[: len(kept)]]
    count = len([line for line in lines if line])
    assert notice.startswith(f"{len(kept)} of {count:,} lines are shown;")
    whole = ADDRESS.findall(notice)[1]
    (contents,) = read(made, whole)["result"]["contents"]
    assert contents["text"].replace(" ", "") == "\n".join(lines).replace(" ", "")


def test_blocks_are_rows_where_a_server_sends_every_item_in_a_block_of_its_own(limited):
    made = limited()
    blocks = [json.dumps(row, indent=2) for row in ROWS]
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    content = [picture, *text_result(*blocks)["content"]]
    after = result_of(made.call({"content": content}))["content"]
    *kept, notice = after
    assert kept == content[: len(kept)]
    assert notice["text"].startswith(f"{len(kept) - 1} of 500 blocks are shown;")


def test_a_caption_beside_the_rows_stays(limited):
    made = limited()
    caption, body, notice = texts_of(result_of(made.call(text_result("All the rows.", PRETTY))))
    assert caption == "All the rows."
    assert json.loads(body) == ROWS[: len(json.loads(body))]
    assert "of 500 rows" in notice


@pytest.mark.parametrize("client", ["claude-code", "codex-mcp-client", "opencode", "some other client"])
def test_both_copies_are_cut_at_the_same_row_and_both_carry_the_notice(limited, client):
    made = limited(client, tool(outputSchema=OPEN))
    value = {"rows": ROWS, "total": 500}
    after = result_of(made.call(text_result(json.dumps(value, indent=2), structuredContent=value)))
    body, notice = texts_of(after)
    structured = after["structuredContent"]
    assert structured.pop("unpretty") == notice
    assert json.loads(body) == structured
    assert structured == {"rows": ROWS[: len(structured["rows"])], "total": 500}
    assert size(after["structuredContent"]) < LIMIT


def test_text_that_is_wrapped_as_a_string_is_cut_in_both_copies(limited):
    schema = {"type": "object", "properties": {"result": {"type": "string"}}}
    made = limited("claude-code", tool(outputSchema=schema))
    after = result_of(made.call(text_result(PRETTY, structuredContent={"result": PRETTY})))
    body, notice = texts_of(after)
    assert after["structuredContent"] == {"result": body, "unpretty": notice}
    assert size(after["structuredContent"]) <= LIMIT
    assert json.loads(body) == ROWS[: len(json.loads(body))]


def test_blocks_and_structured_rows_are_cut_at_the_same_row(limited):
    made = limited("claude-code", tool(outputSchema=OPEN))
    blocks = [json.dumps(row, indent=2) for row in ROWS]
    after = result_of(made.call(text_result(*blocks, structuredContent={"result": ROWS})))
    *kept, notice = texts_of(after)
    assert after["structuredContent"] == {"result": ROWS[: len(kept)], "unpretty": notice}
    assert [json.loads(block) for block in kept] == ROWS[: len(kept)]


def test_structured_rows_beside_words_are_cut_alone_where_only_they_are_shown(limited):
    made = limited("claude-code", tool(outputSchema=OPEN))
    after = result_of(made.call(text_result("500 rows.", structuredContent={"rows": ROWS})))
    words, notice = texts_of(after)
    assert words == "500 rows."
    assert after["structuredContent"]["unpretty"] == notice


@pytest.mark.parametrize("client", ["opencode", "some other client"])
def test_structured_rows_beside_words_stay_where_the_words_may_be_shown(limited, client):
    made = limited(client, tool(outputSchema=OPEN))
    result = text_result("500 rows.", structuredContent={"rows": ROWS})
    assert result_of(made.call(result)) == result


def test_structured_rows_without_content_are_cut(limited):
    made = limited("claude-code", tool(outputSchema=OPEN))
    after = result_of(made.call({"structuredContent": {"rows": ROWS}}))
    assert set(after) == {"structuredContent"}
    assert "of 500 rows" in after["structuredContent"]["unpretty"]


def test_copies_whose_rows_cannot_be_matched_stay_whole(limited):
    made = limited("claude-code", tool(outputSchema=OPEN))
    words = "one long line " * 1000
    for result in (
        text_result(words, structuredContent={"result": words}),
        text_result(json.dumps({"text": words}), structuredContent={"text": words}),
        text_result("a block", "another", structuredContent={"rows": ROWS, "text": words}),
    ):
        assert result_of(made.call(result)) == result


def test_a_root_array_cannot_carry_the_notice_and_stays_whole(limited):
    made = limited("claude-code", tool(outputSchema={"type": "array"}))
    result = text_result("500 rows.", structuredContent=ROWS)
    assert result_of(made.call(result)) == result


CLOSED = [
    {**OPEN, "additionalProperties": False},
    {**OPEN, "properties": {"rows": {"type": "array", "minItems": 5}}},
    {"allOf": [OPEN]},
]


@pytest.mark.parametrize("schema", CLOSED, ids=["no more members", "minItems", "allOf"])
def test_a_schema_that_could_turn_down_the_cut_keeps_structured_content_whole_in_claude_code(limited, schema):
    made = limited("claude-code", tool(outputSchema=schema))
    value = {"rows": ROWS}
    after = result_of(made.call(text_result(json.dumps(value), structuredContent=value)))
    assert after["structuredContent"] == value
    assert len(after["content"]) == 1


def test_codex_gets_the_cut_text_alone_where_the_schema_could_turn_down_the_notice(limited):
    made = limited("codex-mcp-client", tool(outputSchema=CLOSED[0]))
    value = {"rows": ROWS}
    after = result_of(made.call(text_result(json.dumps(value), structuredContent=value)))
    assert set(after) == {"content"}
    assert json.loads(texts_of(after)[0])["rows"] == ROWS[: len(json.loads(texts_of(after)[0])["rows"])]


def test_a_cut_result_becomes_a_table_after_the_cut(limited):
    path = locations.config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('encodings = ["columnar"]\n')
    made = limited()
    body, notice, note = texts_of(result_of(made.call(text_result(PRETTY))))
    assert "written as columnar" in note
    shown = json.loads(decode(body, "columnar"))
    assert shown == ROWS[: len(shown)]
    assert notice.startswith(f"{len(shown)} of 500 rows")


def test_the_oldest_results_are_forgotten_when_memory_is_used_up(limited, monkeypatch):
    made = limited()
    monkeypatch.setattr(made.proxy._kept, "_max_bytes", 60_000)
    for _ in range(5):
        made.call(text_result(PRETTY))
    found = ["result" in read(made, f"unpretty://result/{number}") for number in range(1, 6)]
    assert found == [False, False, False, True, True]
    monkeypatch.setattr(made.proxy._kept, "_max_bytes", 1000)
    assert "unpretty://" not in texts_of(result_of(made.call(text_result(PRETTY))))[1]


def test_a_server_without_resources_offers_ours_and_the_proxy_lists_them(wire):
    made = wire(max_result_bytes=LIMIT)
    greeting = made.initialize("claude-code", tools={"listChanged": True})
    assert greeting["result"]["capabilities"] == {"resources": {"listChanged": True}, "tools": {"listChanged": True}}
    listing = {"jsonrpc": "2.0", "id": 3, "method": "resources/list"}
    made.client.send(listing)
    assert made.client.receive() == {"jsonrpc": "2.0", "id": 3, "result": {"resources": []}}
    made.call(text_result(PRETTY))
    made.client.send(listing)
    (entry,) = made.client.receive()["result"]["resources"]
    assert entry["uri"] == "unpretty://result/1"
    assert entry["name"] == "complete result 1 of mcp__my_server__rows"
    assert entry["size"] == len(json.dumps(ROWS, separators=(",", ":"), ensure_ascii=False).encode())
    made.client.send({"jsonrpc": "2.0", "id": 4, "method": "resources/templates/list"})
    (template,) = made.client.receive()["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "unpretty://result/{number}/rows/{first}-{last}"


def test_a_server_with_nothing_to_offer_offers_our_resources(wire):
    made = wire(max_result_bytes=LIMIT)
    assert made.initialize("claude-code")["result"]["capabilities"] == {"resources": {"listChanged": True}}


def test_a_server_with_resources_keeps_its_words_and_gets_ours_added_to_its_first_page(wire):
    made = wire(max_result_bytes=LIMIT)
    offered = {"resources": {"subscribe": True}}
    assert made.initialize("claude-code", **offered)["result"]["capabilities"] == offered
    made.call(text_result(PRETTY))
    own = [{"uri": "memo://1", "name": "memo"}]
    for cursor, resources, expected in ((None, own, 2), (None, [], 1), ("next", own, 1)):
        params = {} if cursor is None else {"cursor": cursor}
        sent = made.client.send({"jsonrpc": "2.0", "id": 3, "method": "resources/list", "params": params})
        assert made.server.line() == sent
        made.server.send({"jsonrpc": "2.0", "id": 3, "result": {"resources": resources, "nextCursor": "x"}})
        answer = made.client.receive()["result"]
        assert answer["nextCursor"] == "x"
        assert len(answer["resources"]) == expected
        assert answer["resources"][-len(resources) or 1 :] == resources or not resources


def test_reading_a_resource_of_the_server_goes_to_the_server(wire):
    made = wire(max_result_bytes=LIMIT)
    made.initialize("claude-code", resources={})
    made.call(text_result(PRETTY))
    for address in ("memo://1", "unpretty://result/99"):  # a proxy between us and the server may know the second one
        sent = made.client.send({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": address}})
        assert made.server.line() == sent
        answer = made.server.send({"jsonrpc": "2.0", "id": 3, "result": {"contents": []}})
        assert made.client.line() == answer


def test_a_batch_is_divided_between_the_server_and_us(limited):
    made = limited()
    made.call(text_result(PRETTY))
    ours = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "unpretty://result/1"}}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    made.client.send([ours, ping])
    assert json.loads(made.server.line()) == [ping]
    (reply,) = made.client.receive()
    assert reply["id"] == 1
    made.client.send([ours])
    assert [reply["id"] for reply in made.client.receive()] == [1]


def test_without_a_limit_resources_are_none_of_our_business(wire):
    made = wire()
    assert made.initialize("claude-code", tools={})["result"]["capabilities"] == {"tools": {}}
    sent = made.client.send({"jsonrpc": "2.0", "id": 3, "method": "resources/list"})
    assert made.server.line() == sent


def test_an_unknown_client_is_told_of_resources_once_it_has_asked_for_some(limited):
    made = limited("some other client")
    assert "unpretty://" not in texts_of(result_of(made.call(text_result(PRETTY))))[1]
    made.client.send({"jsonrpc": "2.0", "id": 3, "method": "resources/list"})
    made.client.line()
    assert "unpretty://" in texts_of(result_of(made.call(text_result(PRETTY))))[1]


def test_replies_carry_what_revision_2026_07_28_asks_for(limited):
    made = limited()
    made.call(text_result(PRETTY))
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params = {"uri": "unpretty://result/1", "_meta": meta}
    made.client.send({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params})
    result = made.client.receive()["result"]
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 0, "private")
