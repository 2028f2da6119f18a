"""What both servers share: an MCP server of read-only tools, and how a tool call fails."""

from __future__ import annotations

import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from unpretty import __version__
from unpretty.errors import UnprettyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def read_only_server(name: str, instructions: str, *tools: Callable[..., str]) -> MCPServer:
    """An MCP server with ``tools``, each of which answers with one text."""
    server = MCPServer(name, version=__version__, instructions=instructions, log_level="ERROR")
    for tool in tools:
        server.add_tool(tool, annotations=_READ_ONLY, structured_output=False)
    return server


@contextmanager
def tool_errors() -> Iterator[None]:
    """Turn an UnprettyError into the error result of the tool call, its hint included; decorates the tools.

    Of any other error the model gets only type and position. The SDK would print it on standard error with all that it
    quotes, which may be a password.
    """
    try:
        yield
    except UnprettyError as exc:
        raise ToolError(f"{exc} {exc.hint}".strip()) from None
    except Exception as exc:
        last = traceback.extract_tb(exc.__traceback__)[-1]
        position = f"{Path(last.filename).name}, line {last.lineno}"
        raise ToolError(f"{type(exc).__name__} in {position}, which is a bug in unpretty.") from None
