"""Plans for Claude Code: one PostToolUse entry in settings.json, in front of the others."""

from functools import partial
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.claude_code import notes, places
from unpretty_installer.claude_code.entry import group, try_out
from unpretty_installer.claude_code.places import CLIENT
from unpretty_installer.core import entry_plans, files, planning
from unpretty_installer.core.plan import FileChange, Note, Options, Plan
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument


def plan_install(options: Options) -> Plan:
    """Plan the entry in the user's settings.json, or with ``--project`` in the project's settings.local.json.

    Raises:
        UnprettyError: the file does not parse as strict JSON (the client cannot read it either), or has another shape.
    """
    entry_plans.require_project(options)
    path = places.entry_file(options.project)
    before = files.read(path)
    document = _read(path, before)
    edited, added = hook_entries.with_ours(document, CLIENT.row.name, group(), front=True)
    after = before if edited.text == document.text else edited.to_bytes()
    change = FileChange(path, before, after, "Adds our hook for the results of Bash, Grep and MCP tools.")
    layers = places.layers(options.project or planning.here())
    return entry_plans.installation(
        CLIENT,
        entry_plans.entry_changes(CLIENT.row, change, partial(_without_ours, path), added=added),
        try_out,
        warnings=(*notes.old_client(), *notes.switched_off(layers, path), *notes.others(layers)),
        notices=(*_notices(options), *notes.plugins(layers)),
        snippet=hook_entries.snippet(group()),
    )


def plan_uninstall(options: Options) -> Plan:
    """Plan to restore every settings file that we changed, the user's and the projects'.

    Raises:
        UnprettyError: a file that has, or may have, our entry does not parse.
    """
    why = "Takes our hook out."
    changes = [
        change
        for path in places.entry_files(options.project or planning.here())
        for change in entry_plans.without_entry(CLIENT.row, path, partial(_without_ours, path), blank=b"{}", why=why)
    ]
    return entry_plans.removal(CLIENT, changes, "Running sessions stop using the hook within about a second.")


def _read(path: Path, data: bytes | None) -> JsonDocument:
    try:
        return JsonDocument.read(data, name=str(path), strict=True)
    except UnprettyError as exc:
        hint = "Claude Code ignores the whole file as it is. Fix it, then try again."
        raise UnprettyError(str(exc), code=exc.code, hint=hint) from None


def _without_ours(path: Path, data: bytes, added: tuple[str, ...]) -> bytes:
    document = _read(path, data)
    stripped = hook_entries.without_ours(document, CLIENT.row.name, added)
    return data if stripped is document else stripped.to_bytes()


def _notices(options: Options) -> list[Note]:
    found = entry_plans.not_found(CLIENT, "entry")
    if not found and CLIENT.version() is None:
        message = f"Claude Code did not report its version; the hook needs {places.oldest()} or newer."
        found.append(Note("version_unknown", message))
    found += entry_plans.local_file(options, ".claude/settings.local.json")
    found.append(Note("effect", "Running sessions use the hook within about a second; an old client needs a restart."))
    found.append(Note("failures", "Results of failing commands never reach a hook, so they stay as they are."))
    return found
