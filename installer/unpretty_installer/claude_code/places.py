"""Where Claude Code keeps its settings, which of them count, and which client is on this machine.

Source: measured with clients 2.1.118 to 2.1.332. Managed settings have precedence over local, local over project,
project over user.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from unpretty import agents
from unpretty.errors import UnprettyError
from unpretty_installer.core import entry_plans, files, planning
from unpretty_installer.core.client import AgentClient
from unpretty_installer.edit.json_document import JsonDocument

OLDEST = (2, 1, 121)  # the first client that honours a replaced result
OLDEST_ARGS = (2, 1, 139)  # the first client with the exec form, which Windows needs
MANAGED = {
    "linux": Path("/etc/claude-code/managed-settings.json"),
    "darwin": Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
    "win32": Path("C:/Program Files/ClaudeCode/managed-settings.json"),
}


def _elsewhere() -> tuple[Path, ...]:
    return (
        CLIENT.directory() / "local" / "claude",
        Path.home() / ".claude" / "local" / "claude",
        Path.home() / ".local/bin/claude",
    )


CLIENT = AgentClient(agents.get("claude-code"), _elsewhere)


@dataclass(frozen=True, slots=True)
class SettingsLayer:
    """One settings file that the client reads. ``document`` is None when the client cannot read it."""

    scope: str
    path: Path
    document: JsonDocument | None
    error: str = ""

    def value(self, key: str) -> object:
        """The setting at the top of the file that is called ``key``; None when there is none."""
        return self.document.value((key,)) if self.document else None


def entry_file(project: Path | None) -> Path:
    """The file for our entry: the user's settings, or the local ones of ``project``.

    The local ones are for this machine and not meant to be shared; our command, which holds a path, must not be.
    """
    if project is None:
        return CLIENT.directory() / "settings.json"
    return project / ".claude" / "settings.local.json"


def entry_files(here: Path) -> list[Path]:
    """Every settings file that may hold our entry: the user's, those on record, that of ``here``."""
    return planning.each_once((entry_file(None), *entry_plans.recorded(CLIENT.row), entry_file(here)))


def layers(project: Path) -> list[SettingsLayer]:
    """The settings files that count in ``project``, the strongest first; missing ones are left out."""
    managed = MANAGED.get(sys.platform)
    candidates = [("managed", managed)] if managed else []
    candidates += [
        ("local", entry_file(project)),
        ("project", project / ".claude" / "settings.json"),
        ("user", entry_file(None)),
    ]
    scopes: dict[Path, str] = {}
    for scope, path in candidates:  # in the home directory, the project's and the user's settings can be the same file
        scopes.setdefault(path, scope)
    return [layer for path, scope in scopes.items() for layer in _layer(scope, path)]


def _layer(scope: str, path: Path) -> list[SettingsLayer]:
    try:
        data = files.read(path)
        document = JsonDocument.read(data, name=str(path), strict=True)
    except UnprettyError as exc:
        return [SettingsLayer(scope, path, None, str(exc))]
    return [] if data is None else [SettingsLayer(scope, path, document)]


def disabled_by(found: list[SettingsLayer]) -> str:
    """Why no hook of a user runs, as a clause that names the file; empty when hooks run."""
    for layer in found:
        if layer.scope == "managed" and layer.value("allowManagedHooksOnly") is True:
            return f"`allowManagedHooksOnly` in {layer.path} lets only managed hooks run"
    for layer in found:
        switch = layer.value("disableAllHooks")
        if isinstance(switch, bool):
            return f"`disableAllHooks` in {layer.path} switches all hooks off" if switch else ""
    return ""


def is_too_old(known: str | None) -> bool:
    """Whether a client of that version ignores what our hook replies."""
    return known is not None and tuple(map(int, known.split("."))) < _oldest()


def too_old(known: str | None) -> str:
    """The sentence for a client that is too old."""
    return f"Claude Code {known} ignores what a hook replies; {oldest()} or newer is needed. Update it: claude update"


def oldest() -> str:
    """The oldest version that our hook works with."""
    return ".".join(map(str, _oldest()))


def _oldest() -> tuple[int, ...]:
    return OLDEST_ARGS if sys.platform == "win32" else OLDEST
