"""A JSON document as encodings see it: its value, and its minified text."""

from functools import cached_property

from unpretty.encodings.json_value import Value, dump, parse


class Document:
    """One JSON document; ``value`` keeps key order, duplicate keys and number text (see ``json_value``).

    Attributes:
        value: the value.
        minified: the document without insignificant whitespace; strings stay as they were spelled when the document
            was made from JSON text, else they are escaped only where JSON or UTF-8 needs it.
    """

    def __init__(self, value: Value, text: str | None = None) -> None:
        self.value = value
        self._text = text

    @classmethod
    def from_text(cls, text: str) -> "Document":
        """The document that JSON ``text`` holds. Raises DecodeError with line and column, and RecursionError."""
        return cls(parse(text), text)

    @cached_property
    def minified(self) -> str:
        """See the class."""
        if self._text is None:
            return dump(self.value)
        from unpretty.engine.json_text.minify import minify

        return minify(self._text).flat
