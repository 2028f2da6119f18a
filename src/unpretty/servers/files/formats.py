"""How data files are read through DuckDB, so that values come out as the file spells them; CSV is in ``csv_tables``.

CSV and TSV cells are read as text and JSON records as their own text: 007, 1.10 and integers of any length come out as
they went in. Parquet values are written by their types. The SQL consists of constants and of names and texts that
``literal`` and ``_identifier`` have quoted.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from unpretty.encodings.json_value import dump, quote
from unpretty.engine.json_text.minify import minify
from unpretty.engine.json_text.scanner import InvalidJSON, scan
from unpretty.errors import UnprettyError
from unpretty.servers.files.root import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

# A single JSON record may have this many bytes.
_MAX_RECORD_BYTES = 64 << 20
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMERIC = re.compile(r"(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*)\Z")
# Values as ``dump`` writes them: numbers keep their text.
_loads = partial(json.loads, object_pairs_hook=tuple, parse_int=str.encode, parse_float=str.encode)


@dataclass(frozen=True)
class FileTable:
    """How to read one file.

    Attributes:
        source: the table expression.
        types: the columns with their types.
        expressions: SQL for the value of each column.
    """

    source: str
    types: dict[str, str]
    expressions: dict[str, str]

    def selection(self, columns: list[str] | None) -> str:
        """The SQL of the values that ``row`` takes."""
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


class _Parquet(FileTable):
    def selection(self, columns: list[str] | None) -> str:
        chosen = [(self.types[column], self.expressions[column]) for column in self._chosen(columns)]
        values = [f"to_json({expression})" if _is_nested(kind) else expression for kind, expression in chosen]
        return ", ".join(f"CAST({value} AS VARCHAR)" for value in values)

    def _cell(self, column: str, value: object) -> str:
        if value is None or not _is_nested(self.types[column]):
            return super()._cell(column, value)
        text = str(value)
        try:
            scan(text)
        except InvalidJSON:  # NaN and Infinity, which JSON has no numbers for, become strings
            return dump(_loads(text, parse_constant=str))
        return text


class _Json(FileTable):
    def selection(self, columns: list[str] | None) -> str:
        return "json"

    def row(self, values: tuple[Any, ...], columns: list[str] | None) -> str:
        record = str(values[0])
        if record[:1] not in ("{", "["):
            return record
        record = minify(record).flat
        return record if columns is None or record[0] == "[" else _members(record, columns)


def _members(record: str, columns: list[str]) -> str:
    """Only these members of a minified object, in this order, spelled as they were; an absent one stays absent."""
    found: dict[str, list[str]] = {}
    start = 1
    while start < len(record) - 1:
        name, colon = scan(record, start)
        _, end = scan(record, colon + 1)
        found.setdefault(str(name), []).append(record[start:end])
        start = end + 1
    return "{" + ",".join(member for column in columns for member in found.get(column, [])) + "}"


def open_table(cursor: duckdb.DuckDBPyConnection, path: Path) -> FileTable:
    """Find out how to read ``path``, a Parquet, JSON or JSON Lines file."""
    kind = FORMATS[path.suffix.lower()]
    name = file_literal(path)
    if kind == "parquet":
        types = _describe(cursor, f"read_parquet({name})")
        return _Parquet(f"read_parquet({name})", types, {column: _identifier(column) for column in types})
    if kind == "json" and _is_cut(path):
        raise UnprettyError(f"{path.name} cannot be read: the array ends in the middle.", code="unreadable")
    form = "newline_delimited" if kind == "jsonl" else "auto"
    options = f"{name}, format = '{form}', maximum_object_size = {_MAX_RECORD_BYTES}"
    types = _describe(cursor, f"read_json({options})")
    expressions = {column: f"json_extract_string(json, {literal(_pointer(column))})" for column in types}
    return _Json(f"read_json_objects({options})", types, expressions)


def _is_cut(path: Path) -> bool:
    """True for a JSON array without its last bracket, of which DuckDB would give the elements without an error."""
    with path.open("rb") as file:
        start = file.read(4096).lstrip()
        file.seek(max(0, path.stat().st_size - 4096))
        return start[:1] == b"[" and file.read().rstrip()[-1:] != b"]"


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION(", "JSON", "VARIANT"))


def _describe(cursor: duckdb.DuckDBPyConnection, source: str) -> dict[str, str]:
    described = cursor.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608
    return {row[0]: str(row[1]) for row in described}


def _pointer(column: str) -> str:
    """A JSON pointer (RFC 6901) to the member ``column``."""
    return "/" + column.replace("~", "~0").replace("/", "~1")


def file_literal(path: Path) -> str:
    """The file's name for DuckDB, with its wildcard characters escaped."""
    return literal(re.sub(r"([*?\[])", r"[\1]", str(path)))


def literal(text: str) -> str:
    """``text`` as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
