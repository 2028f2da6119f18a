"""Append one line per decision to the decision log; rotate it by size under a lock.

On the hook path: standard library only. A failing log never changes the reply, so nothing here raises.
The format is described in docs/stats.md; readers skip kinds and versions that they do not know.
"""

import time

from unpretty.engine import system
from unpretty.engine.json_text.writer import to_ascii_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.engine.compaction import Decision

VERSION = 1
_APPEND = system.WRITE | system.APPEND | system.CREATE


def now_ms() -> int:
    """Milliseconds since 1970-01-01 UTC: the ``ts`` of a log line."""
    return int(time.time() * 1000)


def new_id() -> str:
    """An id that ties a later ``tokens`` line to its decision: 16 hexadecimal digits."""
    return system.urandom(8).hex()


def decision_record(
    who: "dict[str, object]", decision: "Decision", milliseconds: float, kind: str = "decision"
) -> "dict[str, object]":
    """One decision as a line of the log.

    Args:
        who: via, agent, agent_version, session, tool_use_id, project, model, tool and field, in this order.
        decision: what happened to the text.
        milliseconds: what it took, the start of a process not included.
        kind: ``decision``, or another kind for a line that is no result offered to an agent.
    """
    return {
        "v": VERSION,
        "kind": kind,
        "id": new_id(),
        "ts": now_ms(),
        **who,
        "decision": "converted" if decision.converted else "skipped",
        "reason": decision.reason,
        "encoding": decision.encoding,
        "bytes_in": decision.bytes_in,
        "bytes_out": decision.bytes_out,
        "chars_in": decision.chars_in,
        "chars_out": decision.chars_out,
        "docs": decision.docs,
        "steps": decision.steps,
        "ms": round(milliseconds, 3),
    }


def append(
    path: str, record: "dict[str, object]", max_bytes: int = 33554432, max_files: int = 4, create: bool = True
) -> bool:
    """Append ``record`` as one line with a single write; True when it is on its way to the disk.

    The file is created with mode 0600 in a directory of mode 0700, but not without ``create`` and not by a process that
    outlived ``uninstall``: what the user had deleted does not come back. When it has reached ``max_bytes`` bytes it is
    rotated first; ``max_files`` counts the current file too. Never raises.
    """
    try:
        line = (to_ascii_json(record) + "\n").encode("ascii")
        try:
            handle = system.open_file(path, system.WRITE | system.APPEND)
        except FileNotFoundError:
            if not create or system.is_uninstalled():
                return False
            handle = _create(path)
        try:
            if system.fstat(handle).st_size + len(line) > max_bytes:
                rotated = _rotate(path, len(line), max_bytes, max_files)
                if rotated is not None:
                    system.close(handle)
                    handle = rotated
            return system.write(handle, line) == len(line)
        finally:
            system.close(handle)
    except (OSError, ValueError):
        return False


def _create(path: str) -> int:
    """A handle on the log, created with its directory where that is missing too; raises OSError."""
    try:
        return system.open_file(path, _APPEND)
    except FileNotFoundError:
        system.make_directories(system.directory_of(path))
        return system.open_file(path, _APPEND)


def _rotate(path: str, needed: int, max_bytes: int, max_files: int) -> "int | None":
    """Shift ``path`` to ``path.1`` and so on; the handle of the new current file, None when another writer is at it."""
    lock_path = path + ".lock"
    try:
        lock = system.open_file(lock_path, system.WRITE | system.CREATE | system.EXCLUSIVE)
    except FileExistsError:
        _break_stale_lock(lock_path)
        return None
    try:
        # Another writer may have rotated between our look at the size and our lock.
        if system.stat(path).st_size + needed > max_bytes:
            for number in range(max_files - 1, 0, -1):
                older = f"{path}.{number}"
                newer = path if number == 1 else f"{path}.{number - 1}"
                try:
                    system.replace(newer, older)
                except FileNotFoundError:
                    continue
            if max_files == 1:
                system.unlink(path)
        return system.open_file(path, _APPEND)
    finally:
        system.close(lock)
        system.unlink(lock_path)


def _break_stale_lock(lock_path: str) -> None:
    """Remove a lock whose owner was killed: a rotation takes milliseconds, never ten seconds."""
    try:
        if time.time() - system.stat(lock_path).st_mtime > 10:
            system.unlink(lock_path)
    except OSError:
        return
