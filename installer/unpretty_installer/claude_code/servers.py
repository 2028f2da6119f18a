"""Claude Code's MCP servers: ``.claude.json`` (user and local scope), which it rewrites itself, and ``.mcp.json``.

Measured with client 2.1.332: the file is in ``CLAUDE_CONFIG_DIR`` or else in the home directory; an older
``.config.json`` in the client's own directory comes first while it is there. The local scope is a part of it, by the
project's directory (the top of its repository). ``.mcp.json`` counts in the current directory and in every one above
it.
"""

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.claude_code import places
from unpretty_installer.claude_code.places import CLIENT
from unpretty_installer.core import planning
from unpretty_installer.wrap import wrapped as wrap
from unpretty_installer.wrap.agent import PROJECT
from unpretty_installer.wrap.json_servers import JsonServers, argv_of_pair
from unpretty_installer.wrap.wrapped import KeyPath, Server

_SERVERS = "mcpServers"
_REMOTE = ("http", "sse", "sse-ide", "ws", "ws-ide", "streamable-http")


def state_file() -> Path:
    """The client's own file, which holds the MCP servers of the user."""
    older = CLIENT.directory() / ".config.json"
    try:
        if older.stat().st_size:
            return older
    except OSError:
        pass
    return (CLIENT.row.config.named() or Path.home()) / ".claude.json"


class ClaudeCodeServers(JsonServers):
    """See the module."""

    row = CLIENT.row
    strict = True
    effect = "Claude Code starts its MCP servers again with each session; those that run stay as they are."
    covered = (
        "The hook makes results of MCP servers smaller already. In Claude Code the proxy adds only results of more "
        "than 25,000 tokens, which no hook gets to see, and --max-result-bytes."
    )

    def places(self, here: Path) -> list[tuple[Path, str]]:
        """The client's own file, then each ``.mcp.json`` from the top down to ``here``."""
        shared = [directory / ".mcp.json" for directory in (*reversed(here.parents), here)]
        return [(state_file(), "user"), *((path, PROJECT) for path in shared if path.is_file())]

    def read(self, data: bytes, path: Path, scope: str) -> list[Server]:
        """See ``AgentServers.read``."""
        try:
            values = json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            raise UnprettyError(
                f"{path} is not JSON, so the MCP servers in it are not known.",
                code="invalid_json",
                hint="Claude Code cannot read it either. Fix it, then try again.",
            ) from None
        policy = _policy()
        return [
            Server(name, path, keys, entry_scope, *_command(entry), obstacle=self._obstacle(entry, name, scope, policy))
            for entry_scope, keys, name, entry in _entries(values, scope)
        ]

    def _obstacle(self, entry: dict[str, object], name: str, scope: str, policy: str) -> str:
        if policy:
            return f"{policy} allows or forbids servers by their command, and this would be another command."
        if scope != PROJECT:
            return ""
        argv = [*wrap.front(name), *argv_of_pair(entry)]
        own = {**entry, "command": argv[0], "args": argv[1:]}
        command = shlex.join(["claude", "mcp", "add-json", "--scope", "local", name, json.dumps(own)])
        return (
            "others share this file, and a path of this machine does not belong there. The hook reaches its results "
            f"all the same; to have the proxy too, give yourself a server of that name: {command}"
        )

    def is_asked_for(self, server: Server, project: Path | None) -> bool:
        """With ``--project``: what belongs to that project."""
        if project is None or server.scope == PROJECT:
            return True
        return server.scope == "local" and server.keys[1] in _names_of(project)

    def lock(self, path: Path) -> Path | None:
        """The client locks its own file by a directory beside it."""
        return None if path.name == ".mcp.json" else path.with_name(f"{path.name}.lock")


def _command(entry: dict[str, object]) -> tuple[tuple[str, ...], bool]:
    """The arguments that start a server, and whether it is reached by an address."""
    argv = argv_of_pair(entry)
    remote = entry.get("type") in _REMOTE or (not argv and isinstance(entry.get("url"), str))
    return (() if remote else argv), remote


def _entries(values: object, scope: str) -> Iterator[tuple[str, KeyPath, str, dict[str, object]]]:
    """Scope, place, name and entry of each server in the client's own file or in a ``.mcp.json``."""
    for name, entry in _mapping(_mapping(values).get(_SERVERS)).items():
        if isinstance(entry, dict):
            yield scope, (_SERVERS, name), name, entry
    if scope == PROJECT:
        return
    for project, settings in _mapping(_mapping(values).get("projects")).items():
        for name, entry in _mapping(_mapping(settings).get(_SERVERS)).items():
            if isinstance(entry, dict):
                yield "local", ("projects", project, _SERVERS, name), name, entry


def _names_of(project: Path) -> set[str]:
    """How the client may call a project: by its directory, or by the top of the repository that it lies in."""
    real = Path(os.path.realpath(project))
    top = next((directory for directory in (real, *real.parents) if (directory / ".git").exists()), real)
    return {path.as_posix() for path in (project, real, top)}


def _policy() -> str:
    """The settings file that allows or forbids MCP servers by their command; empty when none does."""
    for layer in places.layers(planning.here()):
        for key in ("allowedMcpServers", "deniedMcpServers"):
            rules = layer.value(key)
            if isinstance(rules, list) and any("serverCommand" in _mapping(rule) for rule in rules):
                return str(layer.path)
    return ""


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


servers = ClaudeCodeServers()
