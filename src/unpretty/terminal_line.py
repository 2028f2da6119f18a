"""One line of a screen: text and movements in, what stands there at the end out."""

# Characters outside ASCII that every terminal draws in exactly one column: Latin, Greek, Cyrillic, the dashes, arrows,
# box drawing, block elements, spinners and signs of progress bars. All others are "odd": their width is in doubt.
_NARROW = (
    ("\xa0", "\xac"), ("\xae", "\u02ff"), ("\u0370", "\u0377"), ("\u037a", "\u037f"), ("\u0384", "\u038a"),
    ("\u038e", "\u03a1"), ("\u03a3", "\u0482"), ("\u048a", "\u052f"), ("\u2010", "\u2027"), ("\u2030", "\u205e"),
    ("\u20a0", "\u20bf"), ("\u2100", "\u218b"), ("\u2190", "\u2319"), ("\u2500", "\u25fc"), ("\u25ff", "\u2613"),
    ("\u2713", "\u2727"), ("\u2729", "\u274b"), ("\u2800", "\u28ff"),
)  # fmt: skip


def edit(tokens: "list[str | tuple[str, int]]", limit: int) -> "str | None":
    """Play text and movements on an empty line and return what stands there, without blanks at the end.

    ``limit`` is the length of the source line in characters. Returns ``None`` when columns cannot be told exactly, when
    the line would grow, or when erasing and filling take more than a few times the work that writing took.
    """
    line = _Line(limit)
    for token in tokens:
        done = line.write(token) if isinstance(token, str) else line.move(*token)
        if not done:
            return None
    return "".join(line.cells).rstrip(" ")


class _Line:
    """Cells of a line and the column of the cursor.

    ``odd`` says that a character of unknown width, or a tab, is or was there: then the column is only known at the left
    edge and at the end of the text, and only writing at the end and starting over are exact.
    """

    __slots__ = ("cells", "column", "limit", "odd", "work")

    def __init__(self, limit: int) -> None:
        self.cells: list[str] = []
        self.column = 0
        self.limit = limit
        self.odd = False
        self.work = 8 * limit + 64

    def write(self, text: str) -> bool:
        """Write ``text``, which may hold carriage returns, backspaces and bells, at the cursor."""
        for i, part in enumerate(text.replace("\a", "").split("\r")):
            if i:
                self.column = 0
                self.odd = self.odd and bool(self.cells)
            for j, run in enumerate(part.split("\b")):
                if j and not self.move("D", 1):
                    return False
                if run and not self._put(run):
                    return False
        return True

    def _put(self, run: str) -> bool:
        cells, column = self.cells, self.column
        odd = not _is_narrow(run)
        if (odd or self.odd) and column != len(cells):
            return False
        if column > len(cells):
            if column > self.limit or not self._charge(column - len(cells)):
                return False
            cells.extend(" " * (column - len(cells)))
        self.odd = self.odd or odd
        self.column = column + len(run)
        cells[column : self.column] = run
        return True

    def move(self, final: str, number: int) -> bool:
        """Carry out one movement or erasure; ``False`` when it cannot be done exactly."""
        at_end = self.column == len(self.cells)
        count = number or 1
        if final in "KJ" and number == 0:
            if self.column == 0:
                self.cells.clear()
                self.odd = False
            elif not at_end:
                if self.odd:
                    return False
                del self.cells[self.column :]
            return True
        if final in "G`" and count == 1:
            return self.write("\r")
        if final == "K" and number == 2:
            self.cells.clear()
            # The column stays; with odd characters it is unknown until the cursor goes to the left edge.
            if not self.odd or self.column == 0:
                self.odd = False
                return True
            self.column = -1
            return True
        if self.odd:
            return False
        if final == "D":
            self.column = max(0, self.column - count)
        elif final in "Ca":
            self.column += count
        elif final in "G`":
            self.column = count - 1
        else:
            return self._change(final, count)
        return True

    def _change(self, final: str, count: int) -> bool:
        """Erase to the left (EL 1), erase (ECH), delete (DCH) or insert (ICH) characters."""
        cells, column = self.cells, self.column
        if column >= len(cells) and final != "K":
            return True
        if final == "K":
            end = min(column + 1, len(cells))
            cells[:end] = " " * end
            return self._charge(end)
        if final == "X":
            end = min(column + count, len(cells))
            cells[column:end] = " " * (end - column)
            return self._charge(end - column)
        if not self._charge(len(cells) - column) or (final == "@" and count > self.limit):
            return False
        if final == "P":
            del cells[column : column + count]
        else:
            cells[column:column] = " " * count
        return self._charge(count)

    def _charge(self, cells: int) -> bool:
        self.work -= cells
        return self.work >= 0


def _is_narrow(run: str) -> bool:
    if run.isascii():
        return "\t" not in run
    return all(c <= "\x7e" and c != "\t" or _in_narrow(c) for c in set(run))


def _in_narrow(char: str) -> bool:
    return any(low <= char <= high for low, high in _NARROW)
