"""Path folding: lines that repeat a path are grouped under it, as ripgrep's heading form does.

``path:12:text`` lines go under ``path`` as ``12:text``, context lines (``path-12-text``) as ``12-text``, ``path:text``
as ``:text``; an empty line ends a group, ``--`` separators stay. Lists of paths go under their directory, indented by a
blank. The text after a path never changes. A folding is only used when ``unfold_paths`` gives back the identical text.
"""

# How many positions of a text are looked at, how many pairs of lines at each, and how many characters of a line.
_SAMPLES = 48
_PAIRS = 2
_LONG_LINE = 1000


def may_fold(text: str) -> bool:
    """Tell cheaply whether neighbouring lines of ``text`` share a path, by looking at a few dozen positions of it.

    A stretch of such lines is always seen when it is longer than a 48th of the text by three lines.
    """
    distance = len(text) // _SAMPLES
    position = 0
    while True:
        start = position
        for _ in range(_PAIRS):
            following = text.find("\n", position) + 1
            if not following:
                return False
            if text[position : position + 3] == text[following : following + 3] and _share_path(
                text[position : min(following - 1, position + _LONG_LINE)], text[following : following + _LONG_LINE]
            ):
                return True
            position = following
        if position < start + distance:
            position = text.find("\n", start + distance) + 1
            if not position:
                return False


def _share_path(line: str, following: str) -> bool:
    """Tell whether two lines that start alike share a path, or a directory."""
    mark = line.find(":", 2)
    slash = line.find("/" if "/" in line else "\\", 0, mark if mark > 0 else len(line))
    # The first part of a path decides most cases: it is the same, and holds no blank.
    first = line[: slash if slash >= 0 else max(mark, 0)]
    if (slash < 0 and mark < 0) or " " in first or not following.startswith(first):
        return False
    from unpretty.engine.paths.lines import folder_end, last_separator, match_end

    end = folder_end(line) or match_end(line)
    while end and line[:end] != following[:end]:
        end = last_separator(line[:end])
    return end > 0


def fold_paths(text: str) -> "str | None":
    """Return ``text`` with repeated paths grouped, or ``None`` when nothing is gained or unfolding would not be exact.

    The result is shorter, and ``unfold_paths(result) == text`` has been checked. Linear time, never raises.
    """
    if not may_fold(text):
        return None
    from unpretty.engine.paths.lines import signs

    lines, newline, end = _lines(text)
    result = newline.join(_fold(lines, signs(text.replace("\r\n", "\n")))) + end
    return result if len(result) < len(text) and unfold_paths(result) == text else None


def unfold_paths(text: str) -> str:
    """Return ``text`` with every path back on its own line: the inverse of ``fold_paths``.

    Text that was never folded may change, where it happens to look like a group. Linear time, never raises.
    """
    from unpretty.engine.paths.unfold import unfold

    lines, newline, end = _lines(text)
    return newline.join(unfold(lines)) + end


def _lines(text: str) -> "tuple[list[str], str, str]":
    """Return the lines of ``text``, their line end (CRLF when all have it) and the one after the last line, if any."""
    newline = "\r\n" if "\r" in text and text.count("\r\n") == text.count("\n") else "\n"
    end = newline if text.endswith(newline) else ""
    return (text[: -len(end)] if end else text).split(newline), newline, end


def _fold(lines: "list[str]", marks: str) -> "list[str]":
    from unpretty.engine.paths.lists import fold_lists

    if not marks:
        return fold_lists(lines, [""] * len(lines), 0, len(lines), marks)
    from unpretty.engine.paths.grep import fold_stretch, owners, stretches

    paths = owners(lines)
    out: list[str] = []
    i = 0
    for first, last in stretches(lines, paths):
        out += fold_lists(lines, paths, i, first, marks)
        out += fold_stretch(lines, paths, first, last)
        i = last
    return out + fold_lists(lines, paths, i, len(lines), marks)
