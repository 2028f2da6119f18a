"""The entry in Claude Code's settings.json, and the proof that it works."""

import sys
from collections.abc import Sequence
from typing import Any

from unpretty_installer.claude_code.places import CLIENT
from unpretty_installer.core import registered, selftest
from unpretty_installer.edit import hook_entries

# Fields as the client sends them (recorded with 2.1.332), the text long enough to be worth converting.
_RESPONSE: dict[str, object] = {
    "stdout": selftest.PRETTY,
    "stderr": "",
    "interrupted": False,
    "isImage": False,
    "noOutputExpected": False,
}
_SAMPLE = {
    "session_id": "00000000-0000-0000-0000-000000000000",
    "transcript_path": "",
    "cwd": "/",
    "hook_event_name": hook_entries.EVENT,
    "tool_name": "Bash",
    "tool_input": {"command": "curl -s http://localhost/items"},
    "tool_response": _RESPONSE,
    "tool_use_id": "toolu_selftest",
}


def group() -> dict[str, object]:
    """Our group: one handler, a shell line with ``exec``; on Windows the exec form with ``args``."""
    if sys.platform == "win32":
        program, *arguments = registered.argv(CLIENT.row.name)
        return hook_entries.group_of(CLIENT.row, command=program, args=arguments)
    return hook_entries.group_of(CLIENT.row, command=registered.shell_command(CLIENT.row.name))


def try_out(command: str | Sequence[str] | None = None) -> float:
    """Run the registered command (or ``command``) on a sample and return how long it took, in milliseconds.

    Raises:
        UnprettyError: it did not run, or its reply does not put the minified text in place of the sample's.
    """
    bare = registered.argv(CLIENT.row.name)
    if command is None:
        command = bare if sys.platform == "win32" else registered.shell_command(CLIENT.row.name)
    return selftest.reply_ms(command, _SAMPLE, _is_right, bare=bare)


def _is_right(reply: dict[str, Any]) -> bool:
    output = reply["hookSpecificOutput"]
    updated = {**_RESPONSE, "stdout": selftest.MINIFIED}
    return bool(output["hookEventName"] == hook_entries.EVENT and output["updatedToolOutput"] == updated)
