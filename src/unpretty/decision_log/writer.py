"""Append one line per decision to the decision log; rotate it by size under a lock.

On the hook path: standard library only. A failing log never changes the reply, so nothing here raises.
The format is described in docs/stats.md; readers skip kinds and versions that they do not know.
"""

import os
import time

try:
    from _json import encode_basestring_ascii as _quote
except ImportError:  # an interpreter without the C accelerator
    from json.encoder import encode_basestring_ascii as _quote

VERSION = 1
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def now_ms() -> int:
    """Milliseconds since 1970-01-01 UTC: the ``ts`` of a log line."""
    return int(time.time() * 1000)


def new_id() -> str:
    """An id that ties a later ``tokens`` line to its decision: 16 hexadecimal digits."""
    return os.urandom(8).hex()


def to_json(value: object) -> str:
    """``value`` (None, bool, int, float, str, list, tuple or dict with string keys) as one line of ASCII JSON."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quote(str(key))}:{to_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(to_json, value)) + "]"
    return repr(value)


def append(path: str, record: "dict[str, object]", max_bytes: int = 33554432, max_files: int = 4) -> bool:
    """Append ``record`` as one line with a single write; True when it is on its way to the disk.

    The file is created with mode 0600 in a folder of mode 0700. When it has reached ``max_bytes`` bytes it is rotated
    first; ``max_files`` counts the current file too. Never raises.
    """
    try:
        line = (to_json(record) + "\n").encode("ascii")
        try:
            handle = os.open(path, _APPEND, 0o600)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            handle = os.open(path, _APPEND, 0o600)
        try:
            if os.fstat(handle).st_size + len(line) > max_bytes:
                rotated = _rotate(path, len(line), max_bytes, max_files)
                if rotated is not None:
                    os.close(handle)
                    handle = rotated
            return os.write(handle, line) == len(line)
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return False


def _rotate(path: str, room: int, max_bytes: int, max_files: int) -> "int | None":
    """Shift ``path`` to ``path.1`` and so on; the handle of the new current file, None when another writer is at it."""
    lock_path = path + ".lock"
    try:
        lock = os.open(lock_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        _break_stale_lock(lock_path)
        return None
    try:
        # Another writer may have rotated between our look at the size and our lock.
        if os.stat(path).st_size + room > max_bytes:
            for number in range(max_files - 1, 0, -1):
                older = f"{path}.{number}"
                newer = path if number == 1 else f"{path}.{number - 1}"
                try:
                    os.replace(newer, older)
                except FileNotFoundError:
                    continue
            if max_files == 1:
                os.unlink(path)
        return os.open(path, _APPEND, 0o600)
    finally:
        os.close(lock)
        os.unlink(lock_path)


def _break_stale_lock(lock_path: str) -> None:
    """Remove a lock whose owner was killed: a rotation takes milliseconds, never ten seconds."""
    try:
        if time.time() - os.stat(lock_path).st_mtime > 10:
            os.unlink(lock_path)
    except OSError:
        return
