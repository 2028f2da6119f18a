"""``config.toml``, the settings that a user edits: reads it with exact errors, and changes one setting in place."""

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unpretty import agents
from unpretty.engine import system
from unpretty.errors import UnprettyError
from unpretty.settings.defaults import SETTINGS

if TYPE_CHECKING:
    import tomlkit

# Smallest and largest value of each number.
_RANGES: dict[str, tuple[float, float]] = {
    "min_bytes": (0, 1 << 30),
    "min_gain_percent": (0, 100),
    "max_input_bytes": (1024, 1 << 32),
    "budget_ms": (10, 9_000),
    "log_max_bytes": (4096, 1 << 40),
    "log_files": (1, 100),
}
_CHOICES = {"count_tokens": ("exact", "estimate")}


def read_config(path: Path) -> dict[str, object]:
    """The settings in the file at ``path``, by name; those that it leaves out are not in the result.

    Raises UnprettyError when the file cannot be read, does not parse (with line and column), or holds a name or a value
    that is no setting.
    """
    return {name: _checked(name, value, path) for name, value in _values(path).items()}


def explanation(name: str) -> str:
    """What the setting ``name`` does, one sentence."""
    from unpretty.encodings.registry import offered

    return SETTINGS[name][1].format(encodings=", ".join(offered()))


def set_config(path: Path, name: str, text: str) -> object:
    """Set one setting in the file at ``path``, comments and order kept, and return its new value.

    ``text`` is the value as typed on a command line: ``true``, ``512``, ``exact``, or for a list its items with commas
    between. A file that is not there is created with mode 0600. Raises UnprettyError as ``read_config`` does, and when
    the file cannot be written.
    """
    import tomlkit

    value = _checked(name, _typed(name, text, path), path)
    document = tomlkit.document()
    if path.exists():
        read_config(path)
        document = _document(path)
    _insert(document, name, value)
    _write(path, tomlkit.dumps(document))
    return value


def _values(path: Path) -> dict[str, Any]:
    """The file as plain values, by ``tomllib`` where there is one: the hook comes here too when the file changed."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        return _document(path).unwrap()
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as exc:
        raise _malformed(path, exc) from None


def _document(path: Path) -> "tomlkit.TOMLDocument":
    """The file as a document that can be edited."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(_text(path))
    except TOMLKitError as exc:
        raise _malformed(path, exc) from None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise _malformed(path, exc) from None
    except OSError as exc:
        raise UnprettyError(f"Cannot read {path}: {exc.strerror}.", code="config_unreadable") from None


def _malformed(path: Path, exc: Exception) -> UnprettyError:
    return UnprettyError(
        f"{path} is not valid TOML: {exc}.", code="config_malformed", hint="Correct or remove that line."
    )


def _insert(document: "tomlkit.TOMLDocument", name: str, value: object) -> None:
    """Set ``name``; a new name goes before the first table, since after it it would belong to that table."""
    from tomlkit.items import AoT, Table

    if name in document or not any(isinstance(item, (AoT, Table)) for _, item in document.body):
        document[name] = value
        return
    tables = [(key, document.pop(key)) for key, item in list(document.items()) if isinstance(item, (AoT, Table))]
    document[name] = value
    for key, item in tables:
        document.append(key, item)


def _checked(name: str, value: object, path: Path) -> object:
    """``value`` in the type of the setting; raises UnprettyError for a name or value that is not right."""
    if name not in SETTINGS:
        from difflib import get_close_matches

        near = get_close_matches(name, SETTINGS, 1)
        hint = f"Did you mean {near[0]}?" if near else "`unpretty config show` lists all settings."
        raise UnprettyError(f"There is no setting {name!r} ({path}).", code="config_unknown", hint=hint)
    if name == "encodings_for":
        return _checked_rules(value, path)
    default = SETTINGS[name][0]
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default) or (isinstance(value, list) and not all(isinstance(v, str) for v in value)):
        raise _wrong(name, value, _expected(default), path)
    _check_value(name, value, path)
    return value


def _check_value(name: str, value: Any, path: Path) -> None:  # noqa: ANN401  of the default's type
    if name in _RANGES and not _RANGES[name][0] <= value <= _RANGES[name][1]:
        low, high = _RANGES[name]
        raise _wrong(name, value, f"a number from {low:,} to {high:,}", path)
    if name in _CHOICES and value not in _CHOICES[name]:
        raise _wrong(name, value, " or ".join(map(repr, _CHOICES[name])), path)
    if name == "encodings":
        _check_encodings(value, path)


def _check_encodings(value: object, path: Path) -> None:
    from unpretty.encodings.registry import offered

    known = (*offered(), "auto")
    if not isinstance(value, list) or not value or any(item not in known for item in value):
        raise _wrong("encodings", value, "a list of " + ", ".join(known), path)


def _checked_rules(value: object, path: Path) -> list[dict[str, object]]:
    """The ``[[encodings_for]]`` tables: ``encodings``, and ``agent``, ``tool`` or both to say for what."""
    rules: list[Any] = value if isinstance(value, list) else [None]
    for rule in rules:
        if not isinstance(rule, dict) or not {"encodings"} < set(rule) <= {"agent", "tool", "encodings"}:
            raise _wrong("encodings_for", rule, "tables with encodings and with agent, tool or both", path)
        _check_encodings(rule["encodings"], path)
        if "agent" in rule and rule["agent"] not in agents.names():
            raise _wrong("encodings_for.agent", rule["agent"], ", ".join(agents.names()), path)
        if not isinstance(rule.get("tool", ""), str):
            raise _wrong("encodings_for.tool", rule["tool"], "a pattern such as mcp__db__*", path)
    return rules


def _wrong(name: str, value: object, expected: str, path: Path) -> UnprettyError:
    return UnprettyError(f"{name} = {value!r} is not {expected} ({path}).", code="config_invalid")


def _expected(default: object) -> str:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list of texts"}
    return kinds[type(default)]


def _typed(name: str, text: str, path: Path) -> object:
    """``text`` in the type of the setting ``name``."""
    default = SETTINGS.get(name, ("", ""))[0]
    if name == "encodings_for":
        raise UnprettyError(
            "encodings_for is a list of tables.",
            code="config_invalid",
            hint=f"Edit {path}; docs/formats.md has an example.",
        )
    if isinstance(default, list):
        return [item.strip() for item in text.split(",") if item.strip()]
    if isinstance(default, str):
        return text
    try:
        return {"true": True, "false": False}[text.lower()] if isinstance(default, bool) else type(default)(text)  # type: ignore[call-arg]
    except (KeyError, ValueError):
        raise _wrong(name, text, _expected(default), path) from None


def _write(path: Path, text: str) -> None:
    """Write a temporary file and rename it; mode 0600 for a new file, else the old one's mode and owner."""
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        system.make_directories(str(target.parent))
        handle = system.open_file(str(temporary), system.WRITE | system.CREATE | system.TRUNCATE)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        if target.exists():
            _copy_mode(target.stat(), temporary)
        temporary.replace(target)
    except OSError as exc:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise UnprettyError(f"Cannot write {path}: {exc.strerror}.", code="config_unwritable") from None


def _copy_mode(old: os.stat_result, new: Path) -> None:
    """Give the file ``new`` the mode that ``old`` tells of, and from root the owner."""
    if sys.platform != "win32" and os.geteuid() == 0:
        os.chown(new, old.st_uid, old.st_gid)
    new.chmod(old.st_mode & 0o7777)
