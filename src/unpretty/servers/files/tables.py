"""Reading rows of data files through DuckDB: streamed, in bounded memory, values as the file spells them.

Nothing is written, not even temporary files, and DuckDB itself is confined to the served directory. The SQL consists of
constants, of what ``formats`` has quoted, and of parameters.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from unpretty.engine.context import byte_length
from unpretty.errors import UnprettyError
from unpretty.servers.files.csv_tables import checked_count, proposals
from unpretty.servers.files.formats import FileTable, literal, open_table
from unpretty.servers.files.root import FORMATS
from unpretty.servers.files.row_filter import Condition, unknown_column, where_sql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Rows fetched at a time.
_BATCH = 64
# CSV files whose check is remembered.
_MAX_CHECKED = 1000
# Characters of what DuckDB says, which may quote a line of any length.
_MAX_WHY = 300


@dataclass(frozen=True)
class Page:
    """Some rows of a file.

    Attributes:
        rows: each as one JSON text.
        next_offset: where the next page begins, None when there are no more rows.
    """

    rows: list[str]
    next_offset: int | None


class FileTables:
    """DuckDB for the files below ``root``; each query may take ``seconds``, all together may use ``memory_mb`` MiB."""

    def __init__(self, root: Path, *, seconds: float = 30.0, memory_mb: int = 512) -> None:
        self._seconds = seconds
        self._checked: dict[Path, tuple[tuple[int, int, int], FileTable]] = {}
        # Extensions would be downloaded; what is needed is built in.
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
            f"allowed_directories = [{literal(str(root) + '/')}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._database.execute(f"SET {setting}")

    def columns(self, path: Path) -> dict[str, str]:
        """Names and types of the columns of ``path``. Raises UnprettyError."""
        with self._query(path) as cursor:
            return self._open(cursor, path).types

    def count(self, path: Path) -> int:
        """Number of rows of ``path``. Raises UnprettyError."""
        with self._query(path) as cursor:
            found = cursor.execute(f"SELECT count(*) FROM {self._open(cursor, path).source}").fetchone()  # noqa: S608
            assert found is not None
            return int(found[0])

    def page(  # noqa: PLR0913  one keyword per part of the query
        self,
        path: Path,
        *,
        columns: list[str] | None,
        where: list[Condition],
        offset: int,
        limit: int,
        max_bytes: int,
    ) -> Page:
        """At most ``limit`` of the rows of ``path`` that meet ``where``, from row ``offset`` of these on.

        A page ends before it has more than ``max_bytes`` UTF-8 bytes, but has at least one row. Raises UnprettyError.
        """
        with self._query(path) as cursor:
            table = self._open(cursor, path)
            for column in columns or []:
                if column not in table.types:
                    raise unknown_column(column, list(table.types))
            condition, parameters = where_sql(where, table.expressions)
            query = f"SELECT {table.selection(columns)} FROM {table.source} WHERE {condition} LIMIT ? OFFSET ?"  # noqa: S608
            cursor.execute(query, [*parameters, limit + 1, offset])
            return _take(cursor, table, columns, offset, limit, max_bytes)

    def _open(self, cursor: duckdb.DuckDBPyConnection, path: Path) -> FileTable:
        """How to read ``path``. A CSV file is first checked to its end, once for each state of the file."""
        kind = FORMATS[path.suffix.lower()]
        if kind not in ("csv", "tsv"):
            return open_table(cursor, path)
        status = path.stat()
        state = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._checked.get(path)
        if known is None or known[0] != state:
            if len(self._checked) >= _MAX_CHECKED:
                self._checked.clear()
            known = self._checked[path] = state, self._check(cursor, path, kind)
        return known[1]

    def _check(self, cursor: duckdb.DuckDBPyConnection, path: Path, kind: str) -> FileTable:
        """The first proposal by which ``path`` can be read to its end."""
        deadline = time.monotonic() + self._seconds
        first: UnprettyError | None = None
        for table in proposals(cursor, path, kind):
            try:
                checked_count(cursor, path, table, deadline)
            except UnprettyError as exc:
                first = first or exc
            else:
                return table
        assert first is not None
        raise first

    @contextmanager
    def _query(self, path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that is interrupted after ``seconds``; DuckDB's errors become UnprettyError."""
        cursor = self._database.cursor()
        timer = threading.Timer(self._seconds, cursor.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield cursor
        except (duckdb.InterruptException, TimeoutError):
            raise UnprettyError(
                f"Reading {path.name} took longer than {self._seconds:g} seconds and was stopped.",
                code="timeout",
                hint="Ask for rows nearer to the beginning, or for fewer; --seconds gives the server more time.",
            ) from None
        except duckdb.OutOfMemoryException:
            raise UnprettyError(
                f"Reading {path.name} needs more memory than is allowed.", code="memory", hint="Ask for fewer columns."
            ) from None
        except duckdb.Error as exc:
            why = " ".join(str(exc).split("\n\n")[0].split("Possible")[0].split())[:_MAX_WHY]
            raise UnprettyError(f"{path.name} cannot be read: {why}", code="unreadable") from None
        finally:
            timer.cancel()
            cursor.close()


def _take(  # noqa: PLR0913, PLR0917  the parts of one question
    cursor: duckdb.DuckDBPyConnection,
    table: FileTable,
    columns: list[str] | None,
    offset: int,
    limit: int,
    max_bytes: int,
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
