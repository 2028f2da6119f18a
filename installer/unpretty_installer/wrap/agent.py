"""What wrapping needs to know of an agent: where its MCP servers are written down, and how such a file is edited."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from unpretty.agents import Agent
from unpretty.errors import UnprettyError
from unpretty_installer.core import files
from unpretty_installer.core.plan import Note
from unpretty_installer.wrap.wrapped import KeyPath, Server

PROJECT = "project"  # the scope of a file that others may share
_TRACE = re.compile(rb"unpretty[/\\]+proxy")


class AgentServers(ABC):
    """The MCP servers of one agent.

    Attributes:
        row: the agent.
        effect: when a running agent takes notice, as a sentence.
    """

    row: Agent
    effect: str

    @abstractmethod
    def places(self, here: Path) -> list[tuple[Path, str]]:
        """The files that say which servers an agent started in ``here`` has, each with its scope, weakest first."""

    @abstractmethod
    def read(self, data: bytes, path: Path, scope: str) -> list[Server]:
        """The servers in the bytes of one file.

        Raises:
            UnprettyError: they do not parse.
        """

    @abstractmethod
    def wrapped(
        self, data: bytes, fronts: Mapping[KeyPath, Sequence[str]], *, name: str
    ) -> tuple[bytes, tuple[str, ...]]:
        """See ``json_servers.wrapped``; ``name`` is what messages call the file."""

    @abstractmethod
    def unwrapped(self, data: bytes, places: Iterable[KeyPath], made: Sequence[str], *, name: str) -> bytes:
        """See ``json_servers.unwrapped``."""

    @abstractmethod
    def advice(self, servers: list[Server], chosen: list[Server]) -> list[Note]:
        """What the plan should say about servers in general; ``chosen`` are those that are going to be wrapped."""

    def is_asked_for(self, server: Server, project: Path | None) -> bool:
        """Whether a server is within what ``install``, with or without ``--project``, is about."""
        return project is None or server.scope == PROJECT

    def lock(self, path: Path) -> Path | None:
        """The directory whose making keeps a running agent from writing the file; None when it does not write it."""
        return None

    def servers(self, here: Path, *, strict: bool = False) -> list[Server]:
        """All servers.

        Raises:
            UnprettyError: with ``strict``, when a file of the user's own cannot be read.
        """
        found: list[Server] = []
        for path, scope in self.places(here):
            try:
                data = files.read(path)
                found += self.read(data, path, scope) if data and data.strip() else []
            except UnprettyError:
                if strict and scope != PROJECT:
                    raise
        return found


def may_hold_ours(data: bytes) -> bool:
    """Whether a file may have a server that is wrapped by us; most have none and need not be parsed."""
    return _TRACE.search(data) is not None
