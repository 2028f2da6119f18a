"""OpenCode's database, ``<data directory>/opencode.db``: tool results, and what became of the plugin's texts.

Measured with 1.18.33: the table ``part`` has a row for each tool call with the tool, its input and, in
``state.output``, what the model read, also when that was replaced. ``session`` has the directory, the model and the
version. Of an MCP result the texts of all blocks are kept as one, joined by an empty line, so a result of several
blocks is judged as one text. What OpenCode cut is kept for a week in ``tool-output/`` next to the database. JSON files
of OpenCode before 1.2 are not read; 1.2 to 1.15 moved them into the database.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import orjson

from unpretty import agents
from unpretty.engine import reason
from unpretty.engine.json_text.scanner import mapping_of, text_of
from unpretty.transcripts.outcomes import Check, SessionTexts, by_session
from unpretty.transcripts.reading import MAX_LINE_BYTES, Progress, Reading, Record, ignore, parse
from unpretty.transcripts.result import FAILED, ToolResult
from unpretty.transcripts.sqlite_pages import MAGIC, DamagedDatabase, is_database
from unpretty.transcripts.sqlite_rows import Database, Row

SUFFIX = ".db"
_AGENT = agents.get("opencode")
_TOOL_MARK = b'"type":"tool"'
_HEAD_BYTES = 4096
# OpenCode's own tools; a tool with an underscore in its name that is none of them counts as an MCP server's.
_BUILT_IN = frozenset(
    (
        *("apply_patch", "bash", "batch", "codesearch", "edit", "execute", "glob", "grep", "invalid", "list", "lsp"),
        *("multiedit", "patch", "plan_enter", "plan_exit", "question", "read", "repo_clone", "repo_overview", "shell"),
        *("skill", "task", "task_status", "todoread", "todowrite", "webfetch", "websearch", "write"),
    )
)
_LARGEST_CHARS = _AGENT.limits["plugin_chars"]
_MCP_CUT = _AGENT.marks["mcp_cut"]
# How OpenCode ends an MCP result that it cut after the plugin.
_END_OF_CUT = re.compile(r"\n\n\.\.\.\d+ (?:lines|bytes) truncated\.\.\." + re.escape(_MCP_CUT))
# Between the texts of an MCP result. Texts with many empty lines of their own are not taken apart: with every piece
# it gets likelier that one has a wanted length by chance.
_BETWEEN = "\n\n"
_MOST_PIECES = 16


def session_files(directory: Path, reading: Reading) -> Iterator[Path]:  # noqa: ARG001  the same for every agent
    """The databases in OpenCode's data directory."""
    return (path for path in directory.glob(f"opencode*{SUFFIX}") if path.is_file() and is_database(path))


def mark(path: Path, head: bytes) -> int:  # noqa: ARG001
    """Where a database shows in ``head``, -1 when nowhere."""
    return 0 if head.startswith(MAGIC) else -1


def read_results(path: Path, reading: Reading, since_ms: int | None = None) -> Iterator[ToolResult]:
    """The tool results of one database, in the order in which the calls were made.

    Parts that were last changed before ``since_ms`` are not read. Raises OSError, also as DamagedDatabase.
    """
    with Database(path) as database:
        sessions = {row.text("id"): _session(row) for row in database.rows("session")}
        for row in database.rows("part", reading.progress):
            try:
                result = _of_row(row, sessions, reading, path.parent, since_ms)
            except DamagedDatabase:
                database.damaged += 1
                continue
            if result is not None:
                yield result
        reading.broken += database.damaged


def _session(row: Row) -> Record:
    try:
        model = orjson.loads(row.text("model") or "{}")
    except orjson.JSONDecodeError:
        model = {}
    name = model.get("id") if isinstance(model, dict) else None
    return {"project": row.text("directory"), "version": row.text("version"), "model": name or ""}


def _of_row(
    row: Row, sessions: dict[str, Record], reading: Reading, directory: Path, since_ms: int | None
) -> ToolResult | None:
    """The tool result in a row of ``part``, None when it is something else."""
    changed = row.value("time_updated")
    if since_ms is not None and isinstance(changed, int) and changed < since_ms:
        return None
    if _TOOL_MARK not in row.head("data", _HEAD_BYTES):
        return None
    if row.size("data") > MAX_LINE_BYTES:
        reading.huge += 1
        return None
    part = parse(row.text("data").encode() + b"\n", reading)
    state = mapping_of(part, "state") if part is not None else {}
    if part is None or part.get("type") != "tool" or state.get("status") not in ("completed", "error"):
        return None  # still running, or a part that only mentions a tool
    session = row.text("session_id")
    return _result(part, state, session, sessions.get(session, {}), directory)


def _result(part: Record, state: Record, session: str, about: Record, directory: Path) -> ToolResult:
    tool, call_id = text_of(part, "tool"), text_of(part, "callID")
    end = mapping_of(state, "time").get("end")
    when = end if isinstance(end, int) else None
    failed = state["status"] == "error"
    text = text_of(state, "error" if failed else "output")
    command = text_of(mapping_of(state, "input"), "command")
    payload: dict[str, object] = {
        "id": b"0",
        "tool": tool,
        "call": call_id,
        "session": session,
        "command": command,
        "inner": "/" in call_id,
        **about,
    }
    why = FAILED if failed else _add_texts(payload, tool, text, mapping_of(state, "metadata"), directory)
    return ToolResult(_AGENT.name, tool, session, call_id, f"{call_id} {when}", when, (text,), command, payload, why)


def _add_texts(payload: dict[str, object], tool: str, text: str, metadata: Record, directory: Path) -> str:
    """Put the texts that the plugin passes on into ``payload``; the reason why it passes on none, else ""."""
    saved = _saved(metadata, directory)
    if "_" in tool and tool not in _BUILT_IN:
        payload["mcp"] = True
        if _MCP_CUT in text:
            # OpenCode cuts after the plugin, which is given all of it.
            whole = _read_text(saved)
            if whole is None:
                return reason.CUT_BY_HOST
            text = whole
        payload["fields"] = [["content.0.text", text]]
    elif tool in _AGENT.tools:
        payload["saved"] = str(saved) if saved is not None else text_of(metadata, "outputPath")
        payload["fields"] = [["output", text]]
    else:
        return reason.UNSUPPORTED_TOOL
    return reason.TOO_LARGE if len(text) > _LARGEST_CHARS else ""


def _saved(metadata: Record, directory: Path) -> Path | None:
    """The file with the whole output, next to the database, also where that was copied to; None when there is none."""
    if metadata.get("truncated") is not True:
        return None
    name = text_of(metadata, "outputPath").replace("\\", "/").rpartition("/")[2]
    path = directory / _AGENT.marks["saved_in"] / name
    return path if name and path.is_file() and not path.is_symlink() else None


def _read_text(path: Path | None) -> str | None:
    try:
        if path is None or path.stat().st_size > MAX_LINE_BYTES:
            return None
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def check(directories: list[Path], since_ms: int | None = None, progress: Progress = ignore) -> Check:
    """What the databases in ``directories`` say of a converted decision; they are read once.

    Parts that were last changed before ``since_ms`` (milliseconds since 1970 UTC) are not read.
    """

    @cache
    def sessions() -> dict[str, SessionTexts]:
        found: dict[str, SessionTexts] = defaultdict(SessionTexts)
        reading = Reading(progress=progress)
        for path in (path for directory in directories for path in session_files(directory, reading)):
            with suppress(OSError):
                for result in read_results(path, reading, since_ms):
                    found[result.session].lengths[result.call_id].update(_lengths(result))
        return dict(found)

    return by_session(lambda session: sessions().get(session, SessionTexts()))


def _lengths(result: ToolResult) -> Iterator[int]:
    """Of the output; of an MCP result, whose texts are joined in it, also of each of them."""
    [text] = result.texts
    yield len(text)
    if "mcp" in result.payload:
        cut = _END_OF_CUT.search(text)
        if cut is not None:
            text = text[: cut.start()]
            yield len(text)
        pieces = text.split(_BETWEEN)
        if len(pieces) <= _MOST_PIECES:
            yield from map(len, pieces)
