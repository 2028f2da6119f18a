"""Why an encoding was not used for a document, and what is wrong with a text that is in none."""

from unpretty.errors import UnprettyError

# Why an encoding was not used for a document: code -> one sentence. Codes are stable: `--count`, `auto` and the
# documentation use them.
REASONS: dict[str, str] = {
    "not_a_table": "The document is not an array of objects, and this encoding has no other form.",
    "no_table": "No array in the document has enough objects with enough keys in common.",
    "looks_columnar": "An object in the document already has the form that this encoding gives to tables.",
    "key_order": "Some objects have their keys in another order, which this encoding would lose.",
    "duplicate_keys": "An object has the same key twice, which this encoding would lose.",
    "number_text": "A number is spelled in a way that this encoding would change, such as 1.10 or 1e5.",
    "lone_surrogate": "A string holds half of a surrogate pair, which this encoding cannot write.",
    "byte_order_mark": "The text would begin with a byte order mark, which readers take off.",
    "too_deep": "The document is nested too deeply.",
    "not_verified": "Decoding did not give back exactly the same document.",
    "not_smaller": "The text would not have been smaller than minified JSON, or not by enough.",
    "over_budget": "Encoding the document and proving it would have taken longer than the time budget.",
    "over_limit": "The text would have been over the reader's limit.",
    "no_evidence": "No study shows that this model reads this encoding as well as JSON for such data.",
}


class Declined(UnprettyError):
    """An encoding cannot or should not carry a document; ``code`` is a key of ``REASONS``."""

    def __init__(self, code: str) -> None:
        super().__init__(REASONS[code], code=code)


class DecodeError(UnprettyError):
    """A text is not in the encoding that it was said to be in.

    Attributes:
        what: what is wrong, without the position.
        line, column: where, both from 1, the column in characters; 0 when it is unknown.
        encoding: name of the encoding.
    """

    def __init__(self, what: str, line: int, column: int, encoding: str) -> None:
        where = f"line {line}, column {column}: " if column else f"line {line}: " if line else ""
        super().__init__(f"{where}{what}.", code=f"invalid_{encoding.replace('-', '_')}")
        self.what = what
        self.line = line
        self.column = column
        self.encoding = encoding

    @classmethod
    def at(cls, text: str, position: int, what: str, encoding: str) -> "DecodeError":
        """The error at an offset in characters of ``text``."""
        line_start = text.rfind("\n", 0, position) + 1
        return cls(what, text.count("\n", 0, position) + 1, position - line_start + 1, encoding)

    def moved(self, lines: int) -> "DecodeError":
        """The same error ``lines`` further down, for a text that is part of another."""
        return DecodeError(self.what, self.line + lines, self.column, self.encoding)
