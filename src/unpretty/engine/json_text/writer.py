"""Writing JSON in one line, every number spelled as it was read."""

try:
    from _json import encode_basestring as _quote
    from _json import encode_basestring_ascii as _quote_ascii
except ImportError:  # an interpreter without the C accelerator
    from json.encoder import encode_basestring as _quote
    from json.encoder import encode_basestring_ascii as _quote_ascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def to_json(value: object, quote: "Callable[[str], str]" = _quote) -> str:
    """``value`` as JSON text; ``bytes`` are the text of a number, as ``scanner.loads`` gives it.

    Args:
        value: None, bool, int, float, bytes, str, or a list, tuple or dict of such values.
        quote: writes a string.
    """
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{quote(str(key))}:{to_json(item, quote)}" for key, item in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([to_json(item, quote) for item in value]) + "]"
    if isinstance(value, bytes):
        return value.decode("ascii")
    return "null" if value is None else "true" if value is True else "false" if value is False else repr(value)


def to_ascii_json(value: object) -> str:
    """As ``to_json``, in ASCII."""
    return to_json(value, _quote_ascii)
