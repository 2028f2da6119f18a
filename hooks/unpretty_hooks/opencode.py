"""OpenCode: a request of our plugin in, the replacement texts out.

Measured with OpenCode 1.18; recorded results are in tests/fixtures/opencode. A request is one JSON object:
``id, tool, call, session, command, project, model, version``, ``inner`` (a code-mode program made the call), ``mcp``
(the result is an MCP result), ``saved`` (the file with the whole output when OpenCode truncated it), ``max_lines``,
``max_bytes`` (what OpenCode shows) and ``fields``, a list of [name, text]. The answer is ``{"id": ..., "texts": {name:
text}}`` with the changed texts only.

OpenCode truncates a built-in tool's output before the hook and keeps all of it in a file. It truncates an MCP result
after the hook, to whole lines from the start: of one line over the limit the model would read nothing.
"""

from unpretty import agents
from unpretty.engine import reason
from unpretty.engine.commands import reads_file
from unpretty.engine.compaction import compact
from unpretty.engine.context import FILE, MCP, SHELL, Context, byte_length
from unpretty.engine.json_text.scanner import mapping_of, text_of
from unpretty.engine.json_text.writer import to_json
from unpretty_hooks.call import Call, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.settings.defaults import Settings

AGENT = agents.get("opencode")
_NOTICES = ("<shell_metadata>", "<bash_metadata>")
# Laying out the rows of a longer result would take longer than a tool call should wait.
_MAX_ROWS_BYTES = 4 << 20


def read(request: "dict[str, object]", settings: "Settings") -> Call:
    """The call that ``request`` tells about, with the texts that may be replaced."""
    call = Call(AGENT.name)
    call.agent_version = text_of(request, "version")
    call.session = text_of(request, "session")
    call.tool_use_id = text_of(request, "call")
    call.project = text_of(request, "project")
    call.model = text_of(request, "model")
    call.tool = text_of(request, "tool")
    call.command = text_of(request, "command")
    call.budget_ms = AGENT.limits["worker_ms"]
    call.for_program = request.get("inner") is True
    fields = request.get("fields")
    for entry in fields if isinstance(fields, list) else []:
        if isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry):
            _add_field(call, request, entry[0], entry[1], settings)
    if not call.fields:
        call.reason = reason.UNSUPPORTED_TOOL if call.tool else reason.BAD_PAYLOAD
    return call


def reply(request: "dict[str, object]", call: Call) -> str:
    """The answer line: the replacement texts, none when nothing changed. Also sets what the log will say."""
    texts: dict[str, object] = {}
    if call.for_program:
        _keep_equivalent(call)
    elif request.get("mcp") is True:
        _fit_mcp(call, *_limits(request))
    for field in call.fields:
        if field.name == "output" and text_of(request, "saved"):
            _settle_saved(field, _original(request), _limits(request))
    for field in call.changed():
        texts[field.name] = field.compaction.text
    return to_json({"id": request.get("id"), "texts": texts}) + "\n"


def model(request: "dict[str, object]") -> str:
    """The model that reads the result, as OpenCode names it."""
    return text_of(request, "model")


def payload_of(value: "dict[str, object]") -> "dict[str, object] | None":
    """The request of our plugin that ``value`` is, or that the plugin makes of it; None when it is neither.

    The plugin makes a request of the two arguments of ``tool.execute.after``, recorded as ``hook_input`` and
    ``hook_output``.
    """
    if isinstance(value.get("fields"), list) and "tool" in value and "call" in value:
        return value
    call, output = value.get("hook_input"), value.get("hook_output")
    if not isinstance(call, dict) or not isinstance(output, dict):
        return None
    content = output.get("content")
    fields: "list[object]" = [["output", output.get("output")]]
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


def _add_field(call: Call, request: "dict[str, object]", name: str, text: str, settings: "Settings") -> None:
    if request.get("mcp") is True:
        tool = call.tool.partition("_")[2]  # the tool's own name, without its server's
        kind = FILE if reads_file(call.tool) or reads_file(tool) else MCP
        context = Context(kind, command=call.command)
    else:
        kind = AGENT.tools.get(call.tool, "")
        if not kind:
            return
        context = Context(kind, command=call.command, noise=kind == SHELL, paths=kind != MCP)
        saved = text_of(request, "saved")
        if saved or text.startswith(AGENT.marks["cut"]):
            whole = _saved_output(saved, settings.max_input_bytes)
            context.cut = whole is None
            text = text if whole is None else whole
    call.fields.append(Field(name, text, context))


def _limits(request: "dict[str, object]") -> "tuple[int, int]":
    """Lines and UTF-8 bytes that OpenCode shows; numbers come as text."""
    values = [request.get(name) for name in ("max_lines", "max_bytes")]
    lines, size = (int(value) if isinstance(value, bytes) and value.isdigit() else 0 for value in values)
    return lines or AGENT.limits["shown_lines"], size or AGENT.limits["shown_bytes"]


def _keep_equivalent(call: Call) -> None:
    """A program reads this result: it may lose whitespace of one whole JSON document and nothing else.

    The program may print what it got, and OpenCode truncates that to whole lines, so each row keeps its own line.
    """
    for field in call.changed():
        decision, text = field.compaction.decision, field.text.strip()
        whole = decision.docs == 1 and text[:1] in ("{", "[") and text[-1:] in ("}", "]")
        if not whole or set(decision.steps) != {"json"}:
            field.leave(reason.HOST_CANNOT_REPLACE)
    _lay_out_rows(call)
    for field in call.changed():
        _resize(field, field.text, field.compaction.text)


def _fit_mcp(call: Call, max_lines: int, max_bytes: int) -> None:
    """Keep a changed MCP result that OpenCode will still truncate in a form of which at least as much remains."""
    before = [field.text for field in call.fields]
    shown_before = _shown(before, max_lines, max_bytes)
    if shown_before == before or not call.changed():
        return
    if _shown(_texts(call), max_lines, max_bytes) != _texts(call):
        _lay_out_rows(call)
        shown = _shown(_texts(call), max_lines, max_bytes)
        # Not counting whitespace, what remains grows with the part of the documents that can be read.
        if sum(map(_visible_chars, shown)) < sum(map(_visible_chars, shown_before)):
            for field in call.changed():
                field.leave(reason.OVER_HOST_LIMIT)
    # The figures are of what the model reads.
    for field, old, new in zip(call.fields, shown_before, _shown(_texts(call), max_lines, max_bytes), strict=True):
        if field.compaction.decision.converted:
            _resize(field, old, new)


def _lay_out_rows(call: Call) -> None:
    from unpretty.engine.json_text.rows import one_row_per_line

    for field in call.changed():
        if field.compaction.decision.encoding != "json":  # tables have rows too, but cannot be compared with these
            field.context.choose = None
            field.compaction = compact(field.text, field.context)
        if field.compaction.decision.bytes_out > _MAX_ROWS_BYTES:
            field.leave(reason.OVER_HOST_LIMIT)
        elif field.compaction.decision.converted:
            field.compaction.text = one_row_per_line(field.compaction.text)


def _texts(call: Call) -> "list[str]":
    return [field.compaction.text for field in call.fields]


def _shown(texts: "list[str]", max_lines: int, max_bytes: int) -> "list[str]":
    """What remains of ``texts`` when OpenCode joins them with an empty line and keeps the first lines that fit."""
    shown: list[str] = []
    for text in texts:
        if shown:  # the empty line between two texts
            max_lines -= 1
            max_bytes -= 2
        kept = _first_lines(text, max_lines, max_bytes)
        shown.append(kept)
        max_lines -= kept.count("\n") + 1
        max_bytes -= byte_length(kept)
        if kept != text:
            max_lines = 0
    return shown


def _first_lines(text: str, max_lines: int, max_bytes: int) -> str:
    if text.count("\n") < max_lines and byte_length(text) <= max_bytes:
        return text
    kept: list[str] = []
    for line in text.split("\n", max(0, max_lines))[: max(0, max_lines)]:
        max_bytes -= byte_length(line) + (1 if kept else 0)
        if max_bytes < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def _visible_chars(text: str) -> int:
    """Characters of ``text`` that are not whitespace."""
    return len("".join(text.split()))


def _settle_saved(field: Field, cut: str, limits: "tuple[int, int]") -> None:
    """Decide on truncated output: all of it when it fits, its last rows when the model would read nothing."""
    if field.text == cut:
        return
    notice = _notice(cut)
    decision = field.compaction.decision
    text = field.compaction.text.rstrip("\n") + notice
    if not decision.converted or not _fits(text, *limits):
        text = _last_rows(field, cut, *limits)
        if not text:
            why = reason.OVER_HOST_LIMIT if decision.converted else decision.reason
            field.text = cut
            field.leave(why)
            return
    decision.reason = reason.CONVERTED
    field.compaction.text = text
    _resize(field, cut, text)


def _last_rows(field: Field, cut: str, max_lines: int, max_bytes: int) -> str:
    """The truncated text with as many rows as fit instead of OpenCode's "(no output)", "" when there are none."""
    notice = _notice(cut)
    body = cut[: len(cut) - len(notice)]
    kept_back = (reason.CONVERTED, reason.ALREADY_COMPACT, reason.GAIN_TOO_SMALL)
    if not body.endswith("\n" + AGENT.marks["nothing"]) or field.compaction.decision.reason not in kept_back:
        return ""
    if byte_length(field.compaction.text) > _MAX_ROWS_BYTES:
        return ""
    from unpretty.engine.json_text.rows import one_row_per_line

    head = body[: -len(AGENT.marks["nothing"])]
    lines = one_row_per_line(field.compaction.text.rstrip("\n")).split("\n")
    lines.reverse()
    limit = max_bytes - byte_length(head) - byte_length(notice)
    rows = _first_lines("\n".join(lines), max_lines - head.count("\n") - notice.count("\n"), limit).split("\n")
    rows.reverse()
    text = "\n".join(rows)
    return head + text + notice if text else ""


def _resize(field: Field, before: str, after: str) -> None:
    """Count ``before`` and ``after``, which are what the model reads, instead of the whole texts.

    Where the model now reads more than it would have, results became complete, not smaller: no saving is claimed.
    """
    decision = field.compaction.decision
    decision.steps = {}  # they add up to the whole texts' saving
    if byte_length(after) > byte_length(before):
        before = after
    field.text = before
    decision.bytes_in, decision.chars_in = byte_length(before), len(before)
    decision.bytes_out, decision.chars_out = byte_length(after), len(after)


def _fits(text: str, max_lines: int, max_bytes: int) -> bool:
    return text.count("\n") < max_lines and byte_length(text) <= max_bytes


def _notice(text: str) -> str:
    """The notice that OpenCode puts after the output (a time limit, an interruption), with the empty line before it."""
    for mark in _NOTICES:
        position = text.rfind("\n\n" + mark + "\n")
        if position != -1 and text.endswith(mark.replace("<", "</")):
            return text[position:]
    return ""


def _original(request: "dict[str, object]") -> str:
    """The text of the one field of a built-in tool, as OpenCode handed it over."""
    fields = request["fields"]
    assert isinstance(fields, list)
    return str(fields[0][1])


def _saved_output(path: str, max_bytes: int) -> "str | None":
    """The text of OpenCode's own file of one tool result; None when it is not that, too large or not readable."""
    from unpretty_hooks.saved_output import read_saved

    return read_saved(path, AGENT.marks["saved_in"], max_bytes)
