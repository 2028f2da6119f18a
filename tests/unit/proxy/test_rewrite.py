"""What each client gets: the copy that it shows its model shrinks, both copies say the same, the log is honest."""

import json

import pytest

from unpretty import locations
from unpretty.encodings import decode

ROWS = [{"id": i, "name": f"name {i}", "price": i / 4} for i in range(60)]
PRETTY = json.dumps(ROWS, indent=2)
MINIFIED = json.dumps(ROWS, separators=(",", ":"))
SCHEMA = {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]}
CODE_MODE = {"callId": "exec-abc"}


def text_result(*texts, **members):
    return {"content": [{"type": "text", "text": text} for text in texts], **members}


def tool(name="rows", **members):
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def settings(**values):
    path = locations.config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))


def result_of(line):
    return json.loads(line)["result"]


@pytest.mark.parametrize("client", ["claude-code", "codex-mcp-client", "opencode", "some other client"])
def test_every_client_gets_minified_text(wire, log, client):
    made = wire()
    made.initialize(client)
    assert result_of(made.call(text_result("Found:", PRETTY))) == text_result("Found:", MINIFIED)
    made.finish()
    agent = {"codex-mcp-client": "codex"}.get(client, client)
    assert [(line["agent"], line["field"], line["reason"]) for line in log()] == [
        (agent, "content[0].text", "too_small"),
        (agent, "content[1].text", "converted"),
    ]


@pytest.mark.parametrize(
    ("command", "why"),
    [("cat rows.json", "file_view"), ("UNPRETTY_RAW=1 report", "bypassed"), ("report", "converted")],
)
def test_a_tool_that_runs_commands_is_judged_by_the_command(wire, log, command, why):
    made = wire()
    made.initialize()
    both = text_result(PRETTY, structuredContent={"result": PRETTY})
    for result in (text_result(PRETTY), both):
        given = made.call(result, arguments={"command": command})
        assert (result_of(given) == result) == (why != "converted")
    made.finish()
    assert log()[0]["reason"] == why


@pytest.mark.parametrize(
    "result",
    [
        text_result(PRETTY, isError=True),
        {"content": [{"type": "image", "data": "A" * 5000, "mimeType": "image/png"}]},
        {"content": [{"type": "resource", "resource": {"uri": "a://b", "text": PRETTY}}]},
        {"content": [{"type": "text", "text": 5}, "odd", {"type": "text"}], "note": "x" * 2000},
        {"content": {"type": "text", "text": PRETTY}},
        {"toolResult": PRETTY},
        {"task": {"taskId": "1", "note": PRETTY}},
        text_result(json.dumps(ROWS[:3], indent=2)),
        text_result("Plain words.\n" * 200),
        text_result("--- a/file\n+++ b/file\n@@ -1 +1 @@\n" + PRETTY),
        [PRETTY],
        "text",
        None,
    ],
)
def test_errors_other_blocks_small_results_and_odd_shapes_pass_as_they_are(wire, result):
    made = wire()
    made.initialize()
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n"
    assert made.call(line) == line


def test_a_result_that_names_a_member_twice_passes_as_it_is(wire):
    made = wire()
    made.initialize()
    text = json.dumps(PRETTY)
    content = f'"content":[{{"type":"text","text":{text}}}]'
    line = f'{{"jsonrpc":"2.0","id":1,"result":{{{content},{content}}}}}\n'.encode()
    assert made.call(line) == line


def test_the_text_of_a_file_reading_tool_passes_as_it_is(wire, log):
    made = wire()
    made.initialize()
    assert result_of(made.call(text_result(PRETTY), tool="read_file")) == text_result(PRETTY)
    made.finish()
    assert [line["reason"] for line in log()] == ["file_view"]


def test_escapes_stay_ascii_where_they_were_ascii_and_plain_where_they_were_plain(wire):
    made = wire()
    made.initialize()
    rows = [{"name": "\u00e9\u4e2d\U0001f600", "note": "x" * 30}] * 40
    pretty = json.dumps(rows, indent=2, ensure_ascii=False)
    for ascii_only in (True, False):
        body = json.dumps(text_result(pretty), ensure_ascii=ascii_only)
        line = made.call(f'{{"jsonrpc":"2.0","id":1,"result":{body}}}\n'.encode())
        assert line.isascii() == ascii_only
        assert json.loads(result_of(line)["content"][0]["text"]) == rows
        assert len(line) < len(body.encode())


def test_half_of_a_surrogate_pair_in_a_text_survives(wire):
    made = wire()
    made.initialize()
    pretty = json.dumps([{"half": "\\ud800", "name": "\u00e9" * 30}] * 30, indent=2, ensure_ascii=False)
    literal = json.dumps(pretty + "\n\u00e9", ensure_ascii=False)[:-1] + '\\udc00"'
    line = made.call(
        f'{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":{literal}}}]}}}}\n'.encode()
    )
    before, after = json.loads(literal), result_of(line)["content"][0]["text"]
    assert len(after) < len(before)
    assert after[-4:] == before[-4:]


def test_white_space_in_structured_content_goes_but_does_not_count_as_saved(wire, log):
    made = wire()
    made.initialize()
    structured = {"rows": ROWS, "total": 60}
    body = json.dumps({"content": [], "structuredContent": structured}, separators=(",  ", ":  "))
    line = made.call(f'{{"jsonrpc":"2.0","id":1,"result":{body}}}\n'.encode())
    compact = json.dumps(structured, separators=(",", ":"))
    assert line.decode() == (
        '{"jsonrpc":"2.0","id":1,"result":{"content":  [],  "structuredContent":  ' + compact + "}}\n"
    )
    made.finish()
    (logged,) = log()
    assert (logged["field"], logged["reason"]) == ("structuredContent", "already_compact")
    assert logged["bytes_in"] == logged["bytes_out"] == len(compact)


@pytest.mark.parametrize("client", ["claude-code", "some other client"])
def test_json_in_a_string_of_structured_content_is_minified_and_its_text_too(wire, log, client):
    made = wire()
    made.initialize(client)
    made.list_tools(tool(outputSchema=SCHEMA))
    after = result_of(made.call(text_result(PRETTY, structuredContent={"result": PRETTY})))
    assert after == text_result(MINIFIED, structuredContent={"result": MINIFIED})
    made.finish()
    assert [line["field"] for line in log()] == ["structuredContent" if client == "claude-code" else "content[0].text"]


@pytest.mark.parametrize(
    "constraint",
    [{"pattern": "^\\["}, {"minLength": 100}, {"enum": [PRETTY]}, {"const": PRETTY}, {"format": "x"}],
)
def test_a_schema_that_could_turn_down_a_shorter_string_keeps_the_string(wire, constraint):
    made = wire()
    made.initialize()
    schema = {**SCHEMA, "properties": {"result": {"type": "string", **constraint}}}
    made.list_tools(tool(outputSchema=schema))
    after = result_of(made.call(text_result(PRETTY, structuredContent={"result": PRETTY})))
    assert after["structuredContent"] == {"result": PRETTY}


def test_strings_of_a_tool_that_was_never_listed_stay_in_structured_content(wire):
    made = wire()
    made.initialize()
    after = result_of(made.call(text_result("x", structuredContent={"result": PRETTY})))
    assert after["structuredContent"] == {"result": PRETTY}


@pytest.mark.parametrize("client", ["codex-mcp-client", "claude-code"])
def test_structured_content_goes_when_the_text_says_the_same_in_fewer_bytes(wire, log, client):
    made = wire()
    made.initialize(client)
    made.list_tools(tool())  # no outputSchema: no client waits for structuredContent
    assert result_of(made.call(text_result(PRETTY, structuredContent={"result": PRETTY}))) == text_result(MINIFIED)
    made.finish()
    (logged,) = log()
    wrapped = json.dumps({"result": PRETTY}, separators=(",", ":"))
    assert (logged["field"], logged["reason"], logged["encoding"]) == ("content[0].text", "converted", "json")
    assert (logged["bytes_in"], logged["bytes_out"]) == (len(wrapped), len(MINIFIED))
    assert logged["steps"] == {"nested": len(wrapped) - len(MINIFIED)}


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_the_comma_goes_with_the_structured_content(wire, place):
    made = wire()
    made.initialize("codex-mcp-client")
    content = f'"content" : [{{"type":"text","text":{json.dumps(PRETTY)}}}]'
    structured = f'"structuredContent" : {json.dumps({"result": PRETTY})}'
    members = {
        "first": f"{structured} , {content}",
        "middle": f'{content} , {structured} , "_meta":{{}}',
        "last": f"{content} , {structured} ",
    }[place]
    line = made.call(f'{{"jsonrpc":"2.0","id":1,"result":{{{members}}}}}\n'.encode())
    meta = {"_meta": {}} if place == "middle" else {}
    assert result_of(line) == text_result(MINIFIED, **meta)


def test_codex_gets_no_structured_content_even_if_a_schema_was_declared_but_its_code_mode_does(wire):
    made = wire()
    made.initialize("codex-mcp-client")
    made.list_tools(tool(outputSchema=SCHEMA))
    result = text_result(PRETTY, structuredContent={"result": PRETTY})
    assert result_of(made.call(result)) == text_result(MINIFIED)
    assert result_of(made.call(result, _meta=CODE_MODE)) == text_result(
        MINIFIED, structuredContent={"result": MINIFIED}
    )


@pytest.mark.parametrize(
    "result",
    [
        text_result("60 rows found.", structuredContent={"rows": ROWS}),
        text_result(PRETTY, "A second block.", structuredContent={"result": PRETTY}),
        text_result(PRETTY, structuredContent={"result": PRETTY, "total": 60}),
        text_result(PRETTY.replace("0.25", "0.250"), structuredContent={"result": ROWS}),
        text_result("[" + "9" * 1200, structuredContent={"rows": ROWS}),
    ],
)
def test_structured_content_that_the_text_does_not_repeat_exactly_stays(wire, result):
    made = wire()
    made.initialize("codex-mcp-client")
    assert json.dumps(result_of(made.call(result))["structuredContent"]).count("price") == 60


@pytest.mark.parametrize("client", ["claude-code", "codex-mcp-client", "opencode"])
def test_tables_go_to_known_clients_where_the_settings_allow_them(wire, log, client):
    settings(encodings=["columnar"], min_gain_percent=1.0)
    made = wire()
    made.initialize(client)
    text = result_of(made.call(text_result(PRETTY)))["content"][0]["text"]
    assert len(text) < len(MINIFIED)
    assert json.loads(decode(text, "columnar")) == ROWS
    made.finish()
    assert [line["encoding"] for line in log()] == ["columnar"]


def test_the_model_is_told_once_that_tables_are_in_another_encoding(wire):
    settings(encodings=["columnar"])
    made = wire()
    made.initialize()
    first = result_of(made.call(text_result(PRETTY)))["content"]
    assert [block["text"] for block in first[1:]] == [
        "unpretty: JSON tables are written as columnar JSON (column names once, then rows) here; the data is the same."
    ]
    assert result_of(made.call(text_result(PRETTY)))["content"] == first[:1]


def test_encodings_may_depend_on_the_agent_and_the_tool(wire):
    path = locations.config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        '[[encodings_for]]\nagent = "claude-code"\ntool = "mcp__*__other"\nencodings = ["json"]\n'
        '[[encodings_for]]\nagent = "claude-code"\nencodings = ["columnar"]\n'
    )
    sizes = []
    for client, tool_name in (("claude-code", "rows"), ("claude-code", "other"), ("opencode", "rows")):
        made = wire()
        made.initialize(client)
        sizes.append(len(result_of(made.call(text_result(PRETTY), tool=tool_name))["content"][0]["text"]))
    assert sizes[0] < sizes[1] == sizes[2] == len(MINIFIED)


@pytest.mark.parametrize(("client", "params"), [("some other client", {}), ("codex-mcp-client", {"_meta": CODE_MODE})])
def test_programs_and_unknown_clients_get_json_whatever_the_settings_say(wire, client, params):
    settings(encodings=["columnar"])
    made = wire()
    made.initialize(client)
    assert result_of(made.call(text_result(PRETTY), **params)) == text_result(MINIFIED)


def test_a_table_takes_the_place_of_structured_content_where_that_is_accepted(wire, log):
    settings(encodings=["columnar"])
    made = wire()
    made.initialize("codex-mcp-client")
    result = text_result(PRETTY, structuredContent={"result": ROWS})
    after = result_of(made.call(result))
    assert "structuredContent" not in after
    assert json.loads(decode(after["content"][0]["text"], "columnar")) == ROWS
    made.finish()
    assert set(log()[0]["steps"]) == {"tables"}


def test_text_beside_structured_content_that_stays_is_json_for_a_client_that_shows_the_latter(wire):
    settings(encodings=["columnar"])
    made = wire()
    made.initialize("claude-code")
    made.list_tools(tool(outputSchema={"type": "object"}))
    after = result_of(made.call(text_result(PRETTY, structuredContent={"result": ROWS})))
    assert after == text_result(MINIFIED, structuredContent={"result": ROWS})


def test_opencode_gets_a_line_per_row_where_one_line_would_be_over_its_limit(wire, log):
    made = wire()
    made.initialize("opencode")
    rows = ROWS * 40
    text = result_of(made.call(text_result(json.dumps(rows, indent=2))))["content"][0]["text"]
    assert json.loads(text) == rows
    assert max(map(len, text.split("\n"))) < 51200 < len(text)
    made.finish()
    (logged,) = log()
    assert logged["bytes_out"] == logged["chars_out"] == len(text)


def test_opencode_keeps_a_result_with_a_single_row_over_its_limit(wire, log):
    made = wire()
    made.initialize("opencode")
    result = text_result(json.dumps([{"text": "x" * 60_000, "more": list(range(2000))}] * 2, indent=2))
    assert result_of(made.call(result)) == result
    made.finish()
    assert [line["reason"] for line in log()] == ["over_host_limit"]


def test_the_log_knows_the_call_under_the_names_that_the_agents_use(wire, log):
    made = wire(name="my.server")
    made.initialize("claude-code")
    made.call(text_result(PRETTY), _meta={"claudecode/toolUseId": "toolu_1"})
    made.finish()
    (line,) = log()
    assert (line["tool"], line["via"], line["tool_use_id"]) == ("mcp__my_server__rows", "proxy", "toolu_1")
    assert line["agent_version"] == "2.1"
    assert line["project"]


@pytest.mark.parametrize("as_text", [False, True])
def test_the_log_takes_session_and_model_from_what_codex_says_about_a_call(wire, log, as_text):
    made = wire()
    made.initialize("codex-mcp-client")
    turn = {"session_id": "s-1", "model": "gpt-x"}
    meta = {"callId": "call_9", "x-codex-turn-metadata": json.dumps(turn) if as_text else turn}
    made.call(text_result(PRETTY), _meta=meta)
    made.call(text_result(PRETTY), _meta={"callId": "c", "threadId": "t-1", "x-codex-turn-metadata": "not json"})
    made.finish()
    lines = log()
    assert [(line["session"], line["model"], line["tool_use_id"]) for line in lines] == [
        ("s-1", "gpt-x", "call_9"),
        ("t-1", "", "c"),
    ]
    assert lines[0]["tool"] == "mcp__my_server__rows"


@pytest.mark.parametrize(
    ("values", "why"), [({"enabled": False}, "disabled"), ({"exclude_tools": ["mcp__*__rows"]}, "excluded")]
)
def test_settings_switch_the_rewriting_off_while_the_proxy_runs(wire, log, values, why):
    made = wire()
    made.initialize()
    assert result_of(made.call(text_result(PRETTY))) == text_result(MINIFIED)
    settings(**values)
    assert result_of(made.call(text_result(PRETTY))) == text_result(PRETTY)
    structured = {"content": [], "structuredContent": {"rows": ROWS}}
    assert result_of(made.call(structured)) == structured
    made.finish()
    assert [(line["reason"], line["field"]) for line in log()] == [
        ("converted", "content[0].text"),
        (why, "content[0].text"),
        (why, "structuredContent"),
    ]


def test_the_environment_switches_the_rewriting_off(wire, monkeypatch):
    monkeypatch.setenv("UNPRETTY", "off")
    made = wire()
    made.initialize()
    assert result_of(made.call(text_result(PRETTY))) == text_result(PRETTY)


def test_revision_2026_07_28_without_a_handshake_is_understood(wire, log):
    made = wire()
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "3.0"},
    }
    made.client.send({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}})
    made.server.line()
    server_info = {"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "1"}}
    discovered = {"resultType": "complete", "capabilities": {"tools": {}}, "_meta": server_info}
    line = made.server.send({"jsonrpc": "2.0", "id": 1, "result": discovered})
    assert made.client.line() == line
    after = made.call(text_result(PRETTY, resultType="complete"), _meta={**meta, "claudecode/toolUseId": "t"})
    assert result_of(after) == text_result(MINIFIED, resultType="complete")
    made.finish()
    assert [(line["agent"], line["tool"]) for line in log()] == [("claude-code", "mcp__modern__rows")]


def test_tokens_are_not_counted_where_the_settings_say_estimate_or_the_texts_are_too_many(
    wire, no_counting, monkeypatch
):
    settings(count_tokens="estimate")
    made = wire()
    made.initialize()
    made.call(text_result(PRETTY))
    settings(count_tokens="exact")
    monkeypatch.setattr("unpretty.proxy.log._MAX_UNCOUNTED", 10)
    made.call(text_result(PRETTY))
    made.finish()
    assert no_counting == []


def test_nothing_is_logged_and_no_setting_read_while_the_installer_tries_the_proxy(wire, log, monkeypatch):
    settings(enabled=False)
    monkeypatch.setenv("UNPRETTY_SELFTEST", "1")
    made = wire()
    made.initialize()
    assert result_of(made.call(text_result(PRETTY))) == text_result(MINIFIED)
    made.finish()
    assert log() == []


def test_a_project_directory_that_is_gone_is_no_obstacle(wire, log, monkeypatch):
    def gone():
        raise FileNotFoundError

    monkeypatch.setattr("unpretty.proxy.current_settings.Path.cwd", gone)
    made = wire()
    made.initialize()
    made.call(text_result(PRETTY))
    made.finish()
    assert [line["project"] for line in log()] == [""]


def test_a_failed_introduction_and_odd_answers_teach_nothing(wire):
    made = wire(max_result_bytes=4000)
    made.client.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}})
    made.server.line()
    line = made.server.send({"jsonrpc": "2.0", "id": 0, "error": {"code": -32600, "message": "no"}})
    assert made.client.line() == line
    made.client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    made.server.line()
    line = made.server.send({"jsonrpc": "2.0", "id": 1, "result": {"tools": [7, {"name": 8}]}})
    assert made.client.line() == line
    assert result_of(made.call(text_result(PRETTY))) == text_result(MINIFIED)


def test_structured_content_that_is_no_container_stays(wire):
    made = wire()
    made.initialize("codex-mcp-client")
    result = text_result(PRETTY, structuredContent="text " * 300)
    assert result_of(made.call(result)) == text_result(MINIFIED, structuredContent="text " * 300)


def test_tokens_are_counted_for_what_was_converted_and_not_for_what_was_only_observed(wire, no_counting):
    for passthrough in (False, True):
        made = wire(passthrough=passthrough)
        made.initialize()
        made.call(text_result(PRETTY))
        made.call(text_result(PRETTY))
        made.finish()
    texts = [(before, after) for call in no_counting for _, before, after in call[2]]
    assert texts == [(PRETTY, MINIFIED)] * 2
