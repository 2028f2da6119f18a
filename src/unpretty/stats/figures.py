"""What is counted: sums over results that agree in every dimension, and the figures made of them.

Bytes are exact. Tokens are exact where a ``tokens`` line of the log gives them. Where none does they are estimated from
bytes: a converted text at the rate of the counted texts of its tool (else of all tools), everything else at
``TOKENS_PER_BYTE``. Rates are whole millionths of a token, so sums do not depend on how results are grouped; what
rounding to tokens cuts off one row goes to the next, so the rows of any breakdown add up to the total exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from unpretty.engine import reason
from unpretty.report.figures import TOKENS_PER_BYTE, Sums
from unpretty.report.words import percent, size, tokens

_MILLION = 1_000_000
_PER_BYTE = round(TOKENS_PER_BYTE * _MILLION)


@dataclass(slots=True)
class StatsCell(Sums):
    """Sums over results of one tool with one reason that agree in all dimensions asked for.

    Attributes:
        key: the values of the dimensions.
        converted: whether the reason is ``converted``.
        applied, rejected: how many of the results are known to have reached the model or not.
        waiting_in, waiting_out: bytes of converted texts without a token count.
        counted_in, counted_out: bytes of converted texts with one; ``tokens_in`` and ``tokens_out`` are theirs.
    """

    key: tuple[str, ...] = ()
    tool: str = ""
    reason: str = ""
    converted: bool = False
    applied: int = 0
    rejected: int = 0
    waiting_in: int = 0
    waiting_out: int = 0
    counted_in: int = 0
    counted_out: int = 0


@dataclass(slots=True)
class StatsFigures(Sums):
    """The figures of a report or of one row of it.

    ``tokens_in`` and ``tokens_out`` are counts and estimates together. ``tokens_estimated`` is the estimated part of
    ``tokens_in``; ``tokens_saved_estimated`` is the estimated part of the tokens saved.
    """

    KEYS: ClassVar[tuple[str, ...]] = (
        "results", "eligible", "converted", "applied", "rejected", "unknown", "bytes_in", "bytes_out", "tokens_in",
        "tokens_out", "tokens_estimated", "tokens_saved_estimated",
    )  # fmt: skip
    eligible: int = 0
    converted: int = 0
    applied: int = 0
    rejected: int = 0
    unknown: int = 0
    tokens_estimated: int = 0
    tokens_saved_estimated: int = 0


@dataclass(slots=True)
class CellSum:
    """A row while its cells are added up; estimates in millionths of a token."""

    figures: StatsFigures = field(default_factory=StatsFigures)
    # Of converted texts before and after, and of texts left alone.
    estimates: list[int] = field(default_factory=lambda: [0, 0, 0])

    def add(self, cell: StatsCell, rates: Rates) -> None:
        """Add the results of ``cell``."""
        figures = self.figures
        figures.merge(cell)
        if cell.reason in reason.TABLE and reason.TABLE[cell.reason].eligible:
            figures.eligible += cell.results
        if cell.converted:
            figures.converted += cell.results
            figures.unknown += cell.results - cell.applied - cell.rejected
        left = cell.bytes_in - cell.waiting_in - cell.counted_in
        before, after = rates.of(cell.tool)
        for index, value in enumerate((cell.waiting_in * before, cell.waiting_out * after, left * _PER_BYTE)):
            self.estimates[index] += value


def settle(sums: Iterable[CellSum]) -> list[StatsFigures]:
    """Round the estimates of the rows of one breakdown to tokens, so that they add up to the rounded total."""
    carried = [0, 0, 0]
    rows = []
    for row in sums:
        whole = [0, 0, 0]
        for index, value in enumerate(row.estimates):
            whole[index], carried[index] = divmod(value + carried[index], _MILLION)
        before, after, left = whole
        figures = row.figures
        figures.tokens_in += before + left
        figures.tokens_out += after + left
        figures.tokens_estimated = before + left
        figures.tokens_saved_estimated = before - after
        rows.append(figures)
    return rows


class Rates:
    """Millionths of a token per byte of counted conversions, before and after, by tool."""

    def __init__(self, cells: Iterable[StatsCell]) -> None:
        sums: dict[str | None, list[int]] = {}
        for cell in cells:
            if cell.counted_in > 0 and cell.counted_out > 0:
                for name in (cell.tool, None):
                    counts = (cell.tokens_in, cell.counted_in, cell.tokens_out, cell.counted_out)
                    sums[name] = [old + new for old, new in zip(sums.get(name, (0, 0, 0, 0)), counts, strict=True)]
        self._rates = {
            name: (tokens_in * _MILLION // bytes_in, tokens_out * _MILLION // bytes_out)
            for name, (tokens_in, bytes_in, tokens_out, bytes_out) in sums.items()
        }

    def of(self, tool: str) -> tuple[int, int]:
        """The rates of ``tool``, else of all tools, else ``TOKENS_PER_BYTE``."""
        return self._rates.get(tool) or self._rates.get(None, (_PER_BYTE, _PER_BYTE))


# The headings of ``cells``.
COLUMNS = ("seen", "smaller", "saved", "tokens", "share")


def cells(figures: StatsFigures, totals: StatsFigures) -> tuple[str, ...]:
    """One row of a breakdown, for people."""
    return (
        f"{figures.results:,}",
        f"{figures.converted:,}",
        size(figures.bytes_saved),
        tokens(figures.tokens_saved, figures.tokens_saved_estimated),
        percent(figures.bytes_saved, totals.bytes_saved),
    )
