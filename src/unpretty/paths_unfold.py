"""Unfolding: from grouped lines back to one path per line. This is the definition of the folded form."""

from unpretty.paths_lines import group_separator, is_folder, is_heading, is_indented


def unfold_paths(text: str) -> str:
    """Return ``text`` with every path back on its own line: the inverse of ``fold_paths``.

    A path alone on a line, followed by lines that start with ``12:``, ``12-``, ``:`` or ``-``, heads a group; the group
    ends with an empty line, which goes. A folder (``src/``) followed by lines indented by one blank heads a list.
    Other text stays. Linear time, never raises.
    """
    lines = text.split("\n")
    tail = lines.pop() if lines[-1] == "" and len(lines) > 1 else None
    out: list[str] = []
    i = 0
    last = len(lines) - 1
    while i <= last:
        line = lines[i]
        if i < last:
            following = lines[i + 1]
            if is_indented(following) and is_folder(line):
                i = _unfold_list(lines, i, out)
                continue
            if group_separator(following) and is_heading(line):
                i = _unfold_group(lines, i, out)
                continue
        out.append(line)
        i += 1
    if tail is not None:
        out.append(tail)
    return "\n".join(out)


def _unfold_list(lines: "list[str]", i: int, out: "list[str]") -> int:
    """Write the list whose folder is line ``i``; return the index of the first line after it."""
    folder = lines[i]
    i += 1
    while i < len(lines) and is_indented(lines[i]):
        out.append(folder + lines[i][1:])
        i += 1
    return i


def _unfold_group(lines: "list[str]", i: int, out: "list[str]") -> int:
    """Write the groups from the heading at line ``i`` up to an empty line; return the index of the first line after."""
    heading = lines[i]
    i += 1
    while i < len(lines):
        line = lines[i]
        separator = group_separator(line)
        if line == "--":
            out.append(line)
        elif separator:
            out.append(heading + line if separator == "joined" else heading + separator + line)
        elif not line:
            return i + 1
        elif lines[i - 1] == "--" and i + 1 < len(lines) and is_heading(line) and group_separator(lines[i + 1]):
            heading = line
        else:
            return i
        i += 1
    return i
