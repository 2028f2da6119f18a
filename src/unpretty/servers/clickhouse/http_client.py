"""ClickHouse's HTTP interface: read-only queries, answers streamed row by row and cut at a limit.

The client is the standard library's: clickhouse-connect turns numbers into Python objects, which loses how the server
spelled them, and does not support older servers (Debian's 18.16 among them). Settings and formats used here are those
of ClickHouse 18.16 and later (https://clickhouse.com/docs/interfaces/http).

The server itself refuses to write: ``readonly=1`` is sent with each query, unless the user is read-only already. The
limits are sent to the server and also enforced here.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
import urllib.parse
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unpretty.errors import UnprettyError
from unpretty.servers.clickhouse.address import credentials, parse_address

if TYPE_CHECKING:
    from collections.abc import Iterator

_FORMAT = "JSONEachRow"
# Seconds to wait for an answer in addition to what the server may take for it.
_EXTRA_SECONDS = 5.0
# The beginning of an error is enough; a row longer than this many bytes is not read.
_MAX_ERROR_BYTES = 4000
_MAX_ROW_BYTES = 16 << 20
_EXCEPTION = re.compile(rb'Code: \d+[.,]|__exception__|\{"exception":"Code: \d+[.,]')
# What follows the message of an error: stack traces of old servers, the version of new ones, where the parser was.
_ERROR_TAIL = re.compile(r"(?:, e\.what\(\) = .*|\s*\(version .*|\s*Stack trace:.*)$", re.DOTALL)


@dataclass(frozen=True)
class QueryAnswer:
    """The rows of an answer.

    Attributes:
        rows: each as the JSON text of an object; lines of text when the query named another format.
        more: the answer had more rows and was cut.
        is_json: False when the query named another format.
    """

    rows: list[str]
    more: bool
    is_json: bool


class ClickHouse:
    """One server; ``seconds``, ``max_rows`` and ``max_bytes`` (UTF-8 bytes of rows) limit each answer."""

    def __init__(  # noqa: PLR0913  one keyword per limit
        self,
        url: str,
        *,
        user: str = "",
        password: str = "",
        seconds: float = 30.0,
        max_rows: int = 1000,
        max_bytes: int = 40_000,
    ) -> None:
        """Take ``http[s]://[user[:password]@]host[:port][/database]``. Raises UnprettyError for anything else."""
        self._address = address = parse_address(url)
        self._headers: dict[str, str | bytes] = {
            "User-Agent": "unpretty",
            **credentials(address.user or user, address.password or password),
        }
        self._seconds = seconds
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._settings: dict[str, str] | None = None

    def ask(self, sql: str, max_rows: int | None = None) -> QueryAnswer:
        """The answer to one read-only query. Raises UnprettyError with the server's error message."""
        rows = min(max_rows or self._max_rows, self._max_rows)
        if self._settings is None:
            self._settings = self._find_settings()
        with self._request(sql, self._settings) as response:
            self._check(response)
            return self._read(response, rows)

    def _find_settings(self) -> dict[str, str]:
        """The settings to send with each query: those that the server lets this user set."""
        limits = {
            "max_execution_time": str(max(1, round(self._seconds))),
            # More rows would not be read: the server may stop early, between two of its blocks.
            "max_result_rows": str(self._max_rows + 1),
            "result_overflow_mode": "break",
            "output_format_json_quote_64bit_integers": "0",
            "output_format_json_quote_denormals": "1",
            "output_format_decimal_trailing_zeros": "1",
            "cancel_http_readonly_queries_on_client_close": "1",
            "http_write_exception_in_output_format": "0",
        }
        names = ", ".join(string(name) for name in (*limits, "readonly"))
        query = f"SELECT name, value FROM system.settings WHERE name IN ({names})"  # noqa: S608  constants
        with self._request(query, {}) as response:
            self._check(response)
            answer = self._read(response, len(names))
        if not answer.is_json:
            raise UnprettyError(
                f"What answers at {self._address.host} is not a ClickHouse server.", code="no_clickhouse"
            )
        known = {row["name"]: str(row["value"]) for row in map(json.loads, answer.rows)}
        level = known.get("readonly", "0")
        wanted = {name: value for name, value in limits.items() if name in known}
        if level == "0":
            return {**wanted, "readonly": "1"}  # last: after it no other setting is accepted
        return wanted if level == "2" else {}

    @contextmanager
    def _request(self, sql: str, settings: dict[str, str]) -> Iterator[http.client.HTTPResponse]:
        database = self._address.database
        parameters = {"default_format": _FORMAT, **({"database": database} if database else {}), **settings}
        connection = self._connection()
        try:
            connection.request(
                "POST", "/?" + urllib.parse.urlencode(parameters), sql.encode("utf-8", "replace"), self._headers
            )
            with connection.getresponse() as response:
                yield response
        except TimeoutError:
            raise UnprettyError(
                f"ClickHouse took longer than {self._seconds:g} seconds.", code="timeout", hint="Ask for less."
            ) from None
        except http.client.IncompleteRead:
            raise UnprettyError("The answer of ClickHouse broke off.", code="broken_off", hint="Ask again.") from None
        except (OSError, http.client.HTTPException) as exc:
            why = getattr(exc, "strerror", None) or str(exc) or type(exc).__name__
            raise UnprettyError(
                f"ClickHouse at {self._address.host}:{self._address.port} cannot be reached: {why}.", code="unreachable"
            ) from None
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        address, timeout = self._address, self._seconds + _EXTRA_SECONDS
        if address.secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(address.host, address.port, timeout=timeout, context=context)
        return http.client.HTTPConnection(address.host, address.port, timeout=timeout)

    def _check(self, response: http.client.HTTPResponse) -> None:
        if response.status != 200:
            message = response.read(_MAX_ERROR_BYTES)
            raise _server_error(message or f"HTTP status {response.status} {response.reason}".encode())

    def _read(self, response: http.client.HTTPResponse, max_rows: int) -> QueryAnswer:
        """The first rows of ``response``; the rest is not read."""
        is_json = response.getheader("X-ClickHouse-Format", _FORMAT) == _FORMAT
        rows: list[str] = []
        size = 0
        while line := response.readline(_MAX_ROW_BYTES + 1):
            if _EXCEPTION.match(line):  # an error that came after the first rows is among them
                raise _server_error(line + response.read(_MAX_ERROR_BYTES))
            if len(line) > _MAX_ROW_BYTES:
                raise UnprettyError(
                    f"A row has more than {_MAX_ROW_BYTES:,} bytes.", code="too_large", hint="Ask for fewer columns."
                )
            is_json = is_json and line[:1] in (b"{", b"\n")
            if is_json and not line.endswith(b"\n"):
                raise http.client.IncompleteRead(line)
            size += len(line)
            if rows and (len(rows) >= max_rows or size > self._max_bytes):
                return QueryAnswer(rows, True, is_json)
            if line.strip() or not is_json:
                rows.append(line.decode("utf-8", "replace").rstrip("\n"))
        return QueryAnswer(rows, False, is_json)


def string(value: str) -> str:
    """``value`` as a string of ClickHouse's SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def identifier(name: str) -> str:
    """``name`` as a name in ClickHouse's SQL."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def _server_error(message: bytes) -> UnprettyError:
    text = " ".join(_ERROR_TAIL.sub("", message.decode("utf-8", "replace").strip()).split())
    return UnprettyError(f"ClickHouse says: {text}", code="server_error")
