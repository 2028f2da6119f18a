"""``json``: the document without insignificant whitespace. What models know best, and the measure for the others."""

from unpretty.encodings.document import Document


class _Json:
    name = "json"

    def encode(self, document: Document) -> str:
        """The minified document; nothing is declined."""
        return document.minified

    def decode(self, text: str) -> Document:
        """The document itself. Raises DecodeError."""
        return Document.from_text(text)


JSON = _Json()
