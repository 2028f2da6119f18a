"""Unfolding: from grouped lines back to one path per line. This defines the folded form."""

from unpretty.engine.paths.lines import NO_NAME, group_separator, is_folder, is_heading, is_indented

_GROUP_STARTS = ":-0123456789"


def unfold(lines: "list[str]") -> "list[str]":
    """Return ``lines`` with every path back on its own line.

    A path alone on a line, followed by lines that start with ``12:``, ``12-``, ``:`` or ``-``, heads a group; an empty
    line ends the group and goes. A directory (``src/``) followed by lines indented by one blank heads a list. The rest
    stays.
    """
    out: list[str] = []
    i = 0
    last = len(lines) - 1
    while i < last:
        line = lines[i]
        first = lines[i + 1][:1]
        if first == " " and is_indented(lines[i + 1]) and is_folder(line):
            i = _unfold_list(lines, i, out)
        elif first and first in _GROUP_STARTS and group_separator(lines[i + 1]) and is_heading(line):
            i = _unfold_group(lines, i, out)
        else:
            out.append(line)
            i += 1
    return out + lines[i:]


def _unfold_list(lines: "list[str]", i: int, out: "list[str]") -> int:
    """Write the list whose directory is line ``i``; return the index of the first line after it."""
    directory = lines[i]
    for j in range(i + 1, len(lines)):
        line = lines[j]
        if line[:1] != " " or line[1:2] in NO_NAME:  # `is_indented`, without a call per line
            return j
        out.append(directory + line[1:])
    return len(lines)


def _unfold_group(lines: "list[str]", i: int, out: "list[str]") -> int:
    """Write the groups from the heading at line ``i`` to an empty line; return the index of the first line after it."""
    heading = lines[i]
    i += 1
    while i < len(lines):
        line = lines[i]
        if line == "--":
            out.append(line)
        elif separator := group_separator(line):
            out.append(heading + line if separator == "joined" else heading + separator + line)
        elif not line:
            return i + 1
        elif lines[i - 1] == "--" and i + 1 < len(lines) and is_heading(line) and group_separator(lines[i + 1]):
            heading = line
        else:
            return i
        i += 1
    return i
