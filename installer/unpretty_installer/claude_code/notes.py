"""What keeps our hook in Claude Code from running, or from being alone: said by the plan and by the doctor.

All hooks on a call run at the same time on the original result, and the rewrite that comes last wins. So another hook
that also rewrites, above all one that removes secrets, can lose against ours or the other way round.
"""

import os
import re
from pathlib import Path

from unpretty_installer.claude_code import places
from unpretty_installer.claude_code.places import CLIENT, SettingsLayer
from unpretty_installer.core.plan import Note
from unpretty_installer.edit import hook_entries

_REDACTS = re.compile(r"redact|mask|secret|scrub|saniti[sz]e|anonymi[sz]e|pii|credential|dlp", re.IGNORECASE)


def may_hit(matcher: object) -> bool:
    """Whether a hook with ``matcher`` may run on a tool that ours runs on; names are parted by ``|`` or ``,``."""
    return hook_entries.may_hit(matcher, CLIENT.row, plain=r"[\w\-|, ]+", mcp=r"mcp__.+?__.+")


def others(layers: list[SettingsLayer]) -> list[Note]:
    """A note for each foreign PostToolUse handler that may run on the same results."""
    return [
        _note(layer, entry)
        for layer in layers
        if layer.document
        for entry in hook_entries.foreign(hook_entries.entries(layer.document), CLIENT.row.name)
        if may_hit(entry.matcher)
    ]


def _note(layer: SettingsLayer, entry: hook_entries.HookEntry) -> Note:
    message = (
        f"Another hook in {layer.path} may run on the same results: {entry.shown}. Each hook gets the original and "
        "only one rewrite wins"
    )
    if _REDACTS.search(entry.command):
        return Note(
            "redacting_hook",
            f"{message}. It looks as if it removes secrets: when ours wins, they reach the model. Do not use both.",
        )
    return Note("other_hook", f"{message}; if it rewrites results too, use only one of the two.")


def switched_off(layers: list[SettingsLayer], path: Path) -> list[Note]:
    """What in the client's settings, but for the file at ``path``, keeps the hook from running."""
    found = [
        Note("unreadable_settings", f"Claude Code ignores a settings file that it cannot read: {layer.error}")
        for layer in layers
        if layer.document is None and layer.path != path
    ]
    disabled = places.disabled_by(layers)
    return [*found, Note("hooks_disabled", f"The hook will not run: {disabled}.")] if disabled else found


def old_client() -> list[Note]:
    """A note for a client that ignores what our hook replies."""
    known = CLIENT.version()
    return [Note("client_too_old", places.too_old(known))] if places.is_too_old(known) else []


def plugins(layers: list[SettingsLayer]) -> list[Note]:
    """A note when plugins are enabled, which may have hooks too."""
    enabled = [layer.value("enabledPlugins") for layer in layers]
    if any(value is True for one in enabled if isinstance(one, dict) for value in one.values()):
        return [Note("plugins", "Plugins are enabled; hooks that they bring along were not examined.")]
    return []


def environment() -> list[Note]:
    """What in the environment keeps a client that is started here from running hooks."""
    if os.environ.get("CLAUDE_CODE_SIMPLE", "") in ("", "0"):
        return []
    return [Note("simple_mode", "CLAUDE_CODE_SIMPLE is set: a client started here runs no hooks.")]
