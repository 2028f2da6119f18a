"""What the hook does with one tool result, and why: the same adapters and the same engine, nothing sent or logged."""

import time
from types import ModuleType

from unpretty.engine.compaction import Compaction, Decision
from unpretty.engine.context import SHELL, Context
from unpretty.engine.json_text.scanner import InvalidJSON, loads
from unpretty.errors import UnprettyError
from unpretty.settings.defaults import Settings
from unpretty_hooks import claude_code, codex, entry, opencode
from unpretty_hooks.call import Call, Field, mapping_of

ADAPTERS: dict[str, ModuleType] = {"claude-code": claude_code, "codex": codex, "opencode": opencode}


class Explained:
    """One text of a tool result: what came in, what would go out, and the decision as the log would hold it."""

    def __init__(self, before: str, after: str, record: dict[str, object]) -> None:
        self.before = before
        self.after = after
        self.record = record


def explain(data: bytes, settings: Settings, agent: str = "") -> list[Explained]:
    """Each text of the tool result in ``data`` with its decision.

    ``data`` is what an agent hands to its hook (JSON), or any other text, which is then taken for the output of a
    shell command. Raises UnprettyError when it is not UTF-8, or when ``agent`` is given and it is no payload of that
    agent's.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise UnprettyError(
            f"The input is not UTF-8 (byte {fault.start}).", code="not_utf8", hint="Convert it first, e.g. with iconv."
        ) from None
    started = time.perf_counter()
    payload = _payload(text)
    name = agent or _agent_of(payload)
    if agent and not _agent_of(payload):
        raise UnprettyError(
            f"The input is not a payload of {agent}.", code="no_payload", hint="Leave --agent out for plain output."
        )
    call = _call_of(name, payload, text, settings)
    milliseconds = (time.perf_counter() - started) * 1000
    return [_explained(call, field, milliseconds) for field in call.fields or [_without_text(call)]]


def _payload(text: str) -> dict[str, object]:
    """``text`` as a JSON object, an empty one when it is something else."""
    try:
        value = loads(text)
    except (InvalidJSON, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _agent_of(payload: dict[str, object]) -> str:
    """The agent that hands out payloads like this one, "" when it is no payload."""
    if "hook_event_name" in payload and "tool_name" in payload:
        return "codex" if "turn_id" in payload else "claude-code"
    if isinstance(payload.get("hook_input"), dict) and isinstance(payload.get("hook_output"), dict):
        return "opencode"
    return ""


def _call_of(name: str, payload: dict[str, object], text: str, settings: Settings) -> Call:
    """The call with its decisions made, as the hook of the agent ``name`` makes them."""
    if name == "opencode":
        payload = _opencode_request(payload)
    if name:
        adapter = ADAPTERS[name]
        call: Call = adapter.read(payload, settings)
    else:
        call = Call("")
        call.fields.append(Field("text", text, Context(SHELL, noise=True, paths=True)))
    entry.decide(call, settings)
    if name and call.changed():
        adapter.reply(payload, call)  # an adapter may still find that the agent would not take it
    return call


def _opencode_request(recorded: dict[str, object]) -> dict[str, object]:
    """What our plugin makes of the two arguments of ``tool.execute.after``, recorded as hook_input and hook_output."""
    call, output = mapping_of(recorded, "hook_input"), mapping_of(recorded, "hook_output")
    content = output.get("content")
    fields: list[object] = [["output", output.get("output")]]
    if isinstance(content, list):
        fields = [
            [f"content.{index}.{name}", holder.get("text")]
            for index, block in enumerate(content)
            if isinstance(block, dict)
            for name, holder in (("text", block), ("resource.text", mapping_of(block, "resource")))
            if "text" in holder
        ]
    return {
        "id": b"1",
        "tool": call.get("tool"),
        "call": call.get("callID"),
        "session": call.get("sessionID"),
        "command": mapping_of(call, "args").get("command"),
        "mcp": isinstance(content, list),
        "inner": "/" in str(call.get("callID")),
        "saved": mapping_of(output, "metadata").get("outputPath"),
        "fields": fields,
    }


def _without_text(call: Call) -> Field:
    """Stands for a call none of whose texts may be replaced, so that its reason is shown."""
    field = Field("", "", Context())
    field.compaction = Compaction("", Decision(call.reason, "", 0))
    return field


def _explained(call: Call, field: Field, milliseconds: float) -> Explained:
    assert field.compaction is not None
    record = entry.record_of(call, field.name, field.compaction.decision, "explain", milliseconds)
    return Explained(field.text, field.compaction.text, record)
