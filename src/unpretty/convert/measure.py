"""How large documents are in every encoding."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from unpretty.encodings.document import Document
from unpretty.encodings.errors import Declined
from unpretty.encodings.registry import get, names
from unpretty.encodings.verified import encode_verified
from unpretty.engine.context import byte_length


@dataclass
class Size:
    """Size of all documents in one encoding: UTF-8 bytes, tokens; or the code of the reason for declining one."""

    size_bytes: int = 0
    tokens: int = 0
    declined: str = ""


def measure(documents: Iterable[Document], count_tokens: Callable[[str], int]) -> dict[str, Size]:
    """The sizes by name of the encoding, each encoded text verified. Raises RecursionError for too deep nesting."""
    sizes = {name: Size() for name in names()}
    for document in documents:
        for name, size in sizes.items():
            if size.declined:
                continue
            try:
                text = encode_verified(document, get(name))
            except Declined as reason:
                sizes[name] = Size(declined=reason.code)
            else:
                size.size_bytes += byte_length(text)
                size.tokens += count_tokens(text)
    return sizes
