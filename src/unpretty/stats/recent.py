"""A dictionary that remembers its latest entries only."""

from __future__ import annotations

from typing import TypeVar

_Value = TypeVar("_Value")


class Recent(dict[str, _Value]):
    """The latest entries: at least ``limit``, at most twice as many, in two generations.

    Attributes:
        older: the generation before; an entry may be in either.
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.older: dict[str, _Value] = {}

    def remember(self, key: str, value: _Value) -> None:
        """Enter ``value``; the entries of the generation before the last go when the present one is full."""
        if len(self) >= self.limit:
            self.grow_old()
        self[key] = value

    def grow_old(self) -> dict[str, _Value]:
        """Start a new generation; the one that was the present, which is ``older`` now."""
        self.older = dict(self)
        self.clear()
        return self.older

    def find(self, key: str) -> _Value | None:
        """The entry at ``key``, None when there is none (any more)."""
        value = self.get(key)
        return self.older.get(key) if value is None else value

    def take(self, key: str) -> _Value | None:
        """Remove and return the entry at ``key``, None when there is none (any more)."""
        value = self.pop(key, None)
        return self.older.pop(key, None) if value is None else value
