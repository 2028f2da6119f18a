"""The records of a CSV file, read from its lines without DuckDB, to check what DuckDB reads.

RFC 4180 says what a record is: fields between delimiters, each record with as many as the first, a line end inside
quotes is part of its field. Blank lines are not records, except in a file of one column, where each is an empty
field. Everything here takes time linear in the size of the file, and memory for one record.
"""

from __future__ import annotations

import csv
import time
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from unpretty.errors import UnprettyError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A line or field with more characters is an error; DuckDB takes lines of 2,000,000 bytes.
_MAX_CHARACTERS = 2_000_000
_CHUNK = 1 << 20
# Those that files are known to have, the most likely first.
DELIMITERS = (",", ";", "\t", "|")
_WHOLE_RECORDS = "Put fields with a delimiter, quote or line end in double quotes, and remove lines of another kind."


class Dialect(NamedTuple):
    """How fields are separated, quoted and escaped: one character each."""

    delimiter: str
    quote: str = '"'
    escape: str = '"'


class FirstRecord(NamedTuple):
    """The first record of a file: the number of blank lines before it, and its fields."""

    blank: int
    fields: list[str]


def first_record(path: Path, dialect: Dialect) -> FirstRecord | None:
    """The first record of ``path``; None for a file of blank lines. Raises UnprettyError if it is not a record."""
    with _Lines(path) as lines:
        for start, fields in _records(lines, dialect):
            if fields:
                if lines.has_nul:
                    raise unreadable(path, f"line {start} has NUL characters", "Save it as UTF-8 text.")
                return FirstRecord(start - 1, fields)
    return None


def likely_delimiter(path: Path, otherwise: str) -> str:
    """The delimiter that gives the first record most fields, ``otherwise`` where none gives more than one."""

    def fields(delimiter: str) -> int:
        try:
            first = first_record(path, Dialect(delimiter))
        except UnprettyError:  # "a","b" is not a record where ; is the delimiter
            return 0
        return len(first.fields) if first else 0

    return max((otherwise, *DELIMITERS), key=fields)


def quick_count(path: Path, dialect: Dialect, columns: int, deadline: float) -> int:
    """The number of records of ``path``, the first included, at 100 MB per second or more.

    Correct only for files that follow RFC 4180 and have no blank lines; -1 for those with other quotes, or when the sum
    of all fields is not that of records of ``columns`` fields. Raises TimeoutError after ``deadline`` (of
    time.monotonic).
    """
    if dialect != Dialect(dialect.delimiter):
        return -1
    # What may come before a quote outside quotes: the start of a field, or the quote that it doubles.
    delimiter = dialect.delimiter.encode()
    opening = {b"", b"\n", delimiter}
    count, delimiters, inside = 0, 0, False
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK) + file.readline(_MAX_CHARACTERS):
            if time.monotonic() > deadline:
                raise TimeoutError
            pieces = chunk.split(b'"')
            outside = pieces[inside::2]
            inside ^= len(pieces) % 2 == 0
            count += sum(piece.count(b"\n") for piece in outside)
            delimiters += sum(piece.count(delimiter) for piece in outside)
            if not {piece[-1:] for piece in (outside if inside else outside[:-1])} <= opening:
                return -1
            count += not chunk.endswith(b"\n")  # the last line, or one that is too long, after which the count is wrong
    return -1 if inside or delimiters != count * (columns - 1) else count


def count_records(path: Path, dialect: Dialect, columns: int, deadline: float) -> int:
    """The number of records of ``path``, the first included, when each has ``columns`` fields.

    Raises UnprettyError that names the first line where one has not, and TimeoutError after ``deadline``.
    """
    with _Lines(path, deadline) as lines:
        return _count(lines, dialect, columns)


def unreadable(path: Path, why: str, hint: str = "") -> UnprettyError:
    """The error for a file whose data could be read as something other than it is."""
    return UnprettyError(f"{path.name} cannot be read: {why}.", code="unreadable", hint=hint)


class _Lines:
    """The lines of a file with their line ends.

    Attributes:
        number: how many were read.
        ending: the line end of the last one, "" when the file ended without.
        has_nul: one of them had a NUL character.
    """

    def __init__(self, path: Path, deadline: float = float("inf")) -> None:
        self.path = path
        self.number = 0
        self.ending = ""
        self.has_nul = False
        self._deadline = deadline
        # Every line end stays as it is, and bytes that are not UTF-8 become surrogates, whose line ``_check`` names.
        self._file = path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline(_MAX_CHARACTERS):
            self.number += 1
            self._check(line)
            self.ending = line[len(line.rstrip("\r\n")) :]
            self.has_nul = self.has_nul or "\0" in line
            # Python 3.10 takes no NUL; any other character that is not a delimiter gives the same number of fields.
            yield line.replace("\0", "\ufffd")

    def _check(self, line: str) -> None:
        if len(line) == _MAX_CHARACTERS:
            raise unreadable(self.path, f"line {self.number} has more than {_MAX_CHARACTERS:,} characters")
        if not line.isascii():
            try:
                line.encode()
            except UnicodeEncodeError:
                raise unreadable(self.path, f"line {self.number} is not UTF-8 text", "Save it as UTF-8.") from None
        if self.number % 1000 == 0 and time.monotonic() > self._deadline:
            raise TimeoutError


def _count(lines: _Lines, dialect: Dialect, columns: int) -> int:
    count, ending = 0, ""
    for start, fields in _records(lines, dialect):
        if dialect.quote != '"' and lines.number > start:  # an apostrophe does not quote more than one line
            _no_record(lines.path, start)
        found = len(fields)
        if not found and (columns > 1 or not count):
            continue
        if max(found, 1) != columns:
            has = f"line {start} has {_fields(found)} where the first line has {columns}"
            raise unreadable(lines.path, has, _WHOLE_RECORDS)
        ending = ending or lines.ending
        if lines.ending not in ("", ending):
            has = f"line {lines.number} ends with {lines.ending!r} where the lines before end with {ending!r}"
            raise unreadable(lines.path, has, "Let all lines end in the same way.")
        count += 1
    return count


def _records(lines: _Lines, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Each record with the number of the line where it begins; no fields for a blank line."""
    csv.field_size_limit(_MAX_CHARACTERS)
    doubled = dialect.escape == dialect.quote
    reader = csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote,
        doublequote=doubled,
        escapechar=None if doubled else dialect.escape,
        skipinitialspace=True,  # as DuckDB: a quote may follow a space
        strict=True,
    )
    start = 1
    try:
        for fields in reader:
            yield start, fields
            start = lines.number + 1
    except csv.Error:
        _no_record(lines.path, start)


def _no_record(path: Path, line: int) -> NoReturn:
    why = f"a quote in the record that begins in line {line} is not closed, or more text follows it"
    raise unreadable(path, why, _WHOLE_RECORDS) from None


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"
