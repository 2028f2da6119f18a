"""Readers for JSON, JSON Lines, CSV and TSV: bytes in, documents out, errors with line and column.

Text is UTF-8, with or without a byte order mark. The line-based formats are read as a stream: no reader holds more than
one record.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from unpretty.encodings.document import Document
from unpretty.encodings.errors import DecodeError
from unpretty.encodings.json_value import Value, is_number
from unpretty.errors import UnprettyError

FORMATS = ("json", "jsonl", "csv", "tsv", "parquet")
_BY_SUFFIX = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# The longest field that the csv module takes, in characters.
_FIELD_LIMIT = 2**31 - 1


def format_of(file_name: str) -> str:
    """The format by the suffix of a file's name; ``json`` for an unknown one."""
    dot = file_name.rfind(".")
    return _BY_SUFFIX.get(file_name[dot:].lower(), "json") if dot >= 0 else "json"


def read_text(stream: IO[bytes]) -> str:
    """All of ``stream`` as text. Raises DecodeError with line and column when it is not UTF-8."""
    data = stream.read().removeprefix(_BYTE_ORDER_MARK)
    return _decode(data, 0)


def _decode(data: bytes, lines_before: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        column = len(data[data.rfind(b"\n", 0, exc.start) + 1 : exc.start].decode()) + 1
        raise DecodeError("the text is not UTF-8", line + lines_before, column, "text") from None


def _lines(stream: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(stream):
        yield _decode(line if number else line.removeprefix(_BYTE_ORDER_MARK), number)


def read_json_lines(stream: IO[bytes]) -> Iterator[Document]:
    """One document per line; blank lines are skipped. Raises DecodeError."""
    for number, line in enumerate(_lines(stream)):
        if line.strip():
            try:
                yield Document.from_text(line)
            except DecodeError as exc:
                raise exc.moved(number) from None
            except RecursionError:
                raise DecodeError("the document is nested too deeply", number + 1, 1, "json") from None


def read_csv(stream: IO[bytes], delimiter: str = ",") -> Iterator[Document]:
    """One object per row, its keys from the first row.

    A cell that is spelled as a JSON number is that number, with its text; every other cell is a string. Raises
    DecodeError for a row that has not as many cells as there are names, and for broken quotes.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    rows = csv.reader(_lines(stream), delimiter=delimiter, strict=True)
    names: list[str] | None = None
    while True:
        first_line = rows.line_num + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as exc:
            raise DecodeError(str(exc), first_line, 0, "csv") from None
        if not cells:  # a blank line
            continue
        if names is None:
            names = cells
            _check_names(names, first_line)
        else:
            yield Document(_record(names, cells, first_line))


def _check_names(names: list[str], line: int) -> None:
    for number, name in enumerate(names, 1):
        if name in names[: number - 1]:
            raise DecodeError(f"cell {number} is a second column called {name!r}", line, 0, "csv")


def _record(names: list[str], cells: list[str], line: int) -> Value:
    if len(cells) < len(names):
        missing = f"cell {len(cells) + 1} ({names[len(cells)]}) is missing"
        raise DecodeError(missing, line, 0, "csv")
    if len(cells) > len(names):
        raise DecodeError(f"cell {len(names) + 1} has no name in the first row", line, 0, "csv")
    return tuple((name, cell.encode() if is_number(cell) else cell) for name, cell in zip(names, cells, strict=True))


def record_reader(data_format: str) -> Callable[[IO[bytes]], Iterator[Document]]:
    """The reader of a format of records; ``json`` is one document and has none. Raises UnprettyError."""
    if data_format == "jsonl":
        return read_json_lines
    if data_format == "csv":
        return read_csv
    if data_format == "tsv":
        return lambda stream: read_csv(stream, "\t")
    if data_format == "parquet":
        from unpretty.convert.parquet import read_parquet

        return read_parquet
    raise UnprettyError(f"There is no reader of records for {data_format!r}.", code="unknown_format")
