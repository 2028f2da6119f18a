"""Where agents keep the records of their sessions, and which agent's records a file holds."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from unpretty.transcripts import claude_results, codex_results, opencode_results
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import ToolResult
from unpretty.transcripts.sqlite_pages import DatabaseFault, is_database

_HEAD_BYTES = 1 << 16
_COMPRESSED = (".jsonl.gz", ".jsonl.zst", ".jsonl.bz2", ".jsonl.xz")
_LINE_READERS = {
    claude_results.AGENT: claude_results.read_results,
    codex_results.AGENT: codex_results.read_results,
}


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
        if source.agent == opencode_results.AGENT:
            yield from opencode_results.read_results(source.path, reading, since_ms)
            return
        with source.path.open("rb") as file:
            yield from _LINE_READERS[source.agent](file, reading)
    except OSError as fault:
        reading.unreadable.append((source.path, fault.strerror or str(fault)))
    except DatabaseFault as fault:
        reading.unreadable.append((source.path, str(fault)))


def home_folders(agent: str) -> list[Path]:
    """The folders in which ``agent`` keeps its sessions on this machine, whether or not they exist."""
    home = Path.home()
    if agent == claude_results.AGENT:
        return [_named("CLAUDE_CONFIG_DIR", home / ".claude") / "projects"]
    if agent == codex_results.AGENT:
        folder = _named("CODEX_HOME", home / ".codex")
        return [folder / "sessions", folder / "archived_sessions"]
    return [_named("XDG_DATA_HOME", home / ".local" / "share") / "opencode"]


def _named(variable: str, otherwise: Path) -> Path:
    value = os.environ.get(variable)
    return Path(value) if value else otherwise


def own_sources(agent: str, reading: Reading) -> list[Source]:
    """The session records of ``agent`` on this machine, oldest first."""
    folders = home_folders(agent)
    if agent == opencode_results.AGENT:
        found = [
            source
            for folder in folders
            for path in folder.glob("opencode*.db")
            for source in _source(path, reading, agent_of)
        ]
    else:
        found = [source for folder in folders for source in _below(folder, reading, lambda _: agent)]
    return sorted(found, key=_age)


def sources_at(path: Path, reading: Reading) -> list[Source]:
    """The session records in the file ``path`` or in the files below the folder ``path``, oldest first.

    The agent is told by what is in a file; files that hold something else are left out.
    """
    if path.is_dir():
        return sorted(_below(path, reading, agent_of), key=_age)
    return list(_source(path, reading, agent_of))


def agent_of(path: Path) -> str:
    """The agent that wrote the file ``path``, "" when it holds no session records; raises OSError."""
    if path.suffix == ".db":
        return opencode_results.AGENT if is_database(path) else ""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if path.name.startswith("rollout-") or b'"session_meta"' in head:
        return codex_results.AGENT
    return claude_results.AGENT if b'"sessionId"' in head or b'"parentUuid"' in head else ""


def _age(source: Source) -> tuple[int, str]:
    return source.changed_ms, str(source.path)


def _below(folder: Path, reading: Reading, whose: Callable[[Path], str]) -> Iterator[Source]:
    def note(fault: OSError) -> None:
        if not isinstance(fault, FileNotFoundError):
            reading.unreadable.append((Path(str(fault.filename)), fault.strerror or str(fault)))

    for parent, _, names in os.walk(folder, onerror=note):
        for name in names:
            if name.endswith((".jsonl", ".db")):
                yield from _source(Path(parent, name), reading, whose)
            elif name.endswith(_COMPRESSED):
                reading.unreadable.append((Path(parent, name), "it is compressed; unpack it first"))


def _source(path: Path, reading: Reading, whose: Callable[[Path], str]) -> Iterator[Source]:
    try:
        status = path.stat()
        # Anything but a file, such as a pipe, could keep us waiting.
        agent = whose(path) if stat.S_ISREG(status.st_mode) else ""
    except OSError as fault:
        reading.unreadable.append((path, fault.strerror or str(fault)))
        return
    if agent and (path.suffix == ".db") == (agent == opencode_results.AGENT):
        size, changed = status.st_size, status.st_mtime_ns // 1_000_000
        log = path.with_name(path.name + "-wal")
        if agent == opencode_results.AGENT and log.is_file():
            size += log.stat().st_size
            changed = max(changed, log.stat().st_mtime_ns // 1_000_000)
        yield Source(agent, path, size, changed)
