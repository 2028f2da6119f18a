"""JSON values that keep what ``json.loads`` throws away, in and out of JSON text.

The values are those of ``engine.json_text.scanner``: an object is a ``tuple`` of (key, value) pairs, so key order and
duplicate keys stay; an array is a ``list``; a number is ``bytes`` holding its own text; the rest is ``str``, ``bool``
and ``None``. None of these types equals another, so ``==`` is the proof of "same value" (and of same number text).
"""

import math
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import TypeAlias, Union

from unpretty.encodings.errors import DecodeError
from unpretty.engine.json_text.scanner import WHITESPACE, InvalidJSON, scan

Object: TypeAlias = "tuple[tuple[str, Value], ...]"
Value: TypeAlias = Union[bool, str, bytes, "list[Value]", Object, None]

_SURROGATES = re.compile("[\ud800-\udfff]")
_CONSTANTS = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def parse(text: str, encoding: str = "json") -> Value:
    """The value of ``text``, one JSON value, perhaps part of a text in ``encoding``. Duplicate keys are kept.

    Raises DecodeError with line and column (in characters), and RecursionError for nesting that the interpreter cannot
    follow.
    """
    value, end = parse_prefix(text, len(text) - len(text.lstrip(WHITESPACE)), encoding)
    rest = text[end:].lstrip(WHITESPACE)
    if rest:
        raise DecodeError.at(text, len(text) - len(rest), "the JSON value has ended, but more text follows", encoding)
    return value


def parse_prefix(text: str, start: int, encoding: str = "json") -> tuple[Value, int]:
    """The JSON value that begins at ``start`` and the offset after it, both in characters. Raises as ``parse``."""
    try:
        return scan(text, start)  # type: ignore[return-value]  # the scanner's types are those of Value
    except InvalidJSON as exc:
        if exc.pos < 0:
            raise DecodeError.at(text, _position_of_constant(text, start), exc.msg, encoding) from None
        what = exc.msg.split(": line ")[0].removesuffix(" starting at") or "not JSON"
        raise DecodeError.at(text, exc.pos, what[0].lower() + what[1:], encoding) from None


def _position_of_constant(text: str, start: int) -> int:
    """Where NaN or Infinity is; the scanner refuses them without saying where."""
    found = _CONSTANTS.finditer(text, start)
    return next((match.start() for match in found if not match[0].startswith('"')), start)


def dump(value: Value) -> str:
    """``value`` as minified JSON text: numbers as they were spelled, strings escaped only where JSON or UTF-8 needs it.

    Raises RecursionError for nesting that the interpreter cannot follow.
    """
    pieces: list[str] = []
    _write(value, pieces.append)
    return "".join(pieces)


def _write(value: Value, put: Callable[[str], object]) -> None:
    if isinstance(value, str):
        put(quote(value))
    elif isinstance(value, bytes):
        put(value.decode())
    elif isinstance(value, list):
        for index, item in enumerate(value):
            put("," if index else "[")
            _write(item, put)
        put("]" if value else "[]")
    elif isinstance(value, tuple):
        for index, (key, item) in enumerate(value):
            put(("," if index else "{") + quote(key) + ":")
            _write(item, put)
        put("}" if value else "{}")
    else:
        put("null" if value is None else "true" if value else "false")


def quote(text: str) -> str:
    """``text`` as a JSON string; quotes, backslashes, control characters and lone surrogates are escaped."""
    literal = encode_basestring(text)
    return literal if text.isascii() else _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", literal)


def is_number(text: str) -> bool:
    """True when ``text`` is spelled as a JSON number."""
    return _NUMBER.fullmatch(text) is not None


def is_integer(number: bytes) -> bool:
    """True for a number whose text has neither fraction nor exponent."""
    return number.lstrip(b"-").isdigit()


def from_python(value: object) -> Value:
    """The value of a Python object made of dict, list, tuple, str, int, float, bool and None.

    Raises TypeError for anything else, ValueError for NaN and infinities, and RecursionError for cycles.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int.__repr__(value).encode()
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} is not a JSON number")
        return float.__repr__(value).encode()
    if isinstance(value, Mapping):
        return tuple((_key(key), from_python(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return [from_python(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not a JSON type")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the key {key!r} is not a string, and JSON has no other keys")
    return key
