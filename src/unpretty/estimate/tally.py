"""Adding up what would have become of many tool results, in memory that does not grow with their size."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from unpretty.errors import UnprettyError
from unpretty.estimate.commands import OTHER, command_name
from unpretty.estimate.outcome import Change, Judgement, judge
from unpretty.estimate.rate import TokenRate
from unpretty.report.figures import TOKENS_PER_BYTE, Sums
from unpretty.settings.defaults import Settings
from unpretty.transcripts.result import REPLACED, ToolResult
from unpretty_hooks.serving import Memory

# Names of commands that are told apart; scripts with generated names would fill the memory.
_MOST_COMMANDS = 5_000

Key = tuple[str, str, str, str, str]


@dataclass(slots=True)
class StepSum(Sums):
    """What one step saved: on how many results, UTF-8 bytes and tokens."""

    bytes: int = 0
    tokens: int = 0


@dataclass(slots=True)
class EstimateSums(Sums):
    """What is added up of results. The texts before and after are those that were made smaller.

    Attributes:
        affected, gained, json_results: numbers of tool results: made smaller, of which the model would have read more
            than before, with a JSON document.
        bytes_read, json_bytes: UTF-8 bytes of what the model read, and of the JSON documents in it.
        shares: the share of its tokens that each affected result saved, in percent.
    """

    affected: int = 0
    gained: int = 0
    json_results: int = 0
    bytes_read: int = 0
    json_bytes: int = 0
    shares: array[float] = field(default_factory=lambda: array("f"))


@dataclass(slots=True)
class EstimateCell(EstimateSums):
    """Sums over the results that agree in agent, tool, reason, command and day.

    Attributes:
        bytes_rest: bytes of what was read without the texts that were made smaller; their tokens are estimated.
        steps: what each step saved.
    """

    bytes_rest: int = 0
    steps: dict[str, StepSum] = field(default_factory=dict)


@dataclass(slots=True)
class Tally:
    """The sums over all results added so far.

    Attributes:
        settings: the settings that the hook would have used.
        count: the tokenizer.
        since_ms: leave out what is older.
        day_of: the day of a moment, to keep days apart; one empty day without it.
        seen_by_hook: agent, session and call id of the results that a hook has made smaller.
        cells: by agent, tool, reason, command name and day.
        rates: by agent and tool, how many tokens a byte has.
        sessions: by agent, the sessions that results were counted of.
        replaced: results left out because a hook had already made them smaller.
        copies: results left out because they were counted in another session.
        undated: results left out because a period was asked for and they have no date.
        uncounted: texts that the tokenizer failed on; their tokens are estimated.
        largest_saving: the tokens that a single result saved, at most.
        first_ms, last_ms: the moments of the first and the last result, milliseconds since 1970 UTC; None for none.
    """

    settings: Settings
    count: Callable[[str], int]
    since_ms: int | None = None
    day_of: Callable[[int], str] | None = None
    seen_by_hook: frozenset[tuple[str, str, str]] = frozenset()
    cells: dict[Key, EstimateCell] = field(default_factory=dict)
    rates: dict[tuple[str, str], TokenRate] = field(default_factory=dict)
    sessions: dict[str, set[str]] = field(default_factory=dict)
    replaced: int = 0
    copies: int = 0
    undated: int = 0
    uncounted: int = 0
    largest_saving: int = 0
    first_ms: int | None = None
    last_ms: int | None = None
    _memory: Memory = field(default_factory=Memory)
    _counted: set[int] = field(default_factory=set)
    _commands: set[str] = field(default_factory=set)

    def add(self, result: ToolResult) -> None:
        """Judge ``result`` and add it, unless it is old, a copy, or a hook had made it smaller."""
        if not self._wanted(result):
            return
        identity = hash((result.agent, result.identity))
        if identity in self._counted:
            self.copies += 1
            return
        self._counted.add(identity)
        known = (result.agent, result.session, result.call_id) in self.seen_by_hook and not result.reason
        if known or result.reason == REPLACED:
            self.replaced += 1
            return
        self._note_time(result)
        self._add(result, judge(result, self.settings, self._memory))

    def _wanted(self, result: ToolResult) -> bool:
        if self.since_ms is None:
            return True
        if result.when_ms is None:
            self.undated += 1
            return False
        return result.when_ms >= self.since_ms

    def _note_time(self, result: ToolResult) -> None:
        self.sessions.setdefault(result.agent, set()).add(result.session)
        when = result.when_ms
        if when is not None:
            self.first_ms = when if self.first_ms is None else min(when, self.first_ms)
            self.last_ms = when if self.last_ms is None else max(when, self.last_ms)

    def _add(self, result: ToolResult, outcome: Judgement) -> None:
        cell = self._cell(result, outcome.reason)
        cell.results += 1
        cell.bytes_read += outcome.bytes_read
        cell.json_bytes += outcome.json_bytes
        cell.json_results += outcome.json_bytes > 0
        cell.gained += outcome.gained > 0
        if outcome.changes:
            cell.bytes_rest += max(0, outcome.bytes_read - sum(change.bytes_in for change in outcome.changes))
            self._add_changes(cell, outcome.changes)
            return
        cell.bytes_rest += outcome.bytes_read
        rate = self.rates.setdefault((result.agent, result.tool), TokenRate())
        for text in result.texts:
            rate.add(text)

    def _cell(self, result: ToolResult, why: str) -> EstimateCell:
        command = command_name(result.command) if result.command else ""
        if command not in self._commands:
            if len(self._commands) < _MOST_COMMANDS:
                self._commands.add(command)
            else:
                command = OTHER
        day = self.day_of(result.when_ms) if self.day_of is not None and result.when_ms is not None else ""
        key = (result.agent, result.tool, why, command, day)
        return self.cells.setdefault(key, EstimateCell())

    def _add_changes(self, cell: EstimateCell, changes: list[Change]) -> None:
        """Count the tokens of one result's texts before and after, and share out among the steps what was saved."""
        before = saved = 0
        touched = set()
        for change in changes:
            tokens_in, tokens_out = self._count(change.before), self._count(change.after)
            cell.bytes_in += change.bytes_in
            cell.bytes_out += change.bytes_out
            cell.tokens_in += tokens_in
            cell.tokens_out += tokens_out
            before += tokens_in
            saved += tokens_in - tokens_out
            for name, size, tokens in shared_out(tokens_in - tokens_out, change.steps):
                step = cell.steps.setdefault(name, StepSum())
                step.bytes += size
                step.tokens += tokens
                touched.add(name)
        for name in touched:
            cell.steps[name].results += 1
        cell.affected += 1
        cell.shares.append(100 * saved / before if before else 0.0)
        self.largest_saving = max(self.largest_saving, saved)

    def _count(self, text: str) -> int:
        try:
            return self.count(text)
        except UnprettyError:
            self.uncounted += 1
            return round(len(text.encode("utf-8", "replace")) * TOKENS_PER_BYTE)


def shared_out(tokens: int, steps: dict[str, int]) -> list[tuple[str, int, int]]:
    """``tokens`` split among ``steps`` (bytes saved by name) in proportion to their bytes: name, bytes, tokens.

    The parts add up to ``tokens``. With one step, as nearly always, it is exact.
    """
    total = sum(steps.values())
    parts = []
    bytes_so_far = tokens_so_far = 0
    for name, size in steps.items():
        bytes_so_far += size
        share = tokens * bytes_so_far // total - tokens_so_far if total else tokens - tokens_so_far
        parts.append((name, size, share))
        tokens_so_far += share
    return parts
