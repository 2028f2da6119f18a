"""``unpretty serve clickhouse``: a ClickHouse server, read-only, for agents."""

from __future__ import annotations

import json
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from unpretty import __version__
from unpretty.errors import UnprettyError
from unpretty.servers.clickhouse.http_client import ClickHouse, QueryAnswer, identifier, string
from unpretty.servers.table_reply import TableReply
from unpretty.servers.tool_errors import told_to_the_model

_INSTRUCTIONS = (
    "Answers read-only SQL from ClickHouse. list_databases, list_tables and describe_table show what there is. An "
    "answer that says it was cut has more rows: aggregate, filter, or ask for the next ones with LIMIT and OFFSET."
)
_READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_UNKNOWN_COLUMN = "Code: 47"

Database = Annotated[str, Field(description="Name of a database.")]


class ClickHouseServer:
    """The tools, asked of ``clickhouse``; rows are written in ``encoding`` (see TableReply)."""

    def __init__(self, clickhouse: ClickHouse, *, encoding: str = "") -> None:
        self._clickhouse = clickhouse
        self._reply = TableReply(encoding)

    def server(self) -> MCPServer:
        """An MCP server with the tools."""
        server = MCPServer("unpretty-clickhouse", version=__version__, instructions=_INSTRUCTIONS, log_level="ERROR")
        for tool in (self.list_databases, self.list_tables, self.describe_table, self.query):
            server.add_tool(tool, annotations=_READ_ONLY, structured_output=False)
        return server

    def list_databases(self) -> str:
        """List the databases."""
        with told_to_the_model():
            return self._answer(self._clickhouse.ask("SELECT name FROM system.databases ORDER BY name"))

    def list_tables(self, database: Database) -> str:
        """List a database's tables with their engine and, where the server knows them, rows and bytes."""
        source = f"FROM system.tables WHERE database = {string(database)} ORDER BY name"
        with told_to_the_model():
            try:
                return self._answer(self._clickhouse.ask(f"SELECT name, engine, total_rows, total_bytes {source}"))
            except UnprettyError as fault:
                if _UNKNOWN_COLUMN not in str(fault):
                    raise
                return self._answer(self._clickhouse.ask(f"SELECT name, engine {source}"))  # servers before 2019

    def describe_table(self, database: Database, table: Annotated[str, Field(description="Name of a table.")]) -> str:
        """Tell a table's columns with their types."""
        with told_to_the_model():
            answer = self._clickhouse.ask(f"DESCRIBE TABLE {identifier(database)}.{identifier(table)}")
            records = [json.loads(row, parse_int=str, parse_float=str) for row in answer.rows]
            answer.rows = [
                # Most columns have no default, comment or codec: what is empty for all is not worth its words.
                json.dumps({key: value for key, value in record.items() if any(other.get(key) for other in records)})
                for record in records
            ]
            return self._answer(answer)

    def query(
        self,
        sql: Annotated[str, Field(description="One statement: SELECT, WITH, SHOW, DESCRIBE, EXISTS or EXPLAIN.")],
        max_rows: Annotated[int | None, Field(ge=1, description="At most this many rows.")] = None,
    ) -> str:
        """Run one read-only SQL statement."""
        with told_to_the_model():
            return self._answer(self._clickhouse.ask(sql, max_rows))

    def _answer(self, answer: QueryAnswer) -> str:
        cut = f"cut after {len(answer.rows)} rows; there are more" if answer.more else None
        if answer.is_json:
            return self._reply.rows(answer.rows, note=cut)
        return "\n".join(answer.rows + ([f"({cut})"] if cut else []))
