"""Data files below one folder, and no way out of it."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from unpretty.errors import UnprettyError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Ending of a file's name -> format.
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


class ServedDirectory:
    """A folder whose data files may be read; ``folder`` is its real path.

    Files and folders whose names begin with a dot are not shown and cannot be read. Symbolic links are followed only to
    places inside.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Take ``folder``. Raises UnprettyError when it is no folder that can be read."""
        self.folder = Path(os.path.realpath(folder))
        if not self.folder.is_dir() or not os.access(self.folder, os.R_OK | os.X_OK):
            raise UnprettyError(f"{folder} is not a folder that can be read.", code="no_folder")

    def file(self, name: str) -> Path:
        """The real path of the data file ``name`` (relative, with /).

        Raises UnprettyError for a name that leads out, names nothing, or is no data file.
        """
        path = self._inside(name)
        if not path.is_file():
            raise UnprettyError(f"There is no file {name!r}.", code="no_file", hint="list_files shows what there is.")
        if path.suffix.lower() not in FORMATS:
            known = ", ".join(FORMATS)
            raise UnprettyError(f"{name!r} is no data file; the names of those end in {known}.", code="no_data_file")
        return path

    def files(self, folder: str = "") -> Iterator[tuple[str, os.stat_result]]:
        """Names and status of the data files below ``folder``, in the order of their names, folder by folder.

        Raises UnprettyError for a folder that leads out or is none.
        """
        start = self._inside(folder) if folder else self.folder
        if not start.is_dir():
            raise UnprettyError(f"There is no folder {folder!r}.", code="no_folder")
        for current, folders, names in os.walk(start):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(current, name)
                relative = path.relative_to(self.folder).as_posix()
                if path.suffix.lower() in FORMATS and self._shows(relative):
                    yield relative, path.stat()

    def _shows(self, relative: str) -> bool:
        try:
            return self._inside(relative).is_file()
        except UnprettyError:
            return False

    def _inside(self, name: str) -> Path:
        """The real path behind ``name``, which must lie inside."""
        parts = PurePosixPath(name.replace("\\", "/") if os.name == "nt" else name).parts
        odd = "\0" in name or not parts or any(part == ".." or part.startswith(("/", ".")) for part in parts)
        if not odd:
            real = Path(os.path.realpath(self.folder.joinpath(*parts)))
            # The real path is checked, so neither a link nor, on Windows, a drive letter leads out.
            if real.is_relative_to(self.folder) and real != self.folder:
                return real
        raise UnprettyError(
            f"{name!r} is not a name below the served folder.", code="outside", hint="Use a name from list_files."
        )
