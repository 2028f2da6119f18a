"""Where a ClickHouse server is and who asks it: the parts of an address, checked before anything is sent.

Name and password go as HTTP basic authentication (RFC 7617), which carries any of their characters: a header of its own
would lose spaces at the ends and has no place for a line end. What is wrong is told without quoting a part of them.
"""

from __future__ import annotations

import base64
import urllib.parse

from unpretty.errors import UnprettyError

_FORM = "The address of ClickHouse looks like http://host:8123 or https://user@host:8443/database."
_HINT = "In a name, password or database write other characters than letters and digits as %, e.g. %40 for @."
_DEFAULT_USER = "default"


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

    def __init__(self, url: str) -> None:
        """Take ``url``. Raises UnprettyError for anything else."""
        try:
            # urlsplit would leave out tabs and line ends, and take what follows ? or # for no part of a password.
            if any(char <= " " or char == "\x7f" for char in url):
                raise ValueError
            parts = urllib.parse.urlsplit(url)
            self.host = (parts.hostname or "").encode("idna").decode()
            self.secure = parts.scheme == "https"
            self.port = parts.port or (8443 if self.secure else 8123)
            self.database = _decoded(parts.path.strip("/"))
            self.user = _decoded(parts.username or "")
            self.password = _decoded(parts.password or "")
        except ValueError:  # it may quote the address
            raise _bad_url() from None
        odd = parts.query or parts.fragment or "@" in parts.path or url.endswith(("?", "#"))
        if parts.scheme not in ("http", "https") or not self.host or odd:
            raise _bad_url()


def credentials(user: str, password: str) -> dict[str, bytes]:
    """The headers with which ``user`` asks; none when both are empty.

    Bytes of the environment that are no UTF-8 go as they are. Raises UnprettyError for what cannot be sent as it is.
    """
    if not user and not password:
        return {}
    if ":" in user:
        return _headers_of_its_own(user, password)
    try:
        pair = f"{user or _DEFAULT_USER}:{password}".encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # it quotes the password
        raise UnprettyError("The name or password for ClickHouse is no text.", code="bad_password") from None
    return {"Authorization": b"Basic " + base64.b64encode(pair)}


def _headers_of_its_own(user: str, password: str) -> dict[str, bytes]:
    """For a name with a colon, which basic authentication would take for the end of the name."""
    if any(part != part.strip() or not part.isprintable() for part in (user, password)):
        raise UnprettyError(
            "A ClickHouse user with a colon cannot have spaces at the ends or control characters in name or password.",
            code="bad_user",
        )
    return {"X-ClickHouse-User": user.encode(), "X-ClickHouse-Key": password.encode()}


def _decoded(part: str) -> str:
    part.encode()  # what is no UTF-8 in the command line is no address
    return urllib.parse.unquote(part, errors="strict")


def _bad_url() -> UnprettyError:
    return UnprettyError(_FORM, code="bad_url", hint=_HINT)
