"""Texts that point into files, judged from their first lines: diffs and numbered lines. Both stay as they are."""

_DIFF_STARTS = ("diff --git ", "diff -", "--- ", "+++ ", "@@ -", "Index: ", "*** Begin Patch")


def is_diff(text: str) -> bool:
    """True when ``text`` is, or holds, a unified diff or a patch."""
    if text.startswith(_DIFF_STARTS):
        return True
    # Looking for one character first takes a tenth of the time; a diff without "@" has no lines of a file.
    return "@" in text and ("\n@@ -" in text or "\ndiff --git " in text)


def is_line_numbered(text: str) -> bool:
    """True when the first lines of ``text`` carry rising line numbers, as file views print them.

    Known forms: ``     1→text`` and ``     1<tab>text`` (Read, cat -n), ``1: text`` (read tools), ``1:text`` and
    ``1-text`` (grep -n on one file), ``1 | text``.
    """
    lines = text[:2000].split("\n", 8)[:8]
    numbers = [_line_number(line) for line in lines if line]
    known = [number for number in numbers if number is not None]
    if len(known) < 2 or len(known) < len(numbers) - 2:
        return False
    return all(earlier < later for earlier, later in zip(known, known[1:], strict=False))


def _line_number(line: str) -> "int | None":
    """The number at the beginning of ``line`` when a mark follows that sets it off from the text."""
    rest = line.lstrip(" ")
    digits = 0
    while digits < 7 and rest[digits : digits + 1].isdigit() and rest[digits].isascii():
        digits += 1
    if not digits or not rest[digits : digits + 2].startswith(("\u2192", "\t", ":", "-", "|", " |")):
        return None
    return int(rest[:digits])
