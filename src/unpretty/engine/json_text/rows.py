"""Breaking a minified document into lines between its elements, for a reader that drops lines over a limit.

Whitespace between tokens means nothing in JSON, so the document stays the same; a line break per row is what it costs.
"""

from unpretty.engine.json_text.scanner import InvalidJSON, scan

# A container is broken up while it is longer than this many characters: about one row of a table stays on one line.
ROW_CHARS = 1000
# Containers inside containers are followed this deep, so that the work stays linear for hostile nesting too.
MAX_DEPTH = 8


def one_row_per_line(text: str, row_chars: int = ROW_CHARS) -> str:
    """``text`` with a line break after each element of every long document that begins a line; the rest as it is.

    A container is long when it has more than ``row_chars`` characters; the elements of a long one get lines of their
    own, and long elements are broken up again. Expects minified documents; lines that are none stay as they are.
    """
    return "\n".join(_break_up(line, row_chars, MAX_DEPTH) for line in text.split("\n"))


def _break_up(line: str, row_chars: int, depth: int) -> str:
    if len(line) <= row_chars or line[:1] not in ("{", "["):
        return line
    try:
        _, end = scan(line)
        return _rows(line[:end], row_chars, depth) + line[end:]
    except (InvalidJSON, RecursionError):
        return line


def _rows(document: str, row_chars: int, depth: int) -> str:
    """``document``, a minified object or array, with one element per line. Raises InvalidJSON, RecursionError."""
    if len(document) <= row_chars or depth == 0:
        return document
    keyed = document[0] == "{"
    rows: list[str] = []
    start = 1
    while start < len(document) - 1:
        value = start
        if keyed:
            _, colon = scan(document, start)
            value = colon + 1
        _, end = scan(document, value)
        element = document[value:end]
        if element[0] in "{[":
            element = _rows(element, row_chars, depth - 1)
        rows.append(document[start:value] + element)
        if document[end] not in ",]}":
            raise InvalidJSON("not a minified document", pos=end)
        start = end + 1
    return document[0] + ",\n".join(rows) + document[-1]
