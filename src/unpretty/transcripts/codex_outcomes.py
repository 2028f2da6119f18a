"""What became of a hook's answer in Codex, told by the calls' outputs in the session's rollouts.

The model reads the ``*_call_output`` item: our text behind the header that the hook put back, or the original behind
Codex's own. What a program read in code mode is in no such item.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path

from unpretty.decision_log.reader import Record
from unpretty.engine import reason
from unpretty.transcripts.codex_results import AGENT, read_results, split_header
from unpretty.transcripts.outcomes import UNKNOWN, by_lengths
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import NO_HOOK, ToolResult
from unpretty.transcripts.sources import home_folders

_HEAD_BYTES = 4096
# A subagent has a rollout with an id of its own, and names the session that it belongs to.
_IDS = re.compile(rb'"(?:session_id|id)":"([\w-]{1,100})"')
_NO_ANSWER = frozenset((NO_HOOK, reason.HOST_CANNOT_REPLACE))


class CodexRollouts:
    """The rollouts below one folder: ``CODEX_HOME``, else ``~/.codex``."""

    def __init__(self, progress: Callable[[int], None] = lambda _: None) -> None:
        """``progress`` is told how many bytes more were read; it may raise TimeoutError to end the reading."""
        self._progress = progress
        # The decisions of one session stand near each other in the log; some sessions run side by side.
        self._lengths = lru_cache(maxsize=64)(self._read)

    def outcome(self, record: Record) -> str:
        """APPLIED, REJECTED or UNKNOWN for a converted decision about Codex; raises TimeoutError."""
        lengths = self._lengths(record["session"]).get(record["tool_use_id"])
        return UNKNOWN if lengths is None else by_lengths(lengths, record)

    def _read(self, session: str) -> dict[str, frozenset[int]]:
        """By call id, the lengths of what the model read of its results, in characters."""
        kept: dict[str, frozenset[int]] = defaultdict(frozenset)
        for path in self._files.get(session, ()):
            with suppress(OSError), path.open("rb") as file:
                for result in read_results(file, Reading(progress=self._progress)):
                    if result.reason not in _NO_ANSWER:
                        # Each answer to a poll for more output is a result of the same call.
                        kept[result.call_id] |= frozenset(_lengths(result))
        return dict(kept)

    @cached_property
    def _files(self) -> dict[str, list[Path]]:
        """The rollouts of each session: its own and those of its subagents."""
        found: dict[str, list[Path]] = defaultdict(list)
        for folder in home_folders(AGENT):
            for path in folder.rglob("rollout-*.jsonl"):
                head = b""
                with suppress(OSError), path.open("rb") as file:
                    head = file.read(_HEAD_BYTES)
                self._progress(len(head))
                for name in {name.decode() for name in _IDS.findall(head.partition(b"\n")[0])}:
                    found[name].append(path)
        return dict(found)


def _lengths(result: ToolResult) -> Iterator[int]:
    """Of the text behind the header; of several blocks behind one, also of each."""
    if len(result.texts) > 1:
        yield from map(len, result.texts[1:])
        yield len("\n".join(result.texts[1:]))  # as the hook joins them
    else:
        yield len(split_header("".join(result.texts))[1])
