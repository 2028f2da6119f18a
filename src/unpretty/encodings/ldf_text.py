"""How LDF spells names and strings; shared by its writer and its reader."""

import re
from collections.abc import Iterable

from unpretty.encodings.json_value import quote

ROOT = "records"
ROWS_MARK = f"@{ROOT}"
REST = "~"  # the last column, an object with the keys that have no column

BARE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_QUOTED_CELL = re.compile('^[ @~#]| $|[\x00-\x1f,"\x7f\x85\u2028\u2029\ud800-\udfff]')
_LINE_SAFE = {code: f"\\u{code:04x}" for code in (0x7F, 0x85, 0x2028, 0x2029)}


def key_text(key: str) -> str:
    """A key of a header: bare when it is an identifier, else a JSON string."""
    return key if BARE_KEY.fullmatch(key) else quote(key).translate(_LINE_SAFE)


def path_text(path: Iterable[str]) -> str:
    """The keys of a path, joined by dots."""
    return ".".join(map(key_text, path))


def string_cell(text: str) -> str:
    """A string in a column of strings: bare where that cannot be misread, else a JSON string."""
    if not text or text == "null" or _QUOTED_CELL.search(text):
        return quote(text).translate(_LINE_SAFE)
    return text
