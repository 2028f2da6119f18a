"""What the known MCP clients show their model of a tool result, measured with the real programs.

Claude Code 2.1 and Codex 0.171 (direct mode) show ``structuredContent`` when a result has it, serialised compactly, and
drop ``content``. OpenCode 1.18 shows ``content`` and reads ``structuredContent`` only when there is no content. In
Codex's code mode a script gets the whole result and may parse either copy, so both must stay JSON.
"""

from __future__ import annotations

from unpretty.engine.json_text.scanner import InvalidJSON, scan
from unpretty.proxy.message import as_dict, as_text

# OpenCode shows the model none of a line that is longer than its limit for a whole result.
_OPENCODE_LINE_BYTES = 51200


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

    __slots__ = ("agent", "known", "max_line_bytes", "may_drop_structured", "reads_resources", "shows_structured")

    def __init__(  # noqa: PLR0913  one keyword per measured fact
        self,
        agent: str,
        *,
        known: bool = True,
        shows_structured: bool = False,
        may_drop_structured: bool = False,
        reads_resources: bool = False,
        max_line_bytes: int | None = None,
    ) -> None:
        self.agent = agent
        self.known = known
        self.shows_structured = shows_structured
        self.may_drop_structured = may_drop_structured
        self.reads_resources = reads_resources
        self.max_line_bytes = max_line_bytes


_KNOWN = {
    "claude-code": Client("claude-code", shows_structured=True, reads_resources=True),
    "codex-mcp-client": Client("codex", shows_structured=True, may_drop_structured=True, reads_resources=True),
    "opencode": Client("opencode", max_line_bytes=_OPENCODE_LINE_BYTES),
}


def client_named(name: str) -> Client:
    """The client that calls itself ``name`` in ``clientInfo``; one that is not known keeps its own name in the log."""
    return _KNOWN.get(name) or Client(name[:64] or "unknown", known=False)


class ToolCall:
    """A ``tools/call`` on its way: the tool, and what the client says about the call in ``_meta``.

    Attributes:
        tool: name as the server spells it.
        command: the shell command that the tool is to run, empty when it has no such argument.
        tool_use_id: the id under which the client's own hook and transcript know the call, empty when it does not say.
        session, model: likewise.
        for_program: the result goes to a script and not to a model (Codex's code mode).
    """

    __slots__ = ("command", "for_program", "model", "session", "tool", "tool_use_id")

    def __init__(self, params: object) -> None:
        members = as_dict(params)
        meta = as_dict(members.get("_meta"))
        turn = _turn_metadata(meta.get("x-codex-turn-metadata"))
        call_id = as_text(meta.get("callId"))
        self.tool = as_text(members.get("name"))
        self.command = as_text(as_dict(members.get("arguments")).get("command"))
        self.tool_use_id = as_text(meta.get("claudecode/toolUseId")) or call_id
        self.session = as_text(turn.get("session_id")) or as_text(meta.get("threadId"))
        self.model = as_text(turn.get("model"))
        self.for_program = call_id.startswith("exec-")


def _turn_metadata(value: object) -> dict[str, object]:
    """Codex's note on the turn: an object, or one written into a string."""
    if isinstance(value, str):
        try:
            value = scan(value)[0]
        except (InvalidJSON, RecursionError):
            return {}
    return as_dict(value)
