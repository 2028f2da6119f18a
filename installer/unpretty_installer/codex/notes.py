"""What keeps our hook in Codex from running, or from being alone: said by the plan and by the doctor."""

import re
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.codex import places
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.places import NAME, Layer
from unpretty_installer.core import files, registered
from unpretty_installer.core.plan import Note
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument

_TOOLS = ("Bash", "mcp__server__tool")


def switched_off(layer: Layer, user: Config) -> list[Note]:
    """Settings under which Codex runs no hook of the user's, or none of the project's."""
    notes = []
    if user.hooks_switched_off():
        notes.append(
            Note(
                "hooks_disabled",
                f"The hook will not run: [features] in {user.name} switches hooks off (hooks = false).",
            )
        )
    for name in ("requirements.toml", "managed_config.toml", "config.toml"):
        path = places.SYSTEM_DIRECTORY / name
        if _read(path).values.get("allow_managed_hooks_only") is True:
            notes.append(
                Note("managed_only", f"The hook will not run: {path} lets only hooks of the administrator run.")
            )
    if layer.project is not None and not user.trusts_project(str(layer.project)):
        notes.append(
            Note(
                "project_not_trusted",
                f"Codex reads {layer.directory} only when it trusts the project; it asks when it is started there.",
            )
        )
    return notes


def forms(layer: Layer) -> list[Note]:
    """A note when both files of the layer hold hooks, which Codex reads but complains about."""
    if _read(layer.config_toml).has_hooks() and hook_entries.entries(_document(layer)):
        return [
            Note(
                "both_forms",
                f"Both {layer.hooks_json} and {layer.config_toml} hold hooks; Codex runs them all and warns about it.",
            )
        ]
    return []


def others(layer: Layer) -> list[Note]:
    """A note for each foreign PostToolUse handler that may run on the same results."""
    user = places.user_layer()
    layers = (layer,) if layer.project is None else (user, layer)
    found = []
    for place in layers:
        listed = [(place.hooks_json, entry.matcher, entry.command) for entry in _entries(place)]
        listed += [
            (place.config_toml, entry.matcher, str(entry.handler.get("command") or entry.handler.get("type")))
            for entry in _read(place.config_toml).entries()
        ]
        found += [
            _note(path, command)
            for path, matcher, command in listed
            if not registered.is_ours(command, NAME) and may_hit(matcher)
        ]
    return found


def may_hit(matcher: object) -> bool:
    """Whether a hook with ``matcher`` may run on a tool that ours runs on, by Codex's rules.

    Absent, empty and ``*`` match all tools, a plain word matches exactly, the rest is a regular expression.
    """
    if matcher is None or matcher in ("", "*"):
        return True
    if not isinstance(matcher, str):
        return False
    if re.fullmatch(r"\w+", matcher, re.ASCII):
        return matcher == "Bash" or matcher.startswith("mcp__")
    try:
        pattern = re.compile(matcher)
    except re.error:
        return False
    return "mcp__" in matcher or any(pattern.search(tool) for tool in _TOOLS)


def _note(path: Path, command: str) -> Note:
    shown = command if len(command) <= 100 else command[:97] + "..."
    return Note(
        "other_hook",
        f"Another hook in {path} may run on the same results: {shown}. When both replace a result, the model gets both "
        "texts, one after the other.",
    )


def _entries(layer: Layer) -> list[hook_entries.Entry]:
    return [entry for entry in hook_entries.entries(_document(layer)) if entry.event == hook_entries.EVENT]


def _document(layer: Layer) -> JsonDocument:
    try:
        return JsonDocument.read(files.read(layer.hooks_json))
    except UnprettyError:
        return JsonDocument.read(None)


def _read(path: Path) -> Config:
    """A config.toml; one that cannot be read says nothing here."""
    try:
        return Config.read(files.read(path), str(path))
    except UnprettyError:
        return Config.read(None, str(path))
