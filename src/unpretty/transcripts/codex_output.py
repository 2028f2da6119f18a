"""What Codex puts into a call's output: a header, the text after it, and a notice where it cut the text."""

from __future__ import annotations

import re

import orjson

from unpretty import agents
from unpretty.engine import reason
from unpretty.engine.json_text.scanner import mapping_of, text_of
from unpretty.engine.json_text.writer import to_json
from unpretty.transcripts.reading import Record, texts_of
from unpretty.transcripts.result import FAILED, REPLACED

_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Process exited with code|Process running with session ID|Original token count|Exit code"
    r"|Total output lines)\b[^\n]*\n)*Output:(?:\n|\Z)"
)
EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)
STILL_RUNNING = re.compile(r"^Process running with session ID (\d+)$", re.MULTILINE)
_CUT = agents.get("codex").marks["cut"]
_CUT_INSIDE = " tokens truncated"


def split_header(output: object) -> tuple[str, str]:
    """The header and the text after it; no header when the call never ran."""
    text = "".join(texts_of(output))
    if text.startswith('{"output":'):
        try:
            old = orjson.loads(text)
            return f"Exit code: {old['metadata']['exit_code']}\n", old["output"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return "", text
    header = _HEADER.match(text)
    return (text[: header.end()], text[header.end() :]) if header else ("", text)


def mcp_tool(item: Record) -> str:
    """The tool of an MCP call as a hook names it, "" when ``item`` does not say."""
    server, tool = text_of(item, "server"), text_of(item, "tool")
    return f"mcp__{server}__{tool}" if server and tool else ""


def mcp_result(item: Record, output: object) -> tuple[Record, str]:
    """What the hook of an MCP call was given, and why there was no hook."""
    header, body = split_header(output if isinstance(output, str) else "")
    blocks = texts_of(output)[1:] if isinstance(output, list) else (body,)
    if not item:  # older rollouts have no events
        return _as_read(blocks), "" if header or isinstance(output, list) else FAILED
    result = mapping_of(item, "result")
    if item.get("status") != "completed" or result.get("isError") is True:
        return {}, FAILED
    structured = result.get("structuredContent")
    if is_cut("".join(blocks)):
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


def is_cut(text: str) -> bool:
    """True when Codex cut ``text``."""
    return text.startswith(_CUT) or _CUT_INSIDE in text
