"""What every report counts. Bytes are those of UTF-8, tokens are o200k tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, TypeVar

# Tokens per byte where nothing was counted: mixed shell output, listings and source code came to 0.23 to 0.44 o200k
# tokens per byte, most of it near 0.3.
TOKENS_PER_BYTE = 0.3


_Sums = TypeVar("_Sums", bound="Sums")


@dataclass(slots=True)
class Sums:
    """Sums over tool results; ``bytes_in`` and ``tokens_in`` are those before, ``..._out`` those after.

    Attributes:
        results: tool calls, each counted once however many texts its result has.
        KEYS: the names of the figures, in the order of ``--json``.
    """

    KEYS: ClassVar[tuple[str, ...]] = ()
    results: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def bytes_saved(self) -> int:
        """Bytes that the agent does not have to read."""
        return self.bytes_in - self.bytes_out

    @property
    def tokens_saved(self) -> int:
        """Tokens that the agent does not have to read."""
        return self.tokens_in - self.tokens_out

    def merge(self, other: Sums) -> None:
        """Add every number that both have."""
        for name in _numbers(type(self), type(other)):  # type: ignore[arg-type]  # a class can be hashed
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def to_json(self) -> dict[str, int | float | None]:
        """The figures by name."""
        return {name: getattr(self, name) for name in self.KEYS}


@cache
def _numbers(one: type[Any], other: type[Any]) -> tuple[str, ...]:
    """The names of the numbers that both classes have; asked for with every cell of a report."""
    theirs = {field.name for field in fields(other) if field.type == "int"}
    return tuple(field.name for field in fields(one) if field.type == "int" and field.name in theirs)


def total(rows: Iterable[_Sums], made: _Sums) -> _Sums:
    """``made`` with the numbers of all ``rows`` added."""
    for row in rows:
        made.merge(row)
    return made
