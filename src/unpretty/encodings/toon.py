"""``toon``: Token-Oriented Object Notation, written and read by the ``toons`` library (specification 4.x).

TOON holds JSON's data model, not its text: it has one spelling for each number and no duplicate keys, and a table has
one order of keys. Documents that differ from that are declined, since they would not come back as they were.
"""

import re
from decimal import Decimal

import toons

from unpretty.encodings.document import Document
from unpretty.encodings.errors import Declined, DecodeError
from unpretty.encodings.json_value import Value, from_python

# Longer integers are refused by Python's own conversion between text and number.
_MAX_DIGITS = 4000
_INTEGER = re.compile(rb"-?[1-9][0-9]*|0")
_POSITION = re.compile(r"TOON parse error at line \d+: ")


class _Toon:
    name = "toon"

    def encode(self, document: Document) -> str:
        """The document in TOON with two spaces and commas. Raises Declined: number_text, duplicate_keys, ..."""
        try:
            text = toons.dumps(_plain(document.value))
        except TypeError:  # of all keys that are strings the library refuses only these
            raise Declined("lone_surrogate") from None
        except ValueError as exc:
            raise Declined("lone_surrogate" if "surrogate" in str(exc) else "too_deep") from None
        if text.startswith("\ufeff"):
            raise Declined("byte_order_mark")
        return text

    def decode(self, text: str) -> Document:
        """The document that ``text`` encodes, numbers in TOON's own spelling. Raises DecodeError with the line."""
        try:
            return Document(_value(toons.loads(text)))
        except toons.ToonDecodeError as exc:
            what = _POSITION.sub("", str(exc))
            raise DecodeError(what[:1].lower() + what[1:], exc.line or 0, 0, self.name) from None
        except ValueError as exc:
            raise DecodeError(str(exc), 0, 0, self.name) from None


TOON = _Toon()


def _plain(value: Value) -> object:
    """``value`` as the Python objects that the library writes."""
    if isinstance(value, bytes):
        return _number(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, tuple):
        fields = {key: _plain(item) for key, item in value}
        if len(fields) < len(value):
            raise Declined("duplicate_keys")
        return fields
    return value


def _number(text: bytes) -> int | float:
    """A number that TOON spells as ``text`` is spelled: no exponent, no superfluous zeros, no minus zero."""
    if _INTEGER.fullmatch(text):
        if len(text) > _MAX_DIGITS:
            raise Declined("number_text")
        return int(text)
    number = float(text)
    if text.endswith(b"0") or not number or _spelled(number) != text:
        raise Declined("number_text")
    return number


def _spelled(number: float) -> bytes:
    """A number without exponent."""
    return format(Decimal(repr(number)), "f").encode()


def _value(plain: object) -> Value:
    if isinstance(plain, float):
        return _spelled(plain)
    if isinstance(plain, list):
        return [_value(item) for item in plain]
    if isinstance(plain, dict):
        return tuple((key, _value(item)) for key, item in plain.items())
    return from_python(plain)
