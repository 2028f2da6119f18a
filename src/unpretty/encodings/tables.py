"""Questions about arrays of objects that several encodings ask."""

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeGuard

from unpretty.encodings.json_value import Object, Value


def are_objects(items: Sequence[Value]) -> TypeGuard[list[Object]]:
    """True when ``items`` are objects, one at least, and none has a key twice."""
    return bool(items) and all(isinstance(item, tuple) and len(dict(item)) == len(item) for item in items)


def keys_of(item: Object) -> tuple[str, ...]:
    """The keys of an object in their order."""
    return tuple(key for key, _ in item)


def is_mostly_empty(columns: int, rows: Sequence[Object]) -> bool:
    """True for a table with so few of its cells filled that writing the empty ones would cost more than it saves."""
    return columns * len(rows) > 8 * sum(map(len, rows))


def common_order(orders: Iterable[tuple[str, ...]]) -> list[str] | None:
    """One order of all keys in which each of ``orders`` (no key twice) is a subsequence; None when there is none.

    Among several such orders it is the one closest to the order in which the keys were first seen.
    """
    distinct = list(dict.fromkeys(orders))
    seen = {key: position for position, key in enumerate(dict.fromkeys(key for order in distinct for key in order))}
    followers: dict[str, set[str]] = {key: set() for key in seen}
    waiting = dict.fromkeys(seen, 0)
    for order in distinct:
        for key, follower in pairwise(order):
            if follower not in followers[key]:
                followers[key].add(follower)
                waiting[follower] += 1
    ready = [(seen[key], key) for key, count in waiting.items() if not count]
    heapify(ready)
    merged: list[str] = []
    while ready:
        _, key = heappop(ready)
        merged.append(key)
        for follower in followers[key]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heappush(ready, (seen[follower], follower))
    return merged if len(merged) == len(seen) else None
