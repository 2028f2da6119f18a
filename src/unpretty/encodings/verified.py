"""The proof that every encoded text goes through before anybody uses it."""

from unpretty.encodings.base import Encoding
from unpretty.encodings.document import Document
from unpretty.encodings.errors import Declined, DecodeError
from unpretty.encodings.json_value import Value


def encode_verified(document: Document, encoding: Encoding) -> str:
    """``document`` in ``encoding``; decoding that text gave back exactly the same value.

    Raises Declined when the encoding cannot carry the document, and RecursionError for too deep nesting.
    """
    text = encoding.encode(document)
    try:
        text.encode("utf-8")
        back = encoding.decode(text).value
    except UnicodeEncodeError:
        raise Declined("lone_surrogate") from None
    except DecodeError:
        raise Declined("not_verified") from None
    if back != document.value:
        raise Declined("key_order" if _sorted(back) == _sorted(document.value) else "not_verified")
    return text


def _sorted(value: Value) -> Value:
    """``value`` with the keys of its objects in sorted order, to tell a lost order from a lost value."""
    if isinstance(value, tuple):
        return tuple(sorted(((key, _sorted(item)) for key, item in value), key=lambda pair: pair[0]))
    return [_sorted(item) for item in value] if isinstance(value, list) else value
