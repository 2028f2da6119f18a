"""The proof that OpenCode's worker runs: one request on its standard input, as our plugin would send it."""

import json

from unpretty_installer.core import registered, selftest
from unpretty_installer.opencode.places import NAME

_TEXT = json.dumps([{"id": number, "name": f"item {number}", "ok": True} for number in range(20)], indent=2)
_REQUEST = {
    "id": 1,
    "tool": "bash",
    "call": "call_selftest",
    "session": "",
    "command": "curl -s http://localhost/items",
    "fields": [["output", _TEXT]],
}


def try_out() -> float:
    """Run the worker on one request and return how long that took with its start, in milliseconds.

    Raises:
        UnprettyError: it did not run, or its reply does not put the minified text in place of the sample's.
    """
    outcome = selftest.run(registered.argv(NAME), json.dumps(_REQUEST).encode("utf-8") + b"\n")
    selftest.expect(_is_right(outcome.output), outcome.output)
    return outcome.ms


def _is_right(output: bytes) -> bool:
    minified = json.dumps(json.loads(_TEXT), separators=(",", ":"))
    try:
        return bool(json.loads(output) == {"id": 1, "texts": {"output": minified}})
    except ValueError:
        return False
