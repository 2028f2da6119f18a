"""Reading JSON with the standard library's C scanner, numbers kept as text.

``_json`` is the accelerator of ``json``: importing it alone costs a tenth of ``import json``. It is private, so
every supported Python is tested and ``json`` itself is the fallback. What differs from ``json.loads``:

* a number becomes ``bytes`` holding its own text, so 1.0, 1e5 and integers of any length stay as they are spelled;
* an object becomes a ``tuple`` of (key, value) pairs, so duplicate keys and their order stay;
* NaN and Infinity are errors.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Item = TypeVar("Item")

    Scanner = Callable[[str, int], "tuple[object, int]"]

WHITESPACE = " \t\n\r"


class InvalidJSON(ValueError):
    """The text at hand is not JSON; ``pos`` is the offset in characters at which that became clear."""

    def __init__(self, msg: str = "", doc: str = "", pos: int = 0) -> None:
        super().__init__(msg)
        self.msg = msg
        self.doc = doc
        self.pos = pos


class _Options:
    """The attributes that the C scanner reads from its ``context`` argument."""

    def __init__(self, object_pairs_hook: object) -> None:
        self.strict = True
        self.object_hook = None
        self.object_pairs_hook = object_pairs_hook
        self.parse_float = self.parse_int = str.encode
        self.parse_constant = _refuse_constant
        self.memo: dict[str, str] = {}


def _refuse_constant(name: str) -> object:
    raise InvalidJSON(f"{name} is not JSON", pos=-1)


def _make(object_pairs_hook: object) -> "Scanner":
    options: Any = _Options(object_pairs_hook)
    try:
        from _json import make_scanner
    except ImportError:
        from json.decoder import JSONDecoder

        decoder: Any = JSONDecoder(
            object_pairs_hook=options.object_pairs_hook,
            parse_float=options.parse_float,
            parse_int=options.parse_int,
            parse_constant=options.parse_constant,
        )
        scanner: Scanner = decoder.scan_once
        return scanner
    return make_scanner(options)


_scan_pairs = _make(tuple)
_scan_dict = _make(None)

_WINDOW = 4096


def scan(text: str, start: int = 0) -> "tuple[object, int]":
    """The value that begins at ``start`` and the offset after it, both in characters.

    Raises InvalidJSON with the offset of the error, and RecursionError for nesting that the interpreter cannot follow.
    """
    return _scan(_scan_pairs, text, start)


def scan_warily(text: str, start: int) -> "tuple[object, int]":
    """As ``scan``, for a text that is likely to be no JSON: tried on a window first.

    json.JSONDecodeError counts the lines before its error; in a text of many megabytes with an error on every line that
    would cost the square of its length.
    """
    if len(text) - start > 2 * _WINDOW:
        window = text[start : start + _WINDOW]
        try:
            value, end = _scan(_scan_pairs, window, 0)
        except InvalidJSON as exc:
            # Close to its end the window itself may be the cause: a cut number, name or \u escape is at most that long.
            if 0 <= exc.pos < _WINDOW - 64 and not _open_string(window, exc.pos):
                raise InvalidJSON(exc.msg, pos=start + exc.pos) from None
        else:
            if end < _WINDOW:
                return value, start + end
    return _scan(_scan_pairs, text, start)


def _open_string(window: str, pos: int) -> bool:
    """True when the error at ``pos`` is a string that the window cut: the scanner reports the string's beginning."""
    return window[pos : pos + 1] == '"' and "\n" not in window[pos:]


def loads(text: str) -> object:
    """``text`` as one JSON value with objects as ``dict`` (last key wins) and numbers as ``bytes``.

    Raises InvalidJSON, and RecursionError for nesting that the interpreter cannot follow.
    """
    return _whole(_scan_dict, text)


def scan_whole(text: str) -> object:
    """``text`` as one JSON value as ``scan`` gives it; raises as ``loads``."""
    return _whole(_scan_pairs, text)


def _whole(scanner: "Scanner", text: str) -> object:
    start = len(text) - len(text.lstrip(WHITESPACE))
    value, end = _scan(scanner, text, start)
    if text[end:].strip(WHITESPACE):
        raise InvalidJSON("text after the JSON value", pos=end)
    return value


class _Decoder:
    """All that the C scanner takes from ``json.decoder``: the class of the error that it raises."""

    JSONDecodeError = InvalidJSON


def text_of(mapping: "dict[str, Item]", key: str) -> str:
    """The string at ``key``, empty when there is none."""
    value = mapping.get(key)
    return value if isinstance(value, str) else ""


def mapping_of(mapping: "dict[str, Item]", key: str) -> "dict[str, Item]":
    """The object at ``key``, empty when there is none."""
    value = mapping.get(key)
    return value if isinstance(value, dict) else {}


def _scan(scanner: "Scanner", text: str, start: int) -> "tuple[object, int]":
    # To raise an error the C code imports json.decoder, which costs more than the whole hook. While it runs it finds
    # _Decoder there. Nothing else does, since no other code runs until it returns.
    modules: dict[str, Any] = sys.modules
    lent = "json" not in modules
    if lent:
        modules["json"] = modules["json.decoder"] = _Decoder
    try:
        return scanner(text, start)
    except StopIteration as exc:
        raise InvalidJSON("a value is missing", pos=exc.value) from None
    except InvalidJSON:
        raise
    except ValueError as exc:
        raise InvalidJSON(str(exc), pos=getattr(exc, "pos", start)) from None
    finally:
        if lent:
            del modules["json"], modules["json.decoder"]
