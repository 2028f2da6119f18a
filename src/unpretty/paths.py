"""Path folding: lines that repeat a path are grouped under it, as ripgrep's heading form does.

``path:12:text`` lines go under ``path`` as ``12:text``, context lines (``path-12-text``) as ``12-text``, ``path:text``
as ``:text``; an empty line ends a group, ``--`` separators stay. Lists of paths go under their folder, indented by a
blank. The text behind a path never changes. A folding is only used when ``unfold_paths`` gives back the identical text.
"""

# How many places of a text are looked at, at what distance at least, and how many lines and characters of a line there.
_SAMPLES = 48
_DISTANCE = 300
_LINES = 3
_LONG_LINE = 1000


def may_fold(text: str) -> bool:
    """Tell cheaply whether neighbouring lines of ``text`` share a path, by looking at a few dozen places of it.

    A stretch of such lines that makes up a fortieth of the text or more is seen. Less would hardly pay.
    """
    distance = max(len(text) // _SAMPLES, _DISTANCE)
    position = 0
    while True:
        start = position
        previous = ""
        for _ in range(_LINES):
            end = text.find("\n", position)
            line = text[position : min(end if end >= 0 else len(text), position + _LONG_LINE)]
            if previous and line[:3] == previous[:3] and _share_path(previous, line):
                return True
            if end < 0:
                return False
            previous = line
            position = end + 1
        if position < start + distance:
            position = text.find("\n", start + distance) + 1
            if not position:
                return False


def _share_path(line: str, following: str) -> bool:
    """Tell whether two lines that start alike share a path, or the folder of one."""
    mark = line.find(":", 2)
    slash = line.find("/" if "/" in line else "\\", 0, mark if mark > 0 else len(line))
    # The first part of a path decides most cases: it is the same, and holds no blank.
    first = line[: slash if slash >= 0 else max(mark, 0)]
    if (slash < 0 and mark < 0) or " " in first or not following.startswith(first):
        return False
    from unpretty.paths_lines import folder_end, last_separator, match_end

    end = folder_end(line)
    if not end:
        end = match_end(line)
        end = last_separator(line[:end]) or end
    return end > 0 and line[:end] == following[:end]


def fold_paths(text: str) -> "str | None":
    """Return ``text`` with repeated paths grouped, or ``None`` when nothing is gained or unfolding would not be exact.

    The result is shorter, and ``unfold_paths(result) == text`` has been checked. Linear time, never raises.
    """
    if not may_fold(text):
        return None
    from unpretty.paths_lines import signs

    lines, newline, end = _lines(text)
    result = newline.join(_fold(lines, signs(text.replace("\r\n", "\n")))) + end
    return result if len(result) < len(text) and unfold_paths(result) == text else None


def unfold_paths(text: str) -> str:
    """Return ``text`` with every path back on its own line: the inverse of ``fold_paths``.

    Text that was never folded may change, where it happens to look like a group. Linear time, never raises.
    """
    from unpretty.paths_unfold import unfold

    lines, newline, end = _lines(text)
    return newline.join(unfold(lines)) + end


def _lines(text: str) -> "tuple[list[str], str, str]":
    """Return the lines of ``text``, their line end (CRLF when all have it) and the one after the last line, if any."""
    newline = "\r\n" if "\r" in text and text.count("\r\n") == text.count("\n") else "\n"
    end = newline if text.endswith(newline) else ""
    return (text[: -len(end)] if end else text).split(newline), newline, end


def _fold(lines: "list[str]", marks: str) -> "list[str]":
    from unpretty.paths_list import fold_lists

    if not marks:
        return fold_lists(lines, [""] * len(lines), 0, len(lines), marks)
    from unpretty.paths_grep import fold_stretch, owners, stretches

    paths = owners(lines)
    out: list[str] = []
    i = 0
    for first, last in stretches(lines, paths):
        out += fold_lists(lines, paths, i, first, marks)
        out += fold_stretch(lines, paths, first, last)
        i = last
    return out + fold_lists(lines, paths, i, len(lines), marks)
