"""OpenCode's MCP servers: ``mcp`` in its configuration files, all of which it merges.

Measured with OpenCode 1.18: objects are merged, an array replaces an earlier one, so the command that counts is that in
the last file that has one. The order: config.json, opencode.json, opencode.jsonc of the global directory, the file of
``OPENCODE_CONFIG``, the project's files, ``~/.opencode``, ``OPENCODE_CONFIG_DIR``.
"""

import os
from pathlib import Path

from unpretty.agents import written_path
from unpretty_installer.edit.json_document import JsonDocument
from unpretty_installer.opencode.places import CLIENT
from unpretty_installer.wrap.agent import PROJECT
from unpretty_installer.wrap.json_servers import JsonServers, argv_of
from unpretty_installer.wrap.wrapped import Server

_FILES = ("opencode.json", "opencode.jsonc")
_OWN_PROGRAM = "opencode"  # OpenCode does not start this by the command in its configuration
_SHARED = (
    "others share this file, and a path of this machine does not belong there. The plugin reaches its results all the "
    "same."
)


class OpenCodeServers(JsonServers):
    """See the module."""

    row = CLIENT.row
    strict = False
    effect = "OpenCode starts MCP servers when it is started itself; those that run stay as they are."
    covered = (
        "The plugin makes results of MCP servers smaller already. In OpenCode the proxy adds nothing but "
        "--max-result-bytes."
    )

    def places(self, here: Path) -> list[tuple[Path, str]]:
        """The user's files and the project's, in the order in which OpenCode merges them."""
        *named, general = CLIENT.directories()
        own = [general / "config.json", *(general / name for name in _FILES)]
        config = os.environ.get("OPENCODE_CONFIG", "").strip()
        own += [written_path(config)] if config else []
        late = [directory / name for directory in (Path.home() / ".opencode", *named) for name in _FILES]
        above = _project_directories(here)
        shared = [directory / name for directory in above for name in _FILES]
        shared += [directory / ".opencode" / name for directory in above for name in _FILES]
        scoped = [
            *((path, "user") for path in own),
            *((path, PROJECT) for path in shared if path not in own and path not in late),
            *((path, "user") for path in late),
        ]
        return [(path, scope) for path, scope in scoped if path.is_file()]

    def read(self, data: bytes, path: Path, scope: str) -> list[Server]:
        """See ``AgentServers.read``."""
        entries = JsonDocument.read(data, name=str(path)).value(("mcp",))
        found = []
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            argv = argv_of(entry) if isinstance(entry, dict) and isinstance(entry.get("command"), list) else ()
            remote = isinstance(entry, dict) and not argv and isinstance(entry.get("url"), str)
            obstacle = _SHARED if scope == PROJECT else ""
            if argv and argv[0] == _OWN_PROGRAM:
                obstacle = "OpenCode starts its own program itself, not by this command."
            if argv or remote:  # others add to the entry of another file
                found.append(Server(name, path, ("mcp", name), scope, argv, remote, obstacle))
        return found

    def servers(self, here: Path, *, strict: bool = False) -> list[Server]:
        """All servers, each as the last of the user's files, and the last of the project's, says."""
        last = {(server.scope, server.name): server for server in super().servers(here, strict=strict)}
        return list(last.values())


def _project_directories(here: Path) -> list[Path]:
    """The directories whose files OpenCode reads for a project: from the top of its repository or disk to ``here``."""
    directories = [here, *here.parents]
    top = next((at for at, directory in enumerate(directories) if (directory / ".git").exists()), len(directories))
    return list(reversed(directories[: top + 1]))


servers = OpenCodeServers()
