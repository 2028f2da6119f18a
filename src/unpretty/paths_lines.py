"""Single lines: which is a path, which begins with one, which belongs to a group. Shared by folding and unfolding."""

_DIGITS = "0123456789"
# Never in a path that is folded: they are signs of code, markup, JSON and prose.
_FOREIGN = "\"'`<>|*;,\t{}\r"


def is_heading(line: str) -> bool:
    """Tell whether ``line`` reads as the path of a file."""
    return (
        _starts_like_path(line)
        and line[-1] not in "/\\ :"
        and ("/" in line or "." in line or "\\" in line)
        and "://" not in line
        and not any(c in line for c in _FOREIGN)
        and bool(line.strip("0123456789./-_ ()"))
        and _blanks_are_inside(line)
    )


def is_folder(line: str) -> bool:
    """Tell whether ``line`` reads as the path of a folder, with its separator at the end."""
    return line[-1:] in ("/", "\\") and _starts_like_path(line) and not any(c in line for c in _FOREIGN)


def is_indented(line: str) -> bool:
    """Tell whether ``line`` is indented by exactly one blank."""
    return line[:1] == " " and line[1:2] not in ("", " ", "\t")


def group_separator(line: str) -> str:
    """Return what stands between the path and ``line`` in the unfolded form.

    ``:`` for ``12:text``, ``-`` for ``12-text``, ``joined`` for ``:text`` and ``-text`` (the line itself starts with it),
    nothing when ``line`` cannot belong to a group.
    """
    first = line[:1]
    if first in _DIGITS and first:
        after = line.lstrip(_DIGITS)[:1]
        return after if after == ":" or after == "-" else ""
    return "joined" if first == ":" or first == "-" else ""


def match_end(line: str) -> int:
    """Return the length of the path that ``line`` (``path:12:text`` or ``path:text``) starts with, 0 for none."""
    start = 2 if line[1:2] == ":" and line[2:3] in ("\\", "/") else 0
    colon = line.find(":", start)
    for _ in range(3):
        if colon <= 0:
            return 0
        if is_heading(line[:colon]):
            return colon
        colon = line.find(":", colon + 1)
    return 0


def is_numbered(line: str, end: int, mark: str) -> bool:
    """Tell whether ``mark``, a line number and ``mark`` follow the first ``end`` characters of ``line``."""
    if line[end + 1 : end + 2] not in _DIGITS or line[end : end + 1] != mark:
        return False
    second = line.find(mark, end + 1)
    return second > 0 and line[end + 1 : second].isascii() and line[end + 1 : second].isdigit()


def folder_end(line: str) -> int:
    """Return the length of the folder, separator included, of a line that is one path and nothing else; 0 for none."""
    slash = line.rfind("/", 0, -1)
    if slash < 0:
        slash = line.rfind("\\", 0, -1)
    if slash <= 0 or line[slash + 1] == " " or not _starts_like_path(line) or any(c in line for c in _FOREIGN):
        return 0
    if ":" in line[2:] or line[:2] == "//":
        return 0
    if " " in line and not (line[0] in "./~" or line[1] == ":"):
        return 0
    return slash + 1


def _starts_like_path(line: str) -> bool:
    first = line[:1]
    return first.isalnum() or (first in "./_~@$" and first != "")


def _blanks_are_inside(line: str) -> bool:
    """Tell whether a separator comes before the first blank, if there is one: else it is rather a sentence."""
    blank = line.find(" ")
    return blank < 0 or "/" in line[:blank] or "\\" in line[:blank]
