"""Several copies of our hook that Codex runs on one call: the user's own and that of a project.

Codex would hand the model the answers of all, so the installer leaves a mark that has the hook make sure that one of
them answers (``hooks/claim.py``). Plan and doctor name the copies.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer.codex import places
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.places import CLIENT
from unpretty_installer.core import files, planning
from unpretty_installer.core.plan import FileChange, Note
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument


def with_entry(here: Path) -> list[Path]:
    """Those of ``places.entry_files`` that hold our entry now."""
    return [path for path in places.entry_files(here) if _holds_entry(path)]


def mark(paths: Iterable[Path]) -> tuple[FileChange, ...]:
    """The change of the mark for ``paths``, all files that are going to hold our entry; none when nothing changes."""
    layers = {os.path.realpath(path.parent) for path in paths}
    content = "".join(f"{directory}\n" for directory in sorted(layers)) if len(layers) > 1 else None
    marker = locations.copies_file(CLIENT.row.name)
    after = None if content is None else content.encode("utf-8", "surrogateescape")
    why = "Lets one copy of the hook answer each call."
    change = FileChange(marker, files.read(marker, own=True), after, why, ours=True, mode=0o600)
    return () if change.operation == "keep" else (change,)


def notes(path: Path, paths: Iterable[Path]) -> list[Note]:
    """A note for each of ``paths`` that is in another directory than ``path``."""
    return [
        Note(
            "second_copy",
            f"{other} holds our hook, too. Codex runs both where both apply; only one of them answers a call, so one"
            " is enough.",
        )
        for other in paths
        if not planning.same_file(other.parent, path.parent)
    ]


def _holds_entry(path: Path) -> bool:
    try:
        data = files.read(path)
        if path.suffix == ".json":
            return bool(hook_entries.ours(JsonDocument.read(data), CLIENT.row.name))
        return bool(Config.read(data, str(path)).ours())
    except UnprettyError:
        return False
