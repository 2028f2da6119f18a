"""Codex's MCP servers: ``[mcp_servers.NAME]`` in config.toml of the user, and of a project.

Only ``command`` and ``args`` change. Codex gives a server a small environment (``env``, ``env_vars``); the proxy needs
none of it, and the server gets what it got before.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.codex import places as codex_places
from unpretty_installer.codex import toml_servers
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.places import CLIENT
from unpretty_installer.core import files
from unpretty_installer.core.plan import Note
from unpretty_installer.wrap.agent import PROJECT, AgentServers
from unpretty_installer.wrap.json_servers import argv_of_pair
from unpretty_installer.wrap.wrapped import KeyPath, Server


class CodexServers(AgentServers):
    """See the module."""

    row = CLIENT.row
    effect = "Codex starts its MCP servers again with each session; those that run stay as they are."

    def places(self, here: Path) -> list[tuple[Path, str]]:
        """The user's config.toml, then that of the directory."""
        user, project = codex_places.user_layer().config_toml, codex_places.layer(here).config_toml
        return [(user, "user")] if project == user else [(user, "user"), (project, PROJECT)]

    def read(self, data: bytes, path: Path, scope: str) -> list[Server]:
        """See ``AgentServers.read``."""
        rules = _requirements()
        obstacle = f"{rules} allows servers by their command, and this would be another command." if rules else ""
        if scope == PROJECT:
            obstacle = (
                "others share this file, and a path of this machine does not belong there. A server of the user's own "
                "can be wrapped: `codex mcp add` makes one."
            )
        found = []
        for name, entry in toml_servers.servers_of(Config.read(data, str(path))).items():
            argv = argv_of_pair(entry)
            remote = not argv and isinstance(entry.get("url"), str)
            found.append(Server(name, path, (toml_servers.TABLE, name), scope, argv, remote, obstacle))
        return found

    def wrapped(
        self, data: bytes, fronts: Mapping[KeyPath, Sequence[str]], *, name: str
    ) -> tuple[bytes, tuple[str, ...]]:
        """See ``toml_servers.wrapped``."""
        return toml_servers.wrapped(data, fronts, name=name)

    def unwrapped(self, data: bytes, places: Iterable[KeyPath], made: Sequence[str], *, name: str) -> bytes:
        """See ``toml_servers.unwrapped``."""
        return toml_servers.unwrapped(data, places, made, name=name)

    def advice(self, servers: list[Server], chosen: list[Server]) -> list[Note]:
        """In code mode nothing but the proxy helps."""
        if chosen:
            return [Note("wrap_effect", self.effect)]
        waiting = list(dict.fromkeys(server.name for server in servers if server.can_be_wrapped))
        if not waiting:
            return []
        return [
            Note(
                "wrap_recommended",
                f"Without the proxy: the MCP servers {', '.join(waiting)}. In code mode only the proxy can make their "
                f"results smaller: unpretty install {CLIENT.row.name} --wrap-mcp all",
            )
        ]


def _requirements() -> Path | None:
    """The administrator's file that allows MCP servers by their command only (measured: others are switched off)."""
    for name in ("requirements.toml", "managed_config.toml"):
        path = codex_places.SYSTEM_DIRECTORY / name
        try:
            entries = toml_servers.servers_of(Config.read(files.read(path), str(path))).values()
        except UnprettyError:
            continue
        if any("identity" in entry for entry in entries):
            return path
    return None


servers = CodexServers()
