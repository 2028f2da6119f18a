"""How a CSV or TSV file is read through DuckDB, without the loss of a row.

DuckDB guesses how fields are separated and skips lines that do not match its guess. So its guess is a proposal: the
first line says what columns there are, every record must have as many fields, and DuckDB must count as many records as
the lines of the file have (``csv_lines``). Otherwise the file is an error that names the line; it is not read in part.

DuckDB's strict mode is not enough (2.0.1): with several threads it can drop a record after many quoted line ends, so it
reads with one; with one it drops what follows a quote that is never closed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import duckdb

from unpretty.servers.files.csv_lines import (
    DELIMITERS,
    Dialect,
    FirstRecord,
    count_records,
    first_record,
    likely_delimiter,
    quick_count,
    unreadable,
)
from unpretty.servers.files.formats import FileTable, file_literal, literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STRICT = "auto_detect = false, parallel = false, strict_mode = true, null_padding = false, ignore_errors = false"


@dataclass(frozen=True)
class Delimited(FileTable):
    """How to read one CSV or TSV file.

    Attributes:
        dialect: how fields are separated.
        blank: the number of lines that DuckDB has to skip, all blank.
        has_header: the first record names the columns.
    """

    dialect: Dialect
    blank: int
    has_header: bool


@dataclass(frozen=True)
class _Guess:
    """What DuckDB guesses about a file: ``skip`` lines, then columns with these ``names`` and ``types``."""

    dialect: Dialect
    skip: int
    has_header: bool
    names: list[str]
    types: list[str]


def proposals(cursor: duckdb.DuckDBPyConnection, path: Path, kind: str) -> Iterator[Delimited]:
    """Ways to read ``path``, the most likely first; ``kind`` is csv or tsv. Raises UnprettyError if it is not text."""
    tabs = "delim = '\t'" if kind == "tsv" else ""
    seen: set[Dialect] = set()
    # RFC 4180 knows one quote and no backslash; others are tried where a file cannot be read so.
    for options in ("quote = '\"', escape = '\"'", ""):
        guess = _sniff(cursor, path, ", ".join(filter(None, (tabs, options))))
        proposal = _proposal(path, kind, guess)
        if proposal.dialect not in seen:
            seen.add(proposal.dialect)
            yield proposal
            if proposal.blank:  # DuckDB 1.3 does not count blank lines among those to skip
                yield _delimited(path, proposal.dialect, 0, proposal.types, proposal.has_header)


def checked_count(cursor: duckdb.DuckDBPyConnection, path: Path, table: Delimited, deadline: float) -> int:
    """The number of rows of ``path``, read as ``table`` says, counted by DuckDB and by the lines of the file.

    Raises UnprettyError that names the line of a broken record, duckdb.Error, and TimeoutError after ``deadline`` (of
    time.monotonic).
    """
    try:
        found = cursor.execute(f"SELECT count(*) FROM {table.source}").fetchone()  # noqa: S608
    except (duckdb.InterruptException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error:
        count_records(path, table.dialect, len(table.types), deadline)  # names the line
        raise
    assert found is not None
    rows = int(found[0])
    records = rows + table.has_header
    # DuckDB does not count empty fields after the last column; the lines show them.
    if quick_count(path, table.dialect, len(table.types), deadline) != records:
        counted = count_records(path, table.dialect, len(table.types), deadline)
        if counted != records:
            raise unreadable(path, f"it has {counted} records, of which DuckDB finds {records}")
    return rows


def _sniff(cursor: duckdb.DuckDBPyConnection, path: Path, options: str) -> _Guess | None:
    what = "Delimiter, Quote, Escape, SkipRows, HasHeader, Columns"
    source = f"sniff_csv({file_literal(path)}{', ' if options else ''}{options})"
    try:
        found = cursor.execute(f"SELECT {what} FROM {source}").fetchone()  # noqa: S608
    except duckdb.InvalidInputException:  # no guess, or not text: the lines will show it
        return None
    assert found is not None
    delimiter, quote, escape, skip, has_header, columns = found
    if delimiter not in DELIMITERS:
        return None
    # What the sample did not use may still come, as RFC 4180 has it.
    quote, escape = ("" if mark == "(empty)" else mark for mark in (quote, escape))
    dialect = Dialect(delimiter, quote or '"', escape or quote or '"')
    names, types = ([str(column[what]) for column in columns] for what in ("name", "type"))
    return _Guess(dialect, int(skip), bool(has_header), names, types)


def _proposal(path: Path, kind: str, guess: _Guess | None) -> Delimited:
    """``guess`` with the columns of the first line."""
    dialect = guess.dialect if guess else Dialect("\t" if kind == "tsv" else ",")
    first = first_record(path, dialect)
    if kind == "csv" and first and len(first.fields) == 1:
        # One column is also what DuckDB makes of lines that do not have the same number of fields.
        several = guess is not None and len(guess.types) > 1
        dialect = dialect._replace(delimiter=likely_delimiter(path, dialect.delimiter if several else ","))
        first = first_record(path, dialect)
    if first is None:
        return _empty(path, dialect)
    width = len(first.fields)
    if guess is None or guess.skip not in (0, first.blank) or len(guess.types) != width:
        guess = _Guess(dialect, first.blank, True, [], ["VARCHAR"] * width)
    names = _distinct(first) if guess.has_header else guess.names
    return _delimited(path, dialect, first.blank, dict(zip(names, guess.types, strict=True)), guess.has_header)


def _delimited(path: Path, dialect: Dialect, blank: int, columns: dict[str, str], has_header: bool) -> Delimited:
    # DuckDB takes "a" and "A" as one name, so it gets names that differ.
    names = [f"c{number}" for number in range(len(columns))]
    options = ", ".join(
        (
            f"delim = {literal(dialect.delimiter)}, quote = {literal(dialect.quote)}",
            f"escape = {literal(dialect.escape)}, skip = {blank}, header = {str(has_header).lower()}",
            "columns = {" + ", ".join(f"{name}: 'VARCHAR'" for name in names) + "}",
        )
    )
    source = f"read_csv({file_literal(path)}, {_STRICT}, {options})"
    return Delimited(source, columns, dict(zip(columns, names, strict=True)), dialect, blank, has_header)


def _empty(path: Path, dialect: Dialect) -> Delimited:
    """A file of blank lines, of which DuckDB would make rows."""
    table = _delimited(path, dialect, 0, {"column0": "VARCHAR"}, has_header=False)
    return replace(table, source="(SELECT NULL::VARCHAR AS c0 LIMIT 0)")


def _distinct(first: FirstRecord) -> list[str]:
    """The fields of the first record as names of columns: ``column2`` for an empty one, ``a_1`` for a second ``a``."""
    names: dict[str, None] = {}
    for number, field in enumerate(first.fields):
        name = base = field.strip() or f"column{number}"
        count = 0
        while name in names or (count and name in first.fields):
            count += 1
            name = f"{base}_{count}"
        names[name] = None
    return list(names)
