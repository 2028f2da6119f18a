"""Where Codex keeps its configuration, and which client is on this machine.

Measured with Codex 0.171: hooks come from ``hooks.json`` and ``config.toml`` of ``CODEX_HOME`` (``~/.codex``) and of
the ``.codex`` directory of a trusted project, all of them together. Trust is kept in the user's ``config.toml`` only.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from unpretty import agents
from unpretty_installer.core import entry_plans, planning
from unpretty_installer.core.client import AgentClient
from unpretty_installer.edit.hook_entries import HookEntry

# Files of the administrator; the first one is where the rule that allows managed hooks only is kept.
SYSTEM_DIRECTORY = Path("/etc/codex")
CLIENT = AgentClient(agents.get("codex"))


@dataclass(frozen=True, slots=True)
class ConfigLayer:
    """One directory with hooks: the user's, or a project's ``.codex``."""

    directory: Path
    project: Path | None = None

    @property
    def hooks_json(self) -> Path:
        """The file that holds nothing but hooks."""
        return self.directory / "hooks.json"

    @property
    def config_toml(self) -> Path:
        """The general configuration, which can hold hooks too."""
        return self.directory / "config.toml"

    def name_of(self, path: Path) -> str:
        """How Codex names one of the layer's files: links of the directory are followed, a link of the file is not."""
        return str(Path(os.path.realpath(self.directory), path.name))

    def key(self, path: Path, entry: HookEntry) -> str:
        """What Codex keeps trust in a PostToolUse handler under."""
        return f"{self.name_of(path)}:post_tool_use:{entry.group}:{entry.index}"

    def owns(self, key: str) -> bool:
        """Whether ``key`` is that of a hook in one of the layer's files."""
        return key.startswith((f"{self.name_of(self.hooks_json)}:", f"{self.name_of(self.config_toml)}:"))


def user_layer() -> ConfigLayer:
    """Hooks for all projects."""
    return ConfigLayer(CLIENT.directory())


def layer(project: Path | None) -> ConfigLayer:
    """Hooks of one project, or the user's."""
    return user_layer() if project is None else ConfigLayer(project / ".codex", project)


def layers(here: Path) -> list[ConfigLayer]:
    """Every directory that may hold our entry: the user's, that of ``here``, those on record."""
    on_record = (path.parent for path in entry_plans.recorded(CLIENT.row))
    return [_layer_at(path) for path in planning.each_once((CLIENT.directory(), layer(here).directory, *on_record))]


def _layer_at(directory: Path) -> ConfigLayer:
    is_users = planning.same_file(directory, CLIENT.directory())
    return user_layer() if is_users else ConfigLayer(directory, directory.parent)


def entry_files(here: Path) -> list[Path]:
    """Every file that may hold our entry: those on record, the user's, those of ``here``."""
    found = entry_plans.recorded(CLIENT.row)
    return planning.each_once(
        [*found, *(path for one in (user_layer(), layer(here)) for path in (one.hooks_json, one.config_toml))]
    )
