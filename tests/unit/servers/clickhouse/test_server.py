"""The tools of ``unpretty serve clickhouse``, on a fake server; tests/e2e has the real one."""

import base64
import json

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from unpretty.errors import UnprettyError
from unpretty.servers.clickhouse.http_client import ClickHouse, QueryAnswer
from unpretty.servers.clickhouse.server import ClickHouseServer


class Played:
    """Answers each question with the next of ``answers``."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def ask(self, sql, max_rows=None):
        self.asked.append((sql, max_rows))
        answer = self.answers.pop(0)
        if isinstance(answer, UnprettyError):
            raise answer
        return answer


def rows(*records, more=False):
    return QueryAnswer([json.dumps(record, separators=(",", ":")) for record in records], more, True)


def served(*answers):
    played = Played(*answers)
    return played, ClickHouseServer(played, encoding="json")


def test_databases_are_listed():
    _, server = served(rows({"name": "default"}, {"name": "shop"}))
    assert server.list_databases() == '{"rows":[{"name":"default"},{"name":"shop"}]}'


def test_tables_come_with_rows_and_bytes_where_the_server_knows_them():
    played, server = served(rows({"name": "t", "engine": "Log", "total_rows": 5, "total_bytes": None}))
    assert json.loads(server.list_tables("it's"))["rows"][0]["total_rows"] == 5
    assert "database = 'it\\'s'" in played.asked[0][0]
    unknown = UnprettyError("ClickHouse says: Code: 47, Unknown identifier: total_rows")
    played, server = served(unknown, rows({"name": "t", "engine": "Log"}))
    assert server.list_tables("shop") == '{"rows":[{"name":"t","engine":"Log"}]}'
    _, server = served(UnprettyError("ClickHouse says: Code: 81, no such database"))
    with pytest.raises(ToolError, match="no such database"):
        server.list_tables("shop")


def test_columns_come_without_what_is_empty_for_all_of_them():
    _, server = served(
        rows(
            {"name": "a", "type": "UInt8", "default_type": "", "comment": ""},
            {"name": "b", "type": "String", "default_type": "", "comment": "the name"},
        )
    )
    assert json.loads(server.describe_table("shop", "t"))["rows"] == [
        {"name": "a", "type": "UInt8", "comment": ""},
        {"name": "b", "type": "String", "comment": "the name"},
    ]


def test_an_answer_that_was_cut_says_so():
    played, server = served(rows({"n": 1}, more=True), QueryAnswer(["a,b", "1,2"], True, False))
    assert server.query("SELECT 1", 7) == '{"note":"cut after 1 rows; there are more","rows":[{"n":1}]}'
    assert played.asked == [("SELECT 1", 7)]
    assert server.query("SELECT 1 FORMAT CSV") == "a,b\n1,2\n(cut after 2 rows; there are more)"


def test_an_error_is_told_with_what_to_do():
    _, server = served(UnprettyError("It took too long.", hint="Ask for less."))
    with pytest.raises(ToolError, match=r"^It took too long\. Ask for less\.$"):
        server.query("SELECT 1")


def test_a_bug_of_ours_quotes_nothing_anywhere(monkeypatch, capfd, caplog):
    """The SDK prints what a tool did not expect, and a ValueError of http.client quotes the header that it refuses."""
    import anyio
    from mcp import Client

    def refuse(*parts):
        raise ValueError(f"Invalid header value {parts!r}")

    monkeypatch.setattr("http.client.HTTPConnection.putheader", refuse)
    encoded = base64.b64encode(b"guarded:open sesame").decode()
    clickhouse = ClickHouse("http://guarded:open%20sesame@127.0.0.1:1")
    monkeypatch.setattr("http.client.HTTPConnection.putrequest", refuse)

    async def go():
        async with Client(ClickHouseServer(clickhouse).server()) as client:
            tools = [("query", {"sql": "SELECT 1"}), ("list_databases", {}), ("list_tables", {"database": "d"})]
            return [
                await client.call_tool(*call) for call in [*tools, ("describe_table", {"database": "d", "table": "t"})]
            ]

    answers = anyio.run(go)
    said = [answer.content[0].text for answer in answers]
    assert all(answer.is_error for answer in answers)
    assert all("ValueError in test_server.py, line" in text for text in said)
    everything = "".join(said) + "".join(capfd.readouterr()) + caplog.text
    assert "which is a bug in unpretty" in everything
    for secret in ("open sesame", "open%20sesame", encoded):
        assert secret not in everything


def test_the_tools_are_read_only():
    import anyio
    from mcp import Client

    async def go():
        async with Client(served()[1].server()) as client:
            return (await client.list_tools()).tools

    tools = anyio.run(go)
    assert [tool.name for tool in tools] == ["list_databases", "list_tables", "describe_table", "query"]
    assert all(tool.annotations.read_only_hint for tool in tools)
