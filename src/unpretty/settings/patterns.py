"""Patterns of the exclude lists: ``*`` matches any characters, everything else itself."""


def matches(pattern: str, text: str) -> bool:
    """True when the whole of ``text`` fits ``pattern``; linear in the text for each star."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    if not text.startswith(first):
        return False
    position, limit = len(first), len(text) - len(last)
    for part in middle:
        position = text.find(part, position, limit)
        if position == -1:
            return False
        position += len(part)
    return position <= limit and text.endswith(last)


def matches_any(patterns: "tuple[str, ...]", text: str) -> bool:
    """True when one of ``patterns`` fits ``text``."""
    return any(matches(pattern, text) for pattern in patterns)


def is_inside(directory: str, directories: "tuple[str, ...]", home: str) -> bool:
    """True when ``directory`` is one of ``directories`` or below one; a leading ``~`` is ``home``."""
    for name in directories:
        root = (home + name[1:] if name == "~" or name.startswith(("~/", "~\\")) else name).rstrip("/\\")
        if directory == root or directory.startswith((root + "/", root + "\\")):
            return True
    return False
