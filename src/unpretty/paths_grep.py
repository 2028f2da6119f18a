"""Runs of ``path:12:text`` lines, with context lines and ``--`` separators, grouped under their path."""

from unpretty.paths_lines import is_numbered, match_end

# A run is folded when it gets at least this share shorter; single lines in a row that end a run.
_MIN_GAIN = 0.08
_SINGLES = 3


def owners(lines: "list[str]") -> "list[str]":
    """Return for each line the path that it starts with as a match or a context line, ``""`` for none."""
    found: list[str] = []
    current = ""
    for line in lines:
        if not (current and line.startswith(current) and _continues(line, current)):
            if line != "--" or not current:
                end = match_end(line)
                current = line[:end]
            else:
                found.append("")
                continue
        found.append(current)
    _own_leading_context(lines, found)
    return found


def _continues(line: str, path: str) -> bool:
    end = len(path)
    mark = line[end : end + 1]
    if mark == ":":
        return True
    # `a.py-text` is context of a.py; without a suffix `a-b` is rather another file.
    return mark == "-" and (is_numbered(line, end, "-") or "." in path[max(path.rfind("/"), path.rfind("\\")) + 1 :])


def _own_leading_context(lines: "list[str]", found: "list[str]") -> None:
    """Give context lines before a match to the path of the match, which comes later."""
    following = ""
    for i in range(len(lines) - 1, -1, -1):
        line = lines[i]
        path = found[i]
        if following and path != following and line.startswith(following) and _continues(line, following):
            found[i] = following
        elif path:
            following = path
        elif line != "--":
            following = ""


def fold_run(lines: "list[str]", paths: "list[str]", i: int, out: "list[str]") -> int:
    """Fold the run of lines with a path from line ``i`` on into ``out``; return the index after it, or ``i``."""
    groups, end = _groups(lines, paths, i)
    if not any(last - first > 1 for first, last in groups):
        # Nothing repeats: these lines stay.
        out.extend(lines[i:end])
        return end
    old = sum(map(len, lines[i:end])) + end - i
    folded: list[str] = []
    for number, (first, last) in enumerate(groups):
        path = paths[first]
        if number and folded[-1] != "--":
            folded.append("")
        folded.append(path)
        folded.extend(_rest(line, path) if owner else line for line, owner in zip(lines[first:last], paths[first:last]))
    if end < len(lines):
        folded.append("")
    new = sum(map(len, folded)) + len(folded)
    if old - new < old * _MIN_GAIN:
        out.extend(lines[i:end])
    else:
        out.extend(folded)
    return end


def _groups(lines: "list[str]", paths: "list[str]", i: int) -> "tuple[list[tuple[int, int]], int]":
    """Return the groups (first line, line after) of the run that starts at ``i``, and the line after the run."""
    groups: list[tuple[int, int]] = []
    n = len(lines)
    start = i
    while i < n:
        path = paths[i]
        if path:
            if path != paths[start]:
                groups.append((start, i))
                start = i
        elif not (lines[i] == "--" and i + 1 < n and paths[i + 1]):
            break
        i += 1
    groups.append((start, i))
    return groups, i


def _rest(line: str, path: str) -> str:
    end = len(path)
    return line[end + 1 :] if is_numbered(line, end, line[end]) else line[end:]
