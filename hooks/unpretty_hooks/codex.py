"""Codex: a PostToolUse payload in, the one answer out that makes Codex show another text to the model.

Measured with Codex 0.171; recorded payloads are in tests/fixtures/codex. The answer may hold only the keys that Codex
knows: any other one voids it. ``continue: false`` ends neither the turn nor the session, it replaces the output. The
replacement replaces everything that the model would have read, the header with the exit status included, so
the header is restored from the session's rollout file; a shell result whose status is not found there stays.

In code mode (the call id begins with ``exec-``) the result goes to a program and Codex ignores the answer.
"""

from unpretty import agents
from unpretty.engine import reason, system
from unpretty.engine.commands import reads_file
from unpretty.engine.context import FILE, MCP, SHELL, Context, byte_length
from unpretty.engine.json_text.scanner import InvalidJSON, loads, mapping_of, text_of
from unpretty.engine.json_text.writer import to_json
from unpretty_hooks.call import Call, Field, call_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.settings.defaults import Settings

AGENT = agents.get("codex")
REPLACEMENT_BYTES = AGENT.limits["replacement_bytes"]
# What the restored header and the line that names another encoding leave of that.
_TEXT_BYTES = REPLACEMENT_BYTES - 300
# What would not have been read of an MCP result cannot be saved.
MCP_CHARS = AGENT.limits["mcp_chars"]
# The rollout is read from its end, in steps of this many bytes: results of parallel calls may follow the one we want.
_TAILS = (1 << 18, 1 << 22, 1 << 24)


def read(payload: "dict[str, object]", settings: "Settings") -> Call:  # noqa: ARG001  the same for every adapter
    """The call that ``payload`` tells about, with the text that may be replaced."""
    call = call_of(AGENT.name, payload)
    response = payload.get("tool_response")
    if call.tool == "Bash" and isinstance(response, str):
        call.fields.append(Field("output", response, _shell_context(call.command, response)))
    elif call.tool.startswith(AGENT.mcp_prefix) and isinstance(response, dict):
        _read_mcp(call, response)
    if not call.fields:
        call.reason = reason.UNSUPPORTED_TOOL if call.tool else reason.BAD_PAYLOAD
    elif call.tool_use_id.startswith(AGENT.marks["code_mode"]):
        call.reason = reason.HOST_CANNOT_REPLACE
    call.agent_version = _client_version(text_of(payload, "transcript_path"))
    return call


def reply(payload: "dict[str, object]", call: Call) -> str:
    """The answer that replaces the result, "" when nothing changed."""
    for field in call.changed():
        header = _header(payload, call)
        if header is None:
            field.leave(reason.EXIT_STATUS_UNKNOWN)
            continue
        text = header + field.compaction.text
        if byte_length(text) > REPLACEMENT_BYTES:
            field.leave(reason.OVER_HOST_LIMIT)
            continue
        _count_what_is_shown(call, field)
        decision = field.compaction.decision
        # On the user's screen; the model reads `reason`.
        note = f"unpretty: {_kilobytes(decision.bytes_in)} -> {_kilobytes(decision.bytes_out)}"
        return to_json({"continue": False, "stopReason": note, "reason": text})
    return ""


def payload_of(value: "dict[str, object]") -> "dict[str, object] | None":
    """``value`` when it is what the client hands to a hook, else None."""
    return value if "hook_event_name" in value and "tool_name" in value and "turn_id" in value else None


def model(payload: "dict[str, object]") -> str:
    """The model that reads the result, as Codex names it."""
    return text_of(payload, "model")


def _count_what_is_shown(call: Call, field: Field) -> None:
    """Let the figures of a long MCP result count only as much of it as the model would have read."""
    decision = field.compaction.decision
    if call.tool != "Bash" and decision.chars_in > MCP_CHARS:
        field.text = field.text[:MCP_CHARS]
        decision.chars_in, decision.bytes_in, decision.steps = len(field.text), byte_length(field.text), {}


def _shell_context(command: str, output: str) -> Context:
    cut = output.startswith(AGENT.marks["cut"]) or AGENT.marks["omitted"] in output
    return Context(SHELL, command=command, cut=cut, noise=True, paths=True, max_bytes=_TEXT_BYTES)


def _read_mcp(call: Call, response: "dict[str, object]") -> None:
    """The text that the model reads of an MCP result: the structured part when there is one, else all text blocks."""
    kind = FILE if reads_file(call.tool) else MCP
    context = Context(kind, command=call.command, max_bytes=_TEXT_BYTES)
    structured = response.get("structuredContent")
    if structured is not None:
        call.fields.append(Field("structuredContent", to_json(structured), context))
        return
    blocks = response.get("content")
    if not isinstance(blocks, list) or not blocks:
        return
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    # A replacement is text only: other blocks such as an image or a link would be lost.
    strings = [text for text in texts if isinstance(text, str)]
    if len(strings) == len(blocks):
        call.fields.append(Field("content", "\n".join(strings), context))


def _kilobytes(size: int) -> str:
    return f"{size / 1000:.1f} kB"


def _header(payload: "dict[str, object]", call: Call) -> "str | None":
    """What Codex puts before the result; None when it is not known and matters."""
    # Codex itself never sends `completed_item`: it is for readers of past sessions, who have the event.
    item = mapping_of(payload, "completed_item") or _completed_item(
        text_of(payload, "transcript_path"), call.tool_use_id
    )
    shell = call.tool == "Bash"
    lines = []
    # After a poll the result is only the last part of the output, and its wall time is not that of the command.
    if item and (not shell or item.get("aggregated_output") == payload["tool_response"]):
        lines += _wall_time(item)
    if shell:
        code = item.get("exit_code")
        if not isinstance(code, bytes):
            return None
        lines.append(f"Process exited with code {code.decode('ascii')}\n")
    return "".join([*lines, "Output:\n"])


def _wall_time(item: "dict[str, object]") -> "list[str]":
    duration = mapping_of(item, "duration")
    seconds, nanos = duration.get("secs"), duration.get("nanos")
    if not isinstance(seconds, bytes) or not isinstance(nanos, bytes):
        return []
    return [f"Wall time: {int(seconds) + int(nanos) / 1e9:.4f} seconds\n"]


def _completed_item(path: str, call_id: str) -> "dict[str, object]":
    """The item that Codex recorded when the call ended, empty when it is not among the last lines of the rollout."""
    for size in _TAILS:
        tail, whole = system.read_tail(path, size)
        item = _find_item(tail, call_id)
        if item or whole:
            return item
    return {}


def _find_item(tail: bytes, call_id: str) -> "dict[str, object]":
    """The completed item with this id in the whole lines of ``tail``, the last one first."""
    mark = call_id.encode("utf-8", "surrogatepass")
    end = len(tail) if mark else 0
    while (position := tail.rfind(mark, 0, end)) != -1 and end > 0:
        start = tail.rfind(b"\n", 0, position) + 1
        stop = tail.find(b"\n", position)
        line = tail[start : stop if stop != -1 else len(tail)]
        end = start
        if b'"item_completed"' not in line:
            continue
        try:
            record = loads(line.decode("utf-8"))
        except (InvalidJSON, RecursionError, UnicodeDecodeError):
            continue  # the first line of the tail is incomplete, and so may be the last one
        item = mapping_of(mapping_of(record, "payload"), "item") if isinstance(record, dict) else {}
        if item.get("id") == call_id:
            return item
    return {}


def _client_version(path: str) -> str:
    """The version that began the session, from the first line of its rollout; "" when it is not there."""
    try:
        head = system.read_file(path, 4096)
    except (OSError, ValueError):
        return ""
    _, found, rest = head.partition(b"\n")[0].partition(b'"cli_version":"')
    version, closed, _ = rest.partition(b'"')
    return version.decode("ascii", "replace") if found and closed and len(version) < 40 else ""
