"""Carries a plan out as one transaction: all of it, or everything is as it was.

Order: refuse what cannot or must not be written, back up, write file by file, run the steps, run the checks. Whatever
fails, also an interrupt, everything written so far is undone. A process that is killed leaves each file either old or
new, never half; making the plan again and applying it completes the work.
"""

import contextlib
import os
import stat
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer.core import files
from unpretty_installer.core.plan import FileChange, Plan
from unpretty_installer.core.rewrite import rewrite

_OUR_DIRECTORY = 0o700
_THEIR_DIRECTORY = 0o777  # less the umask, as the agent itself would create it

Undo = Callable[[], None]


def apply(plan: Plan) -> Path | None:
    """Carry ``plan`` out.

    Returns:
        The directory with copies of the agent's files as they were, None when no file of an agent was changed.

    Raises:
        UnprettyError: it was refused or failed, and everything is as it was; when something could not be put back, the
            message says what, and where its backup is.
    """
    refuse_blocked(plan)
    for change in plan.pending:
        if change.rework is None:
            _is_done(change)
    undo: list[Undo] = []
    backup = _Backup()
    try:
        backup.save(plan)
        for change in plan.pending:
            _carry_out(change, undo)
        for step in plan.steps:
            step.run()
            undo.append(step.undo)
        for check in plan.checks:
            check.run()
    except BaseException as exc:
        _roll_back(exc, undo, backup)
        raise
    _clean_up(plan)
    return backup.directory


def refuse_blocked(plan: Plan) -> None:
    """Raise the first thing that blocks ``plan`` as an UnprettyError."""
    for block in plan.blocks:
        raise UnprettyError(block.message, code=block.code, hint=block.hint)


def _state(change: FileChange) -> bytes | None:
    return files.read_link(change.path) if change.kind == "link" else files.read(change.path, own=change.ours)


def _is_done(change: FileChange) -> bool:
    """Whether the file already is as the plan wants it; refuses when it is neither that nor as the plan found it."""
    current = _state(change)
    if current == change.after:
        return True
    if current != change.before:
        raise UnprettyError(
            f"{change.path} has changed since the plan was made, so it was left alone.",
            code="changed_meanwhile",
            hint="Run the command again.",
        )
    return False


def _carry_out(change: FileChange, undo: list[Undo]) -> None:
    """Write one file. What undoes it is noted first: an interrupt may come right after the write."""
    rework = change.rework
    if rework is not None:
        undo.append(lambda: rewrite(change.path, rework.back, rework.lock))
        rewrite(change.path, rework.forward, rework.lock)
        return
    if _is_done(change):
        return
    if change.after is not None:
        missing = files.missing_directories(change.path, own=change.own_place)
        undo.append(lambda: files.remove_empty(missing))
        files.make_directories(change.path, _OUR_DIRECTORY if change.ours else _THEIR_DIRECTORY, own=change.own_place)
    mode = change.mode
    if change.kind == "file" and change.before is not None:
        mode = stat.S_IMODE(files.target(change.path).stat().st_mode)
    undo.append(lambda: _put_back(change, mode))
    _put(change, change.after, mode)


def _put(change: FileChange, data: bytes | None, mode: int | None) -> None:
    if change.kind == "link":
        files.remove_link(change.path) if data is None else files.replace_link(change.path, data)
    elif data is None:
        files.remove_link(change.path) if change.ours else files.remove(change.path)
    elif change.ours:
        files.replace(change.path, data, mode, own=True)
    else:
        files.replace(change.path, data, mode)


def _put_back(change: FileChange, mode: int | None) -> None:
    current = _state(change)
    if current == change.before:
        return
    if current != change.after:
        raise UnprettyError(f"{change.path} was changed by another program at the same time.", code="changed_meanwhile")
    _put(change, change.before, mode)


def _roll_back(exc: BaseException, undo: list[Undo], backup: "_Backup") -> None:
    """Put everything back, newest first, and raise ``exc`` as a sentence, unless it is an interrupt."""
    failed: list[str] = []
    for step in reversed(undo):
        try:
            step()
        except (OSError, UnprettyError) as error:
            failed.append(str(error))
    if not failed:
        backup.discard()
    if not isinstance(exc, (OSError, UnprettyError)):
        return
    message = str(exc) if isinstance(exc, UnprettyError) else f"Writing failed: {exc}."
    code = exc.code if isinstance(exc, UnprettyError) else "write_failed"
    if failed:
        where = f" Copies of the files as they were are in {backup.directory}." if backup.directory else ""
        raise UnprettyError(
            f"{message} Not everything could be put back: {' '.join(failed)}{where}", code=code
        ) from exc
    raise UnprettyError(f"{message} Everything is as it was before.", code=code, hint=getattr(exc, "hint", "")) from exc


def _clean_up(plan: Plan) -> None:
    """Remove what nothing depends on any more; a failure here leaves rubbish, not a broken set-up."""
    for path in plan.removals:
        with contextlib.suppress(OSError):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    for change in plan.pending:
        files.remove_empty(change.empty_dirs)


class _Backup:
    """Copies of the agents' files as they were, in a directory of their own per run."""

    def __init__(self) -> None:
        self.directory: Path | None = None
        self._made: list[Path] = []
        self._files: list[Path] = []

    def save(self, plan: Plan) -> None:
        """Copy every file that is somebody else's and about to change."""
        worthy = [change for change in plan.pending if change.before is not None and not change.ours]
        if not worthy:
            return
        stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S.%fZ")
        directory = locations.state_dir() / "backups" / f"{stamp}-{plan.agent}-{os.getpid()}"
        self._made = list(files.missing_directories(directory / "file"))
        files.make_directories(directory / "file", _OUR_DIRECTORY)
        self.directory = directory
        for number, change in enumerate(worthy, 1):
            copy = directory / f"{number}-{change.path.name}"
            self._files.append(copy)
            files.replace(copy, change.before or b"", 0o600)

    def discard(self) -> None:
        """Take the copies away again: everything is as it was."""
        for copy in self._files:
            with contextlib.suppress(OSError):
                copy.unlink()
        files.remove_empty(self._made)
        self.directory = None
