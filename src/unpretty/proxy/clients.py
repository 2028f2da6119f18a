"""What the known MCP clients show their model of a tool result, measured with the real programs.

A client that shows ``structuredContent`` when a result has it serialises it compactly and drops ``content``; others
show ``content`` and read ``structuredContent`` only when there is no content. In code mode a script gets the whole
result and may parse either copy, so both must stay JSON. ``unpretty.agents`` says which client does what.
"""

from __future__ import annotations

from dataclasses import dataclass

from unpretty import agents
from unpretty.engine.json_text.scanner import InvalidJSON, scan
from unpretty.proxy.json_cursor import as_dict, as_text


@dataclass(frozen=True)
class Client:
    """One kind of MCP client.

    Attributes:
        agent: name in the decision log.
        known: measured; unknown clients get nothing but JSON.
        shows_structured: the model sees ``structuredContent`` when there is one, else ``content``.
        may_drop_structured: ``structuredContent`` may be missing even if the tool declares an outputSchema.
        reads_resources: the model can read resources by address.
        max_line_bytes: a text with a line over this many UTF-8 bytes is not shown, None for no such limit.
    """

    agent: str
    known: bool = True
    shows_structured: bool = False
    may_drop_structured: bool = False
    reads_resources: bool = False
    max_line_bytes: int | None = None


def client_named(name: str) -> Client:
    """The client that calls itself ``name`` in ``clientInfo``; one that is not known keeps its own name in the log."""
    for row in agents.every():
        if row.mcp_client == name:
            traits = dict.fromkeys(row.client_traits, True)
            return Client(row.name, max_line_bytes=row.limits.get("shown_bytes"), **traits)
    return Client(name[:64] or "unknown", known=False)


# Made for each message, so not frozen (see message.py).
@dataclass(slots=True, eq=False)
class ToolCall:
    """A ``tools/call`` request: the tool, and what the client says about the call in ``_meta``.

    Attributes:
        tool: name as the server spells it.
        command: the shell command that the tool is to run, empty when it has no such argument.
        tool_use_id: the id under which the client's own hook and transcript know the call, empty when it does not say.
        session, model: likewise.
        for_program: the result goes to a script and not to a model (code mode).
    """

    tool: str
    command: str
    tool_use_id: str
    session: str
    model: str
    for_program: bool


def read_call(params: object) -> ToolCall:
    """The call with ``params``, as the scanner gives them."""
    members = as_dict(params)
    meta = as_dict(members.get("_meta"))
    call_id = session = model = ""
    for_program = False
    for marks in (row.marks for row in agents.every()) if meta else ():
        turn, said, thread = (
            meta.get(marks[name]) if name in marks else None for name in ("meta_turn", "meta_call_id", "meta_session")
        )
        turn, said = _turn(turn), as_text(said)
        call_id = call_id or said
        session = session or as_text(turn.get("session_id")) or as_text(thread)
        model = model or as_text(turn.get("model"))
        for_program = for_program or ("code_mode" in marks and said.startswith(marks["code_mode"]))
    command = as_text(as_dict(members.get("arguments")).get("command"))
    return ToolCall(as_text(members.get("name")), command, call_id, session, model, for_program)


def _turn(value: object) -> dict[str, object]:
    """What a client says about the turn: an object, or one written into a string."""
    if isinstance(value, str):
        try:
            value = scan(value)[0]
        except (InvalidJSON, RecursionError):
            return {}
    return as_dict(value)
