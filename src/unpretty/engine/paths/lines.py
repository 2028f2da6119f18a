"""Single lines: which is a path, which begins with one, which belongs to a group. For folding and unfolding alike."""

_DIGITS = "0123456789"
# Signs of code, markup, JSON and prose: no path that holds one is folded.
_FOREIGN = "\"'`<>|*;,\t{}\r"
# What does not follow the one blank that indents a name.
NO_NAME = ("", " ", "\t")
# Longer ones are no paths but data; it also bounds the work that one line can cause.
_LONGEST = 1024


def signs(text: str) -> str:
    """Return the characters of ``text`` that say that a line may be more than a path, or other than one."""
    return "".join([c for c in ": " + _FOREIGN if c in text])


def has_any(line: str, characters: str) -> bool:
    """Tell whether one of ``characters`` is in ``line``."""
    for c in characters:  # noqa: SIM110  a generator costs three times as much
        if c in line:
            return True
    return False


def is_heading(line: str) -> bool:
    """Tell whether ``line`` reads as the path of a file and can be the heading of a group."""
    if not _starts_like_path(line) or line[-1] in "/\\ " or line.find(":", 2 if _has_drive(line) else 0) >= 0:
        return False
    if "/" not in line and "." not in line and "\\" not in line:
        return False
    if not line.strip("0123456789./-_ ()"):  # a date, a version or an address
        return False
    blank = line.find(" ")
    # With a separator before the first blank it is a path with blanks, else rather a sentence.
    return (blank < 0 or "/" in line[:blank] or "\\" in line[:blank]) and not has_any(line, _FOREIGN)


def is_folder(line: str) -> bool:
    """Tell whether ``line`` reads as the path of a directory, with its separator at the end."""
    return line[-1:] in ("/", "\\") and _starts_like_path(line) and not has_any(line, _FOREIGN)


def is_indented(line: str) -> bool:
    """Tell whether ``line`` is indented by exactly one blank."""
    return line[:1] == " " and line[1:2] not in NO_NAME


def group_separator(line: str) -> str:
    """Return what is between the path and ``line`` in the unfolded form.

    ``:`` for ``12:text``, ``-`` for ``12-text``, ``joined`` for ``:text`` and ``-text``, which start with it; nothing
    when ``line`` cannot belong to a group.
    """
    first = line[:1]
    if first == ":" or first == "-":  # noqa: PLR1714  twice as fast as `in` with a tuple, and "" is in every string
        return "joined"
    if first and first in _DIGITS:
        after = line.lstrip(_DIGITS)[:1]
        return after if after and after in ":-" else ""
    return ""


def match_end(line: str) -> int:
    """Return the length of the path that ``line`` (``path:12:text`` or ``path:text``) starts with, 0 for none."""
    if not _starts_like_path(line):
        return 0
    colon = line.find(":", 2 if _has_drive(line) else 0, _LONGEST)
    return colon if colon > 0 and is_heading(line[:colon]) else 0


def is_numbered(line: str, end: int, mark: str) -> bool:
    """Tell whether ``mark``, a line number and ``mark`` follow the first ``end`` characters of ``line``."""
    first = line[end + 1 : end + 2]
    if not first or first not in _DIGITS or line[end] != mark:
        return False
    return line[end + 1 :].lstrip(_DIGITS)[:1] == mark


def folder_end(line: str) -> int:
    """Return the length of the directory, separator included, of a line that is only a path; 0 for none."""
    if not _starts_like_path(line) or line.find(":", 2) > 0 or line[:2] == "//" or len(line) > _LONGEST:
        return 0
    if " " in line and not (line[0] in "./~" or line[1] == ":"):
        return 0
    end = last_separator(line)
    return 0 if end and has_any(line, _FOREIGN) else end


def last_separator(path: str) -> int:
    """Return the length of ``path`` up to and with its last inner separator, 0 when its directory cannot be cut off."""
    end = path.rfind("/", 0, -1) + 1 or path.rfind("\\", 0, -1) + 1
    return 0 if end < 2 or path[end] == " " else end


def _starts_like_path(line: str) -> bool:
    first = line[:1]
    return first.isalnum() or (first != "" and first in "./_~@$")


def _has_drive(line: str) -> bool:
    return line[1:2] == ":" and line[2:3] in ("\\", "/")
