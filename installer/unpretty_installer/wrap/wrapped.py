"""MCP servers with the proxy in front: what their command looks like, how ours is told from others, which to wrap.

A wrapped server is started as ``proxy --name=NAME -- COMMAND ARG...``. What stands behind the first ``--`` is the
server's own command, untouched; taking the words in front of it away unwraps it, whoever edited it meanwhile.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unpretty_installer.core.plan import Note
from unpretty_installer.wrap import launcher

ALL = "all"
Place = tuple[str, ...]  # the keys that lead to a server in its file

_OURS = re.compile(r"(?:^|[/\\])unpretty[/\\]+proxy(?:\.py)?$")


@dataclass(frozen=True, slots=True)
class Server:
    """One MCP server in an agent's configuration.

    Attributes:
        name: as the agent knows it.
        path: the file that says how it is started.
        place: where in that file it stands.
        scope: for whom it is there: ``user``, ``local`` (this user in one project) or ``project`` (all who share it).
        words: the command that starts it; empty for a remote server, or one whose entry makes no sense.
        remote: whether it is reached by an address.
        obstacle: why it is not to be wrapped, as a sentence; empty when it may be.
    """

    name: str
    path: Path
    place: Place
    scope: str
    words: tuple[str, ...] = ()
    remote: bool = False
    obstacle: str = ""

    @property
    def state(self) -> str:
        """``wrapped``, ``not_wrapped`` or ``remote``."""
        if self.remote:
            return "remote"
        return "wrapped" if is_wrapped(self.words) else "not_wrapped"

    @property
    def can_be_wrapped(self) -> bool:
        """Whether there is a command to put the proxy in front of, and nothing against it."""
        return bool(self.words) and not self.obstacle and self.state == "not_wrapped"


def front(name: str, options: Sequence[str] = ()) -> list[str]:
    """The words to put in front of the command of the server ``name``; ``options`` in the place of its name."""
    return [*launcher.words(), *(options or [f"--name={name}"]), "--"]


def length_of_front(words: Sequence[object]) -> int:
    """How many words at the start of a command are ours, ``--`` included; 0 when it is not wrapped by us."""
    end = _end_of_options(words)
    ours = any(isinstance(word, str) and _OURS.search(word) for word in words[: min(end, 4)])
    return end + 1 if ours and end + 1 < len(words) else 0


def is_wrapped(words: Sequence[object]) -> bool:
    """Whether a command runs behind the proxy."""
    return bool(length_of_front(words)) or is_by_hand(words)


def is_by_hand(words: Sequence[object]) -> bool:
    """Whether somebody put the proxy in front of a command without us: ``unpretty proxy -- COMMAND``."""
    before = [re.split(r"[/\\]", str(word))[-1].removesuffix(".exe") for word in words[: _end_of_options(words)]]
    return any(pair == ("unpretty", "proxy") for pair in zip(before, before[1:], strict=False))


def is_outdated(words: Sequence[object]) -> bool:
    """Whether a command is wrapped by us and starts another launcher than this install's."""
    ours = launcher.words()
    return bool(length_of_front(words)) and list(words[: len(ours)]) != ours


def options_of(words: Sequence[str]) -> list[str]:
    """The proxy's options in a command that is wrapped by us (``--name=NAME``, others of the user's), else none."""
    end = _end_of_options(words)
    at = next((place for place, word in enumerate(words[:end]) if _OURS.search(word)), end)
    return list(words[at + 1 : end])


def _end_of_options(words: Sequence[object]) -> int:
    return next((place for place, word in enumerate(words) if word == "--"), len(words))


def chosen(servers: Iterable[Server], names: Sequence[str]) -> list[Server]:
    """The servers that ``--wrap-mcp`` names and that can be wrapped."""
    return [server for server in servers if _is_named(server, names) and server.can_be_wrapped]


def refusals(servers: Iterable[Server], names: Sequence[str]) -> list[Note]:
    """A sentence for each server that was asked for and cannot be wrapped."""
    return [
        Note("not_wrapped", f"The MCP server {server.name} in {server.path} is not wrapped: {_why_not(server)}")
        for server in servers
        if _is_named(server, names) and not is_wrapped(server.words) and not server.can_be_wrapped
    ]


def _why_not(server: Server) -> str:
    if server.remote:
        return "it is reached by an address, and the proxy can only stand in front of a program."
    return server.obstacle or "its entry names no command."


def is_named(server: Server, names: Sequence[str]) -> bool:
    """Whether ``--wrap-mcp`` names a server that is started as a program."""
    return bool(server.words) and _is_named(server, names)


def _is_named(server: Server, names: Sequence[str]) -> bool:
    return ALL in names or server.name in names
