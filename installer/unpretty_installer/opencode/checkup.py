"""The doctor's look at OpenCode, and what it and the plan both have to say about plugins."""

import os
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.core import files, planning, receipt, report
from unpretty_installer.core.plan import Note, Options
from unpretty_installer.core.report import FIX, AgentReport, Problem, Status
from unpretty_installer.opencode import places
from unpretty_installer.opencode.entry import try_out
from unpretty_installer.opencode.places import NAME, TITLE

_INSTALL = f"unpretty install {NAME} --apply"


def examine(options: Options) -> AgentReport:
    """Look at the user's directories, those above the project or the current directory, and those on record."""
    here = options.project or planning.here()
    ours = _ours(here)
    problems = [*_missing(ours)]
    notices: list[Note] = []
    run_ms = None
    status: Status = "not_installed"
    if ours:
        problems += [problem for path in ours for problem in _modified(path)]
        problems += report.shared_problems()
        run_ms, failed = _run()
        problems += failed
        notices += [*report.shared_notices(NAME), *environment_notes(options), *copies(ours[0], here), *others(here)]
        status = _status(problems, notices)
    return AgentReport(
        agent=NAME,
        title=TITLE,
        found=places.is_found(),
        version=places.version(),
        status=status,
        config=str(ours[0] if ours else places.plugin_file(None)),
        problems=tuple(problems),
        notices=tuple(notices),
        run_ms=run_ms,
        last_decision=report.last_decision(NAME),
        repair=tuple(_options_for(path) for path in ours),
    )


def environment_notes(options: Options) -> list[Note]:
    """What in the environment keeps OpenCode from loading the plugin."""
    notes = []
    if os.environ.get("OPENCODE_PURE", "").lower() in ("1", "true"):
        notes.append(Note("pure", "OPENCODE_PURE is set: an OpenCode started here loads no plugins."))
    if options.project is not None and os.environ.get("OPENCODE_DISABLE_PROJECT_CONFIG", "").lower() in ("1", "true"):
        notes.append(
            Note(
                "project_config_off",
                "OPENCODE_DISABLE_PROJECT_CONFIG is set: an OpenCode started here loads no plugins of a project.",
            )
        )
    return notes


def copies(path: Path, here: Path) -> list[Note]:
    """A note for each copy of ours in another directory than that of ``path`` that OpenCode may load as well."""
    return [
        Note("second_copy", f"{other} is a copy of our plugin, too. Only one of them works on a result; one is enough.")
        for other in places.plugins(places.read_directories(here))
        if places.is_ours(other) and not planning.same_file(other.parent.parent, path.parent.parent)
    ]


def others(here: Path) -> list[Note]:
    """A note for each foreign plugin that may change the same results."""
    return [
        Note("other_hook", f"{path} may change tool results too; OpenCode lets its plugins run one after the other.")
        for path in places.plugins(places.read_directories(here))
        if not places.is_ours(path) and places.rewrites_results(path)
    ]


def _ours(here: Path) -> list[Path]:
    """Our plugin files, the one that ``install`` would write first."""
    wanted = places.plugin_file(None)
    recorded = [kept.path for kept in receipt.of_agent(NAME)]
    found: list[Path] = []
    for path in (wanted, *recorded, *places.plugins(places.read_directories(here))):
        if places.is_ours(path) and not any(planning.same_file(path, other) for other in found):
            found.append(path)
    return found


def _missing(ours: list[Path]) -> list[Problem]:
    """Places on record where our file is gone though the project, or the config directory, is still there."""
    return [
        Problem(
            "entry_missing",
            f"The plugin was installed as {kept.path}, but it is not there any more.",
            f"{_INSTALL} puts it back, unpretty uninstall {NAME} --apply forgets it.",
        )
        for kept in receipt.of_agent(NAME)
        if kept.path.parent.parent.parent.is_dir() and not any(planning.same_file(kept.path, path) for path in ours)
    ]


def _modified(path: Path) -> list[Problem]:
    try:
        current = files.read(path)
    except UnprettyError as exc:
        return [Problem(exc.code, str(exc), f"Make {path} readable.")]
    if current == places.plugin_source():
        return []
    return [Problem("entry_modified", f"{path} is not as this version writes it.", FIX)]


def _run() -> tuple[float | None, list[Problem]]:
    try:
        return try_out(), []
    except UnprettyError as exc:
        return None, [Problem(exc.code, str(exc), FIX)]


def _options_for(path: Path) -> Options:
    """What makes ``install`` write that very file; a copy elsewhere is fixed by writing the right one."""
    directory = path.parent.parent
    return (
        Options(project=directory.parent)
        if directory.name == ".opencode" and directory.parent != Path.home()
        else Options()
    )


def _status(problems: list[Problem], notices: list[Note]) -> Status:
    codes = {problem.code for problem in problems}
    if codes & {"launcher_missing", "python_gone", "command_failed", "unreadable", "config_invalid"}:
        return "broken"
    if any(note.code == "pure" for note in notices):
        return "disabled"
    return "modified" if "entry_modified" in codes else "active"
