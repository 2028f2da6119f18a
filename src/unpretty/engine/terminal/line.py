"""One line of a screen: text and movements in, what it shows at the end out."""

from unpretty.engine.terminal.codes import ESC, tokens
from unpretty.engine.terminal.progress import WIDTH, columns, is_document, may_hide

# Characters outside ASCII that every terminal draws in exactly one column: Latin, Greek, Cyrillic, dashes, arrows, box
# drawing, blocks, spinners and the signs of progress bars. All others are "odd": terminals differ on their width.
_NARROW = (
    ("\xa0", "\xac"), ("\xae", "\u02ff"), ("\u0370", "\u0377"), ("\u037a", "\u037f"), ("\u0384", "\u038a"),
    ("\u038e", "\u03a1"), ("\u03a3", "\u0482"), ("\u048a", "\u052f"), ("\u2010", "\u2027"), ("\u2030", "\u205e"),
    ("\u20a0", "\u20bf"), ("\u2100", "\u218b"), ("\u2190", "\u2319"), ("\u2500", "\u25fc"), ("\u25ff", "\u2613"),
    ("\u2713", "\u2727"), ("\u2729", "\u274b"), ("\u2800", "\u28ff"),
)  # fmt: skip


# Each goes to the left edge of an emptied line: what it showed before does not matter.
_LEFT = ("\r", ESC + "[G", ESC + "[1G")
_RESTARTS = tuple(
    [left + erase for left in _LEFT for erase in (ESC + "[K", ESC + "[0K", ESC + "[2K")]
    + [ESC + "[2K" + left for left in _LEFT]
)


def show(text: str) -> "str | None":
    """Return what a line shows after ``text``, which ``strip_codes`` gave and which holds no movement between lines.

    Returns ``None`` when columns are not known exactly, when text would vanish that was neither progress nor erased by
    a code, or when erasing and filling take more than a few times the work that writing took.
    """
    size = len(text)
    for code in _RESTARTS:
        text = text.replace(code, "\n")
    *erased, rest = text.split("\n")
    if not all(_may_erase(part, size) for part in set(erased)):
        return None
    if "\b" in rest or ESC in rest:
        return _play(rest, size, edited=bool(erased))
    runs = rest.split("\r")
    if not _may_hide_all(runs):
        return None
    narrow = len(runs) == 1 or is_narrow(rest.replace("\r", ""))
    shown = runs[-1]
    for i in range(len(runs) - 2, -1, -1):  # the last run hides what the ones before it wrote
        if narrow:
            shown += runs[i][len(shown) :]
            continue
        both = _overlaid(runs[i], shown)
        if both is None:
            return None
        shown = both
    return shown.rstrip(" ") if erased or len(runs) > 1 else shown


def _may_erase(text: str, size: int) -> bool:
    """Tell whether ``text``, which an erase code removed, was all on one row and hid nothing that must stay."""
    if "\b" in text or ESC in text:
        shown = _play(text, size, edited=True)
        return shown is not None and columns(shown) <= WIDTH and not is_document(shown)
    runs = text.split("\r")
    last = next((run for run in reversed(runs) if run), "")
    return columns(last) <= WIDTH and not is_document(last) and _may_hide_all(runs)


def _may_hide_all(runs: "list[str]") -> bool:
    """Tell whether each of ``runs``, all written from the left edge, may be hidden by the next one."""
    runs = [run for run in runs if run]
    known = False
    for lost, new in zip(runs, runs[1:], strict=False):
        if columns(lost) > WIDTH:
            return False
        if lost.strip(" "):
            may, known = may_hide(lost, new, known)
            if not may:
                return False
    return True


def _overlaid(under: str, over: str) -> "str | None":
    """Return what a line shows after ``under`` and then ``over`` were written from its left edge.

    As far as both are the same, how wide their characters are does not matter. ``None`` when it does.
    """
    same = 0
    for a, b in zip(under, over, strict=False):
        if a != b:
            break
        same += 1
    hidden = under[same:]
    if not is_narrow(hidden) or not is_narrow(over[same : same + len(hidden)]):
        return None
    return over + hidden[len(over) - same :]


def _play(text: str, size: int, *, edited: bool) -> "str | None":
    line = Line(size, [8 * size + 64])
    for token in tokens(text):
        if not (line.write(token) if isinstance(token, str) else line.move(*token)):
            return None
    line.edited = line.edited or edited
    return line.shown()


class Line:
    """Cells of a line, one character each, and the column of the cursor.

    ``odd`` says that a tab or a character of unknown width is in the line: then the column is known only at the
    left edge and at the end of the text, and only writing at the end and starting over are exact; ``column`` is -1 when
    it is not known at all. ``edited`` says that something was written over or erased: blanks at the end then have no
    meaning. ``budget`` holds the number of cells that may still be filled or shifted, so that hostile text costs no
    more than linear time. Cells before ``end`` hold text that nothing was written over yet; after it is the rest
    of texts that were already found to be progress. ``known`` says that the last text hid a state of the same thing,
    ``redrawn`` that a code erased what came after it.
    """

    __slots__ = ("budget", "cells", "column", "edited", "end", "known", "limit", "odd", "redrawn")

    def __init__(self, limit: int, budget: "list[int]") -> None:
        self.cells: list[str] = []
        self.column = 0
        self.limit = limit
        self.budget = budget
        self.odd = False
        self.edited = False
        self.end = 0
        self.known = self.redrawn = False

    def shown(self) -> str:
        """Return the text of the line; when it was edited without blanks at its end."""
        text = "".join(self.cells)
        return text.rstrip(" ") if self.edited else text

    def write(self, text: str) -> bool:
        """Write ``text``, which may hold carriage returns and backspaces, at the cursor; ``False`` when it cannot."""
        for i, part in enumerate(text.split("\r")):
            if i:
                self._return()
            if "\b" in part:
                for j, run in enumerate(part.split("\b")):
                    if j and not self._step_back(run[:1]):
                        return False
                    if run and not self._put(run):
                        return False
            elif part and not self._put(part):
                return False
        return True

    def move(self, final: str, number: int) -> bool:
        """Carry out one movement or erasure inside the line; ``False`` when it cannot be done exactly."""
        count = number or 1
        if final in "KJ" and number == 0:
            return self._erase_right()
        if final == "K" and number == 2:
            return self._erase_all()
        if final in "G`" and count == 1:
            self._return()
        elif self.odd:
            return False
        elif final == "D":
            self.column = max(0, self.column - count)
        elif final in "Ca":
            self.column += count
        elif final in "G`":
            self.column = count - 1
        else:
            return self._change(final, count)
        return True

    def _return(self) -> None:
        self.column = 0
        self.odd = self.odd and bool(self.cells)

    def _step_back(self, following: str) -> bool:
        """Go back by one column; a bold, underlined or bullet character of nroff hides none."""
        if not self.move("D", 1):
            return False
        if following and self.column == self.end - 1:
            struck = self.cells[self.column] + following
            if struck[0] in ("_", following) or struck == "+o":
                self.end = self.column
        return True

    def _put(self, run: str) -> bool:
        cells, column = self.cells, self.column
        odd = not is_narrow(run)
        if column < len(cells):
            if odd or self.odd or len(cells) > WIDTH or not self._may_hide(run):
                return False
            self.edited = True
        elif column > len(cells):
            gap = column - len(cells)
            if odd or self.odd or column > self.limit or not self._afford(gap):
                return False
            cells.extend(" " * gap)
        self.odd = self.odd or odd
        self.column = column + len(run)
        cells[column : self.column] = run
        self.end = max(self.end, self.column)
        self.redrawn = False
        return True

    def _may_hide(self, run: str) -> bool:
        """Tell whether ``run`` may be written over what is at the cursor."""
        hidden = self.cells[self.column : self.end]
        if "".join(hidden[: len(run)]).strip(" "):
            may, self.known = may_hide("".join(hidden), run, self.known, self.redrawn)
            self.end = self.column
            return may
        return True

    def _erase_right(self) -> bool:
        self.redrawn = True
        if not self.cells or self.column >= len(self.cells):
            return True
        if not self._may_erase():
            return False
        self.edited = True  # with odd characters the column is the left edge here
        del self.cells[self.column :]
        self.end = min(self.end, self.column)
        self.odd = False
        return True

    def _erase_all(self) -> bool:
        """Erase the line; the cursor keeps its column, which is not known after odd characters."""
        if not self._may_erase():
            return False
        self.edited = self.edited or bool(self.cells)
        self.cells.clear()
        self.end = 0
        if self.odd and self.column:
            self.column = -1
        else:
            self.odd = False
        return True

    def _change(self, final: str, count: int) -> bool:
        """Erase to the left (EL 1), erase (ECH), delete (DCH) or insert (ICH) characters."""
        cells, column = self.cells, self.column
        if not self._may_erase():
            return False
        self.edited = True
        self.end = len(cells) + (count if final == "@" else 0)  # no less than what is judged
        if final == "K":
            end = min(column + 1, len(cells))
            cells[:end] = " " * end
            return self._afford(end)
        count = min(count, len(cells) - column) if final != "@" else count
        if column >= len(cells):
            return True
        if not self._afford(len(cells) - column + count):
            return False
        if final == "@":
            cells[column:column] = " " * count
        elif final == "P":
            del cells[column : column + count]
        else:
            cells[column : column + count] = " " * count
        return True

    def _may_erase(self) -> bool:
        text = "".join(self.cells[: WIDTH + 1])
        return columns(text) <= WIDTH and not is_document(text)

    def _afford(self, cells: int) -> bool:
        self.budget[0] -= cells
        return self.budget[0] >= 0


def is_narrow(run: str) -> bool:
    """Tell whether every character of ``run`` takes exactly one column on every terminal. A tab does not."""
    if run.isascii():
        return "\t" not in run
    return all((c <= "\x7e" and c != "\t") or _is_narrow_sign(c) for c in set(run))


def _is_narrow_sign(char: str) -> bool:
    return any(low <= char <= high for low, high in _NARROW)
