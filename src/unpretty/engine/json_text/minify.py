"""Removing the insignificant whitespace of a JSON document, everything else as it is spelled.

JSON inside JSON strings is minified too, at any depth: a string that is itself an object or array loses its white
space and is escaped again exactly as it was escaped before, or it stays.
"""

from unpretty.engine.json_text.scanner import WHITESPACE, InvalidJSON, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from _json import encode_basestring as _escape
    from _json import encode_basestring_ascii as _escape_ascii
except ImportError:  # an interpreter without the C accelerator
    from json.encoder import encode_basestring as _escape
    from json.encoder import encode_basestring_ascii as _escape_ascii

# A nested document shorter than this many UTF-8 bytes is not worth its work.
NESTED_MIN_BYTES = 64

# Valid JSON holds no control characters inside strings, so these can stand for the escapes that contain a quote or a
# backslash; after that each quote begins or ends a string and the text can be split on quotes.
_BACKSLASH, _QUOTE = "\x00", "\x01"
# Characters in one piece of work on a large document.
_CHUNK = 1 << 15
_NO_WHITE_SPACE = dict.fromkeys(map(ord, WHITESPACE))


class Minified:
    """A document without its whitespace.

    Attributes:
        flat: the document with its own whitespace removed, strings as they were.
        text: the same with nested documents minified too; the same string as ``flat`` when there are none.
    """

    __slots__ = ("flat", "text")

    def __init__(self, flat: str, text: str) -> None:
        self.flat = flat
        self.text = text


def minify(document: str) -> Minified:
    """Remove whitespace between the tokens of ``document``, which must be one valid JSON object or array."""
    if len(document) <= _CHUNK:
        return _minify_chunk(document)
    chunks = [_minify_chunk(chunk) for chunk in _chunks(document)]
    flat = "".join([chunk.flat for chunk in chunks])
    if all(chunk.text is chunk.flat for chunk in chunks):
        return Minified(flat, flat)
    return Minified(flat, "".join([chunk.text for chunk in chunks]))


def _chunks(document: str) -> "Iterator[str]":
    """Cut ``document`` after commas at line ends: pieces that fit the cache take half the time.

    No JSON string holds a line end, so each piece ends outside of strings, and never between a key and its colon.
    """
    start = 0
    while start < len(document):
        comma = document.find(",\n", start + _CHUNK)
        end = comma + 1 if comma != -1 else len(document)
        yield document[start:end]
        start = end


def _minify_chunk(document: str) -> Minified:
    escapes = "\\" in document
    if escapes:
        document = document.replace("\\\\", _BACKSLASH).replace('\\"', _QUOTE)
    parts = document.split('"')
    # translate() on ASCII text is several times faster than anything else, and outside of strings JSON is ASCII.
    parts[::2] = '"'.join(parts[::2]).translate(_NO_WHITE_SPACE).split('"')
    flat = '"'.join(parts)
    if not escapes:
        return Minified(flat, flat)
    nested = _minify_nested(parts)
    flat = _restore(flat)
    return Minified(flat, _restore('"'.join(parts)) if nested else flat)


def minify_string(value: str) -> str:
    """``value`` with its whitespace removed when it is a JSON object or array; the same string otherwise.

    Whitespace around the document stays. Raises RecursionError for nesting that the interpreter cannot follow.
    """
    core = value.strip(WHITESPACE)
    if core[:1] not in ("{", "[") or len(core.encode("utf-8", "surrogatepass")) < NESTED_MIN_BYTES:
        return value
    try:
        _, end = scan(core)
    except InvalidJSON:
        return value
    if end != len(core):
        return value
    start = value.index(core[0])
    return value[:start] + minify(core).text + value[start + len(core) :]


def _restore(text: str) -> str:
    return text.replace(_QUOTE, '\\"').replace(_BACKSLASH, "\\\\")


def _minify_nested(parts: "list[str]") -> bool:
    """Minify the string values in ``parts`` (a document split on its quotes) in place; True when one changed."""
    changed = False
    for index in range(1, len(parts), 2):
        part = parts[index]
        if len(part) < NESTED_MIN_BYTES // 2 or not _may_be_document(part) or parts[index + 1][:1] == ":":
            continue
        literal = _restore(part)
        shorter = _minify_literal(literal)
        if shorter is not literal:
            parts[index] = shorter.replace("\\\\", _BACKSLASH).replace('\\"', _QUOTE)
            changed = True
    return changed


def _may_be_document(part: str) -> bool:
    """True when the string begins with a bracket, perhaps after escaped whitespace."""
    if part[0] in "{[":
        return True
    if part[0] not in " \\":
        return False
    head = part[:256]
    while head[:2] in ("\\n", "\\r", "\\t") or head[:1] == " ":
        head = head.lstrip(" ") if head[0] == " " else head[2:]
    return head[:1] in ("{", "[")


def _minify_literal(literal: str) -> str:
    """The text between a string's quotes, with the document in it minified; the same object when it has to stay."""
    value, _ = scan(f'"{literal}"')
    assert isinstance(value, str)
    shorter = minify_string(value)
    if len(shorter) >= len(value):
        return literal
    for spell in _SPELLINGS:
        if spell(value) == literal:
            return spell(shorter)
    return literal


def _plain(value: str) -> str:
    return _escape(value)[1:-1]


def _ascii(value: str) -> str:
    return _escape_ascii(value)[1:-1]


def _html_safe(literal: str) -> str:
    return literal.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _go(value: str) -> str:
    return _html_safe(_plain(value)).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _slashes(value: str) -> str:
    return _plain(value).replace("/", "\\/")


def _php(value: str) -> str:
    return _ascii(value).replace("/", "\\/")


def _upper(value: str) -> str:
    """As ``_ascii`` with upper-case digits in the escapes, the way of several .NET and Java writers."""
    pieces = _ascii(value).replace("\\\\", _BACKSLASH).split("\\u")
    return "\\u".join([pieces[0], *(piece[:4].upper() + piece[4:] for piece in pieces[1:])]).replace(_BACKSLASH, "\\\\")


# How writers escape strings, the most common first. One that spells the whole string as it was found spells what
# remains of it as it was, too, since each of them escapes character by character.
_SPELLINGS = (_plain, _ascii, _go, _php, _slashes, _upper)
