"""Codex's config.toml: what it says about hooks, about trust in them, and about what else decides if they run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from unpretty.errors import UnprettyError
from unpretty_installer.codex.places import CLIENT
from unpretty_installer.core import registered
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.hook_entries import EVENT, HookEntry

Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Config:
    """One config.toml."""

    text: str
    values: Table
    name: str

    @classmethod
    def read(cls, data: bytes | None, name: str) -> "Config":
        """Parse the bytes of a file; a missing one is empty.

        Raises:
            UnprettyError: it is not UTF-8, or not TOML; the message says at which line and column.
        """
        try:
            text = (data or b"").decode("utf-8")
            return cls(text, tomlkit.parse(text).unwrap(), name)
        except UnicodeDecodeError as exc:
            raise UnprettyError(f"{name} is not UTF-8 text (byte {exc.start}).", code="invalid_toml") from None
        except (TOMLKitError, ValueError) as exc:
            hint = "Codex does not start with it either. Fix it, then try again."
            raise UnprettyError(f"{name} is not valid TOML: {exc}.", code="invalid_toml", hint=hint) from None

    def entries(self) -> list[HookEntry]:
        """All PostToolUse handlers that have the right shape."""
        return [entry for entry in hook_entries.entries_in(self.hooks()) if entry.event == EVENT]

    def ours(self) -> list[HookEntry]:
        """Our own handlers."""
        return [entry for entry in self.entries() if is_ours(entry.handler)]

    def holds(self, group: Mapping[str, object]) -> bool:
        """Whether our handler is there exactly once, and its group is ``group``."""
        ours, groups = self.ours(), self.hooks().get(EVENT)
        return len(ours) == 1 and isinstance(groups, list) and groups[ours[0].group] == group

    def has_hooks(self) -> bool:
        """Whether hooks of any event are in this file."""
        return any(isinstance(value, list) and value for value in self.hooks().values())

    def trust(self, key: str) -> Mapping[str, object]:
        """What the user said about the hook with this key: ``trusted_hash``, perhaps ``enabled``."""
        state = self.hooks().get("state")
        entry = state.get(key) if isinstance(state, dict) else None
        return entry if isinstance(entry, dict) else {}

    def hooks_switched_off(self) -> bool:
        """Whether ``[features]`` switches all hooks off; ``codex_hooks`` is the older name."""
        features = self.values.get("features")
        if not isinstance(features, dict):
            return False
        return features.get("hooks", features.get("codex_hooks")) is False

    def trusts_project(self, directory: str) -> bool:
        """Whether the user trusts the project in ``directory``, without which Codex reads nothing of its ``.codex``."""
        projects = self.values.get("projects")
        entry = projects.get(directory) if isinstance(projects, dict) else None
        return isinstance(entry, dict) and entry.get("trust_level") == "trusted"

    def model(self) -> str:
        """The model that is set, empty when none is."""
        value = self.values.get("model")
        return value if isinstance(value, str) else ""

    def hooks(self) -> Table:
        """The table ``hooks``: lists of groups by event, and ``state``."""
        hooks = self.values.get("hooks")
        return hooks if isinstance(hooks, dict) else {}


def is_ours(handler: object) -> bool:
    """Whether a handler's command is ours."""
    return isinstance(handler, dict) and registered.is_ours(str(handler.get("command")), CLIENT.row.name)
