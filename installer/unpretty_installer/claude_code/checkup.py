"""The doctor's look at Claude Code."""

import os
from collections.abc import Sequence
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.claude_code import notes
from unpretty_installer.claude_code import places as claude_settings
from unpretty_installer.claude_code.entry import NAME, TITLE, group, try_out
from unpretty_installer.core import files, planning, receipt, report
from unpretty_installer.core.plan import Note, Options
from unpretty_installer.core.report import FIX, AgentReport, Problem, Status
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument

_INSTALL = f"unpretty install {NAME} --apply"


def examine(options: Options) -> AgentReport:
    """Look at the user's settings, at those of the project (or the current directory), and at every place on record."""
    here = options.project or planning.here()
    problems: list[Problem] = []
    installed: list[tuple[Path, JsonDocument]] = []
    for path in _places(here):
        problems += _look_at(path, installed)
    repair = tuple(_options_for(path) for path in _recorded_or(installed))
    known = claude_settings.version()
    layers = claude_settings.layers(here)
    notices = [*report.shared_notices(NAME), *_environment_notices()] if installed else []
    run_ms = None
    status: Status = "not_installed"
    if installed:
        problems += report.shared_problems()
        run_ms, failed = _run(installed[0][1])
        problems += failed
        problems += _hosts_problems(layers, known)
        notices += notes.others(layers, NAME)
        status = _status(problems)
    elif problems:
        status = "broken"
    return AgentReport(
        agent=NAME,
        title=TITLE,
        found=claude_settings.is_found(),
        version=known,
        status=status,
        config=str(installed[0][0] if installed else claude_settings.user_file()),
        problems=tuple(problems),
        notices=tuple(notices),
        run_ms=run_ms,
        last_decision=report.last_decision(NAME),
        repair=repair,
    )


def _places(here: Path) -> list[Path]:
    places: list[Path] = []
    recorded = [kept.path for kept in receipt.of_agent(NAME)]
    for path in (claude_settings.user_file(), *recorded, claude_settings.local_file(here)):
        if not any(planning.same_file(path, place) for place in places):
            places.append(path)
    return places


def _look_at(path: Path, installed: list[tuple[Path, JsonDocument]]) -> list[Problem]:
    """The problems of our entry in one file; the file joins ``installed`` when it holds one."""
    recorded = _is_recorded(path)
    data: bytes | None = None
    try:
        data = files.read(path)
        document = JsonDocument.read(data, name=str(path), strict=True)
    except UnprettyError as exc:
        if not recorded and b"hook.py" not in (data or b""):
            return []
        message = f"Claude Code cannot read its settings, so no hook in them runs: {exc}"
        return [Problem("unreadable_settings", message, f"Fix {path}.")]
    found = hook_entries.ours(document, NAME)
    if not found:
        message = f"The hook was installed in {path}, but its entry is not there any more."
        remedy = f"{_INSTALL} puts it back, unpretty uninstall {NAME} --apply forgets it."
        return [Problem("entry_missing", message, remedy)] if recorded else []
    installed.append((path, document))
    if len(found) > 1:
        return [Problem("entry_repeated", f"{path} holds {len(found)} copies of our hook.", FIX)]
    if not hook_entries.is_current(document, NAME, group()):
        return [Problem("entry_modified", f"Our hook in {path} is not as this version writes it.", FIX)]
    return []


def _is_recorded(path: Path) -> bool:
    """Whether a receipt says that we are installed in a file whose project still exists."""
    return receipt.find(NAME, path) is not None and path.parent.parent.is_dir()


def _recorded_or(installed: list[tuple[Path, JsonDocument]]) -> list[Path]:
    """Where ``--fix`` has something to fix: where our entry is, and where it is on record."""
    paths = [path for path, _ in installed]
    for kept in receipt.of_agent(NAME):
        if _is_recorded(kept.path) and not any(planning.same_file(kept.path, path) for path in paths):
            paths.append(kept.path)
    return paths


def _options_for(path: Path) -> Options:
    if planning.same_file(path, claude_settings.user_file()):
        return Options()
    return Options(project=path.parent.parent)


def _run(document: JsonDocument) -> tuple[float | None, list[Problem]]:
    """Run the entry's own command; an entry that is not ours to start any more still has to work."""
    handler = hook_entries.ours(document, NAME)[0].handler
    command: str | Sequence[str] = str(handler.get("command"))
    arguments = handler.get("args")
    if isinstance(arguments, list):
        command = [str(command), *map(str, arguments)]
    try:
        return try_out(command), []
    except UnprettyError as exc:
        return None, [Problem(exc.code, str(exc), FIX)]


def _hosts_problems(layers: list[claude_settings.Layer], known: str | None) -> list[Problem]:
    found = []
    disabled = claude_settings.disabled_by(layers)
    if disabled:
        found.append(Problem("hooks_disabled", f"The hook does not run: {disabled}.", "Remove that setting."))
    if claude_settings.is_too_old(known):
        found.append(Problem("client_too_old", claude_settings.too_old(known), "claude update"))
    return found


def _environment_notices() -> list[Note]:
    if os.environ.get("CLAUDE_CODE_SIMPLE", "") not in ("", "0"):
        return [Note("simple_mode", "CLAUDE_CODE_SIMPLE is set: a client started here runs no hooks.")]
    return []


def _status(problems: list[Problem]) -> Status:
    codes = {problem.code for problem in problems}
    if codes & {"launcher_missing", "python_gone", "command_failed", "unreadable_settings", "config_invalid"}:
        return "broken"
    if "hooks_disabled" in codes:
        return "disabled"
    if "client_too_old" in codes:
        return "client_too_old"
    return "modified" if codes & {"entry_repeated", "entry_modified"} else "active"
