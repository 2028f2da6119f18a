"""What every planner uses: what cannot be written, how the user calls us, the current directory, paths once each."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from unpretty_installer.core import files
from unpretty_installer.core.plan import Block, FileChange


def obstacles(changes: Iterable[FileChange], snippet: str = "") -> tuple[Block, ...]:
    """Why files of a plan cannot be written, found without writing.

    Args:
        changes: the plan's changes; those that change nothing are passed over.
        snippet: what the user can put into the agent's file in another way, for example in a Nix configuration.
    """
    found = []
    for change in changes:
        reason = None if change.operation == "keep" else files.why_not_writable(change.path, own=change.own_place)
        if reason is not None:
            code, clause = reason
            hint = (
                "Make it writable" if change.ours or not snippet else "Make it writable, or paste the snippet yourself"
            )
            found.append(Block(code, f"{change.path} {clause}.", f"{hint}.", "" if change.ours else snippet))
    return tuple(found)


def own_program() -> str:
    """How the user calls this unpretty: by name when that finds this very install, otherwise by its whole path."""
    script = Path(sys.executable).parent / ("unpretty.exe" if sys.platform == "win32" else "unpretty")
    on_path = shutil.which("unpretty")
    if on_path is not None and (not script.exists() or Path(on_path).resolve() == script.resolve()):
        return "unpretty"
    return shlex.quote(str(script)) if script.exists() else f"{shlex.quote(sys.executable)} -m unpretty"


def undo_command(agent: str) -> str:
    """The exact command that undoes what was set up for ``agent``."""
    return f"{own_program()} uninstall {agent} --apply"


def here() -> Path:
    """The current directory; the home directory when the current one has been deleted."""
    try:
        return Path.cwd()
    except OSError:
        return Path.home()


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, also when there is none yet."""
    return os.path.realpath(one) == os.path.realpath(other)


def each_once(paths: Iterable[Path]) -> list[Path]:
    """``paths`` without those that lead to the same file as an earlier one."""
    found: dict[str, Path] = {}
    for path in paths:
        found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def is_among(path: Path, others: Iterable[Path]) -> bool:
    """Whether one of ``others`` leads to the same file as ``path``."""
    return any(same_file(path, other) for other in others)
