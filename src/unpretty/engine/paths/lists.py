"""Lists of paths grouped under their folder, each path indented by one blank below it."""

from unpretty.engine.paths.lines import folder_end, has_any, is_indented, last_separator

# What a heading costs beside its own characters, as characters: the line break is a token of its own, while the blank
# before a name is part of the name's token.
_HEADING_COST = 4


class _Group:
    """Neighbouring lines, from ``first`` to ``last`` (exclusive), that lie below ``folder``; ``""`` for none.

    ``saved`` is the number of characters that a heading saves, 0 or less when the lines are better left alone.
    """

    __slots__ = ("first", "folder", "last", "saved")

    def __init__(self, first: int, last: int, folder: str) -> None:
        self.first = first
        self.last = last
        self.folder = folder
        self.saved = (last - first - 1) * len(folder) - _HEADING_COST


def fold_lists(lines: "list[str]", paths: "list[str]", first: int, last: int, marks: str) -> "list[str]":
    """Return the lines from ``first`` to ``last`` (exclusive), neighbours that share a folder grouped.

    ``paths`` holds the path that a line starts with, for lines that hold more than a path; ``marks`` are the
    ``signs`` of the text.
    """
    out: list[str] = []
    for group in _groups(lines, paths, first, last, marks):
        part = lines[group.first : group.last]
        # An indented line below a list would read as a part of it.
        followed = group.last < len(lines) and is_indented(lines[group.last])
        if group.saved > len(part) and not followed:
            end = len(group.folder)
            out.append(group.folder)
            part = [" " + line[end:] for line in part]
        out.extend(part)
    return out


def _groups(lines: "list[str]", paths: "list[str]", i: int, last: int, marks: str) -> "list[_Group]":
    """Cut the lines into groups, so that headings and lines together take about the fewest characters."""
    groups: list[_Group] = []
    while i < last:
        path = paths[i]
        line = lines[i]
        first = i
        i += 1
        end = last_separator(path) if path else folder_end(line)
        folder = line[:end]
        if not end:
            while i < last and not paths[i] and not folder_end(lines[i]):
                i += 1
        elif not path:
            mark = folder[-1]
            while i < last and (line := lines[i]).startswith(folder) and line.find(mark, end, -1) < 0:
                if marks and (paths[i] or (has_any(line, marks) and not folder_end(line))):
                    break
                i += 1
        groups.append(_Group(first, i, folder))
        _join(groups)
    return groups


def _join(groups: "list[_Group]") -> None:
    """Join the last group with the one before it as long as one heading for both saves more."""
    while len(groups) > 1 and groups[-1].folder and groups[-2].folder:
        before, after = groups[-2:]
        folder = before.folder
        while folder and not after.folder.startswith(folder):
            folder = folder[: last_separator(folder)]
        joined = _Group(before.first, after.last, folder)
        if joined.saved <= max(0, before.saved) + max(0, after.saved):
            return
        groups[-2:] = [joined]
