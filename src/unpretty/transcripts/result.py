"""A tool result as an agent recorded it, in the same form for all agents."""

from __future__ import annotations

from dataclasses import dataclass

from unpretty.engine.reason import Reason, define

# Why no hook is asked about a result. These are not in ``engine.reason.TABLE``: the decision log never holds them.
TABLE: dict[str, Reason] = {}
FAILED = define(
    "failed_call", "The call failed, and this agent shows no hook the result of a failed call.", table=TABLE
)
NO_HOOK = define(
    "no_hook",
    "The agent asks no hook about this kind of result, such as the output so far of a running command.",
    table=TABLE,
)
REPLACED = define(
    "already_replaced",
    "A hook had already replaced it with a smaller text, so it says nothing about what could be saved.",
    table=TABLE,
)


@dataclass(slots=True)
class ToolResult:
    """One tool result of a past session.

    Attributes:
        agent: the agent, as in the decision log.
        tool: the tool, as the agent's hook would have named it.
        session: the session, as in the decision log.
        call_id: the id of the call, as a hook would have been given it.
        identity: the same for every copy of this record; forked sessions hold copies of what came before.
        when_ms: when the result came, milliseconds since 1970 UTC; None when the record does not say.
        texts: what the model read, block by block; images are left out.
        command: the shell command, "" for other tools.
        payload: what the hook would have been given.
        reason: why no hook decides on it, "" when the payload does: a code of this module or of ``engine.reason``.
    """

    agent: str
    tool: str
    session: str
    call_id: str
    identity: str
    when_ms: int | None
    texts: tuple[str, ...]
    command: str
    payload: dict[str, object]
    reason: str
