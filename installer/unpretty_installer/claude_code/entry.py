"""The entry that is in Claude Code's settings.json, and the proof that it works."""

import json
import sys
from collections.abc import Sequence

from unpretty_installer.claude_code.notes import MATCHER
from unpretty_installer.core import registered, selftest
from unpretty_installer.edit import hook_entries

NAME = "claude-code"
TITLE = "Claude Code"
# The hook takes milliseconds; the client's default of 600 s would hang a session on a broken disk.
TIMEOUT_SECONDS = 10

# Fields as the client sends them (recorded with 2.1.332), the text long enough to be worth converting.
_STDOUT = json.dumps(
    {"items": [{"id": number, "name": f"item {number}", "ok": True} for number in range(20)]}, indent=2
)
_SAMPLE = {
    "session_id": "00000000-0000-0000-0000-000000000000",
    "transcript_path": "",
    "cwd": "/",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "curl -s http://localhost/items"},
    "tool_response": {
        "stdout": _STDOUT,
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": False,
    },
    "tool_use_id": "toolu_selftest",
}


def group() -> dict[str, object]:
    """Our group: one handler, a shell line with ``exec``; on Windows the exec form with ``args``."""
    if sys.platform == "win32":
        program, *arguments = registered.argv(NAME)
        command: dict[str, object] = {"command": program, "args": arguments}
    else:
        command = {"command": registered.shell_command(NAME)}
    return {"matcher": MATCHER, "hooks": [{"type": "command", **command, "timeout": TIMEOUT_SECONDS}]}


def snippet() -> str:
    """The entry as JSON, to be pasted into settings that are managed in another way."""
    return json.dumps({"hooks": {hook_entries.EVENT: [group()]}}, indent=2, ensure_ascii=False)


def try_out(command: str | Sequence[str] | None = None) -> float:
    """Run the registered command (or ``command``) on a sample and return how long it took, in milliseconds.

    Raises:
        UnprettyError: it did not run, or its reply does not put the minified text in place of the sample's.
    """
    if command is None:
        command = registered.argv(NAME) if sys.platform == "win32" else registered.shell_command(NAME)
    outcome = selftest.run(command, json.dumps(_SAMPLE).encode("utf-8"), bare=registered.argv(NAME))
    selftest.expect(_is_right(outcome.output), outcome.output)
    return outcome.ms


def _is_right(output: bytes) -> bool:
    minified = json.dumps(json.loads(_STDOUT), separators=(",", ":"))
    response = _SAMPLE["tool_response"]
    assert isinstance(response, dict)
    try:
        reply = json.loads(output)["hookSpecificOutput"]
        return bool(
            reply["hookEventName"] == hook_entries.EVENT
            and reply["updatedToolOutput"] == {**response, "stdout": minified}
        )
    except (ValueError, TypeError, KeyError):
        return False
