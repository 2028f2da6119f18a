"""Codex's rollouts, ``sessions/<year>/<month>/<day>/rollout-*.jsonl``: tool results, and what became of answers.

Measured with 0.171: a call has three lines. A ``*_call`` item has the tool and its arguments, an ``item_completed``
event what the tool returned (and keeps it when a hook replaces it), a ``*_call_output`` item what the model read. Of a
shell command the model reads a header and, after ``Output:``, the same text that a hook is given; of an MCP tool the
hook is given the result in the event. Older forms: output as a JSON object with ``output`` and ``metadata``, headers
that begin with ``Exit code:``, records without ``payload`` around them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO, TypeVar

import orjson

from unpretty import agents
from unpretty.engine import reason
from unpretty.engine.json_text.scanner import InvalidJSON, loads, mapping_of, text_of
from unpretty.transcripts.codex_output import EXIT_CODE, STILL_RUNNING, is_cut, mcp_result, mcp_tool, split_header
from unpretty.transcripts.outcomes import Check, SessionTexts, by_session
from unpretty.transcripts.reading import (
    MAX_OPEN_CALLS,
    Progress,
    Reading,
    Record,
    files_below,
    ignore,
    lines,
    milliseconds,
    parse,
    texts_of,
)
from unpretty.transcripts.result import FAILED, NO_HOOK, REPLACED, ToolResult

SUFFIX = ".jsonl"
_AGENT = agents.get("codex")
_FIRST = b'"session_meta"'
_SHELL_TOOLS = frozenset(("exec_command", "shell", "shell_command", "local_shell", "container.exec"))
_PROGRAMS = frozenset(("exec", "wait"))
_MARKS = (b'_call"', b'_call_output"', b'"item_completed"', b'"session_meta"', b'"turn_context"')
# A subagent has a rollout with an id of its own, and names the session that it belongs to.
_IDS = re.compile(rb'"(?:session_id|id)":"([\w-]{1,100})"')
_HEAD_BYTES = 4096
_NO_ANSWER = frozenset((NO_HOOK, reason.HOST_CANNOT_REPLACE))

_Value = TypeVar("_Value")


@dataclass(slots=True)
class _Call:
    """A call that has no result yet: the tool as a hook names it, the command, and whether a program makes calls."""

    call_id: str
    tool: str
    command: str = ""
    program: bool = False
    polls: str = ""  # the number of the running command that this call asks for more output of


session_files = partial(files_below, suffixes=(SUFFIX,))


def mark(path: Path, head: bytes) -> int:
    """Where the first record of a rollout shows in ``head``, -1 when nowhere; the name of one is enough."""
    return 0 if path.name.startswith("rollout-") else head.find(_FIRST)


def read_results(path: Path, reading: Reading, since_ms: int | None = None) -> Iterator[ToolResult]:  # noqa: ARG001
    """The tool results of one rollout, in order; raises OSError."""
    with path.open("rb") as file:
        yield from read_lines(file, reading)


def read_lines(source: BinaryIO, reading: Reading) -> Iterator[ToolResult]:
    """The tool results in ``source``. Most lines are told apart by their bytes and not parsed."""
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
        self._session = self._directory = self._model = ""
        self._calls: dict[str, _Call] = {}
        self._items: dict[str, Record] = {}
        self._running: dict[str, _Call] = {}

    def take(self, record: Record, line: bytes) -> ToolResult | None:
        """Note what ``record`` (parsed from ``line``) says; the tool result when it holds one."""
        payload = mapping_of(record, "payload") or record
        kind = text_of(payload, "type")
        if record.get("type") in ("session_meta", "turn_context"):
            self._session = self._session or text_of(payload, "session_id") or text_of(payload, "id")
            self._directory = text_of(payload, "cwd") or self._directory
            self._model = text_of(payload, "model") or self._model
        elif kind == "item_completed":
            self._take_item(mapping_of(payload, "item"), line)
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
        _put(self._items, text_of(item, "id"), item)

    def _result(self, record: Record, payload: Record) -> ToolResult:
        call_id = text_of(payload, "call_id")
        call = self._calls.pop(call_id, None) or _Call(call_id, "")
        item = self._items.pop(call_id, {})
        output = payload.get("output")
        if isinstance(output, dict):  # up to 0.4x
            output = output.get("content")
        given: Record = {}
        if call.program:
            why = reason.HOST_CANNOT_REPLACE
        elif item.get("type") == "McpToolCall" or call.tool.startswith(_AGENT.mcp_prefix):
            call.tool = mcp_tool(item) or call.tool
            given, why = mcp_result(item, output)
        elif call.tool == "Bash" or call.polls:
            call, given, why = self._shell(call, item, output)
        else:
            why = reason.UNSUPPORTED_TOOL
        given |= {
            "session_id": self._session,
            "tool_use_id": call.call_id,
            "cwd": self._directory,
            "model": self._model,
            "tool_name": call.tool,
            "tool_input": {"command": call.command},
        }
        when = milliseconds(record.get("timestamp"))
        identity = f"{call_id} {text_of(payload, 'id') or when}"
        texts = texts_of(output)
        return ToolResult(
            _AGENT.name, call.tool, self._session, call.call_id, identity, when, texts, call.command, given, why
        )

    def _shell(self, call: _Call, item: Record, output: object) -> tuple[_Call, Record, str]:
        """The call (of a poll: the one that it asks about), what its hook was given, and why there was no hook."""
        header, body = split_header(output)
        call = self._running.get(call.polls, call) if call.polls else call
        call.tool = "Bash"
        number = STILL_RUNNING.search(header)
        if number is not None:
            _put(self._running, number[1], call)
            return call, {}, NO_HOOK
        if not header:
            return call, {}, FAILED
        given: Record = {"tool_response": body}
        code = EXIT_CODE.search(header)
        if code is not None:
            given["completed_item"] = {"exit_code": code[1].encode(), "aggregated_output": body}
        printed = item.get("aggregated_output")
        if isinstance(printed, str) and printed != body and not header.startswith("Chunk ID") and not is_cut(body):
            return call, given, REPLACED
        return call, given, ""


def _put(kept: dict[str, _Value], key: str, value: _Value) -> None:
    if len(kept) >= MAX_OPEN_CALLS:
        del kept[next(iter(kept))]
    kept[key] = value


def _call(payload: Record, kind: str) -> _Call:
    call_id, name = text_of(payload, "call_id"), text_of(payload, "name")
    if kind == "local_shell_call":
        return _Call(call_id, "Bash", _command(mapping_of(payload, "action")))
    if kind == "custom_tool_call":
        return _Call(call_id, name, program=name in _PROGRAMS)
    namespace = text_of(payload, "namespace")
    if namespace:
        return _Call(call_id, f"{namespace}__{name}", text_of(_arguments(payload), "command"))
    if name in _SHELL_TOOLS:
        return _Call(call_id, "Bash", _command(_arguments(payload)))
    if name == "write_stdin":
        return _Call(call_id, name, polls=str(_arguments(payload).get("session_id")))
    return _Call(call_id, name, program=name in _PROGRAMS)


def _arguments(payload: Record) -> Record:
    try:
        value = orjson.loads(text_of(payload, "arguments"))
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _command(arguments: Record) -> str:
    """The command line: a text, or the last word of ``["bash", "-lc", "…"]``."""
    command = arguments.get("cmd", arguments.get("command"))
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return command[-1] if len(command) == 3 and command[1] in ("-lc", "-c") else " ".join(command)
    return command if isinstance(command, str) else ""


def _with_numbers_as_text(line: bytes) -> Record:
    """The item of an event, parsed as hooks parse it."""
    try:
        record = loads(line.decode("utf-8"))
    except (InvalidJSON, UnicodeDecodeError, RecursionError):
        return {}
    return mapping_of(mapping_of(record, "payload"), "item") if isinstance(record, dict) else {}


def check(directories: list[Path], since_ms: int | None = None, progress: Progress = ignore) -> Check:  # noqa: ARG001
    """What the rollouts below ``directories`` say of a converted decision; raises TimeoutError when ``progress`` does.

    The model reads the ``*_call_output`` item: our text after the header that the hook put back, or the original
    after Codex's own. What a program read in code mode is in no such item.
    """

    @cache
    def files() -> dict[str, list[Path]]:
        return _by_session(directories, progress)

    def read(session: str) -> SessionTexts:
        texts = SessionTexts()
        for path in files().get(session, ()):
            with suppress(OSError), path.open("rb") as file:
                for result in read_lines(file, Reading(progress=progress)):
                    if result.reason not in _NO_ANSWER:
                        # Each answer to a poll for more output is a result of the same call.
                        texts.lengths[result.call_id].update(_lengths(result))
        return texts

    return by_session(read)


def _by_session(directories: list[Path], progress: Progress) -> dict[str, list[Path]]:
    """The rollouts of each session: its own and those of its subagents."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in (path for directory in directories for path in directory.rglob("rollout-*.jsonl")):
        head = b""
        with suppress(OSError), path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        progress(len(head))
        for name in set(_IDS.findall(head.partition(b"\n")[0])):
            found[name.decode()].append(path)
    return found


def _lengths(result: ToolResult) -> Iterator[int]:
    """Of the text after the header; of several blocks after one, also of each."""
    if len(result.texts) > 1:
        yield from map(len, result.texts[1:])
        yield len("\n".join(result.texts[1:]))  # as the hook joins them
    else:
        yield len(split_header("".join(result.texts))[1])
