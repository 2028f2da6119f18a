"""The entry that is in Codex's configuration, what trust in it has to name, and the proof that it works."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping

from unpretty_installer.codex.places import NAME
from unpretty_installer.core import registered, selftest
from unpretty_installer.edit import hook_entries

MATCHER = "Bash|mcp__.*"
# The hook takes milliseconds; Codex's default of 600 s would hang a turn on a broken disk.
TIMEOUT_SECONDS = 10
# Key of ``Receipt.notes``: the file is on record for our entry, not only for the trust in it.
ENTRY = "entry"

_TEXT = json.dumps([{"id": number, "name": f"item {number}", "ok": True} for number in range(20)], indent=2)
_SAMPLE = {
    "session_id": "00000000-0000-0000-0000-000000000000",
    "turn_id": "00000000-0000-0000-0000-000000000001",
    "transcript_path": None,
    "cwd": "/",
    "hook_event_name": "PostToolUse",
    "model": "gpt-5.5",
    "permission_mode": "default",
    "tool_name": "mcp__sample__list",
    "tool_input": {},
    "tool_response": {"content": [{"type": "text", "text": _TEXT}]},
    "tool_use_id": "call_selftest",
}


def command() -> str:
    """The registered command as one line for the user's shell, on Windows for ``cmd``: that is how Codex runs hooks."""
    if sys.platform == "win32":
        return subprocess.list2cmdline(registered.argv(NAME))
    return registered.shell_command(NAME)


def handler() -> dict[str, object]:
    """Our handler."""
    return {"type": "command", "command": command(), "timeout": TIMEOUT_SECONDS}


def group() -> dict[str, object]:
    """Our group, with our handler alone in it."""
    return {"matcher": MATCHER, "hooks": [handler()]}


def snippet() -> str:
    """The entry as hooks.json, to be pasted where the configuration is managed in another way."""
    return json.dumps({"hooks": {hook_entries.EVENT: [group()]}}, indent=2, ensure_ascii=False)


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
    outcome = selftest.run(line or command(), json.dumps(_SAMPLE).encode("utf-8"), bare=registered.argv(NAME))
    selftest.expect(_is_right(outcome.output), outcome.output)
    return outcome.ms


def _is_right(output: bytes) -> bool:
    minified = json.dumps(json.loads(_TEXT), separators=(",", ":"))
    try:
        reply = json.loads(output)
        return bool(reply["continue"] is False and reply["reason"].endswith("Output:\n" + minified))
    except (ValueError, TypeError, KeyError, AttributeError):
        return False
