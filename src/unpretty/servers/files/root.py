"""Data files below one directory, and no way out of it."""

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
    """A directory whose data files may be read; ``path`` is its real path.

    Files and directories whose names begin with a dot are not shown and cannot be read. Symbolic links are followed
    only when they point inside.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Take ``path``. Raises UnprettyError when it is not a readable directory."""
        self.path = Path(os.path.realpath(path))
        if not self.path.is_dir() or not os.access(self.path, os.R_OK | os.X_OK):
            raise UnprettyError(f"{path} is not a directory that can be read.", code="no_folder")

    def file(self, name: str) -> Path:
        """The real path of the data file ``name`` (relative, with /).

        Raises UnprettyError for a name that leads out, names nothing, or is not a data file.
        """
        path = self._inside(name)
        if not path.is_file():
            raise UnprettyError(f"There is no file {name!r}.", code="no_file", hint="list_files shows what there is.")
        if path.suffix.lower() not in FORMATS:
            known = ", ".join(FORMATS)
            raise UnprettyError(f"{name!r} is not a data file; their names end in {known}.", code="no_data_file")
        return path

    def files(self, directory: str = "") -> Iterator[tuple[str, os.stat_result]]:
        """Names and status of the data files below ``directory``, in the order of their names, directory by directory.

        Raises UnprettyError when ``directory`` leads out or is not a directory.
        """
        start = self._inside(directory) if directory else self.path
        if not start.is_dir():
            raise UnprettyError(f"There is no directory {directory!r}.", code="no_folder")
        for current, directories, names in os.walk(start):
            directories[:] = sorted(name for name in directories if not name.startswith("."))
            for name in sorted(names):
                path = Path(current, name)
                relative = path.relative_to(self.path).as_posix()
                if path.suffix.lower() in FORMATS and self._shows(relative):
                    yield relative, path.stat()

    def _shows(self, relative: str) -> bool:
        try:
            return self._inside(relative).is_file()
        except UnprettyError:
            return False

    def _inside(self, name: str) -> Path:
        """The real path of ``name``, which must be inside."""
        parts = PurePosixPath(name.replace("\\", "/") if os.name == "nt" else name).parts
        odd = "\0" in name or not parts or any(part == ".." or part.startswith(("/", ".")) for part in parts)
        if not odd:
            real = Path(os.path.realpath(self.path.joinpath(*parts)))
            # The real path is checked, so neither a link nor, on Windows, a drive letter leads out.
            if real.is_relative_to(self.path) and real != self.path:
                return real
        raise UnprettyError(
            f"{name!r} is not a name below the served directory.", code="outside", hint="Use a name from list_files."
        )
