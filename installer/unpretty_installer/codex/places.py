"""Where Codex keeps its configuration, and which client is on this machine.

Measured with Codex 0.171: hooks come from ``hooks.json`` and ``config.toml`` of ``CODEX_HOME`` (``~/.codex``) and of
the ``.codex`` directory of a trusted project, all of them together. Trust is kept in the user's ``config.toml`` only.
"""

import os
import re
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unpretty_installer.core import selftest

NAME = "codex"
TITLE = "Codex"
# Files of the administrator; the first one is where the rule that allows managed hooks only is kept.
SYSTEM_DIRECTORY = Path("/etc/codex")


@dataclass(frozen=True, slots=True)
class Layer:
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

    def place(self, path: Path) -> str:
        """How Codex names one of the layer's files: links of the directory are followed, a link of the file is not."""
        return str(Path(os.path.realpath(self.directory), path.name))

    def key(self, path: Path, group: int, index: int) -> str:
        """What Codex keeps trust in a PostToolUse handler under."""
        return f"{self.place(path)}:post_tool_use:{group}:{index}"

    def owns(self, key: str) -> bool:
        """Whether ``key`` is that of a hook in one of the layer's files."""
        return key.startswith((f"{self.place(self.hooks_json)}:", f"{self.place(self.config_toml)}:"))


def home() -> Path:
    """The user's directory: ``CODEX_HOME`` (blank counts as unset, ``~`` is expanded) or ``~/.codex``."""
    named = os.environ.get("CODEX_HOME", "").strip()
    return Path(named).expanduser().absolute() if named else Path.home() / ".codex"


def user_layer() -> Layer:
    """Hooks for all projects."""
    return Layer(home())


def layer(project: Path | None) -> Layer:
    """Hooks of one project, or the user's."""
    return user_layer() if project is None else Layer(project / ".codex", project)


def layer_of(path: Path) -> Layer:
    """The layer that a file on record belongs to."""
    directory = path.parent
    if os.path.realpath(directory) == os.path.realpath(home()):
        return user_layer()
    return Layer(directory, directory.parent)


def program() -> str | None:
    """The client's program on PATH."""
    return shutil.which("codex")


@cache
def _answer(found: str) -> str | None:
    return selftest.program_version(found)


def version() -> str | None:
    """The client's version, such as ``0.171.0``; None when it is not found or does not answer within seconds."""
    found = program()
    match = re.search(r"\d+\.\d+\.\d+", _answer(found) or "") if found else None
    return match.group() if match else None


def is_found() -> bool:
    """Whether the client is on this machine: its program or its directory."""
    return home().is_dir() or program() is not None
