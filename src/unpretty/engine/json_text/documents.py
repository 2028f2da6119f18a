"""Finding JSON documents in a text: the whole text, or objects and arrays that begin at the start of a line.

A document may end anywhere, so the text between, before and after documents stays. What fails to
parse stays too, up to where it seems to end: the agent may be looking for exactly that error. Each character is
scanned a bounded number of times, whatever the text.
"""

import time

from unpretty.engine.json_text.scanner import WHITESPACE, InvalidJSON, scan, scan_warily
from unpretty.engine.reason import INVALID_JSON, NOT_JSON, OVER_BUDGET, TOO_DEEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BYTE_ORDER_MARK = "\ufeff"
# What may follow an opening bracket, whitespace aside. Most lines of a log fail here, at no cost.
_OPENINGS = {"{": '"}', "[": '"{[]-0123456789tfn'}


def may_hold_documents(text: str, begin: int = 0) -> bool:
    """False when no line of ``text`` begins with a bracket, nor the whole text after whitespace: a cheap first look.

    ``begin`` is the offset in characters at which the first line begins.
    """
    blank = BYTE_ORDER_MARK + WHITESPACE
    first = text[begin : begin + 64].lstrip(blank)[:1] or text[begin:].lstrip(blank)[:1]
    # Looking for one character first takes a tenth of the time.
    return first in ("{", "[") or ("{" in text and "\n{" in text) or ("[" in text and "\n[" in text)


class Documents:
    """The documents of a text, in order, from the offset ``begin`` (characters) on. Iterate once.

    Attributes:
        reason: why no (further) document was found: NOT_JSON, INVALID_JSON, TOO_DEEP or, when ``time.monotonic()``
            passed ``deadline``, OVER_BUDGET.
    """

    __slots__ = ("_begin", "_deadline", "_next", "_text", "reason")

    def __init__(self, text: str, begin: int = 0, deadline: "float | None" = None) -> None:
        self._text = text
        self._begin = begin
        self._deadline = deadline
        self._next = {"\n{": -2, "\n[": -2}
        self.reason = NOT_JSON

    def __iter__(self) -> "Iterator[tuple[int, int, object]]":
        """Yield (start, end, value): offsets in characters, and the value as ``scanner.scan`` gives it."""
        text = self._text
        read: Callable[[str, int], tuple[object, int]] = scan
        start = self._first()
        while 0 <= start < len(text):
            if self._deadline is not None and time.monotonic() > self._deadline:
                self.reason = OVER_BUDGET
                return
            opening = text[start + 1 : start + 64].lstrip(WHITESPACE)[:1]
            if opening and opening not in _OPENINGS[text[start]]:
                if opening == "/":  # a comment: JSON for people
                    self.reason = INVALID_JSON
                start = self._candidate(start)
                continue
            try:
                value, end = read(text, start)
            except InvalidJSON as exc:
                read = scan_warily
                start = self._after_error(start, exc.pos)
            except RecursionError:
                self.reason = TOO_DEEP
                return
            else:
                if self._stands_alone(start, end):
                    yield start, end, value
                start = self._candidate(end)

    def _first(self) -> int:
        """Where the first document may begin; an indented one only counts when it is the whole text."""
        text = self._text
        start = self._begin + text.startswith(BYTE_ORDER_MARK, self._begin)
        if text[start : start + 1] in ("{", "["):
            return start
        indented = len(text) - len(text[start:].lstrip(WHITESPACE))
        if text[indented : indented + 1] in ("{", "[") and text[indented - 1 : indented] != "\n":
            try:
                _, end = scan(text, indented)
            except (InvalidJSON, RecursionError):
                return self._candidate(start)
            if not text[end:].strip(WHITESPACE):
                return indented
        return self._candidate(start)

    def _candidate(self, position: int) -> int:
        """Start of the first line after ``position`` that begins with a bracket, -1 when there is none."""
        best = -1
        for mark, known in self._next.items():
            # Each mark remembers its next position, so a text without one of them is searched for it only once.
            if known != -1 and known < position:
                known = self._text.find(mark, position)  # noqa: PLW2901
                self._next[mark] = known
            if known != -1 and (best == -1 or known < best):
                best = known
        return best + 1 if best != -1 else -1

    def _stands_alone(self, start: int, end: int) -> bool:
        """False for brackets that are part of a line of prose or code, such as ``[ ] a task`` or ``[1, 2].map(f)``."""
        text = self._text
        body = text[start + 1 : end - 1]
        if not body.strip(WHITESPACE):
            return False
        if text[start] == "{" or "\n" in body:
            return True
        line_end = text.find("\n", end)
        return not text[end : line_end if line_end != -1 else len(text)].strip(WHITESPACE)

    def _after_error(self, start: int, pos: int) -> int:
        """The next candidate after a document that fails to parse at ``pos``."""
        text = self._text
        if pos < 0:  # NaN or Infinity: the scanner does not say where
            self.reason = INVALID_JSON
            return -1
        line_end = text.find("\n", start)
        if line_end == -1 or pos <= line_end:
            opening = text[start + 1 : start + 64].lstrip(WHITESPACE)[:1]
            if opening == '"' or (opening in ("{", "[") and text[start] == "["):
                self.reason = INVALID_JSON
            return self._candidate(line_end) if line_end != -1 else -1
        self.reason = INVALID_JSON
        return self._candidate(self._end_of_broken(pos))

    def _end_of_broken(self, pos: int) -> int:
        """Where a document that breaks off at ``pos`` ends: after its closing line, or before a line of other text."""
        text = self._text
        position = text.rfind("\n", 0, pos) + 1
        while position < len(text):
            first = text[position]
            line_end = text.find("\n", position)
            if first in "}]":
                return line_end if line_end != -1 else len(text)
            if first not in ' \t\r\n{["-0123456789,:':
                return position - 1
            if line_end == -1:
                break
            position = line_end + 1
        return len(text)
