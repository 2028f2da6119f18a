"""Reading Parquet with DuckDB, an extra: values that JSON has no type for are written as Protocol Buffers does.

Decimals and integers keep their digits; dates, times and UUIDs are ISO strings; binary data is base64; NaN and the
infinities are the strings "NaN", "Infinity" and "-Infinity".
"""

import base64
import math
import shutil
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from typing import IO

from unpretty.encodings.document import Document
from unpretty.encodings.errors import DecodeError
from unpretty.encodings.json_value import Value
from unpretty.errors import UnprettyError

_BATCH = 1000  # rows held at a time


def read_parquet(stream: IO[bytes]) -> Iterator[Document]:
    """One object per row. Raises UnprettyError without DuckDB, DecodeError when the file is not Parquet."""
    try:
        import duckdb
    except ImportError:
        raise UnprettyError(
            "Reading Parquet needs DuckDB.",
            code="missing_extra",
            hint='Install it with: pip install "unpretty[parquet]".',
        ) from None
    # DuckDB reads files only, and takes * and ? in their names as wildcards: so a copy under a fixed name.
    with tempfile.TemporaryDirectory(prefix="unpretty-") as directory:
        path = f"{directory}/data.parquet"
        with open(path, "wb") as copy:  # noqa: PTH123
            shutil.copyfileobj(stream, copy)
        with duckdb.connect(config={"autoinstall_known_extensions": False}) as database:
            try:
                rows = database.execute("SELECT * FROM read_parquet(?)", [path])
                names = [column[0] for column in rows.description or ()]
                while batch := rows.fetchmany(_BATCH):
                    for row in batch:
                        yield Document(tuple(zip(names, map(_value, row), strict=True)))
            except duckdb.Error as exc:
                what = str(exc).splitlines()[0].replace(path, "the file")
                raise DecodeError(f"this cannot be read as Parquet ({what})", 0, 0, "parquet") from None


def _value(cell: object) -> Value:
    if cell is None or isinstance(cell, (bool, str)):
        return cell
    if isinstance(cell, int):
        return str(cell).encode()
    if isinstance(cell, float):
        return repr(cell).encode() if math.isfinite(cell) else _NOT_FINITE.get(str(cell), "NaN")
    if isinstance(cell, Decimal):
        return format(cell, "f").encode()
    if isinstance(cell, (bytes, bytearray, memoryview)):
        return base64.b64encode(cell).decode()
    if isinstance(cell, dict):
        return tuple((str(key), _value(item)) for key, item in cell.items())
    if isinstance(cell, (list, tuple)):
        return [_value(item) for item in cell]
    isoformat = getattr(cell, "isoformat", None)
    return str(isoformat()) if isoformat else str(cell)


_NOT_FINITE = {"inf": "Infinity", "-inf": "-Infinity"}
