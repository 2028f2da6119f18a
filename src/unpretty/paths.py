"""Path folding: lines that repeat a path are grouped under it, as ripgrep's heading form does.

``path:12:text`` lines go under ``path`` as ``12:text``, context lines (``path-12-text``) as ``12-text``, ``path:text`` as
``:text``; an empty line ends a group, ``--`` separators stay. Lists of paths go under their folder, indented by one blank.
The text behind a path is never changed. A folding is only used when ``unfold_paths`` gives back the identical text.
"""

from unpretty.paths_grep import fold_run, owners
from unpretty.paths_lines import folder_end, match_end
from unpretty.paths_list import fold_list
from unpretty.paths_unfold import unfold_paths

__all__ = ["fold_paths", "may_fold", "unfold_paths"]


def may_fold(text: str) -> bool:
    """Tell cheaply whether neighbouring lines of ``text`` share a path, by looking at up to 64 places of the text.

    A stretch of lines that makes up a 64th of the text or more is always seen.
    """
    if "/" not in text and ":" not in text and "\\" not in text:
        return False
    step = max(len(text) // 64, 256)
    position = 0
    while position < len(text):
        end = position
        previous = ""
        for _ in range(4):
            start, end = end, text.find("\n", end) + 1
            if not end:
                break
            line = text[start : end - 1] if end - start < 2000 else ""
            if line[:4] == previous[:4] and line and _share_path(previous, line):
                return True
            previous = line
        if not end:
            break
        position = max(end, position + step)
        position = text.find("\n", position) + 1 if position > end else position
        if not position:
            break
    return False


def _share_path(line: str, following: str) -> bool:
    end = folder_end(line) or match_end(line)
    return end > 0 and line[:end] == following[:end]


def fold_paths(text: str) -> "str | None":
    """Return ``text`` with repeated paths grouped, or ``None`` when nothing is gained or unfolding would not be exact.

    The result is shorter, and ``unfold_paths(result) == text`` has been checked. Linear time, never raises.
    """
    if not may_fold(text):
        return None
    lines = text.split("\n")
    tail = lines.pop() if lines[-1] == "" else None
    folded = _fold(lines)
    if tail is not None:
        folded.append(tail)
    result = "\n".join(folded)
    if len(result) >= len(text) or unfold_paths(result) != text:
        return None
    return result


def _fold(lines: "list[str]") -> "list[str]":
    paths = owners(lines)
    out: list[str] = []
    i = 0
    while i < len(lines):
        after = fold_run(lines, paths, i, out) if paths[i] else fold_list(lines, i, out)
        if after == i:
            out.append(lines[i])
            after += 1
        i = after
    return out
