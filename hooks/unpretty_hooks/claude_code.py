"""Claude Code: a PostToolUse payload in, ``updatedToolOutput`` out.

Shapes and limits were measured with clients 2.1.121 to 2.1.332; recorded payloads are in tests/fixtures/claude-code.
The reply is the received ``tool_response`` with only the text changed: anything else is refused by the client (built-in
tools) or used as it is (MCP tools), and a key that is left out is lost.
"""

from unpretty import agents
from unpretty.engine import reason, system
from unpretty.engine.commands import reads_file
from unpretty.engine.context import FILE, MCP, SEARCH, SHELL, Context
from unpretty.engine.json_text.scanner import InvalidJSON, loads, mapping_of, text_of
from unpretty.engine.json_text.writer import to_json
from unpretty_hooks.call import Call, Field, call_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.settings.defaults import Settings

AGENT = agents.get("claude-code")
SHELL_CHARS, MCP_CHARS = AGENT.limits["shell_chars"], AGENT.limits["mcp_chars"]
_PERSISTED_KEYS = ("persistedOutputPath", "persistedOutputSize")


def read(payload: "dict[str, object]", settings: "Settings") -> Call:
    """The call that ``payload`` tells about, with the texts that may be replaced."""
    call = call_of(AGENT.name, payload)
    call.agent_version = _client_version()
    response = payload.get("tool_response")
    if call.tool == "Bash" and isinstance(response, dict):
        _read_bash(call, response, settings)
    elif call.tool == "Grep" and isinstance(response, dict) and isinstance(response.get("content"), str):
        call.fields.append(Field("content", text_of(response, "content"), Context(SEARCH, paths=True)))
    elif _is_mcp(call):
        _read_mcp(call, response, settings)
    elif AGENT.tools.get(call.tool) == FILE:
        call.reason = reason.FILE_VIEW
    if not call.fields and not call.reason:
        call.reason = reason.UNSUPPORTED_TOOL if call.tool else reason.BAD_PAYLOAD
    return call


def reply(payload: "dict[str, object]", call: Call) -> str:
    """The answer that replaces the changed texts, "" when nothing changed."""
    response = received = payload.get("tool_response")
    if _is_mcp(call) and sum(_chars_out(field) for field in call.fields) > MCP_CHARS:
        for field in call.changed():
            field.leave(reason.OVER_HOST_LIMIT)
    # Without us the model would have read a preview.
    previewed = _is_mcp(call) and sum(len(field.text) for field in call.fields) > MCP_CHARS
    for field in call.changed():
        response = _replaced(response, field.name, field.compaction.text)
        if field.whole or previewed:
            _claim_nothing(field)
    if response is received:
        return ""
    output: dict[str, object] = {"hookEventName": "PostToolUse", "updatedToolOutput": response}
    if call.notice:
        output["additionalContext"] = call.notice
    return to_json({"hookSpecificOutput": output}) + "\n"


def payload_of(value: "dict[str, object]") -> "dict[str, object] | None":
    """``value`` when it is what the client hands to a hook, else None."""
    return value if "hook_event_name" in value and "tool_name" in value and "turn_id" not in value else None


def model(payload: "dict[str, object]") -> str:
    """The model of the session's last assistant message, "" when unknown; a subagent's is not in this transcript."""
    if "agent_id" in payload:
        return ""
    tail, _ = system.read_tail(text_of(payload, "transcript_path"), 65536)
    for line in reversed(tail.decode("utf-8", "replace").split("\n")):
        if '"assistant"' not in line:
            continue
        try:
            record = loads(line)
        except (InvalidJSON, RecursionError):
            continue  # the first line of the tail is incomplete, and so may be the last one
        if isinstance(record, dict) and record.get("type") == "assistant":
            return text_of(mapping_of(record, "message"), "model")
    return ""


def _is_mcp(call: Call) -> bool:
    return call.tool.startswith(AGENT.mcp_prefix)


def _read_bash(call: Call, response: "dict[str, object]", settings: "Settings") -> None:
    stdout = text_of(response, "stdout")
    if response.get("isImage") is True:
        return
    context = Context(SHELL, command=call.command, noise=True, paths=True)
    # The variable widens what the hook receives, not what the client shows.
    widened = system.environment("BASH_MAX_OUTPUT_LENGTH") is not None
    if "persistedOutputPath" in response:
        context.cut = True
        if settings.inline_persisted:
            whole = _persisted(text_of(response, "persistedOutputPath"), settings.max_input_bytes)
            if whole is not None:
                context.cut = False
                context.max_chars = SHELL_CHARS if widened else len(stdout)
                call.fields.append(Field("stdout", whole, context, whole=True))
                return
    previewed = widened and "persistedOutputPath" not in response and len(stdout) > SHELL_CHARS
    if previewed:
        context.max_chars = SHELL_CHARS
    call.fields.append(Field("stdout", stdout, context, whole=previewed))


def _read_mcp(call: Call, response: object, settings: "Settings") -> None:
    kind = FILE if reads_file(call.tool) else MCP
    if isinstance(response, str):
        path = _saved_path(response)
        context = Context(kind, command=call.command, max_chars=MCP_CHARS)
        if path:
            whole = _persisted(path, settings.max_input_bytes) if settings.inline_persisted else None
            context.cut = whole is None
            if whole is not None:
                call.fields.append(Field("", whole, context, whole=True))
                return
        call.fields.append(Field("", response, context))
    elif isinstance(response, list):
        for index, block in enumerate(response):
            if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
                context = Context(kind, command=call.command, frame_chars=_frame_length(block["text"]))
                call.fields.append(Field(f"[{index}].text", block["text"], context))


def _frame_length(text: str) -> int:
    """Characters of the frame that the client puts before an embedded resource: ``[Resource from SERVER at URI] ``."""
    line, _, _ = text[:1000].partition("\n")
    end = line.find("] ")
    return end + 2 if line.startswith("[Resource from ") and end != -1 else 0


def _replaced(response: object, name: str, text: str) -> object:
    """A copy of ``response`` with the text at ``name`` replaced, everything else as it was."""
    if isinstance(response, list):
        index = int(name[1 : name.index("]")])
        return [*response[:index], {**response[index], "text": text}, *response[index + 1 :]]
    if isinstance(response, dict):
        # With these keys the client would show its preview instead of the text.
        return {key: value for key, value in {**response, name: text}.items() if key not in _PERSISTED_KEYS}
    return text


def _claim_nothing(field: Field) -> None:
    """Without us the model had read a short preview: the whole text is more complete, but no token was saved."""
    field.text = field.compaction.text
    decision = field.compaction.decision
    decision.bytes_in, decision.chars_in, decision.steps = decision.bytes_out, decision.chars_out, {}


def _chars_out(field: Field) -> int:
    return field.compaction.decision.chars_out


def _saved_path(response: str) -> str:
    """The file that holds an MCP result over the client's token limit, "" when the result is not such a notice."""
    if not response.startswith("Error: result (") or "\nFormat: Plain text" not in response[:4000]:
        return ""
    _, found, rest = response.partition("Output has been saved to ")
    return rest.split(".txt.\n", 1)[0] + ".txt" if found and ".txt.\n" in rest else ""


def _persisted(path: str, max_bytes: int) -> "str | None":
    """The text of the client's own file of one tool result; None when it is not that, too large or not readable."""
    from unpretty_hooks.saved_output import read_saved

    text = read_saved(path, AGENT.marks["saved_in"], max_bytes)
    # The client trims its inline text at the end too.
    return None if text is None else text.rstrip()


def _client_version() -> str:
    """The client's version from ``AI_AGENT=claude-code_2-1-332_cli``, "" when it does not say."""
    parts = (system.environment("AI_AGENT") or "").split("_")
    return parts[1].replace("-", ".") if len(parts) > 1 and parts[0] == AGENT.name else ""
