"""How long the hook took: exact to a tenth of a millisecond, in memory that does not grow with the number of calls."""

from __future__ import annotations

from collections.abc import Sequence

Times = dict[int, int]
"""How many calls took how many tenths of a millisecond."""


def percentiles(times: Times, shares: Sequence[float] = (0.5, 0.95, 1.0)) -> list[float]:
    """The milliseconds within which each share (0..1, ascending) of the calls stayed (nearest rank)."""
    total = sum(times.values())
    found: list[float] = []
    seen = 0
    ordered = iter(sorted(times.items()))
    tenths = 0
    for share in shares:
        rank = max(1, -int(-total * share // 1))
        while seen < rank:
            tenths, number = next(ordered)
            seen += number
        found.append(tenths / 10)
    return found


def histogram(times: Times) -> list[tuple[float, int]]:
    """The calls by doubling steps: (upper bound in milliseconds, calls below it and not below the one before)."""
    bars: list[tuple[float, int]] = []
    bound = 0.5
    left = sorted(times.items())
    while left:
        below = [entry for entry in left if entry[0] < bound * 10]
        left = left[len(below) :]
        if below or bars:
            bars.append((bound, sum(number for _, number in below)))
        bound *= 2
    return bars


def sentence(times: Times) -> str:
    """The median, the 95th percentile and the maximum, for people."""
    median, most, slowest = percentiles(times)
    return f"median {median:g} ms, 95 % within {most:g} ms, longest {slowest:g} ms"
