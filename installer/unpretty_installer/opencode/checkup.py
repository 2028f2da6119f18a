"""The doctor's look at OpenCode."""

from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.core import entry_plans, files, planning
from unpretty_installer.core.examination import Examination
from unpretty_installer.core.plan import Options
from unpretty_installer.core.report import AgentReport, Status
from unpretty_installer.opencode import notes, places
from unpretty_installer.opencode.entry import try_out
from unpretty_installer.opencode.places import CLIENT


def examine(options: Options) -> AgentReport:
    """Look at the user's directories, those above the project or the current directory, and those on record."""
    here = options.project or planning.here()
    found = Examination(CLIENT)
    wanted = places.entry_file(None)
    ours = [path for path in planning.each_once((wanted, *places.entry_files(here))) if places.is_ours(path)]
    _add_missing(found, ours)
    status: Status = "not_installed"
    if ours:
        for path in ours:
            _look_at(found, path)
        found.look_at_own_files()
        found.try_out(try_out)
        found.notices += [*notes.environment(options), *notes.copies(ours[0], here), *notes.others(here)]
        is_off = any(note.code == "pure" for note in found.notices)
        status = found.status("disabled" if is_off else "active")
    return found.report(status, ours[0] if ours else wanted, map(_options_for, ours))


def _add_missing(found: Examination, ours: list[Path]) -> None:
    """Add the files on record that are gone though the project, or the config directory, is still there."""
    for path in entry_plans.recorded(CLIENT.row):
        if path.parent.parent.parent.is_dir() and not planning.is_among(path, ours):
            found.add_missing(path, "The plugin was installed as {}, but it is not there any more.")


def _look_at(found: Examination, path: Path) -> None:
    try:
        if files.read(path) != places.plugin_source():
            found.add("entry_modified", f"{path} is not as this version writes it.")
    except UnprettyError as exc:
        found.add(exc.code, str(exc), f"Make {path} readable.")


def _options_for(path: Path) -> Options:
    """What makes ``install`` write that very file; a copy elsewhere is fixed by writing the right one."""
    directory = path.parent.parent
    is_projects = directory.name == ".opencode" and directory.parent != Path.home()
    return Options(project=directory.parent) if is_projects else Options()
