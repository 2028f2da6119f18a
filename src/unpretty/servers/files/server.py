"""``unpretty serve files``: the data files below one directory, read-only, for agents."""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import islice
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from unpretty.servers.files.root import FORMATS, ServedDirectory
from unpretty.servers.files.row_filter import Condition
from unpretty.servers.files.tables import FileTables
from unpretty.servers.table_reply import TableReply, objects
from unpretty.servers.tool_server import read_only_server, tool_errors

if TYPE_CHECKING:
    import os

    from mcp.server.mcpserver import MCPServer

_INSTRUCTIONS = (
    "Reads CSV, TSV, JSON, JSON Lines and Parquet files of one directory. list_files, then describe_file, then "
    "read_rows with a filter and the columns that matter. An answer with next_offset has "
    "more rows: ask again with that offset."
)
_FILES_PER_PAGE = 500
MAX_ROWS = 10_000

FileName = Annotated[str, Field(description="Name of a file, as list_files gives it.")]
Offset = Annotated[int, Field(ge=0, description="How many rows to skip: next_offset of the answer before.")]


class FileServer:
    """The tools, on files below ``root``; one answer has about ``max_bytes`` UTF-8 bytes at most."""

    def __init__(
        self, root: str | os.PathLike[str], *, encoding: str = "", max_bytes: int = 40_000, seconds: float = 30.0
    ) -> None:
        """Open the directory. Raises UnprettyError when it cannot be read."""
        self._root = ServedDirectory(root)
        self._tables = FileTables(self._root.path, seconds=seconds)
        self._reply = TableReply(encoding)
        self._max_bytes = max_bytes

    def server(self) -> MCPServer:
        """An MCP server with the tools."""
        return read_only_server("unpretty-files", _INSTRUCTIONS, self.list_files, self.describe_file, self.read_rows)

    @tool_errors()
    def list_files(
        self,
        folder: Annotated[str, Field(description="Only files below this directory.")] = "",
        offset: Offset = 0,
    ) -> str:
        """List the data files: name, format, size in bytes, time of the last change (UTC)."""
        found = list(islice(self._root.files(folder), offset, offset + _FILES_PER_PAGE + 1))
        more = offset + _FILES_PER_PAGE if len(found) > _FILES_PER_PAGE else None
        records = [
            {
                "path": name,
                "format": FORMATS["." + name.rsplit(".", 1)[-1].lower()],
                "bytes": status.st_size,
                "changed": datetime.fromtimestamp(status.st_mtime, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            }
            for name, status in found[:_FILES_PER_PAGE]
        ]
        return self._reply.rows(objects(records), next_offset=more)

    @tool_errors()
    def describe_file(self, path: FileName) -> str:
        """Tell a file's columns with their types, and how many rows it has."""
        file = self._root.file(path)
        records = [{"column": name, "type": kind} for name, kind in self._tables.columns(file).items()]
        return self._reply.rows(objects(records), path=path, row_count=self._tables.count(file))

    @tool_errors()
    def read_rows(
        self,
        path: FileName,
        columns: Annotated[list[str] | None, Field(description="Only these columns; all when absent.")] = None,
        where: Annotated[list[Condition] | None, Field(description="Only rows for which all of these hold.")] = None,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=MAX_ROWS, description="At most this many rows.")] = 100,
    ) -> str:
        """Read rows of a file, in the order of the file: filtered, some columns, a page at a time."""
        page = self._tables.page(
            self._root.file(path),
            columns=columns,
            where=where or [],
            offset=offset,
            limit=limit,
            max_bytes=self._max_bytes,
        )
        return self._reply.rows(page.rows, next_offset=page.next_offset)
