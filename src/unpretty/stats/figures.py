"""What is counted: sums over results that agree in every dimension, and the figures made of them.

Bytes are exact. Tokens are exact where a ``tokens`` line of the log gives them. Where none does they are estimated from
bytes: a converted result at the rate of the counted results of its tool (else of all tools), everything else at
``TOKENS_PER_BYTE``. All sums are of whole numbers, so that the parts of any breakdown add up to the total exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from unpretty import reason

# Mixed shell output, listings and source code came to 0.23 to 0.44 o200k tokens per byte, most of it near 0.3.
TOKENS_PER_BYTE = (3, 10)

# Results that unpretty may change and in which it found something to work on.
ELIGIBLE = frozenset(
    (
        reason.CONVERTED, reason.ALREADY_COMPACT, reason.GAIN_TOO_SMALL, reason.TOO_DEEP, reason.OVER_BUDGET,
        reason.OVER_HOST_LIMIT, reason.EXIT_STATUS_UNKNOWN, reason.NOT_VERIFIED, reason.ERROR,
    )
)  # fmt: skip


class Cell:
    """Sums over results of one tool with one reason that agree in all dimensions asked for.

    Attributes:
        results: calls, each counted once however many texts it has.
        applied, rejected: of these, known to have reached the model or not.
        bytes_in, bytes_out: of all texts.
        waiting_in, waiting_out: bytes of converted texts without a token count.
        counted_in, counted_out: bytes of converted texts with one.
        tokens_in, tokens_out: tokens of those.
    """

    __slots__ = (
        "applied", "bytes_in", "bytes_out", "counted_in", "counted_out", "key", "reason", "rejected", "results",
        "tokens_in", "tokens_out", "tool", "waiting_in", "waiting_out",
    )  # fmt: skip

    def __init__(self, key: tuple[str, ...], tool: str, why: str) -> None:
        self.key = key
        self.tool = tool
        self.reason = why
        self.results = self.applied = self.rejected = 0
        self.bytes_in = self.bytes_out = 0
        self.waiting_in = self.waiting_out = 0
        self.counted_in = self.counted_out = 0
        self.tokens_in = self.tokens_out = 0


@dataclass(slots=True)
class Figures:
    """The figures of a report or of one line of it, as in ``stats --json``; tokens are o200k tokens.

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

    def add(self, cell: Cell, rates: Rates) -> None:
        """Add the results of ``cell``."""
        self.results += cell.results
        self.eligible += cell.results if cell.reason in ELIGIBLE else 0
        if cell.reason == reason.CONVERTED:
            self.converted += cell.results
            self.applied += cell.applied
            self.rejected += cell.rejected
            self.unknown += cell.results - cell.applied - cell.rejected
        left = cell.bytes_in - cell.waiting_in - cell.counted_in
        left_tokens = left * TOKENS_PER_BYTE[0] // TOKENS_PER_BYTE[1]
        estimate_in, estimate_out = rates.estimate(cell)
        self.bytes_in += cell.bytes_in
        self.bytes_out += cell.bytes_out
        self.tokens_in += cell.tokens_in + estimate_in + left_tokens
        self.tokens_out += cell.tokens_out + estimate_out + left_tokens
        self.tokens_estimated += estimate_in + left_tokens
        self.tokens_saved_estimated += estimate_in - estimate_out

    def to_json(self) -> dict[str, int]:
        """The figures by name."""
        return asdict(self)


class Rates:
    """Tokens per byte of counted conversions, before and after, by tool."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._by_tool: dict[str, list[int]] = {}
        self._all = [0, 0, 0, 0]
        for cell in cells:
            if cell.counted_in:
                sums = self._by_tool.setdefault(cell.tool, [0, 0, 0, 0])
                for index, value in enumerate((cell.tokens_in, cell.counted_in, cell.tokens_out, cell.counted_out)):
                    sums[index] += value
                    self._all[index] += value

    def estimate(self, cell: Cell) -> tuple[int, int]:
        """Estimated tokens before and after of the converted texts of ``cell`` that were not counted."""
        if not cell.waiting_in:
            return 0, 0
        tokens_in, bytes_in, tokens_out, bytes_out = self._by_tool.get(cell.tool, self._all)
        if not bytes_in or not bytes_out:
            tokens_in, bytes_in = tokens_out, bytes_out = TOKENS_PER_BYTE
        return cell.waiting_in * tokens_in // bytes_in, cell.waiting_out * tokens_out // bytes_out
