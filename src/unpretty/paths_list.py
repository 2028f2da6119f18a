"""Lists of paths grouped under their folder."""

from unpretty.paths_lines import folder_end, is_indented

_MIN_SAVED = 8


def fold_list(lines: "list[str]", i: int, out: "list[str]") -> int:
    """Fold the lines from ``i`` on that lie in one folder into ``out``; return the index after them, or ``i``."""
    end = folder_end(lines[i])
    if not end:
        return i
    folder = lines[i][:end]
    j = i + 1
    while j < len(lines) and folder_end(lines[j]) == end and lines[j].startswith(folder):
        j += 1
    count = j - i
    if (count - 1) * end - count - 1 < _MIN_SAVED or (j < len(lines) and is_indented(lines[j])):
        out.extend(lines[i:j])
        return j
    out.append(folder)
    out.extend(" " + line[end:] for line in lines[i:j])
    return j
