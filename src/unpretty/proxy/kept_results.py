"""Complete results that were limited, kept in memory so that the client can read them again as resources.

Addresses: ``unpretty://result/7`` is the whole of result 7, ``unpretty://result/7/rows/41-80`` its rows 41 to 80 with
what is around the rows.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from unpretty.engine.context import byte_length

if TYPE_CHECKING:
    from unpretty.proxy.rows import Rows

PREFIX = "unpretty://result/"
_ADDRESS = re.compile(r"unpretty://result/(\d{1,9})(?:/rows/(\d{1,9})-(\d{1,9}))?\Z", re.ASCII)
# Bytes of text kept for one session; the oldest results go first.
MAX_BYTES = 64 << 20


class KeptResults:
    """Complete results by number, at most ``max_bytes`` UTF-8 bytes of them."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._results: dict[int, tuple[str, Rows, int]] = {}
        self._count = 0
        self._bytes = 0
        self._lock = threading.Lock()

    def keep(self, tool: str, rows: Rows) -> str:
        """Keep a result of ``tool``; its address, empty when it is too large to keep."""
        size = byte_length(rows.text)
        if size > self._max_bytes:
            return ""
        with self._lock:
            self._count += 1
            self._results[self._count] = (tool, rows, size)
            self._bytes += size
            while self._bytes > self._max_bytes:
                oldest = next(iter(self._results))
                self._bytes -= self._results.pop(oldest)[2]
            return f"{PREFIX}{self._count}"

    def read(self, address: str) -> str | None:
        """The text at ``address``, None when there is no such result (any more) or no such rows."""
        match = _ADDRESS.match(address)
        with self._lock:
            kept = self._results.get(int(match[1])) if match else None
        if match is None or kept is None:
            return None
        rows = kept[1]
        if match[2] is None:
            return rows.text
        first, last = int(match[2]), int(match[3])
        if not 1 <= first <= min(last, len(rows)):
            return None
        return rows.take(first - 1, last - first + 1)

    def entries(self) -> list[dict[str, object]]:
        """What ``resources/list`` says about the results that are kept."""
        with self._lock:
            return [
                {
                    "uri": f"{PREFIX}{number}",
                    "name": f"complete result {number} of {tool}",
                    "mimeType": mime_type(rows.text),
                    "size": size,
                }
                for number, (tool, rows, size) in self._results.items()
            ]


def mime_type(text: str) -> str:
    """The media type of a kept text."""
    return "application/json" if text[:1] in ("{", "[") else "text/plain"
