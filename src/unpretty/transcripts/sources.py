"""The files with session records: on this machine, and in directories from elsewhere."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from unpretty import agents
from unpretty.transcripts.reading import Progress, Reading, Record, files_below
from unpretty.transcripts.result import ToolResult

_HEAD_BYTES = 1 << 16


class AgentRecords(Protocol):
    """What each agent's module in this package has.

    Attributes:
        SUFFIX: how the names of its files end.
    """

    SUFFIX: str

    def session_files(self, directory: Path, reading: Reading) -> Iterable[Path]:
        """The files of the agent's own in one of its session directories."""

    def mark(self, path: Path, head: bytes) -> int:
        """Where in ``head``, the start of the file ``path``, the agent's records begin to show; -1 when nowhere."""

    def read_results(self, path: Path, reading: Reading, since_ms: int | None = None) -> Iterator[ToolResult]:
        """The tool results in a file, in order; those from before ``since_ms`` may be left out. Raises OSError."""

    def check(self, directories: list[Path], since_ms: int | None, progress: Progress) -> Callable[[Record], str]:
        """What says of a converted decision, by the records in ``directories``, whether it was applied."""


def records_of(agent: agents.Agent) -> AgentRecords:
    """The module that reads the records of ``agent``."""
    return cast("AgentRecords", agents.module(__package__, agent))


@dataclass(frozen=True, slots=True)
class Source:
    """A file with session records: whose they are, its size in bytes, when it was changed (milliseconds, UTC)."""

    agent: str
    path: Path
    size: int
    changed_ms: int


def read_results(source: Source, reading: Reading, since_ms: int | None = None) -> Iterator[ToolResult]:
    """The tool results in ``source``, in order; it ends early, and ``reading`` says so, where the file cannot be read.

    Results from before ``since_ms`` may be left out already.
    """
    try:
        yield from records_of(agents.get(source.agent)).read_results(source.path, reading, since_ms)
    except OSError as exc:
        reading.note_unreadable(source.path, exc)


def own_sources(agent: str, reading: Reading) -> list[Source]:
    """The session records of ``agent`` on this machine, oldest first."""
    row = agents.get(agent)
    directories = row.session_directories
    paths = (path for directory in directories for path in records_of(row).session_files(directory, reading))
    return _sources(paths, reading, lambda _: agent)


def sources_at(path: Path, reading: Reading) -> list[Source]:
    """The session records in the file ``path`` or in the files below the directory ``path``, oldest first.

    The content of a file decides which agent it is of; files with something else are left out.
    """
    suffixes = tuple({records_of(row).SUFFIX for row in agents.every()})
    paths = files_below(path, reading, suffixes) if path.is_dir() else [path]
    return _sources(paths, reading, agent_of)


def agent_of(path: Path) -> str:
    """The agent that wrote the file ``path``, "" when it holds no session records; raises OSError.

    The suffix decides when it is that of an agent's files. Of several agents it is the one whose mark comes first:
    a session may mention the marks of others.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    known = {row.name: records_of(row) for row in agents.every()}
    named = {name: records for name, records in known.items() if path.suffix == records.SUFFIX} or known
    marks = [(mark, name) for name, records in named.items() if (mark := records.mark(path, head)) >= 0]
    return min(marks)[1] if marks else ""


def _sources(paths: Iterable[Path], reading: Reading, agent: Callable[[Path], str]) -> list[Source]:
    found = [source for path in paths for source in _source(path, reading, agent)]
    return sorted(found, key=lambda source: (source.changed_ms, str(source.path)))


def _source(path: Path, reading: Reading, agent: Callable[[Path], str]) -> Iterator[Source]:
    try:
        status = path.stat()
        # Anything but a file, such as a pipe, could block the reading.
        name = agent(path) if stat.S_ISREG(status.st_mode) else ""
        log = path.with_name(path.name + "-wal")  # that of a database
        parts = [status, log.stat()] if log.is_file() else [status]
    except OSError as exc:
        reading.note_unreadable(path, exc)
        return
    if name:
        changed_ms = max(part.st_mtime_ns for part in parts) // 1_000_000
        yield Source(name, path, sum(part.st_size for part in parts), changed_ms)
