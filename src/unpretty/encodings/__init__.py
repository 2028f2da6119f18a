r"""Ways to write a JSON document in fewer tokens, each proven to lead back to exactly the same document.

>>> import unpretty
>>> orders = [{"id": 1, "city": "Bergen"}, {"id": 2, "city": "Graz"}]
>>> print(unpretty.encode(orders, "toon"))
[2]{id,city}:
  1,Bergen
  2,Graz
>>> unpretty.decode("[2]id,city\n1,Bergen\n2,Graz", "tight-c")
'[{"id":1,"city":"Bergen"},{"id":2,"city":"Graz"}]'
"""

from unpretty.encodings.document import Document
from unpretty.encodings.errors import Declined, DecodeError
from unpretty.encodings.json_value import from_python
from unpretty.encodings.registry import get, names
from unpretty.encodings.verified import encode_verified
from unpretty.errors import UnprettyError

__all__ = ["Declined", "DecodeError", "decode", "encode", "names"]


def encode(value_or_text: object, encoding: str) -> str:
    r"""A JSON document in ``encoding``, proven: decoding it gave the same value, number text, key order and duplicates.

    A ``str`` or ``bytes`` (UTF-8) is taken for JSON text and may hold what Python values cannot: numbers such as 1.10,
    duplicate keys. Anything else is a Python value made of dict, list, tuple, str, int, float, bool and None.

    Raises Declined when the encoding cannot carry the document, DecodeError (line and column) when the text is not
    JSON, UnprettyError for an unknown encoding or a value that is not JSON.

    >>> encode('[{"price": 1.10, "tag": null}, {"price": 2.00, "tag": "x"}]', "ldf")
    '@records price:f,tag:s?\n1.10,null\n2.00,x'
    >>> encode('[{"price": 1.10}]', "toon")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    unpretty.encodings.errors.Declined: A number is spelled in a way that this encoding would change, ...
    """
    try:
        return encode_verified(_document(value_or_text), get(encoding))
    except RecursionError:
        raise Declined("too_deep") from None


def decode(text: str, encoding: str) -> str:
    """The JSON document, minified, that ``text`` encodes in ``encoding``.

    JSON text, not Python values, since those could not keep number text and duplicate keys. Numbers are as they were
    spelled; strings are escaped only where JSON or UTF-8 needs it (from ``json``: as they were spelled).

    Raises DecodeError when the text is not in that encoding, UnprettyError when there is no such encoding.

    >>> decode('{"columns":["a","b"],"absent":"-","rows":[[1.0,"-"],[2,null]]}', "columnar")
    '[{"a":1.0},{"a":2,"b":null}]'
    """
    try:
        return get(encoding).decode(text).minified
    except RecursionError:
        raise DecodeError("nested too deeply", 0, 0, encoding) from None


def _document(value_or_text: object) -> Document:
    if isinstance(value_or_text, bytes):
        try:
            value_or_text = value_or_text.decode()
        except UnicodeDecodeError as exc:
            raise DecodeError(f"byte {exc.start} is not UTF-8", 0, 0, "json") from None
    if isinstance(value_or_text, str):
        return Document.from_text(value_or_text)
    try:
        return Document(from_python(value_or_text))
    except (TypeError, ValueError) as exc:
        raise UnprettyError(f"The value cannot be written as JSON: {exc}.", code="not_json") from None
