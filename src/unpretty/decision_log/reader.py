"""Read the decision log: as a stream, oldest file first, in bounded memory, from the wanted time on.

The format is what ``writer.py`` appends: one JSON object per line, ``ts`` in milliseconds since 1970 UTC. Kinds that
are not known and lines of a newer version are skipped; lines that are no such object (cut by a full disk or a crash)
are counted. Lines are in order of time but for those that several processes wrote at nearly the same moment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import orjson

Record = dict[str, Any]
VERSION = 1
KINDS = frozenset(("decision", "tokens"))
# A step of the clock or a slow writer puts a line this much out of order, at most.
SLACK_MS = 600_000
_CHUNK_BYTES = 1 << 20
# Beyond the year 9999 a time is damaged.
_END_OF_TIME_MS = 253_402_300_800_000
# So many lines in a row after the period end the reading; a few may come from a clock that was wrong.
_LATE_LINES = 5_000
# No line of ours is nearly as long; a longer one is damaged, and must not fill the memory.
_MAX_LINE_BYTES = 1 << 20


@dataclass(slots=True)
class DecisionLog:
    """The log at ``path`` with its rotated files.

    Attributes:
        path: the current file; rotated ones are next to it as ``path.1`` (younger) and so on.
        bytes: size of all its files in bytes, known after reading.
        lines: lines read so far, whatever they hold.
        broken: how many of them were no JSON object with a ``kind``.
        newer: how many of them a newer version of unpretty wrote.
    """

    path: Path
    bytes: int = 0
    lines: int = 0
    broken: int = 0
    newer: int = 0

    def files(self) -> list[Path]:
        """The files of the log that exist, oldest first."""
        return [path for path in self._names(self._rotated()) if path.is_file()]

    def _rotated(self) -> list[int]:
        """The numbers of the rotated files, ascending; a higher number is older."""
        prefix = self.path.name + "."
        try:
            ends = [entry.name[len(prefix) :] for entry in self.path.parent.iterdir() if entry.name.startswith(prefix)]
        except OSError:
            return []
        return sorted(int(end) for end in ends if end.isdecimal())

    def _names(self, rotated: list[int]) -> list[Path]:
        return [self.path.with_name(f"{self.path.name}.{number}") for number in reversed(rotated)] + [self.path]

    def records(self, since_ms: int | None = None, until_ms: int | None = None) -> Iterator[Record]:
        """Decisions and token counts with ``since_ms <= ts < until_ms``, in the order of the log.

        Token counts are later than their decision, so they are given up to ``SLACK_MS`` beyond ``until_ms``.
        Only the part of the log is read that can hold such lines. A file that cannot be read is an OSError.
        """
        first = 0 if since_ms is None else since_ms
        last = _END_OF_TIME_MS if until_ms is None else until_ms
        with ExitStack() as stack:
            for source in self._open_all(stack):
                if since_ms is not None:
                    source.seek(_offset_of(source, first - SLACK_MS))
                yield from self._within(source, first, last)

    def _within(self, source: BufferedReader, first: int, last: int) -> Iterator[Record]:
        """The records of the period from the position of ``source`` on. One plain loop: it sees millions of lines."""
        loads, kinds, late = orjson.loads, KINDS, 0
        for lines in _lines(source):
            self.lines += len(lines)
            for line in lines:
                try:
                    record = loads(line)
                    when = record["ts"]
                    if first <= when < last and record["kind"] in kinds and record["v"] == VERSION:
                        if type(when) is not int:
                            self.broken += 1
                            continue
                        late = 0
                        yield record
                    elif self._is_late_count(record, first, last):
                        yield record
                    else:
                        late = late + 1 if when > last + SLACK_MS else 0
                except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
                    self.broken += 1
            if late > _LATE_LINES:
                return

    def _is_late_count(self, record: Record, first: int, last: int) -> bool:
        """Whether a record that is not simply of the period is a token count that belongs to it; notes what it is."""
        if record["v"] > VERSION:
            self.newer += 1
        elif record["kind"] in KINDS:
            if type(record["ts"]) is not int or not 0 <= record["ts"] < _END_OF_TIME_MS:
                self.broken += 1
            return bool(record["kind"] == "tokens" and first <= record["ts"] < last + SLACK_MS)
        return False

    def _open_all(self, stack: ExitStack) -> list[BufferedReader]:
        """The files, opened, oldest first. They are opened youngest first, so that a rotation hides no line."""
        opened: dict[tuple[int, int], BufferedReader] = {}
        self.bytes = 0
        rotated = self._rotated()
        for path in reversed(self._names([*rotated, rotated[-1] + 1 if rotated else 1])):
            if not path.is_file():
                continue
            try:
                source = stack.enter_context(path.open("rb"))
            except FileNotFoundError:
                continue
            status = os.fstat(source.fileno())
            if (status.st_dev, status.st_ino) not in opened:
                opened[status.st_dev, status.st_ino] = source
                self.bytes += status.st_size
        return list(opened.values())[::-1]


def backwards(path: Path) -> Iterator[Record]:
    """The valid records of the log at ``path``, youngest first; what cannot be read is skipped."""
    for file in reversed(DecisionLog(path).files()):
        try:
            with file.open("rb") as source:
                yield from _backwards(source)
        except OSError:
            continue


def last_decision(path: Path) -> Record | None:
    """The youngest decision in the log, None when there is none; reads from the end."""
    return next((record for record in backwards(path) if record["kind"] == "decision"), None)


def _lines(source: BufferedReader) -> Iterator[list[bytes]]:
    """The lines of ``source`` without their ends, by the chunk; of one that is too long only the start."""
    rest = b""
    overlong = False
    while chunk := source.read(_CHUNK_BYTES):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        if overlong:
            if not lines:
                rest = b""
                continue
            del lines[0]  # the end of a line that was given out already
            overlong = False
        if len(rest) > _MAX_LINE_BYTES:
            lines.append(rest[:64])
            rest, overlong = b"", True
        yield lines
    if rest:
        yield [rest]


def _offset_of(source: BufferedReader, wanted_ms: int) -> int:
    """Where to start reading so that no line with ``ts >= wanted_ms`` is missed: bytes from the start of the file.

    A bisection; it needs about 15 looks at a file of any size.
    """
    low, high = 0, source.seek(0, 2)
    while high - low > _CHUNK_BYTES:
        middle = (low + high) // 2
        found = _look(source, middle, high)
        if found is None or found[1] >= wanted_ms:
            high = middle
        else:
            low = found[0]
    return low


def _look(source: BufferedReader, start: int, end: int) -> tuple[int, int] | None:
    """Offset of the first valid line that begins after ``start`` and before ``end``, and the time there.

    The time is the latest of a few lines, since a clock that was wrong for a moment must not hide what comes before.
    """
    source.seek(start)
    source.readline(_MAX_LINE_BYTES)
    offset = 0
    times: list[int] = []
    while len(times) < 16 and (position := source.tell()) < end:
        record = _valid(source.readline(_MAX_LINE_BYTES))
        if record is not None and type(record.get("ts")) is int:
            offset = offset or position
            times.append(record["ts"])
    return (offset, max(times)) if times else None


def _backwards(source: BufferedReader) -> Iterator[Record]:
    """The valid records of ``source``, last one first; ends at a line of many megabytes."""
    end = source.seek(0, 2)
    tail = b""
    while end > 0 and len(tail) < 16 * _CHUNK_BYTES:
        start = max(0, end - 65536)
        source.seek(start)
        tail = source.read(end - start) + tail
        lines = tail.split(b"\n")
        # The first piece may be the end of a line that starts further ahead.
        tail = lines.pop(0) if start else b""
        for line in reversed(lines):
            record = _valid(line)
            if record is not None:
                yield record
        end = start


def _valid(line: bytes) -> Record | None:
    try:
        record = orjson.loads(line)
        return record if record["kind"] in KINDS and record["v"] <= VERSION else None
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        return None
