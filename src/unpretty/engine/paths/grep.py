"""Runs of ``path:12:text`` lines, with context lines and ``--`` separators, grouped under their path."""

from unpretty.engine.paths.lines import is_numbered, match_end

# Lines with a path of their own that are still put under headings when they are between groups.
_SINGLES = 2
# A stretch is folded when at least this share of the bytes that its paths take goes.
_MIN_GAIN = 0.25


def owners(lines: "list[str]") -> "list[str]":
    """Return for each line the path that it starts with, as a match or as a context line, ``""`` for none."""
    found: list[str] = []
    current = ""
    for line in lines:
        if current and line.startswith(current) and _continues(line, current):
            found.append(current)
        elif ":" in line:
            current = line[: match_end(line)]
            found.append(current)
        else:
            current = current if line == "--" else ""
            found.append("")
    _own_leading_context(lines, found)
    return found


def _continues(line: str, path: str) -> bool:
    """Tell whether ``line``, which starts with ``path``, is a match or a context line of it."""
    end = len(path)
    mark = line[end : end + 1]
    if mark == ":":
        return True
    # `a.py-text` is context of a.py; when the name has no suffix `a-b` is rather another file.
    return mark == "-" and (is_numbered(line, end, "-") or "." in path[max(path.rfind("/"), path.rfind("\\")) + 1 :])


def _own_leading_context(lines: "list[str]", found: "list[str]") -> None:
    """Give context lines that come before a match to the path of that match."""
    following = ""
    for i in range(len(lines) - 1, -1, -1):
        path = found[i]
        if path and path == following:
            continue
        line = lines[i]
        if following and line.startswith(following) and _continues(line, following):
            found[i] = following
        elif line != "--":
            following = path


def stretches(lines: "list[str]", paths: "list[str]") -> "list[tuple[int, int]]":
    """Return the stretches (first line, line after) that are worth folding under headings, in order."""
    found: list[tuple[int, int]] = []
    i = 0
    while i < len(lines):
        if not paths[i]:
            i += 1
            continue
        groups, i = _groups(lines, paths, i)
        found.extend(_worthy(groups, paths))
    return found


def _groups(lines: "list[str]", paths: "list[str]", i: int) -> "tuple[list[tuple[int, int, int]], int]":
    """Return the groups (first line, line after, lines with the path) of the run from ``i`` on, and the run's end."""
    groups: list[tuple[int, int, int]] = []
    start, count = i, 0
    while i < len(lines):
        path = paths[i]
        if path:
            if path != paths[start]:
                groups.append((start, i, count))
                start, count = i, 0
            count += 1
        elif lines[i] != "--" or not (i + 1 < len(lines) and paths[i + 1]):
            break
        i += 1
    groups.append((start, i, count))
    return groups, i


def _worthy(groups: "list[tuple[int, int, int]]", paths: "list[str]") -> "list[tuple[int, int]]":
    """Cut a run where several paths in a row come only once, and keep the parts that become shorter by enough."""
    found = []
    begin = last = -1
    for number, (_, _, count) in enumerate(groups):
        if count < 2:
            continue
        if begin >= 0 and number - last > _SINGLES + 1:
            found.append(groups[begin : last + 1])
            begin = -1
        begin = number if begin < 0 else begin
        last = number
    if begin >= 0:
        found.append(groups[begin : last + 1])
    return [(part[0][0], part[-1][1]) for part in found if _gains(part, paths)]


def _gains(groups: "list[tuple[int, int, int]]", paths: "list[str]") -> bool:
    old = sum([(len(paths[first]) + 1) * count for first, _, count in groups])
    new = sum([len(paths[first]) + 2 for first, _, _ in groups])
    return old - new >= _MIN_GAIN * old


def fold_stretch(lines: "list[str]", paths: "list[str]", first: int, last: int) -> "list[str]":
    """Return the lines from ``first`` to ``last`` (exclusive), each group under its path."""
    out: list[str] = []
    heading = ""
    for i in range(first, last):
        line = lines[i]
        path = paths[i]
        if not path:
            out.append(line)
            continue
        if path != heading:
            # A separator between two files replaces the empty line.
            if heading and lines[i - 1] != "--":
                out.append("")
            out.append(path)
            heading = path
        end = len(path)
        out.append(line[end + 1 :] if is_numbered(line, end, line[end]) else line[end:])
    if last < len(lines):
        out.append("")
    return out
