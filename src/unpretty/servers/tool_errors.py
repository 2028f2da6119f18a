"""Errors of a tool call: those that the model can mend with what to do, all others without a word of their own."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

from unpretty.errors import UnprettyError


@contextmanager
def told_to_the_model() -> Iterator[None]:
    """Turn an UnprettyError into the error result of the tool call, its hint included.

    Of any other error only kind and place are told. The SDK would print it on standard error with all that it quotes,
    which may be a password.
    """
    try:
        yield
    except UnprettyError as fault:
        raise ToolError(f"{fault} {fault.hint}".strip()) from None
    except Exception as fault:
        where = traceback.extract_tb(fault.__traceback__)[-1]
        place = f"{Path(where.filename).name}, line {where.lineno}"
        raise ToolError(f"{type(fault).__name__} in {place}, which is a bug in unpretty.") from None
