"""The entry that is in Codex's configuration, what trust in it has to name, and the proof that it works."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from unpretty_installer.codex.places import CLIENT
from unpretty_installer.core import registered, selftest
from unpretty_installer.edit import hook_entries

# Key of ``Receipt.notes``: the file is on record for our entry, not only for the trust in it.
ENTRY = "entry"

_SAMPLE = {
    "session_id": "00000000-0000-0000-0000-000000000000",
    "turn_id": "00000000-0000-0000-0000-000000000001",
    "transcript_path": None,
    "cwd": "/",
    "hook_event_name": hook_entries.EVENT,
    "model": "gpt-5.5",
    "permission_mode": "default",
    "tool_name": "mcp__sample__list",
    "tool_input": {},
    "tool_response": {"content": [{"type": "text", "text": selftest.PRETTY}]},
    "tool_use_id": "call_selftest",
}


def command() -> str:
    """The registered command as one line for the user's shell, on Windows for ``cmd``: that is how Codex runs hooks."""
    if sys.platform == "win32":
        return subprocess.list2cmdline(registered.argv(CLIENT.row.name))
    return registered.shell_command(CLIENT.row.name)


def group() -> dict[str, object]:
    """Our group, with our handler alone in it."""
    return hook_entries.group_of(CLIENT.row, command=command())


def trusted_hash(matcher: object, handler: Mapping[str, object]) -> str:
    """What trust in a PostToolUse handler has to name for Codex to run it (compared with Codex 0.171's own answers)."""
    timeout = handler.get("timeout", 600)
    seen: dict[str, object] = {
        "type": "command",
        "command": handler.get("command"),
        "timeout": max(1, timeout) if isinstance(timeout, int) else timeout,
        "async": bool(handler.get("async", False)),
    }
    seen |= {
        name: handler[name] for name in ("statusMessage", "additionalContextLimit") if handler.get(name) is not None
    }
    identity: dict[str, object] = {"event_name": "post_tool_use", "hooks": [seen]}
    if matcher is not None:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def try_out(line: str | None = None) -> float:
    """Run the registered command (or ``line``) on a sample and return how long it took, in milliseconds.

    Raises:
        UnprettyError: it did not run, or its reply does not put the minified text in place of the sample's.
    """
    return selftest.reply_ms(line or command(), _SAMPLE, _is_right, bare=registered.argv(CLIENT.row.name))


def _is_right(reply: dict[str, Any]) -> bool:
    return bool(reply["continue"] is False and reply["reason"].endswith("Output:\n" + selftest.MINIFIED))
