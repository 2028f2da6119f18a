"""Patterns of the exclude lists: ``*`` stands for any characters, everything else for itself."""


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


def is_inside(folder: str, folders: "tuple[str, ...]", home: str) -> bool:
    """True when ``folder`` is one of ``folders`` or below one; a leading ``~`` is ``home``."""
    for name in folders:
        root = (home + name[1:] if name == "~" or name.startswith(("~/", "~\\")) else name).rstrip("/\\")
        if folder == root or folder.startswith((root + "/", root + "\\")):
            return True
    return False
