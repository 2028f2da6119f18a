"""Output that goes back to earlier lines, as several progress bars below each other do: a small screen.

What a real terminal shows depends on its width and height, which are not known. So a movement counts as certain only
when it crosses lines that fit any terminal, stays below the first line of the text, and never goes below the last.
"""

from unpretty.engine.terminal.codes import VERTICAL, Undecidable, tokens
from unpretty.engine.terminal.line import Line, is_narrow
from unpretty.engine.terminal.progress import is_document

_NARROWEST = 80  # columns; a longer line may take two rows of the terminal, and "one up" then is half a line up
_WIDEST_GAP = 200  # columns that a movement to the right may leave blank


def play(text: str) -> str:
    """Return what a screen shows after ``text``, which ``strip_codes`` gave, without blank lines below the cursor.

    Raises:
        Undecidable: it depends on the size of the screen, or on how wide characters are drawn.
    """
    screen = _Screen(8 * len(text) + 64)
    for i, line in enumerate(text.split("\n")):
        if i:
            screen.new_line()
        screen.play_line(line)
    return screen.shown()


class _Screen:
    """Rows, each a text as long as nothing in it moves, and the row of the cursor."""

    __slots__ = ("budget", "ends", "row", "rows", "too_wide")

    def __init__(self, budget: int) -> None:
        self.rows: list[str | Line] = [""]
        self.ends = [""]  # "\r" where the row ended with it
        self.row = 0
        self.budget = [budget]
        self.too_wide = -1  # the lowest row that may take more than one row of a terminal

    def new_line(self) -> None:
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append("")
            self.ends.append("")
        else:
            self._line().column = 0

    def play_line(self, text: str) -> None:
        body = text[:-1] if text[-1:] == "\r" else text
        self._play(body)
        self.ends[self.row] = text[len(body) :]

    def _play(self, body: str) -> None:
        if self.rows[self.row] == "" and body.isprintable():
            self.rows[self.row] = body
            self._note_width(body)
            return
        for part in tokens(body):
            line = self._line()
            if isinstance(part, str):
                done = line.write(part)
                self._note_width(line.cells)
            elif part[0] in VERTICAL:
                done = self._go(line, *part)
            else:
                done = line.move(*part)
                if part[0] == "J":
                    done = done and self._clear_below()
            if not done:
                raise Undecidable

    def _line(self) -> Line:
        """Return the cursor's row in its editable form."""
        row = self.rows[self.row]
        if isinstance(row, Line):
            return row
        line = Line(_WIDEST_GAP, self.budget)
        line.write(row)
        self.rows[self.row] = line
        return line

    def _note_width(self, text: "str | list[str]") -> None:
        if len(text) >= _NARROWEST:
            self.too_wide = max(self.too_wide, self.row)

    def _go(self, line: Line, final: str, number: int) -> bool:
        """Move up or down; ``False`` when it is not certain where that is."""
        step = (number or 1) * (-1 if final in "AF" else 1)
        target = self.row + step
        column = 0 if final in "EF" else line.column
        upper = min(target, self.row)
        self.budget[0] -= abs(step)
        if target < 0 or target >= len(self.rows) or upper <= self.too_wide or self.budget[0] < 0:
            return False
        if not all(_is_certain(row) for row in self.rows[upper : max(target, self.row) + 1]):
            return False
        self.row = target
        self._line().column = column
        return True

    def _clear_below(self) -> bool:
        """Clear the rows below the cursor; ``False`` when one is a document, or that costs too much."""
        below = self.rows[self.row + 1 :]
        self.budget[0] -= len(below)
        if self.budget[0] < 0 or any(is_document(row if isinstance(row, str) else row.shown()) for row in below):
            return False
        self.rows[self.row + 1 :] = [""] * len(below)
        return True

    def shown(self) -> str:
        texts = [row if isinstance(row, str) else row.shown() for row in self.rows]
        last = len(texts) - 1
        while last > self.row and not texts[last].strip(" "):
            last -= 1
        texts, ends = texts[: last + 1], self.ends[: last + 1]
        return "\n".join([text + end for text, end in zip(texts, ends, strict=True)])


def _is_certain(row: "str | Line") -> bool:
    return is_narrow(row) if isinstance(row, str) else not row.odd
