"""Reading rows of data files through DuckDB: streamed, in bounded memory, values as the file spells them.

CSV and TSV cells are read as text and JSON records as their own text, so 007, 1.10 and integers of any length come out
as they went in; Parquet values are what the file's types say. Nothing is written, not even temporary files, and DuckDB
itself is confined to the served folder. The SQL is made of our own words and of names and texts that ``_literal`` and
``_identifier`` have quoted; values are parameters.
"""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import duckdb

from unpretty.compaction import byte_length
from unpretty.encodings.json_value import dump, quote
from unpretty.errors import UnprettyError
from unpretty.json_text.minify import minify
from unpretty.json_text.scanner import InvalidJSON, scan
from unpretty.mcp.file_root import FORMATS
from unpretty.mcp.message import Cursor, as_text
from unpretty.mcp.row_filter import Condition, unknown_column, where_sql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A single JSON record may have this many bytes.
_MAX_RECORD_BYTES = 64 << 20
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMERIC = re.compile(r"(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*)\Z")
# Rows fetched at a time.
_BATCH = 64


class Page:
    """Some rows of a file.

    Attributes:
        rows: each as one JSON text.
        next_offset: where the next page begins, None when there are no more rows.
    """

    __slots__ = ("next_offset", "rows")

    def __init__(self, rows: list[str], next_offset: int | None) -> None:
        self.rows = rows
        self.next_offset = next_offset


class Tables:
    """DuckDB for the files below ``folder``; every question may take ``seconds`` and all together ``memory_mb`` MiB."""

    def __init__(self, folder: Path, *, seconds: float = 30.0, memory_mb: int = 512) -> None:
        self._seconds = seconds
        # Extensions would be fetched from the network; what is needed is built in.
        self._database = duckdb.connect(
            config={
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "allow_community_extensions": False,
                "memory_limit": f"{memory_mb}MiB",
                "threads": 2,
                "temp_directory": "",
            }
        )
        for setting in (
            f"allowed_directories = [{_literal(str(folder) + '/')}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._database.execute(f"SET {setting}")

    def columns(self, path: Path) -> dict[str, str]:
        """Names and types of the columns of ``path``. Raises UnprettyError."""
        with self._question(path) as cursor:
            return _table(cursor, path).types

    def count(self, path: Path) -> int:
        """Number of rows of ``path``. Raises UnprettyError."""
        with self._question(path) as cursor:
            found = cursor.execute(f"SELECT count(*) FROM {_table(cursor, path).source}").fetchone()  # noqa: S608
            assert found is not None
            return int(found[0])

    def page(  # noqa: PLR0913  one keyword per part of the question
        self,
        path: Path,
        *,
        columns: list[str] | None,
        where: list[Condition],
        offset: int,
        limit: int,
        max_bytes: int,
    ) -> Page:
        """Rows of ``path`` that fit ``where``, from row ``offset`` of these on: ``limit`` at most.

        A page ends before it has more than ``max_bytes`` UTF-8 bytes, but has one row at least. Raises UnprettyError.
        """
        with self._question(path) as cursor:
            table = _table(cursor, path)
            for column in columns or []:
                if column not in table.types:
                    raise unknown_column(column, list(table.types))
            condition, parameters = where_sql(where, table.expressions)
            query = f"SELECT {table.selection(columns)} FROM {table.source} WHERE {condition} LIMIT ? OFFSET ?"  # noqa: S608
            cursor.execute(query, [*parameters, limit + 1, offset])
            return _take(cursor, table, columns, offset, limit, max_bytes)

    @contextmanager
    def _question(self, path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that is interrupted when its time is up; DuckDB's errors become ours."""
        cursor = self._database.cursor()
        timer = threading.Timer(self._seconds, cursor.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield cursor
        except duckdb.InterruptException:
            raise UnprettyError(
                f"Reading {path.name} took longer than {self._seconds:g} seconds and was given up.",
                code="timeout",
                hint="Ask for rows nearer to the beginning, or for fewer.",
            ) from None
        except duckdb.OutOfMemoryException:
            raise UnprettyError(
                f"Reading {path.name} needs more memory than is allowed.", code="memory", hint="Ask for fewer columns."
            ) from None
        except duckdb.Error as fault:
            why = " ".join(str(fault).split("\n\n")[0].split("Possible")[0].split())
            raise UnprettyError(f"{path.name} cannot be read: {why}", code="unreadable") from None
        finally:
            timer.cancel()
            cursor.close()


class _Table:
    """How to read one file.

    Attributes:
        source: the table expression.
        types: the columns with their types.
        expressions: SQL for the value of each column.
    """

    def __init__(self, source: str, types: dict[str, str], expressions: dict[str, str]) -> None:
        self.source = source
        self.types = types
        self.expressions = expressions

    def selection(self, columns: list[str] | None) -> str:
        """What to select so that ``row`` can make a row of it."""
        return ", ".join(self.expressions[column] for column in self._chosen(columns))

    def row(self, values: tuple[Any, ...], columns: list[str] | None) -> str:
        """One fetched row as JSON text."""
        cells = zip(self._chosen(columns), values, strict=True)
        return "{" + ",".join(f"{quote(column)}:{self._cell(column, value)}" for column, value in cells) + "}"

    def _chosen(self, columns: list[str] | None) -> list[str]:
        return columns if columns is not None else list(self.types)

    def _cell(self, column: str, value: object) -> str:
        """A text cell: bare where the column holds numbers or booleans and this one is spelled as JSON spells them."""
        if value is None:
            return "null"
        text = str(value)
        kind = self.types[column]
        if (_NUMERIC.match(kind) and _NUMBER.fullmatch(text)) or (kind == "BOOLEAN" and text in ("true", "false")):
            return text
        return quote(text)


class _Parquet(_Table):
    def selection(self, columns: list[str] | None) -> str:
        chosen = ", ".join(f"{_literal(name)}: {self.expressions[name]}" for name in self._chosen(columns))
        return f"CAST(to_json({{{chosen}}}) AS VARCHAR)"

    def row(self, values: tuple[Any, ...], columns: list[str] | None) -> str:
        text = as_text(values[0])
        try:
            scan(text)
        except InvalidJSON:  # NaN and Infinity, which JSON has no numbers for, become strings
            return dump(
                json.loads(
                    text, object_pairs_hook=tuple, parse_int=str.encode, parse_float=str.encode, parse_constant=str
                )
            )
        return text


class _Json(_Table):
    def selection(self, columns: list[str] | None) -> str:
        return "json"

    def row(self, values: tuple[Any, ...], columns: list[str] | None) -> str:
        record = as_text(values[0])
        if record[:1] not in ("{", "["):
            return record
        record = minify(record).flat
        return record if columns is None or record[0] == "[" else _members(record, columns)


def _members(record: str, columns: list[str]) -> str:
    """Only these members of a minified object, in this order, spelled as they were; an absent one stays absent."""
    found: dict[str, list[str]] = {}
    cursor = Cursor(record)
    cursor.expect("{")
    while cursor.peek() != "}":
        name = cursor.value()
        cursor.expect(":")
        value = cursor.value()
        found.setdefault(as_text(name.value), []).append(record[name.start : value.end])
        if cursor.peek() == ",":
            cursor.position += 1
    return "{" + ",".join(member for column in columns for member in found.get(column, [])) + "}"


def _take(  # noqa: PLR0913, PLR0917  the parts of one question
    cursor: duckdb.DuckDBPyConnection, table: _Table, columns: list[str] | None, offset: int, limit: int, max_bytes: int
) -> Page:
    rows: list[str] = []
    size = 0
    while batch := cursor.fetchmany(_BATCH):
        for values in batch:
            row = table.row(values, columns)
            size += byte_length(row) + 1
            if rows and (len(rows) == limit or size > max_bytes):
                return Page(rows, offset + len(rows))
            rows.append(row)
    return Page(rows, None)


def _table(cursor: duckdb.DuckDBPyConnection, path: Path) -> _Table:
    """Find out how to read ``path``."""
    kind = FORMATS[path.suffix.lower()]
    name = _file(path)
    if kind in ("csv", "tsv"):
        return _delimited(cursor, name, kind)
    if kind == "parquet":
        types = _describe(cursor, f"read_parquet({name})")
        return _Parquet(f"read_parquet({name})", types, {column: _identifier(column) for column in types})
    form = "newline_delimited" if kind == "jsonl" else "auto"
    options = f"{name}, format = '{form}', maximum_object_size = {_MAX_RECORD_BYTES}"
    types = _describe(cursor, f"read_json({options})")
    expressions = {column: f"json_extract_string(json, {_literal(_pointer(column))})" for column in types}
    return _Json(f"read_json_objects({options})", types, expressions)


def _delimited(cursor: duckdb.DuckDBPyConnection, name: str, kind: str) -> _Table:
    tabs = ", delim = '\t'" if kind == "tsv" else ""
    sniffed = f"SELECT Delimiter, Quote, Escape, SkipRows, HasHeader, Columns FROM sniff_csv({name}{tabs})"  # noqa: S608
    found = cursor.execute(sniffed).fetchone()
    assert found is not None
    delimiter, mark, escape, skip, header, columns = found
    types = {column["name"]: str(column["type"]) for column in columns}
    # What the sample did not use may still come: RFC 4180 says how.
    mark, escape = ("" if char == "(empty)" else char for char in (mark, escape))
    options = {
        "auto_detect": "false",
        "delim": _literal(delimiter),
        "quote": _literal(mark or '"'),
        "escape": _literal(escape or mark or '"'),
        "skip": str(int(skip)),
        "header": str(bool(header)).lower(),
        "columns": "{" + ", ".join(f"{_literal(column)}: 'VARCHAR'" for column in types) + "}",
    }
    source = f"read_csv({name}, {', '.join(f'{key} = {value}' for key, value in options.items())})"
    return _Table(source, types, {column: _identifier(column) for column in types})


def _describe(cursor: duckdb.DuckDBPyConnection, source: str) -> dict[str, str]:
    described = cursor.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608
    return {row[0]: str(row[1]) for row in described}


def _pointer(column: str) -> str:
    """A JSON pointer (RFC 6901) to the member ``column``."""
    return "/" + column.replace("~", "~0").replace("/", "~1")


def _file(path: Path) -> str:
    """The file's name for DuckDB, in which no character stands for others."""
    return _literal(re.sub(r"([*?\[])", r"[\1]", str(path)))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
