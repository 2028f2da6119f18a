"""Which other hooks may rewrite the same tool results as ours in Claude Code.

All hooks on a call run at the same time on the original result, and the rewrite that comes last wins. So another hook
that also rewrites, above all one that removes secrets, can lose against ours or the other way round.
"""

import re

from unpretty_installer.claude_code.places import Layer
from unpretty_installer.core import registered
from unpretty_installer.core.plan import Note
from unpretty_installer.edit import hook_entries

MATCHER = "Bash|Grep|mcp__.*"
_TOOLS = ("Bash", "Grep", "mcp__server__tool")
_REDACTS = re.compile(r"redact|mask|secret|scrub|saniti[sz]e|anonymi[sz]e|pii|credential|dlp", re.IGNORECASE)


def may_hit(matcher: object) -> bool:
    """Whether a hook with ``matcher`` may run on a tool that ours runs on, by the client's rules (case-sensitive).

    Absent, empty and ``*`` match all tools; plain names parted by ``|`` or ``,`` match exactly; the rest is a regular
    expression, which is searched in the name. One that does not parse matches nothing.
    """
    if matcher is None or matcher in ("", "*"):
        return True
    if not isinstance(matcher, str):
        return False
    if re.fullmatch(r"[\w\-|, ]+", matcher, re.ASCII):
        names = [name.strip() for name in re.split(r"[|,]", matcher)]
        return any(name in ("Bash", "Grep") or re.fullmatch(r"mcp__.+?__.+", name) is not None for name in names)
    try:
        pattern = re.compile(matcher)
    except re.error:
        return False
    return "mcp__" in matcher or any(pattern.search(tool) for tool in _TOOLS)


def others(layers: list[Layer], agent: str) -> list[Note]:
    """A note for each foreign PostToolUse handler that may run on the same results."""
    found = []
    for layer in layers:
        for entry in hook_entries.entries(layer.document) if layer.document else []:
            foreign = entry.event == hook_entries.EVENT and not registered.is_ours(entry.command, agent)
            if foreign and may_hit(entry.matcher):
                found.append(_note(layer, entry))
    return found


def _note(layer: Layer, entry: hook_entries.Entry) -> Note:
    what = entry.command or f"a hook of type {entry.handler.get('type')!r}"
    shown = what if len(what) <= 100 else what[:97] + "..."
    message = (
        f"Another hook in {layer.path} may run on the same results: {shown}. Each hook gets the original and only one "
        "rewrite wins"
    )
    if _REDACTS.search(what):
        return Note(
            "redacting_hook",
            f"{message}. It looks as if it removes secrets: when ours wins, they reach the model. Do not use both.",
        )
    return Note("other_hook", f"{message}; if it rewrites results too, use only one of the two.")
