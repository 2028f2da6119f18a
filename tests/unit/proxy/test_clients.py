"""What is known about MCP clients comes from the table of agents."""

import json

import pytest

from unpretty import agents
from unpretty.engine.json_text.scanner import scan
from unpretty.proxy.clients import Client, client_named, read_call


@pytest.fixture
def demo(monkeypatch):
    """An agent that is only in the table."""
    home = agents.Directory("DEMO_HOME", ".demo")
    row = agents.Agent(
        "demo",
        "Demo",
        programs=("demo",),
        config=home,
        data=home,
        sessions=("",),
        tools={},
        mcp_client="demo-client",
        client_traits=("shows_structured",),
        limits={"shown_bytes": 7},
        marks={"meta_call_id": "demo/call", "meta_session": "demo/session", "code_mode": "script-"},
    )
    monkeypatch.setitem(agents.ROWS, "demo", lambda: row)
    monkeypatch.setattr(agents, "_made", {})


def call(**meta):
    return read_call(scan(json.dumps({"name": "rows", "_meta": meta}))[0])


@pytest.mark.parametrize("row", agents.every(), ids=agents.names())
def test_each_agent_of_the_table_is_a_known_client(row):
    client = client_named(row.mcp_client)
    assert (client.agent, client.known) == (row.name, True)
    assert {trait for trait in row.client_traits if getattr(client, trait) is True} == set(row.client_traits)


def test_an_agent_added_to_the_table_is_a_known_client(demo):
    assert client_named("demo-client") == Client("demo", shows_structured=True, max_line_bytes=7)


def test_a_client_that_no_agent_is_keeps_its_name_and_is_not_known():
    assert client_named("demo-client") == Client("demo-client", known=False)
    assert client_named("") == Client("unknown", known=False)


def test_what_an_agent_says_about_a_call_is_read_from_the_members_that_its_row_names(demo):
    made = call(**{"demo/call": "call-1", "demo/session": "s"})
    assert (made.tool, made.tool_use_id, made.session, made.for_program) == ("rows", "call-1", "s", False)
    assert call(**{"demo/call": "script-1"}).for_program
    assert not call(**{"claudecode/toolUseId": "script-1"}).for_program


def test_a_member_without_a_name_is_no_mark_of_any_agent():
    made = call(**{"": "exec-1"})
    assert (made.tool_use_id, made.session, made.for_program) == ("", "", False)
