"""Reading session records: line by line in bounded memory, with everything that had to be skipped counted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import orjson

Record = dict[str, Any]
# Called with how many bytes more were read; it may raise TimeoutError to end the reading.
Progress = Callable[[int], None]

# A tool result of tens of megabytes is stored twice in one line; nothing that a hook works on comes near this.
MAX_LINE_BYTES = 64 << 20
# How many calls without a result yet are remembered per file.
MAX_OPEN_CALLS = 10_000
_CHUNK_BYTES = 1 << 20
_KINDS_LISTED = 50
_PIECE_BYTES = 1 << 16
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")


def ignore(_: int) -> None:
    """A ``Progress`` that does nothing."""


@dataclass(slots=True)
class Reading:
    """How far the reading has come, and what was skipped on the way.

    Attributes:
        broken: lines or rows that hold no record.
        unfinished: last lines that are cut off, as an agent that runs right now leaves them.
        huge: lines or rows over ``MAX_LINE_BYTES`` bytes.
        unknown: records around tool results of kinds that are not known, by kind.
        unreadable: files that could not be read, or not to their end, with the reason.
        progress: called with how many bytes more were read.
    """

    broken: int = 0
    unfinished: int = 0
    huge: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    unreadable: list[tuple[Path, str]] = field(default_factory=list)
    progress: Progress = ignore

    def count_unknown(self, kind: object) -> None:
        """Count a record of a kind that no reader knows."""
        name = str(kind)[:60]
        if name in self.unknown or len(self.unknown) < _KINDS_LISTED:
            self.unknown[name] = self.unknown.get(name, 0) + 1

    def note_unreadable(self, path: Path, exc: OSError) -> None:
        """Note that ``path`` could not be read, or not to its end."""
        self.unreadable.append((path, exc.strerror or str(exc)))


def files_below(directory: Path, reading: Reading, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """The files below ``directory`` with one of ``suffixes``; what cannot be read is noted in ``reading``."""

    def note(exc: OSError) -> None:
        if not isinstance(exc, FileNotFoundError):
            reading.note_unreadable(Path(str(exc.filename)), exc)

    for parent, _, names in os.walk(directory, onerror=note):
        for path in (Path(parent, name) for name in names):
            if path.suffix in suffixes:
                yield path
            elif path.suffix in _COMPRESSED and path.stem.endswith(suffixes):
                reading.unreadable.append((path, "it is compressed; unpack it first"))


def lines(source: BinaryIO, reading: Reading) -> Iterator[bytes]:
    """The lines of ``source`` with their ends; those over ``MAX_LINE_BYTES`` bytes are counted and left out."""
    waiting = 0
    while line := source.readline(MAX_LINE_BYTES):
        waiting += len(line)
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            reading.huge += 1
            waiting += _skip_line(source)
        else:
            yield line
        if waiting > _PIECE_BYTES:
            reading.progress(waiting)
            waiting = 0
    reading.progress(waiting)


def _skip_line(source: BinaryIO) -> int:
    """Read to the end of the line; the number of bytes skipped."""
    skipped = 0
    while piece := source.readline(_CHUNK_BYTES):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


def parse(line: bytes, reading: Reading) -> Record | None:
    """The record in ``line``; None, and counted, when there is none."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        record = _parse_leniently(line)
    if isinstance(record, dict):
        return record
    if line.endswith(b"\n"):
        reading.broken += 1
    else:
        reading.unfinished += 1
    return None


def _parse_leniently(line: bytes) -> object:
    """What orjson refuses and agents write nevertheless: lone surrogates, and bytes that are not UTF-8."""
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def milliseconds(timestamp: object) -> int | None:
    """A time in the format of RFC 3339 as milliseconds since 1970 UTC, None when it is none."""
    if not isinstance(timestamp, str):
        return None
    try:
        moment = datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
        return round(moment.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def texts_of(content: object) -> tuple[str, ...]:
    """The texts of a result: a string, or the ``text`` of each block of a list that has one."""
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, list):
        return ()
    found = [block.get("text") for block in content if isinstance(block, dict)]
    return tuple(text for text in found if isinstance(text, str))
