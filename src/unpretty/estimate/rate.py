"""How many tokens a byte of some kind of text has, measured on a sample of it."""

from __future__ import annotations

from collections.abc import Callable

# Between _KEPT and twice as many pieces of up to _PIECE_CHARS characters are counted: at most 400 KB of text. The rates
# of pieces differ by about a fifth, so that the rate of all of them is known to 2 % or better.
_KEPT = 96
_PIECE_CHARS = 2048


class TokenRate:
    """A sample of texts that come one after the other: every n-th piece, and n doubles as the sample fills up.

    A long piece is likelier to be hit than a short one by as much as it is longer, so that the mean of the pieces'
    rates is an unbiased estimate of the rate of all the text.
    """

    def __init__(self) -> None:
        self._sample: list[str] = []
        self._step = _PIECE_CHARS
        self._position = self._next = 0

    def add(self, text: str) -> None:
        """Take a further text into account."""
        end = self._position + len(text)
        while self._next < end:
            start = (self._next - self._position) // _PIECE_CHARS * _PIECE_CHARS
            self._sample.append(text[start : start + _PIECE_CHARS])
            self._next += self._step
            if len(self._sample) > 2 * _KEPT:
                del self._sample[1::2]
                self._next += -self._next % (2 * self._step)
                self._step *= 2
        self._position = end

    def measure(self, count: Callable[[str], int]) -> float | None:
        """Tokens per UTF-8 byte, with ``count`` as the counter of tokens; None without any text."""
        if not self._sample:
            return None
        rates = [count(piece) / len(piece.encode("utf-8", "replace")) for piece in self._sample]
        return sum(rates) / len(rates)
