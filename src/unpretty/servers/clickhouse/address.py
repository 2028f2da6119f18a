"""The address of a ClickHouse server with user and password, checked before anything is sent.

User and password are sent as HTTP basic authentication (RFC 7617), which carries any of their characters: ClickHouse's
own headers would lose spaces at the ends and cannot carry a line end. Error messages quote no part of them.
"""

from __future__ import annotations

import base64
import urllib.parse
from dataclasses import dataclass

from unpretty.errors import UnprettyError

_FORM = "The address of ClickHouse looks like http://host:8123 or https://user@host:8443/database."
_HINT = "In user, password and database write characters other than letters and digits as %, e.g. %40 for @."
_DEFAULT_USER = "default"
# Where the address has none, by scheme.
_PORTS = {"http": 8123, "https": 8443}


@dataclass(frozen=True)
class ClickHouseAddress:
    """The parts of ``http[s]://[user[:password]@]host[:port][/database]``.

    Attributes:
        secure: https.
        host: as the address has it, ASCII.
        port: 8443 for https and 8123 for http where the address has none.
        database: decoded; "" for the server's default.
        user: decoded; "" for none.
        password: decoded; "" for none.
    """

    secure: bool
    host: str
    port: int
    database: str
    user: str
    password: str


def parse_address(url: str) -> ClickHouseAddress:
    """The parts of ``url``. Raises UnprettyError when it is not such an address."""
    try:
        # urlsplit would leave out tabs and line ends, and what follows ? or # in a password.
        if any(char <= " " or char == "\x7f" for char in url):
            raise ValueError
        parts = urllib.parse.urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        if parts.scheme not in _PORTS or not host or parts.query or parts.fragment or "@" in parts.path:
            raise ValueError
        if url.endswith(("?", "#")):
            raise ValueError
        port = parts.port or _PORTS[parts.scheme]
        database, user, password = map(_decoded, (parts.path.strip("/"), parts.username or "", parts.password or ""))
    except ValueError:  # its message may quote the address
        raise UnprettyError(_FORM, code="bad_url", hint=_HINT) from None
    return ClickHouseAddress(parts.scheme == "https", host, port, database, user, password)


def credentials(user: str, password: str) -> dict[str, bytes]:
    """The headers that authenticate ``user``; none when both are empty.

    Bytes of the environment that are not UTF-8 are sent as they are. Raises UnprettyError for what cannot be sent so.
    """
    if not user and not password:
        return {}
    if ":" in user:
        return _own_headers(user, password)
    try:
        pair = f"{user or _DEFAULT_USER}:{password}".encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # it quotes the password
        raise UnprettyError("The user or password for ClickHouse is not text.", code="bad_password") from None
    return {"Authorization": b"Basic " + base64.b64encode(pair)}


def _own_headers(user: str, password: str) -> dict[str, bytes]:
    """For a user with a colon, which in basic authentication ends the user's name."""
    if any(part != part.strip() or not part.isprintable() for part in (user, password)):
        raise UnprettyError(
            "A ClickHouse user with a colon cannot have spaces at the ends or control characters in user or password.",
            code="bad_user",
        )
    return {"X-ClickHouse-User": user.encode(), "X-ClickHouse-Key": password.encode()}


def _decoded(part: str) -> str:
    part.encode()  # an argument that is not UTF-8 is not an address
    return urllib.parse.unquote(part, errors="strict")
