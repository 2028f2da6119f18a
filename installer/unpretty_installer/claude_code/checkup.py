"""The doctor's look at Claude Code."""

from collections.abc import Sequence
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.claude_code import notes, places
from unpretty_installer.claude_code.entry import group, try_out
from unpretty_installer.claude_code.places import CLIENT
from unpretty_installer.core import entry_plans, files, planning
from unpretty_installer.core.examination import Examination
from unpretty_installer.core.plan import Options
from unpretty_installer.core.report import AgentReport, Status
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.hook_entries import HookEntry
from unpretty_installer.edit.json_document import JsonDocument


def examine(options: Options) -> AgentReport:
    """Look at the user's settings, at those of the project (or the current directory), and at those on record."""
    here = options.project or planning.here()
    found = Examination(CLIENT)
    installed = {path: entry for path in places.entry_files(here) if (entry := _look_at(found, path))}
    status: Status = "broken" if found.problems else "not_installed"
    if installed:
        status = _examine_installed(found, here, next(iter(installed.values())))
    # What `--fix` repairs: where our entry is, and where it is on record.
    repair = planning.each_once((*installed, *filter(_is_recorded, entry_plans.recorded(CLIENT.row))))
    config = next(iter(installed), places.entry_file(None))
    return found.report(status, config, map(_options_for, repair))


def _look_at(found: Examination, path: Path) -> HookEntry | None:
    """Our entry in one file, after adding what is wrong with it."""
    data: bytes | None = None
    try:
        data = files.read(path)
        document = JsonDocument.read(data, name=str(path), strict=True)
    except UnprettyError as exc:
        if _is_recorded(path) or b"hook.py" in (data or b""):
            message = f"Claude Code cannot read its settings, so no hook in them runs: {exc}"
            found.add("unreadable_settings", message, f"Fix {path}.")
        return None
    ours = hook_entries.ours(document, CLIENT.row.name)
    if not ours:
        if _is_recorded(path):
            found.add_missing(path, "The hook was installed in {}, but its entry is not there any more.")
        return None
    if len(ours) > 1:
        found.add("entry_repeated", f"{path} holds {len(ours)} copies of our hook.")
    elif not hook_entries.is_current(document, CLIENT.row.name, group()):
        found.add("entry_modified", f"Our hook in {path} is not as this version writes it.")
    return ours[0]


def _is_recorded(path: Path) -> bool:
    """Whether a receipt says that we are installed in a file whose project still exists."""
    return path in entry_plans.recorded(CLIENT.row) and path.parent.parent.is_dir()


def _examine_installed(found: Examination, here: Path, entry: HookEntry) -> Status:
    layers = places.layers(here)
    found.look_at_own_files()
    found.notices += notes.environment()
    found.try_out(lambda: try_out(_command(entry)))
    disabled = places.disabled_by(layers)
    if disabled:
        found.add("hooks_disabled", f"The hook does not run: {disabled}.", "Remove that setting.")
    for note in notes.old_client():
        found.add(note.code, note.message, "claude update")
    found.notices += notes.others(layers)
    if disabled:
        return found.status("disabled")
    return found.status("client_too_old" if found.has("client_too_old") else "active")


def _command(entry: HookEntry) -> str | Sequence[str]:
    """The entry's own command; an entry that this version would write in another way has to work, too."""
    command, arguments = str(entry.handler.get("command")), entry.handler.get("args")
    return [command, *map(str, arguments)] if isinstance(arguments, list) else command


def _options_for(path: Path) -> Options:
    user = planning.same_file(path, places.entry_file(None))
    return Options() if user else Options(project=path.parent.parent)
