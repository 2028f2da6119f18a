"""Errors of a tool call that the model is to read and can mend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.mcpserver.exceptions import ToolError

from unpretty.errors import UnprettyError


@contextmanager
def told_to_the_model() -> Iterator[None]:
    """Turn an UnprettyError into the error result of the tool call, its hint included."""
    try:
        yield
    except UnprettyError as fault:
        raise ToolError(f"{fault} {fault.hint}".strip()) from None
