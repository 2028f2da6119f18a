"""Plans for OpenCode: one plugin file."""

from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.core import entry_plans, files, planning, receipt
from unpretty_installer.core.plan import FileChange, Note, Options, Plan
from unpretty_installer.opencode import notes, places
from unpretty_installer.opencode.entry import try_out
from unpretty_installer.opencode.places import CLIENT


def plan_install(options: Options) -> Plan:
    """Plan the plugin file in the user's config directory, or with ``--project`` in the project's ``.opencode``.

    Raises:
        UnprettyError: a file of that name is there and is not ours.
    """
    entry_plans.require_project(options)
    path = places.entry_file(options.project)
    before = files.read(path)
    if before is not None and not before.startswith(places.MARKER):
        raise UnprettyError(f"{path} is there and is not ours.", code="not_ours", hint="Move it away, then try again.")
    change = FileChange(path, before, places.plugin_source(), "OpenCode loads it when it starts.")
    here = options.project or planning.here()
    return entry_plans.installation(
        CLIENT,
        (*entry_plans.entry_changes(CLIENT.row, change, lambda data, added: b""), *_stray_copies(path)),  # noqa: ARG005
        try_out,
        warnings=(*notes.environment(options), *notes.start_up(path), *notes.copies(path, here)),
        notices=(*_notices(options), *notes.others(here)),
    )


def plan_uninstall(options: Options) -> Plan:
    """Plan to delete our plugin file from every directory where OpenCode would find it, or where we put it."""
    changes: list[FileChange] = []
    for path in places.entry_files(options.project or planning.here()):
        kept = receipt.find(CLIENT.row.name, path)
        current = files.read(path) if places.is_ours(path) else None
        if current is not None:
            directories = kept.created_dirs if kept else ()
            changes.append(FileChange(path, current, None, "Deletes our plugin file.", empty_dirs=directories))
        if kept:
            changes.append(receipt.drop(kept))
    return entry_plans.removal(CLIENT, changes, "A running OpenCode keeps the plugin until it is restarted.")


def _stray_copies(path: Path) -> list[FileChange]:
    """Deletes other copies of ours in the same config directory: an older name, or the directory ``plugin``."""
    return [
        FileChange(other, files.read(other), None, "Deletes a second copy of our plugin.")
        for other in places.plugins([path.parent.parent])
        if places.is_ours(other) and not planning.same_file(other, path)
    ]


def _notices(options: Options) -> list[Note]:
    found = entry_plans.not_found(CLIENT, "plugin")
    known = CLIENT.version()
    if known is not None and not known.startswith("1."):
        found.append(Note("untried_version", f"The plugin was tried with OpenCode 1.x, not yet with {known}."))
    found += entry_plans.local_file(options, f".opencode/plugins/{places.FILE_NAME}")
    found.append(Note("effect", "OpenCode uses the plugin from its next start on."))
    found.append(
        Note("untouched", "Only results of bash, grep and MCP tools are made smaller; file reads and edits never are.")
    )
    return found
