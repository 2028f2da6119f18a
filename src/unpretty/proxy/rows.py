"""A large text as rows: the biggest array of a JSON document, or the lines of a text, divided between rows only."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from unpretty.engine.context import byte_length
from unpretty.engine.json_text.scanner import InvalidJSON
from unpretty.proxy.json_cursor import JsonCursor

# Objects inside objects are searched this deep for the array that holds the rows.
_MAX_DEPTH = 6


@dataclass(frozen=True)
class Rows:
    """A text whose middle is a run of rows.

    Attributes:
        text: all of it.
        spans: (start, end) of each row, in characters; what separates two rows is between their spans.
        name: name of the array's member in its object, empty for a root array and for lines.
        unit: what a row is called in a sentence.
    """

    text: str
    spans: list[tuple[int, int]]
    name: str = ""
    unit: str = "rows"

    def __len__(self) -> int:
        return len(self.spans)

    def fitting(self, limit: int) -> int:
        """How many of the first rows fit into ``limit`` UTF-8 bytes together with what is around the rows."""
        first, last = self.spans[0][0], self.spans[-1][1]
        around = byte_length(self.text[:first]) + byte_length(self.text[last:])
        ends = [end for _, end in self.spans]
        if self.text.isascii():
            sizes = [end - first for end in ends]
        else:
            sizes = list(accumulate(byte_length(self.text[a:b]) for a, b in zip([first, *ends], ends, strict=False)))
        return bisect_right(sizes, limit - around)

    def take(self, first: int, count: int) -> str:
        """The text with only ``count`` (1 or more) rows from row ``first`` on, counted from 0."""
        chosen = self.spans[first : first + count]
        return self.text[: self.spans[0][0]] + self.text[chosen[0][0] : chosen[-1][1]] + self.text[self.spans[-1][1] :]


def json_rows(document: str) -> Rows | None:
    """The rows of a JSON document: its largest array of two or more elements that lies in no other array.

    None when there is none, or when ``document`` is not JSON.
    """
    best: list[Rows] = []
    cursor = JsonCursor(document)
    try:
        _search(cursor, "", _MAX_DEPTH, best)
    except (InvalidJSON, RecursionError):
        return None
    if cursor.peek():  # text after the document
        return None
    return max(best, key=lambda rows: rows.spans[-1][1] - rows.spans[0][0], default=None)


def _search(cursor: JsonCursor, name: str, depth: int, found: list[Rows]) -> None:
    opening = cursor.peek()
    if opening == "[":
        spans = []
        for _ in cursor.items():
            row = cursor.value()
            spans.append((row.start, row.end))
        if len(spans) > 1:
            found.append(Rows(cursor.text, spans, name))
    elif opening == "{" and depth:
        for member in cursor.members():
            _search(cursor, member, depth - 1, found)
    else:
        cursor.value()


def line_rows(text: str) -> Rows | None:
    """The lines of ``text`` as rows, None when there are fewer than two."""
    spans = []
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end == -1 else end
        spans.append((start, end))
        start = end + 1
    return Rows(text, spans, unit="lines") if len(spans) > 1 else None


def joined_rows(texts: list[str]) -> Rows | None:
    """Several texts as the rows of one, a line break between them; None for fewer than two."""
    ends = list(accumulate(len(text) + 1 for text in texts))
    spans = [(end - 1 - len(text), end - 1) for text, end in zip(texts, ends, strict=True)]
    return Rows("\n".join(texts), spans, unit="blocks") if len(texts) > 1 else None
