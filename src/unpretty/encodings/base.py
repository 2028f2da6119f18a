"""What an encoding is: a name, a function in each direction, and what it declines.

A new encoding is one module with an object of these three members, one line in ``registry.py``, a section of
docs/formats.md and its tests.
"""

from typing import Protocol

from unpretty.encodings.document import Document


class Encoding(Protocol):
    """One way to write a JSON document. Both directions raise RecursionError for nesting that they cannot follow."""

    @property
    def name(self) -> str:
        """The name in settings, in the log and on the command line."""

    def encode(self, document: Document) -> str:
        """``document`` in this encoding, without a line end after it. Raises Declined."""

    def decode(self, text: str) -> Document:
        """The document that ``text`` encodes. Raises DecodeError."""
