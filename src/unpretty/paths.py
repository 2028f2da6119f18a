"""Path folding: lines that repeat a path are grouped under it, as ripgrep's heading form does.

``path:12:text`` lines go under ``path`` as ``12:text``, context lines (``path-12-text``) as ``12-text``, ``path:text`` as
``:text``; an empty line ends a group, ``--`` separators stay. Lists of paths go under their folder, indented by one blank.
The text behind a path is never changed. A folding is only used when ``unfold_paths`` gives back the identical text.
"""

_SAMPLES = 64
_LINES = 4
_LONG_LINE = 1000


def may_fold(text: str) -> bool:
    """Tell cheaply whether neighbouring lines of ``text`` share a path, by looking at up to 64 places of the text.

    A stretch of such lines that makes up a fiftieth of the text, or more, is always seen.
    """
    step = max(len(text) // _SAMPLES, 512)
    position = 0
    while True:
        previous = ""
        for _ in range(_LINES):
            end = text.find("\n", position)
            line = text[position : min(end if end >= 0 else len(text), position + _LONG_LINE)]
            if line[:3] == previous[:3] and _share_path(previous, line):
                return True
            if end < 0:
                return False
            previous = line
            position = end + 1
        position = text.find("\n", position + step - _LINES * 40) + 1
        if not position:
            return False


def _share_path(line: str, following: str) -> bool:
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
    """Return ``text`` with every path back on its own line: the inverse of ``fold_paths``. Linear time, never raises."""
    from unpretty.paths_unfold import unfold

    lines, newline, end = _lines(text)
    return newline.join(unfold(lines)) + end


def _lines(text: str) -> "tuple[list[str], str, str]":
    """Return the lines of ``text``, their line end (CRLF when all have it) and the line end after the last one, if any."""
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
