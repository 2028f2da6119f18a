"""What is counted: sums over results that agree in every dimension, and the figures made of them.

Bytes are exact. Tokens are exact where a ``tokens`` line of the log gives them. Where none does they are estimated from
bytes: a converted text at the rate of the counted texts of its tool (else of all tools), everything else at
``PER_BYTE``. Rates are whole millionths of a token, so sums do not depend on how results are grouped; what rounding to
tokens cuts off one row goes to the next, so the rows of any breakdown add up to the total exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from unpretty.engine import reason

_MILLION = 1_000_000
# In millionths of a token. Mixed shell output, listings and source code came to 0.23 to 0.44 o200k tokens per byte,
# most of it near 0.3.
PER_BYTE = 300_000


class Cell:
    """Sums over results of one tool with one reason that agree in all dimensions asked for.

    Attributes:
        converted: whether the reason is ``converted``.
        results: calls, each counted once however many texts it has.
        applied, rejected: of these, known to have reached the model or not.
        bytes_in, bytes_out: of all texts.
        waiting_in, waiting_out: bytes of converted texts without a token count.
        counted_in, counted_out: bytes of converted texts with one.
        tokens_in, tokens_out: tokens of those.
    """

    __slots__ = (
        "applied", "bytes_in", "bytes_out", "converted", "counted_in", "counted_out", "key", "reason", "rejected",
        "results", "tokens_in", "tokens_out", "tool", "waiting_in", "waiting_out",
    )  # fmt: skip

    def __init__(self, key: tuple[str, ...], tool: str, why: str) -> None:
        self.key = key
        self.tool = tool
        self.reason = why
        self.converted = why == reason.CONVERTED
        self.results = self.applied = self.rejected = 0
        self.bytes_in = self.bytes_out = 0
        self.waiting_in = self.waiting_out = 0
        self.counted_in = self.counted_out = 0
        self.tokens_in = self.tokens_out = 0


@dataclass(slots=True)
class Figures:
    """The figures of a report or of one row of it, as in ``stats --json``; tokens are o200k tokens.

    ``tokens_in`` and ``tokens_out`` are counts and estimates together. ``tokens_estimated`` is the estimated part of
    ``tokens_in``; ``tokens_saved_estimated`` is the estimated part of the tokens saved.
    """

    results: int = 0
    eligible: int = 0
    converted: int = 0
    applied: int = 0
    rejected: int = 0
    unknown: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_estimated: int = 0
    tokens_saved_estimated: int = 0

    @property
    def bytes_saved(self) -> int:
        """Bytes that the agent did not have to read."""
        return self.bytes_in - self.bytes_out

    @property
    def tokens_saved(self) -> int:
        """Tokens that the agent did not have to read."""
        return self.tokens_in - self.tokens_out

    def merge(self, other: Figures) -> None:
        """Add the figures of another row of the same breakdown."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)

    def to_json(self) -> dict[str, int]:
        """The figures by name."""
        return asdict(self)


class Sum:
    """A row while its cells are added up; estimates in millionths of a token."""

    def __init__(self) -> None:
        self.figures = Figures()
        # Of converted texts before and after, and of texts left alone.
        self.estimates = [0, 0, 0]

    def add(self, cell: Cell, rates: Rates) -> None:
        """Add the results of ``cell``."""
        figures = self.figures
        figures.results += cell.results
        known = reason.TABLE.get(cell.reason)
        figures.eligible += cell.results if known is not None and known.eligible else 0
        if cell.converted:
            figures.converted += cell.results
            figures.applied += cell.applied
            figures.rejected += cell.rejected
            figures.unknown += cell.results - cell.applied - cell.rejected
        figures.bytes_in += cell.bytes_in
        figures.bytes_out += cell.bytes_out
        figures.tokens_in += cell.tokens_in
        figures.tokens_out += cell.tokens_out
        left = cell.bytes_in - cell.waiting_in - cell.counted_in
        before, after = rates.of(cell.tool)
        for index, value in enumerate((cell.waiting_in * before, cell.waiting_out * after, left * PER_BYTE)):
            self.estimates[index] += value


def settle(sums: Iterable[Sum]) -> list[Figures]:
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

    def __init__(self, cells: Iterable[Cell]) -> None:
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
        """The rates of ``tool``, else of all tools, else ``PER_BYTE``."""
        return self._rates.get(tool) or self._rates.get(None, (PER_BYTE, PER_BYTE))
