"""The tool results in Codex's rollouts, ``sessions/<year>/<month>/<day>/rollout-*.jsonl``.

Measured with 0.171: three lines tell about a call. A ``*_call`` item has the tool and its arguments, an
``item_completed`` event what the tool gave (and keeps it when a hook replaces it), a ``*_call_output`` item what the
model read. Of a shell command the model reads a header and, behind ``Output:``, the very text that a hook is given; of
an MCP tool the hook is given the result in the event. Older forms: output as a JSON object with ``output`` and
``metadata``, headers that begin with ``Exit code:``, records without ``payload`` around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

import orjson

from unpretty.engine import reason
from unpretty.engine.json_text.scanner import InvalidJSON, loads
from unpretty.engine.json_text.writer import to_json
from unpretty.transcripts.reading import (
    MAX_OPEN_CALLS,
    Reading,
    Record,
    lines,
    mapping,
    milliseconds,
    parse,
    string,
    texts_of,
)
from unpretty.transcripts.result import FAILED, NO_HOOK, REPLACED, ToolResult

AGENT = "codex"
_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Process exited with code|Process running with session ID|Original token count|Exit code"
    r"|Total output lines)\b[^\n]*\n)*Output:(?:\n|\Z)"
)
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)
_STILL_RUNNING = re.compile(r"^Process running with session ID (\d+)$", re.MULTILINE)
_SHELL_TOOLS = frozenset(("exec_command", "shell", "shell_command", "local_shell", "container.exec"))
_PROGRAMS = frozenset(("exec", "wait"))
_CUT = ("Warning: truncated output (original token count: ", " tokens truncated")
_MARKS = (b'_call"', b'_call_output"', b'"item_completed"', b'"session_meta"', b'"turn_context"')

_Value = TypeVar("_Value")


@dataclass(slots=True)
class _Call:
    """A call that has no result yet: the tool as a hook names it, the command, and whether a program makes calls."""

    call_id: str
    tool: str
    command: str = ""
    program: bool = False
    polls: str = ""  # the number of the running command that this call asks for more output of


def read_results(source: BinaryIO, reading: Reading) -> Iterator[ToolResult]:
    """The tool results of one rollout, in order. Most lines are told apart by their bytes and not parsed."""
    rollout = _Rollout(reading)
    for line in lines(source, reading):
        if any(mark in line for mark in _MARKS):
            record = parse(line, reading)
            result = None if record is None else rollout.take(record, line)
            if result is not None:
                yield result


class _Rollout:
    """What the lines so far say about the session and its open calls."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._session = self._folder = self._model = ""
        self._calls: dict[str, _Call] = {}
        self._items: dict[str, Record] = {}
        self._running: dict[str, _Call] = {}

    def take(self, record: Record, line: bytes) -> ToolResult | None:
        """Note what ``record`` (parsed from ``line``) says; the tool result when it holds one."""
        payload = mapping(record, "payload") or record
        kind = string(payload, "type")
        if record.get("type") in ("session_meta", "turn_context"):
            self._session = self._session or string(payload, "session_id") or string(payload, "id")
            self._folder = string(payload, "cwd") or self._folder
            self._model = string(payload, "model") or self._model
        elif kind == "item_completed":
            self._take_item(mapping(payload, "item"), line)
        elif kind.endswith("_call_output"):
            return self._result(record, payload)
        elif kind.endswith("_call"):
            call = _call(payload, kind)
            _put(self._calls, call.call_id, call)
        return None

    def _take_item(self, item: Record, line: bytes) -> None:
        kind = item.get("type")
        if kind not in ("McpToolCall", "CommandExecution"):
            return
        if kind == "McpToolCall" and b'"structuredContent"' in line:
            # The text that a hook makes of it spells the numbers as they are.
            item = _with_numbers_as_text(line) or item
        _put(self._items, string(item, "id"), item)

    def _result(self, record: Record, payload: Record) -> ToolResult:
        call_id = string(payload, "call_id")
        call = self._calls.pop(call_id, None) or _Call(call_id, "")
        item = self._items.pop(call_id, {})
        output = payload.get("output")
        if isinstance(output, dict):  # up to 0.4x
            output = output.get("content")
        given: Record = {}
        if call.program:
            why = reason.HOST_CANNOT_REPLACE
        elif item.get("type") == "McpToolCall" or call.tool.startswith("mcp__"):
            call.tool = _mcp_tool(item) or call.tool
            given, why = _mcp(item, output)
        elif call.tool == "Bash" or call.polls:
            call, given, why = self._shell(call, item, output)
        else:
            why = reason.UNSUPPORTED_TOOL
        given |= {
            "session_id": self._session,
            "tool_use_id": call.call_id,
            "cwd": self._folder,
            "model": self._model,
            "tool_name": call.tool,
            "tool_input": {"command": call.command},
        }
        when = milliseconds(record.get("timestamp"))
        identity = f"{call_id} {string(payload, 'id') or when}"
        texts = texts_of(output)
        return ToolResult(
            AGENT, call.tool, self._session, call.call_id, identity, when, texts, call.command, given, why
        )

    def _shell(self, call: _Call, item: Record, output: object) -> tuple[_Call, Record, str]:
        """The call (of a poll: the one that it asks about), what its hook was given, and why there was no hook."""
        header, body = split_header(output)
        call = self._running.get(call.polls, call) if call.polls else call
        call.tool = "Bash"
        number = _STILL_RUNNING.search(header)
        if number is not None:
            _put(self._running, number[1], call)
            return call, {}, NO_HOOK
        if not header:
            return call, {}, FAILED
        given: Record = {"tool_response": body}
        code = _EXIT_CODE.search(header)
        if code is not None:
            given["completed_item"] = {"exit_code": code[1].encode(), "aggregated_output": body}
        printed = item.get("aggregated_output")
        if isinstance(printed, str) and printed != body and not header.startswith("Chunk ID") and not _is_cut(body):
            return call, given, REPLACED
        return call, given, ""


def _put(kept: dict[str, _Value], key: str, value: _Value) -> None:
    if len(kept) >= MAX_OPEN_CALLS:
        del kept[next(iter(kept))]
    kept[key] = value


def _call(payload: Record, kind: str) -> _Call:
    call_id, name = string(payload, "call_id"), string(payload, "name")
    if kind == "local_shell_call":
        return _Call(call_id, "Bash", _command(mapping(payload, "action")))
    if kind == "custom_tool_call":
        return _Call(call_id, name, program=name in _PROGRAMS)
    namespace = string(payload, "namespace")
    if namespace:
        return _Call(call_id, f"{namespace}__{name}", string(_arguments(payload), "command"))
    if name in _SHELL_TOOLS:
        return _Call(call_id, "Bash", _command(_arguments(payload)))
    if name == "write_stdin":
        return _Call(call_id, name, polls=str(_arguments(payload).get("session_id")))
    return _Call(call_id, name, program=name in _PROGRAMS)


def _arguments(payload: Record) -> Record:
    try:
        value = orjson.loads(string(payload, "arguments"))
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _command(arguments: Record) -> str:
    """The command line: a text, or the last word of ``["bash", "-lc", "…"]``."""
    command = arguments.get("cmd", arguments.get("command"))
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return command[-1] if len(command) == 3 and command[1] in ("-lc", "-c") else " ".join(command)
    return command if isinstance(command, str) else ""


def split_header(output: object) -> tuple[str, str]:
    """The header and the text behind it; no header when the call never ran."""
    text = "".join(texts_of(output))
    if text.startswith('{"output":'):
        try:
            old = orjson.loads(text)
            return f"Exit code: {old['metadata']['exit_code']}\n", old["output"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return "", text
    header = _HEADER.match(text)
    return (text[: header.end()], text[header.end() :]) if header else ("", text)


def _mcp_tool(item: Record) -> str:
    server, tool = string(item, "server"), string(item, "tool")
    return f"mcp__{server}__{tool}" if server and tool else ""


def _mcp(item: Record, output: object) -> tuple[Record, str]:
    """What the hook of an MCP call was given, and why there was no hook."""
    header, body = split_header(output if isinstance(output, str) else "")
    blocks = texts_of(output)[1:] if isinstance(output, list) else (body,)
    if not item:  # older rollouts have no events
        return _as_read(blocks), "" if header or isinstance(output, list) else FAILED
    result = mapping(item, "result")
    if item.get("status") != "completed" or result.get("isError") is True:
        return {}, FAILED
    structured = result.get("structuredContent")
    if _is_cut("".join(blocks)):
        return {}, reason.CUT_BY_HOST
    if isinstance(output, str) and (structured is None or to_json(structured) != body):
        return {}, REPLACED
    texts = texts_of(result.get("content"))
    if structured is None and texts != blocks and len(texts) == len(blocks):
        # Codex shortens what it keeps in events, here by more than what the model read.
        return _as_read(blocks), ""
    return {"tool_response": result}, ""


def _as_read(blocks: tuple[str, ...]) -> Record:
    """An MCP result of the texts that the model read."""
    return {"tool_response": {"content": [{"type": "text", "text": text} for text in blocks]}}


def _is_cut(text: str) -> bool:
    return text.startswith(_CUT[0]) or _CUT[1] in text


def _with_numbers_as_text(line: bytes) -> Record:
    """The item of an event, parsed as hooks parse it."""
    try:
        record = loads(line.decode("utf-8"))
    except (InvalidJSON, UnicodeDecodeError, RecursionError):
        return {}
    return mapping(mapping(record, "payload"), "item") if isinstance(record, dict) else {}
