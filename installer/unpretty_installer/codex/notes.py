"""What keeps our hook in Codex from running, or from being alone: said by the plan and by the doctor."""

from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.codex import places
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.places import CLIENT, ConfigLayer
from unpretty_installer.core import files
from unpretty_installer.core.plan import Note
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument


def switched_off(layer: ConfigLayer, user: Config) -> list[Note]:
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


def forms(layer: ConfigLayer) -> list[Note]:
    """A note when both files of the layer hold hooks, which Codex reads but complains about."""
    if _read(layer.config_toml).has_hooks() and hook_entries.entries(_document(layer)):
        return [
            Note(
                "both_forms",
                f"Both {layer.hooks_json} and {layer.config_toml} hold hooks; Codex runs them all and warns about it.",
            )
        ]
    return []


def others(layer: ConfigLayer) -> list[Note]:
    """A note for each foreign PostToolUse handler that may run on the same results."""
    layers = (layer,) if layer.project is None else (places.user_layer(), layer)
    return [
        _note(path, entry)
        for one in layers
        for path, entries in (
            (one.hooks_json, hook_entries.entries(_document(one))),
            (one.config_toml, _read(one.config_toml).entries()),
        )
        for entry in hook_entries.foreign(entries, CLIENT.row.name)
        if may_hit(entry.matcher)
    ]


def may_hit(matcher: object) -> bool:
    """Whether a hook with ``matcher`` may run on a tool that ours runs on; a plain word is one name."""
    return hook_entries.may_hit(matcher, CLIENT.row, plain=r"\w+", mcp=r"mcp__.*")


def _note(path: Path, entry: hook_entries.HookEntry) -> Note:
    return Note(
        "other_hook",
        f"Another hook in {path} may run on the same results: {entry.shown}. When both replace a result, the model "
        "gets both texts, one after the other.",
    )


def _document(layer: ConfigLayer) -> JsonDocument:
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
