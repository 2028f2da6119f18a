"""Numbers and names as people read them."""

from __future__ import annotations

from collections.abc import Iterable

# How an empty key is shown, by dimension.
_UNKNOWN = {"encoding": "(not converted)", "project": "(unknown)", "model": "(unknown)", "session": "(unknown)"}


def size(number: int) -> str:
    """Bytes in decimal units: ``812 B``, ``1.2 kB``, ``34.5 MB``."""
    if abs(number) < 1000:
        return f"{number} B"
    value, units = number / 1000, ["kB", "MB", "GB", "TB"]
    while abs(value) >= 999.95 and len(units) > 1:
        value /= 1000
        del units[0]
    return f"{value:.1f} {units[0]}"


def percent(part: float, whole: float) -> str:
    """A share with one digit: ``5.3 %``; nothing of nothing is ``0.0 %``."""
    return f"{100 * part / whole if whole else 0:.1f} %"


def tokens(number: int, estimated: int) -> str:
    """A number of tokens, with ``~`` in front when any of them is estimated."""
    return f"~{number:,}" if estimated else f"{number:,}"


def label(dimension: str, key: str) -> str:
    """A key of a breakdown as shown to people."""
    if not key:
        return _UNKNOWN.get(dimension, "(none)")
    return key


def bar(part: float, whole: float, width: int) -> str:
    """A bar of at most ``width`` characters, in eighths of one; nothing is drawn for nothing."""
    eighths = round(width * 8 * part / whole) if whole > 0 and part > 0 else 0
    full, rest = divmod(min(eighths, width * 8), 8)
    return "█" * full + " ▏▎▍▌▋▊▉"[rest].strip()


def one_of(names: Iterable[str]) -> str:
    """``names`` as alternatives in a sentence."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def visible(text: str, *, tabs: bool = False) -> str:
    """``text`` with control characters escaped, since no agent and no file may control the terminal; ``tabs`` stay."""
    return "".join(char if char.isprintable() or (tabs and char == "\t") else ascii(char)[1:-1] for char in text)


def shortened(text: str, width: int) -> str:
    """``text`` in at most ``width`` characters: the middle goes, since names differ at both ends."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return text[:head] + "…" + text[len(text) - (width - 1 - head) :]
