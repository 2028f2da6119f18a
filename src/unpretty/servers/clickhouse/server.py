"""``unpretty serve clickhouse``: a ClickHouse server, read-only, for agents."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from unpretty.errors import UnprettyError
from unpretty.servers.clickhouse.http_client import ClickHouse, QueryAnswer, identifier, string
from unpretty.servers.table_reply import TableReply
from unpretty.servers.tool_server import read_only_server, tool_errors

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

_INSTRUCTIONS = (
    "Answers read-only SQL from ClickHouse. list_databases, list_tables and describe_table show what there is. An "
    "answer that says it was cut has more rows: aggregate, filter, or ask for the next ones with LIMIT and OFFSET."
)
_UNKNOWN_COLUMN = "Code: 47"

Database = Annotated[str, Field(description="Name of a database.")]


class ClickHouseServer:
    """The tools, which query ``clickhouse``; rows are written in ``encoding`` (see TableReply)."""

    def __init__(self, clickhouse: ClickHouse, *, encoding: str = "") -> None:
        self._clickhouse = clickhouse
        self._reply = TableReply(encoding)

    def server(self) -> MCPServer:
        """An MCP server with the tools."""
        tools = (self.list_databases, self.list_tables, self.describe_table, self.query)
        return read_only_server("unpretty-clickhouse", _INSTRUCTIONS, *tools)

    @tool_errors()
    def list_databases(self) -> str:
        """List the databases."""
        return self._answer(self._clickhouse.ask("SELECT name FROM system.databases ORDER BY name"))

    @tool_errors()
    def list_tables(self, database: Database) -> str:
        """List a database's tables with their engine and, where the server knows them, rows and bytes."""
        source = f"FROM system.tables WHERE database = {string(database)} ORDER BY name"
        try:
            return self._answer(self._clickhouse.ask(f"SELECT name, engine, total_rows, total_bytes {source}"))
        except UnprettyError as exc:
            if _UNKNOWN_COLUMN not in str(exc):
                raise
            return self._answer(self._clickhouse.ask(f"SELECT name, engine {source}"))  # servers before 2019

    @tool_errors()
    def describe_table(self, database: Database, table: Annotated[str, Field(description="Name of a table.")]) -> str:
        """Tell a table's columns with their types."""
        answer = self._clickhouse.ask(f"DESCRIBE TABLE {identifier(database)}.{identifier(table)}")
        records = [json.loads(row, parse_int=str, parse_float=str) for row in answer.rows]
        # Most columns have no default, comment or codec: a member that is empty in all of them is left out.
        used = {key for record in records for key, value in record.items() if value}
        rows = [json.dumps({key: value for key, value in record.items() if key in used}) for record in records]
        return self._answer(replace(answer, rows=rows))

    @tool_errors()
    def query(
        self,
        sql: Annotated[str, Field(description="One statement: SELECT, WITH, SHOW, DESCRIBE, EXISTS or EXPLAIN.")],
        max_rows: Annotated[int | None, Field(ge=1, description="At most this many rows.")] = None,
    ) -> str:
        """Run one read-only SQL statement."""
        return self._answer(self._clickhouse.ask(sql, max_rows))

    def _answer(self, answer: QueryAnswer) -> str:
        note = f"cut after {len(answer.rows)} rows; there are more" if answer.more else None
        if answer.is_json:
            return self._reply.rows(answer.rows, note=note)
        return "\n".join(answer.rows + ([f"({note})"] if note else []))
