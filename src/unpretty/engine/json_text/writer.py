"""Writing JSON with every number spelled as it was read."""

try:
    from _json import encode_basestring as _quote
except ImportError:  # an interpreter without the C accelerator
    from json.encoder import encode_basestring as _quote


def to_json(value: object) -> str:
    """A value as ``scanner.loads`` gives it (numbers are ``bytes``) as JSON text in one line."""
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{_quote(key)}:{to_json(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([to_json(item) for item in value]) + "]"
    if isinstance(value, bytes):
        return value.decode("ascii")
    return "null" if value is None else "true" if value is True else "false"
