"""Where Claude Code keeps its settings, which of them count, and which client is on this machine.

Source: measured with clients 2.1.118 to 2.1.332. Managed settings win over local,
local over project, project over user.
"""

import os
import re
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.core import files, selftest
from unpretty_installer.edit.json_document import JsonDocument

OLDEST = (2, 1, 121)  # the first client that honours a replaced result
OLDEST_ARGS = (2, 1, 139)  # the first client with the exec form, which Windows needs
MANAGED = {
    "linux": Path("/etc/claude-code/managed-settings.json"),
    "darwin": Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
    "win32": Path("C:/Program Files/ClaudeCode/managed-settings.json"),
}


@dataclass(frozen=True, slots=True)
class Layer:
    """One settings file that the client reads. ``document`` is None when it is missing or the client cannot read it."""

    scope: str
    path: Path
    document: JsonDocument | None
    error: str = ""


def config_dir() -> Path:
    """The client's directory: ``CLAUDE_CONFIG_DIR`` (blank counts as unset, ``~`` is expanded) or ``~/.claude``."""
    named = os.environ.get("CLAUDE_CONFIG_DIR", "").strip()
    return Path(named).expanduser().absolute() if named else Path.home() / ".claude"


def user_file() -> Path:
    """The settings of the user, for all projects."""
    return config_dir() / "settings.json"


def local_file(project: Path) -> Path:
    """The settings of one project on this machine; they are not meant to be shared, and our command must not be."""
    return project / ".claude" / "settings.local.json"


def layers(project: Path) -> list[Layer]:
    """The settings files that count in ``project``, the strongest first; missing ones are left out."""
    managed = MANAGED.get(sys.platform)
    places = [("managed", managed)] if managed else []
    places += [
        ("local", local_file(project)),
        ("project", project / ".claude" / "settings.json"),
        ("user", user_file()),
    ]
    seen: list[Path] = []
    found: list[Layer] = []
    for scope, path in places:
        if path not in seen:  # in the home directory, the project's and the user's settings can be the same file
            seen.append(path)
            found += _layer(scope, path)
    return found


def _layer(scope: str, path: Path) -> list[Layer]:
    try:
        data = files.read(path)
        return [] if data is None else [Layer(scope, path, JsonDocument.read(data, name=str(path), strict=True))]
    except UnprettyError as exc:
        return [Layer(scope, path, None, str(exc))]


def disabled_by(found: list[Layer]) -> str:
    """Why no hook of a user runs, as a clause that names the file; empty when hooks run."""
    for layer in found:
        if layer.document and layer.scope == "managed" and layer.document.value(("allowManagedHooksOnly",)) is True:
            return f"`allowManagedHooksOnly` in {layer.path} lets only managed hooks run"
    for layer in found:
        switch = layer.document.value(("disableAllHooks",)) if layer.document else None
        if isinstance(switch, bool):
            return f"`disableAllHooks` in {layer.path} switches all hooks off" if switch else ""
    return ""


def program() -> str | None:
    """The client's program: on PATH, or where its own installers put it."""
    places = (
        config_dir() / "local" / "claude",
        Path.home() / ".claude" / "local" / "claude",
        Path.home() / ".local/bin/claude",
    )
    return shutil.which("claude") or next((str(path) for path in places if os.access(path, os.X_OK)), None)


@cache
def _answer(found: str) -> str | None:
    return selftest.program_version(found)


def version() -> str | None:
    """The client's version, such as ``2.1.332``; None when it is not found or does not answer within seconds."""
    found = program()
    match = re.match(r"\d+\.\d+\.\d+", _answer(found) or "") if found else None
    return match.group() if match else None


def is_too_old(known: str | None) -> bool:
    """Whether a client of that version ignores what our hook replies."""
    oldest = OLDEST_ARGS if sys.platform == "win32" else OLDEST
    return known is not None and tuple(map(int, known.split("."))) < oldest


def is_found() -> bool:
    """Whether the client is on this machine: its program or its directory."""
    return config_dir().is_dir() or program() is not None


def too_old(known: str | None) -> str:
    """The sentence for a client that is too old."""
    oldest = ".".join(map(str, OLDEST_ARGS if sys.platform == "win32" else OLDEST))
    return f"Claude Code {known} ignores what a hook replies; {oldest} or newer is needed. Update it: claude update"
