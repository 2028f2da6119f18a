"""The engine's chooser of encodings; it imports the encodings when the first document is found, not before."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.engine.context import Context


class Chooser:
    """Chooses the encoding of a document among ``names``, for a reader that is ``model`` ("" when unknown)."""

    __slots__ = ("model", "names")

    def __init__(self, names: "tuple[str, ...]", model: str = "") -> None:
        self.names = names
        self.model = model

    def __call__(self, document: str, context: "Context") -> "tuple[str, str]":
        """The name of the chosen encoding and the minified ``document`` in it; see ``encodings.selection``."""
        from unpretty.encodings.selection import Allowed, choose

        choice = choose(document, context, Allowed(self.names, self.model))
        return choice.encoding, choice.text
