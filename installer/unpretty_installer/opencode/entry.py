"""The proof that OpenCode's worker runs: one request on its standard input, as our plugin would send it."""

from typing import Any

from unpretty_installer.core import registered, selftest
from unpretty_installer.opencode.places import CLIENT

_REQUEST = {
    "id": 1,
    "tool": "bash",
    "call": "call_selftest",
    "session": "",
    "command": "curl -s http://localhost/items",
    "fields": [["output", selftest.PRETTY]],
}


def try_out() -> float:
    """Run the worker on one request and return how long that took with its start, in milliseconds.

    Raises:
        UnprettyError: it did not run, or its reply does not put the minified text in place of the sample's.
    """
    return selftest.reply_ms(registered.argv(CLIENT.row.name), _REQUEST, _is_right)


def _is_right(reply: dict[str, Any]) -> bool:
    return bool(reply == {"id": 1, "texts": {"output": selftest.MINIFIED}})
