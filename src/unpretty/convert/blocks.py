"""Records in blocks: each block is one document, an array, so that memory stays bounded and each block is verified.

Most inputs fit into one block and become one document. JSON blocks are joined into one array; blocks in other encodings
are separated by a blank line, and ``decode_blocks`` joins their records.
"""

from collections.abc import Iterable, Iterator

from unpretty.encodings import decode
from unpretty.encodings.document import Document
from unpretty.encodings.errors import DecodeError
from unpretty.encodings.json_value import Value

BLOCK_ROWS = 20_000
BLOCK_CHARS = 8 << 20  # characters of minified JSON
_SEPARATOR = "\n\n"


def blocks(records: Iterable[Document], rows: int = BLOCK_ROWS, chars: int = BLOCK_CHARS) -> Iterator[Document]:
    """The records as arrays of at most ``rows`` records and about ``chars`` characters; one empty array for none."""
    values: list[Value] = []
    texts: list[str] = []
    size = 0
    made = False
    for record in records:
        values.append(record.value)
        texts.append(record.minified)
        size += len(texts[-1])
        if len(values) >= rows or size >= chars:
            yield _array(values, texts)
            made, values, texts, size = True, [], [], 0
    if values or not made:
        yield _array(values, texts)


def _array(values: list[Value], texts: list[str]) -> Document:
    return Document(values, f"[{','.join(texts)}]")


def joined(texts: Iterable[str], encoding: str) -> Iterator[str]:
    """Pieces of text of the whole output: ``texts``, which are blocks in ``encoding``, and a line end."""
    if encoding != "json":
        for number, text in enumerate(texts):
            yield (_SEPARATOR if number else "") + text
    else:
        yield "["
        first = True
        for text in texts:
            members = text[1:-1]
            yield members if first else "," * bool(members) + members
            first = False
        yield "]"
    yield "\n"


def decode_blocks(text: str, encoding: str) -> str:
    """The JSON text that ``text`` encodes: one document, or blocks whose records are joined into one array.

    Raises DecodeError.
    """
    try:
        return decode(text, encoding)
    except DecodeError as exc:
        parts = text.split(_SEPARATOR)
        try:
            arrays = [decode(part, encoding) for part in parts]
        except DecodeError:
            raise exc from None
        if len(parts) == 1 or not all(array.startswith("[") for array in arrays):
            raise
        return f"[{','.join(array[1:-1] for array in arrays if array != '[]')}]"
