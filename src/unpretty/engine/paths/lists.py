"""Lists of paths grouped under their directory, each path indented by one blank below it."""

from unpretty.engine.paths.lines import folder_end, has_any, is_indented, last_separator

# What a heading costs apart from its own characters, in characters: the line break is a token of its own, the blank
# before a name is part of the name's token.
_HEADING_COST = 4


class _Group:
    """Neighbouring lines, from ``first`` to ``last`` (exclusive), that lie below ``directory``; ``""`` for none.

    ``saved`` is the number of characters that a heading saves, 0 or less when the lines are better left alone.
    """

    __slots__ = ("directory", "first", "last", "saved")

    def __init__(self, first: int, last: int, directory: str) -> None:
        self.first = first
        self.last = last
        self.directory = directory
        self.saved = (last - first - 1) * len(directory) - _HEADING_COST


def fold_lists(lines: "list[str]", paths: "list[str]", first: int, last: int, marks: str) -> "list[str]":
    """Return the lines from ``first`` to ``last`` (exclusive), neighbours that share a directory grouped.

    ``paths`` holds the path that a line starts with, for lines that hold more than a path; ``marks`` are the
    ``signs`` of the text.
    """
    out: list[str] = []
    for group in _groups(lines, paths, first, last, marks):
        part = lines[group.first : group.last]
        # An indented line below a list would read as a part of it.
        followed = group.last < len(lines) and is_indented(lines[group.last])
        if group.saved > len(part) and not followed:
            end = len(group.directory)
            out.append(group.directory)
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
        directory = line[:end]
        if not end:
            while i < last and not paths[i] and not folder_end(lines[i]):
                i += 1
        elif not path:
            mark = directory[-1]
            while i < last and (line := lines[i]).startswith(directory) and line.find(mark, end, -1) < 0:
                if marks and (paths[i] or (has_any(line, marks) and not folder_end(line))):
                    break
                i += 1
        groups.append(_Group(first, i, directory))
        _join(groups)
    return groups


def _join(groups: "list[_Group]") -> None:
    """Join the last group with the one before it as long as one heading for both saves more."""
    while len(groups) > 1 and groups[-1].directory and groups[-2].directory:
        before, after = groups[-2:]
        directory = before.directory
        while directory and not after.directory.startswith(directory):
            directory = directory[: last_separator(directory)]
        joined = _Group(before.first, after.last, directory)
        if joined.saved <= max(0, before.saved) + max(0, after.saved):
            return
        groups[-2:] = [joined]
