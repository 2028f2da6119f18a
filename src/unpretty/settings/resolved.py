"""The settings as the hook reads them: a resolved copy of config.toml that costs no TOML parser.

The copy is JSON: ``{"source": [mtime_ns, size], "fault": "...", "settings": {...}}``. It is used while config.toml has
that modification time and size; the call that notices a change parses config.toml once and writes a new copy.
A config.toml that cannot be read switches the hook off until it is fixed, since the user's choice is unknown.
"""

import sys

from unpretty.engine import system
from unpretty.engine.json_text.scanner import InvalidJSON, loads
from unpretty.engine.json_text.writer import to_ascii_json
from unpretty.settings.defaults import SETTINGS, Settings

_ABSENT = [0, 0]


def load(resolved_path: str, config_path: str) -> Settings:
    """The settings in force; reads config.toml only when it changed. Never raises."""
    source = _stamp(config_path)
    copy = _read_copy(resolved_path)
    if copy is not None and copy[0] == source:
        return copy[1]
    if source == _ABSENT and copy is None:
        return Settings()
    return refresh(config_path, resolved_path)[0]


def refresh(config_path: str, resolved_path: str) -> "tuple[Settings, str]":
    """Parse config.toml, write the resolved copy, and return the settings and what is wrong with the file (or "").

    Never raises: a copy that cannot be written only means that the next call parses again.
    """
    source = _stamp(config_path)
    values: dict[str, object] = {}
    error = ""
    if source != _ABSENT:
        try:
            values = _parse(config_path)
        except ImportError as exc:
            # Python 3.10 has no TOML parser of its own, and the hook's interpreter sees no installed packages.
            copy = _refresh_elsewhere(config_path, resolved_path)
            if copy is not None and copy[0] == source:
                return copy[1], ""
            error = str(exc)
        except Exception as exc:  # whatever is wrong with the file, the hook goes on
            error = str(exc) or type(exc).__name__
    if error:
        values = {"enabled": False}
    settings = Settings(values)
    content = {"source": source, "fault": error, "settings": {name: getattr(settings, name) for name in SETTINGS}}
    _write(resolved_path, to_ascii_json(content))
    return settings, error


def _parse(config_path: str) -> "dict[str, object]":
    from pathlib import Path

    from unpretty.settings.config_file import read_config

    return read_config(Path(config_path))


def _refresh_elsewhere(config_path: str, resolved_path: str) -> "tuple[list[int], Settings] | None":
    """Have an interpreter that sees our dependencies write the copy, and read it; None when that fails."""
    if sys.platform == "win32":  # pragma: no cover
        return None
    if system.is_uninstalled():
        return None
    import posix

    from unpretty.tokens.background import interpreter

    program = "import sys; from unpretty.settings.resolved import refresh; refresh(*sys.argv[1:])"
    python = interpreter(sys.executable)
    silent = [(posix.POSIX_SPAWN_OPEN, number, "/dev/null", posix.O_RDWR, 0) for number in (0, 1, 2)]
    try:
        arguments = [python, "-I", "-c", program, config_path, resolved_path]
        child = posix.posix_spawn(python, arguments, posix.environ, file_actions=silent)
        posix.waitpid(child, 0)
    except OSError:
        return None
    return _read_copy(resolved_path)


def _stamp(path: str) -> "list[int]":
    """Modification time in nanoseconds and size in bytes, zeros when there is no such file."""
    try:
        status = system.stat(path)
    except OSError:
        return list(_ABSENT)
    return [status.st_mtime_ns, status.st_size]


def _read_copy(path: str) -> "tuple[list[int], Settings] | None":
    try:
        content = loads(system.read_file(path, 1 << 20).decode("utf-8"))
    except (OSError, InvalidJSON, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(content, dict) or not isinstance(content.get("settings"), dict):
        return None
    try:
        return [int(part) for part in content["source"]], Settings(_typed(content["settings"]))
    except (KeyError, TypeError, ValueError):
        return None


def _typed(values: "dict[str, object]") -> "dict[str, object]":
    """Numbers, which the scanner leaves as text, in the type of the setting's default."""
    return {
        name: type(SETTINGS[name][0])(value) if isinstance(value, bytes) else value  # type: ignore[call-arg]
        for name, value in values.items()
        if name in SETTINGS
    }


def _write(path: str, text: str) -> None:
    """Write a temporary file next to it and rename that, so that a reader sees the old copy or the new one."""
    if system.is_uninstalled():
        return
    temporary = f"{path}.{system.getpid()}.tmp"
    try:
        system.make_directories(system.directory_of(path))
        handle = system.open_file(temporary, system.WRITE | system.CREATE | system.TRUNCATE)
        try:
            system.write(handle, text.encode("ascii"))
        finally:
            system.close(handle)
        system.replace(temporary, path)
    except OSError:
        try:
            system.unlink(temporary)
        except OSError:
            return
