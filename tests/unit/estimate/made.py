"""Tool results made up for the tests, as the readers of the agents' records give them."""

import itertools
import json

from unpretty.transcripts.result import ToolResult

ROWS = [{"id": number, "name": f"user {number}", "tags": ["a", None]} for number in range(40)]
PRETTY = json.dumps(ROWS, indent=2)
COMPACT = json.dumps(ROWS, separators=(",", ":"))
NESTED = json.dumps({"stdout": PRETTY}, indent=2)
COLOURED = "\n".join(f"\x1b[32mok\x1b[0m test number {number}" for number in range(40))
FOUND = "\n".join(f"src/some/folder/module.py:{number}:    needle = {number}" for number in range(60))
PLAIN = "\n".join(f"line {number} of a text without any document in it" for number in range(40))

_numbers = itertools.count()


def bash(text: str, command: str = "make", **more: object) -> ToolResult:
    """A result of Claude Code's Bash tool."""
    payload: dict[str, object] = {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"stdout": text, "stderr": "", "interrupted": False},
    }
    return result("claude-code", "Bash", (text,), payload, command=command, **more)


def mcp(text: str, tool: str = "mcp__t__x", **more: object) -> ToolResult:
    """A result of an MCP tool in Claude Code."""
    payload: dict[str, object] = {"tool_name": tool, "tool_response": [{"type": "text", "text": text}]}
    return result("claude-code", tool, (text,), payload, **more)


def opencode(text: str, **request: object) -> ToolResult:
    """A result of an MCP tool in OpenCode."""
    payload = {"id": b"0", "tool": "t_x", "mcp": True, "fields": [["content.0.text", text]], **request}
    return result("opencode", "t_x", (text,), payload)


def result(
    agent: str, tool: str, texts: tuple[str, ...], payload: dict[str, object], command: str = "", **more: object
) -> ToolResult:
    """A result of any kind; each is a call of its own."""
    number = next(_numbers)
    values: dict[str, object] = {"session": "s1", "call_id": f"call_{number}", "when_ms": 1_790_000_000_000 + number}
    values |= {"identity": f"call_{number}", "reason": "", **more}
    return ToolResult(agent=agent, tool=tool, texts=texts, command=command, payload=payload, **values)  # type: ignore[arg-type]
