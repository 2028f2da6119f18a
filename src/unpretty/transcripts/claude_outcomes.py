"""What Claude Code kept of a tool result: its transcript holds the text that the model received.

Measured with 2.1.332: ``projects/<folder>/<session>.jsonl`` has a line of type ``user`` with the ``tool_result`` block
and ``toolUseResult``, both with the replaced text when a hook's reply was taken, both with the original when it was
not; a reply of the wrong shape also leaves an attachment ``hook_error_during_execution``. Subagents have files of
their own below ``<session>/``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from unpretty.decision_log.reader import Record
from unpretty.stats.aggregate import REJECTED, UNKNOWN
from unpretty.stats.applied import by_lengths

_HOOK_ERROR = "hook_error_during_execution"
# The client's note behind the output of a subagent's command, which no hook can change.
_NOTE = "\nShell cwd was reset to "


@dataclass(slots=True)
class Kept:
    """What one session's transcripts hold.

    Attributes:
        lengths: by tool use id, the lengths of the texts of its result, in characters.
        refused: tool use ids of which a hook's reply was refused.
    """

    lengths: dict[str, frozenset[int]] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)


class ClaudeCodeTranscripts:
    """The transcripts below one config folder: ``CLAUDE_CONFIG_DIR``, else ``~/.claude``."""

    def __init__(self, folder: Path | None = None) -> None:
        self._projects = (folder or _config_folder()) / "projects"
        # The decisions of one session stand near each other in the log; some sessions run side by side.
        self._kept = lru_cache(maxsize=64)(self._read)

    def outcome(self, record: Record) -> str:
        """APPLIED, REJECTED or UNKNOWN for a converted decision about Claude Code."""
        kept = self._kept(record["session"])
        identity = record["tool_use_id"]
        if identity in kept.refused:
            return REJECTED
        return by_lengths(kept.lengths[identity], record) if identity in kept.lengths else UNKNOWN

    def _read(self, session: str) -> Kept:
        kept = Kept()
        for path in self._files(session):
            try:
                with path.open("rb") as lines:
                    for line in lines:
                        _take(line, kept)
            except OSError:
                continue
        return kept

    def _files(self, session: str) -> Iterator[Path]:
        if re.fullmatch(r"[\w-]{1,100}", session):  # it becomes part of a path
            yield from self._projects.glob(f"*/{session}.jsonl")
            yield from self._projects.glob(f"*/{session}/**/*.jsonl")


def _config_folder() -> Path:
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path.home() / ".claude"


def _take(line: bytes, kept: Kept) -> None:
    """Add what one line of a transcript says; most lines say nothing and are not even parsed."""
    if b'"tool_result"' not in line and _HOOK_ERROR.encode() not in line:
        return
    try:
        entry: Any = orjson.loads(line)
        if entry["type"] == "attachment":
            attachment = entry["attachment"]
            if attachment["type"] == _HOOK_ERROR:
                kept.refused.add(attachment["toolUseID"])
        elif entry["type"] == "user":
            blocks = [block for block in entry["message"]["content"] if block["type"] == "tool_result"]
            for block in blocks:
                lengths = set(_lengths(block.get("content")))
                if len(blocks) == 1:
                    lengths.update(_lengths(entry.get("toolUseResult")))
                kept.lengths[block["tool_use_id"]] = frozenset(lengths)
    except (orjson.JSONDecodeError, KeyError, TypeError):  # half a line, or a shape that is not ours to know
        return


def _lengths(result: object) -> Iterator[int]:
    """The lengths of a result's texts: a string, a list of text blocks, or an object with the text in a field."""
    if isinstance(result, str):
        yield len(result)
        stdout, note, _ = result.rpartition(_NOTE)
        if note:
            yield len(stdout)
    elif isinstance(result, list):
        for block in result:
            if isinstance(block, dict) and isinstance(block.get("text"), str):
                yield len(block["text"])
    elif isinstance(result, dict):
        for name in ("stdout", "content"):
            if isinstance(result.get(name), str):
                yield len(result[name])
