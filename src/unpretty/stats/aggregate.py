"""Add up the decision log in one pass and bounded memory.

A *result* is one tool call, however many lines it has: a line per text of the result, and lines of both proxy and hook
when both saw it. Lines of one call have the same ``tool_use_id`` (and session), and are near each other in the log; the
call counts as converted when one of its texts was. A ``tokens`` line is joined to its decision by ``id``.
"""

from __future__ import annotations

import gc
import heapq
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from operator import itemgetter
from typing import Any

from unpretty.decision_log.reader import Record
from unpretty.engine.reason import CONVERTED
from unpretty.stats.figures import StatsCell
from unpretty.stats.latency import Times
from unpretty.stats.recent import Recent
from unpretty.transcripts.outcomes import APPLIED, REJECTED

DIMENSIONS = ("agent", "tool", "reason", "encoding", "project", "model", "day", "session")
PROXY = "proxy"

# How many calls are remembered for further lines about them, which come at once or, from the proxy, within seconds; and
# how many conversions for their token count, which comes within a minute. Small enough for the processor's cache.
_CALLS = 4_096
_CONVERSIONS = 16_384

# What a line added to a cell: the cell, bytes in, bytes out.
_Part = tuple[StatsCell, int, int]
# A call: session, via, its first or first converted part, other parts.
_Call = tuple[str, str, StatsCell, int, int, tuple[_Part, ...]]


class Aggregator:
    """Sums of the log's lines.

    Attributes:
        cells: one ``StatsCell`` per combination of ``keys`` that was seen.
        keys: the dimensions that the cells are told apart by: those asked for, tool and reason.
        latency: the time that calls took, by ``via``.
        steps: bytes saved by each step (json, nested, noise, paths, tables).
        refused: lines that hold no figures that could be added up.
        first_ts, last_ts: moments of the first and the last call, milliseconds since 1970 UTC; 0 when there is none.
    """

    def __init__(
        self,
        dimensions: Sequence[str] = (),
        *,
        day_of: Callable[[int], str],
        largest: int = 10,
        applied: Callable[[Record], str] | None = None,
    ) -> None:
        """Prepare to add up lines.

        Args:
            dimensions: of ``DIMENSIONS``, what ``cells`` have to tell apart.
            day_of: the day of a moment in milliseconds since 1970 UTC.
            largest: how many of the largest savings to keep.
            applied: says of a converted decision whether it was APPLIED, REJECTED or is UNKNOWN.
        """
        self.keys = tuple(dict.fromkeys((*dimensions, "tool", "reason")))
        self.cells: dict[tuple[Any, ...], StatsCell] = {}
        self.latency: dict[str, Times] = {}
        self.steps: dict[str, int] = {}
        self.refused = 0
        self.first_ts = self.last_ts = 0
        self._key_of = itemgetter(*self.keys)
        self._day_of = day_of if "day" in self.keys else None
        self._applied = applied
        self._calls: Recent[_Call] = Recent(_CALLS)
        self._uncounted: Recent[tuple[_Part, bool]] = Recent(_CONVERSIONS)
        self._largest: list[tuple[int, int, Record]] = []
        self._wanted = largest
        self._serial = count()

    def consume(self, records: Iterable[Record]) -> None:
        """Add lines in the order of the log."""
        collecting = gc.isenabled()
        # Reading makes very many small objects and no cycles: a run of the collector would find nothing.
        gc.disable()
        try:
            self._consume(records)
        finally:
            if collecting:
                gc.enable()

    def _consume(self, records: Iterable[Record]) -> None:
        """One plain loop over local names, since it sees millions of lines: a call per line would cost a fifth more.

        Most lines are the only line of their call. They are added here, all others by the methods below.
        """
        cells, calls, latency = self.cells, self._calls, self.latency
        key_of, day_of, older = self._key_of, self._day_of, calls.older
        first = last = None
        for record in records:
            try:
                if record["kind"] != "decision":
                    self._add_tokens(record)
                    continue
                first, last = first or record, record
                size = left = record["bytes_in"]
                identity, via, tenths = record["tool_use_id"], record["via"], int(record["ms"] * 10)
                if day_of is not None:
                    record["day"] = day_of(record["ts"])
                try:
                    cell, times = cells[key_of(record)], latency[via]
                except KeyError:
                    cell, times = self._new_cell(record)
                if cell.converted:
                    left = record["bytes_out"]
                if type(size) is not int or type(left) is not int:
                    raise TypeError("sizes are whole numbers")
                if identity:
                    if identity in calls or identity in older:
                        self._join(record, identity, (cell, size, left))
                        older = calls.older
                        continue
                    if len(calls) >= _CALLS:
                        older = calls.grow_old()
                    calls[identity] = (record["session"], via, cell, size, left, ())
                times[tenths] = times.get(tenths, 0) + 1
                cell.results += 1
                cell.bytes_in += size
                cell.bytes_out += left
                if cell.converted:
                    self._add_conversion(record, (cell, size, left), first=True)
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError):
                self.refused += 1
        self.first_ts = first["ts"] if first else 0
        self.last_ts = last["ts"] if last else 0

    def largest(self) -> list[Record]:
        """The decisions that saved the most bytes, largest first."""
        return [record for _, _, record in sorted(self._largest, reverse=True)]

    def _new_cell(self, record: Record) -> tuple[StatsCell, Times]:
        """The sums for a combination seen for the first time, or for a line in which a dimension is missing."""
        for name in (*self.keys, "via"):
            if not isinstance(record.get(name), str):
                record[name] = "" if record.get(name) is None else str(record[name])
        key = tuple(record[name] for name in self.keys)
        cell = self.cells.get(key)
        if cell is None:
            cell = self.cells[key] = StatsCell(
                key=key, tool=record["tool"], reason=record["reason"], converted=record["reason"] == CONVERTED
            )
        return cell, self.latency.setdefault(record["via"], {})

    def _join(self, record: Record, identity: str, part: _Part) -> None:
        """Add a decision about a call that has a line already."""
        session = record["session"]
        call = self._calls.find(identity)
        if call is not None and call[0] != session and call[0] and session:
            # The same id in another session: made-up ids; an agent's own are unique.
            identity = f"{identity}\n{session}"
            call = self._calls.find(identity)
        if call is None:
            self._calls.remember(identity, (session, record["via"], *part, ()))
            self._count(record, part)
        elif (call[1] == PROXY) == (record["via"] == PROXY):
            self._join_text(record, identity, call, part)
        elif part[0].converted:
            self._join_view(record, identity, call, part)

    def _count(self, record: Record, part: _Part) -> None:
        """The first line of a call that is no simple case: one more result, and the time that it took."""
        cell, bytes_in, bytes_out = part
        times = self.latency[record["via"]]
        tenths = int(record["ms"] * 10)
        times[tenths] = times.get(tenths, 0) + 1
        cell.results += 1
        cell.bytes_in += bytes_in
        cell.bytes_out += bytes_out
        if cell.converted:
            self._add_conversion(record, part, first=True)

    def _join_text(self, record: Record, identity: str, call: _Call, part: _Part) -> None:
        """Another text of the same result."""
        session, via, main, main_in, main_out, others = call
        cell, bytes_in, bytes_out = part
        cell.bytes_in += bytes_in
        cell.bytes_out += bytes_out
        converted = cell.converted
        first = converted and not main.converted
        if first:
            main.results -= 1
            cell.results += 1
            call = (session, via, *part, ((main, main_in, main_out), *others))
        else:
            call = (session, via, main, main_in, main_out, (*others, part))
        self._calls.remember(identity, call)
        if converted:
            self._add_conversion(record, part, first=first)

    def _join_view(self, record: Record, identity: str, call: _Call, part: _Part) -> None:
        """Proxy and hook saw the same result, and this line converted it."""
        session, via, main, main_in, main_out, others = call
        if main.converted:
            self._add_on_top(record, main, part, downstream=via == PROXY)
            return
        main.results -= 1
        for cell, bytes_in, bytes_out in ((main, main_in, main_out), *others):
            cell.bytes_in -= bytes_in
            cell.bytes_out -= bytes_out
        cell, bytes_in, bytes_out = part
        cell.results += 1
        cell.bytes_in += bytes_in
        cell.bytes_out += bytes_out
        self._calls.remember(identity, (session or record["session"], record["via"], *part, ()))
        self._add_conversion(record, part, first=True)

    def _add_on_top(self, record: Record, cell: StatsCell, part: _Part, *, downstream: bool) -> None:
        """Proxy and hook both made the result smaller: from the proxy's input to the hook's output."""
        saved = part[1] - part[2]
        part = (cell, 0, -saved) if downstream else (cell, saved, 0)
        cell.bytes_in += part[1]
        cell.bytes_out += part[2]
        cell.waiting_in += part[1]
        cell.waiting_out += part[2]
        self._uncounted.remember(record["id"], (part, True))

    def _add_conversion(self, record: Record, part: _Part, *, first: bool) -> None:
        """Add what only a converted text has; the ``first`` of a call says whether the call's reply was applied."""
        cell, bytes_in, bytes_out = part
        cell.waiting_in += bytes_in
        cell.waiting_out += bytes_out
        self._uncounted.remember(record["id"], (part, False))
        for step, saved in record["steps"].items():
            self.steps[step] = self.steps.get(step, 0) + saved
        if first and self._applied is not None:
            outcome = self._applied(record)
            cell.applied += outcome == APPLIED
            cell.rejected += outcome == REJECTED
        saved, rows = bytes_in - bytes_out, self._largest
        if len(rows) < self._wanted:
            heapq.heappush(rows, (saved, -next(self._serial), record))
        elif rows and saved > rows[0][0]:
            heapq.heapreplace(rows, (saved, -next(self._serial), record))

    def _add_tokens(self, record: Record) -> None:
        tokens_in, tokens_out = record["tokens_in"], record["tokens_out"]
        if type(tokens_in) is not int or type(tokens_out) is not int:
            raise TypeError("counts are whole numbers")
        known = self._uncounted.take(record["id"])
        if known is None:  # its decision is before the period, or was rotated away
            return
        (cell, bytes_in, bytes_out), on_top = known
        if on_top:
            saved = tokens_in - tokens_out
            tokens_in, tokens_out = (saved, 0) if bytes_in else (0, -saved)
        cell.waiting_in -= bytes_in
        cell.waiting_out -= bytes_out
        cell.counted_in += bytes_in
        cell.counted_out += bytes_out
        cell.tokens_in += tokens_in
        cell.tokens_out += tokens_out
