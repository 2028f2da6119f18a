"""Claude Code's transcripts, ``projects/<directory>/<session>.jsonl``: tool results, and what became of replies.

Measured with 2.1.332: a line of type ``user`` holds the ``tool_result`` block, which is what the model read, and in
``toolUseResult`` the very object that a hook is given as ``tool_response``; both hold the replaced text when a hook's
reply was taken. A reply of the wrong shape leaves an attachment ``hook_error_during_execution``. Subagents have files
of their own below ``<session>/subagents``; there ``toolUseResult`` is left out of calls that succeeded, and the object
is put together from what the model read. A forked session holds copies of the lines before, with their ``uuid`` and
``timestamp``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from unpretty import agents
from unpretty.engine import reason
from unpretty.engine.json_text.scanner import mapping_of, text_of
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
from unpretty.transcripts.result import FAILED, ToolResult

SUFFIX = ".jsonl"
_AGENT = agents.get("claude-code")
_MARK = re.compile(rb'"(?:sessionId|parentUuid)"')
_HOOK_ERROR = b"hook_error_during_execution"
_PREVIEW = "<persisted-output>"
_SAVED_TO = "Full output saved to: "
# The client's note after the output of a subagent's command; a hook finds it in ``stderr``.
_NOTE = "\nShell cwd was reset to "
# What the model reads instead of an empty output.
_NOTHING = ("(Bash completed with no output)", "Command running in background with ID: ")
# Records around messages that repeat a tool result or only mention it.
_KNOWN = frozenset(("assistant", "attachment", "progress", "api-request", "api-request-blob", "api-request-shape"))


session_files = partial(files_below, suffixes=(SUFFIX,))


def mark(path: Path, head: bytes) -> int:  # noqa: ARG001  the same for every agent
    """Where the first record of a transcript shows in ``head``, -1 when nowhere."""
    found = _MARK.search(head)
    return found.start() if found else -1


def read_results(path: Path, reading: Reading, since_ms: int | None = None) -> Iterator[ToolResult]:  # noqa: ARG001
    """The tool results of one transcript, in order; raises OSError."""
    with path.open("rb") as file:
        yield from read_lines(file, reading)


def read_lines(
    source: BinaryIO, reading: Reading, refused: Callable[[str], None] = lambda _: None
) -> Iterator[ToolResult]:
    """The tool results in ``source``. Most lines are told apart by their bytes and not parsed.

    ``refused`` is called with the id of each call for which the client refused what a hook had replied.
    """
    calls: dict[str, Record] = {}
    for line in lines(source, reading):
        if b'"tool_result"' in line:
            record = parse(line, reading)
            if record is not None:
                yield from _results(record, calls, reading)
        elif b'"tool_use"' in line:
            record = parse(line, reading)
            if record is not None:
                _remember(record, calls)
        elif _HOOK_ERROR in line:
            attachment = mapping_of(parse(line, reading) or {}, "attachment")
            if text_of(attachment, "type") == _HOOK_ERROR.decode():
                refused(text_of(attachment, "toolUseID"))


def _blocks(record: Record, kind: str) -> list[Record]:
    content = mapping_of(record, "message").get("content")
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == kind]


def _remember(record: Record, calls: dict[str, Record]) -> None:
    """Keep what a result does not repeat: the tool's name, the command and the mode of a search."""
    if record.get("type") != "assistant":
        return
    for block in _blocks(record, "tool_use"):
        given = mapping_of(block, "input")
        if len(calls) >= MAX_OPEN_CALLS:
            del calls[next(iter(calls))]
        calls[text_of(block, "id")] = {
            "name": text_of(block, "name"),
            "command": text_of(given, "command"),
            "mode": text_of(given, "output_mode"),
        }


def _results(record: Record, calls: dict[str, Record], reading: Reading) -> Iterator[ToolResult]:
    if record.get("type") != "user":
        if text_of(record, "type") not in _KNOWN:
            reading.count_unknown(record.get("type"))
        return
    blocks = _blocks(record, "tool_result")
    for block in blocks:
        response = record.get("toolUseResult") if len(blocks) == 1 else None
        yield _result(record, block, response, calls.pop(text_of(block, "tool_use_id"), {}))


def _result(record: Record, block: Record, response: object, call: Record) -> ToolResult:
    call_id, tool, command = text_of(block, "tool_use_id"), text_of(call, "name"), text_of(call, "command")
    texts = texts_of(block.get("content"))
    why = FAILED if block.get("is_error") is True else ""
    if not why and response is None:
        response = _response(tool, block.get("content"), text_of(call, "mode"))
        # A cut MCP result: the hook would have been given all of it.
        why = reason.CUT_BY_HOST if response is None else ""
    payload: dict[str, object] = {
        "session_id": text_of(record, "sessionId"),
        "tool_use_id": call_id,
        "cwd": text_of(record, "cwd"),
        "tool_name": tool,
        "tool_input": {"command": command} if command else {},
        "tool_response": response,
    }
    when = text_of(record, "timestamp")
    identity = f"{call_id} {when or text_of(record, 'uuid')}"
    session = text_of(record, "sessionId")
    return ToolResult(_AGENT.name, tool, session, call_id, identity, milliseconds(when), texts, command, payload, why)


def _response(tool: str, content: object, mode: str) -> object:
    """The object that a hook was given, from what the model read; None when only a part of it is left."""
    cut = isinstance(content, str) and content.startswith(_PREVIEW)
    kind = _AGENT.tools.get(tool or "Bash")
    if kind == agents.SHELL and isinstance(content, str):
        return _bash_response(content, cut)
    if kind == agents.SEARCH and isinstance(content, str):
        return {"mode": mode, "content": content} if mode == "content" else {"mode": mode}
    if tool.startswith(_AGENT.mcp_prefix):
        return None if cut else content
    return {}


def _bash_response(content: str, cut: bool) -> Record:
    if cut:
        path = content.partition(_SAVED_TO)[2].partition("\n")[0]
        return {"stdout": content, "stderr": "", "persistedOutputPath": path}
    stdout, note, rest = content.rpartition(_NOTE)
    if not note or "\n" in rest:
        stdout, note, rest = content, "", ""
    return {"stdout": "" if stdout.startswith(_NOTHING) else stdout, "stderr": (note + rest)[1:], "interrupted": False}


def check(directories: list[Path], since_ms: int | None = None, progress: Progress = ignore) -> Check:  # noqa: ARG001
    """What the transcripts below ``directories`` say of a converted decision."""

    def read(session: str) -> SessionTexts:
        texts = SessionTexts()
        for path in _files(directories, session):
            with suppress(OSError), path.open("rb") as file:
                for result in read_lines(file, Reading(progress=progress), texts.refused.add):
                    texts.lengths[result.call_id].update(map(len, _texts(result)))
        return texts

    return by_session(read)


def _files(directories: list[Path], session: str) -> Iterator[Path]:
    if re.fullmatch(r"[\w-]{1,100}", session):  # it becomes part of a path
        for directory in directories:
            yield from directory.glob(f"*/{session}.jsonl")
            yield from directory.glob(f"*/{session}/**/*.jsonl")


def _texts(result: ToolResult) -> Iterator[str]:
    """The texts that a hook may have replaced: what the model read, and those of the object that holds it."""
    yield from result.texts
    response = result.payload["tool_response"]
    if isinstance(response, dict):
        response = [{"text": response.get(name)} for name in ("stdout", "content")]
    yield from texts_of(response)
