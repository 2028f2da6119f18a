"""MCP servers with the proxy in front: what their command looks like, how to recognise ours, which to wrap.

A wrapped server is started as ``proxy --name=NAME -- COMMAND ARG...``. What follows the first ``--`` is the
server's own command, untouched; without the arguments in front of it, it is unwrapped, also after others edited it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unpretty_installer.core.plan import Note
from unpretty_installer.wrap import launcher

ALL = "all"
KeyPath = tuple[str, ...]  # the keys that lead to a server in its file

_OURS = re.compile(r"(?:^|[/\\])unpretty[/\\]+proxy(?:\.py)?$")


@dataclass(frozen=True, slots=True)
class Server:
    """One MCP server in an agent's configuration.

    Attributes:
        name: as the agent knows it.
        path: the file that says how it is started.
        keys: the keys that lead to it in that file.
        scope: for whom it is there: ``user``, ``local`` (this user in one project) or ``project`` (all who share it).
        argv: the command that starts it; empty for a remote server, or one whose entry makes no sense.
        remote: whether it is reached by an address.
        obstacle: why it is not to be wrapped, as a sentence; empty when it may be.
    """

    name: str
    path: Path
    keys: KeyPath
    scope: str
    argv: tuple[str, ...] = ()
    remote: bool = False
    obstacle: str = ""

    @property
    def state(self) -> str:
        """``wrapped``, ``not_wrapped`` or ``remote``."""
        if self.remote:
            return "remote"
        return "wrapped" if is_wrapped(self.argv) else "not_wrapped"

    @property
    def can_be_wrapped(self) -> bool:
        """Whether there is a command to put the proxy in front of, and nothing against it."""
        return bool(self.argv) and not self.obstacle and self.state == "not_wrapped"


def front(name: str, options: Sequence[str] = ()) -> list[str]:
    """The arguments to put in front of the command of the server ``name``; ``options`` in place of its name."""
    return [*launcher.argv(), *(options or [f"--name={name}"]), "--"]


def length_of_front(argv: Sequence[object]) -> int:
    """How many arguments at the start of a command are ours, ``--`` included; 0 when it is not wrapped by us."""
    end = _end_of_options(argv)
    ours = any(isinstance(word, str) and _OURS.search(word) for word in argv[: min(end, 4)])
    return end + 1 if ours and end + 1 < len(argv) else 0


def is_wrapped(argv: Sequence[object]) -> bool:
    """Whether a command runs through the proxy."""
    return bool(length_of_front(argv)) or is_by_hand(argv)


def is_by_hand(argv: Sequence[object]) -> bool:
    """Whether somebody put the proxy in front of a command without us: ``unpretty proxy -- COMMAND``."""
    before = [re.split(r"[/\\]", str(word))[-1].removesuffix(".exe") for word in argv[: _end_of_options(argv)]]
    return any(pair == ("unpretty", "proxy") for pair in zip(before, before[1:], strict=False))


def is_outdated(argv: Sequence[object]) -> bool:
    """Whether a command is wrapped by us and starts another launcher than this install's."""
    ours = launcher.argv()
    return bool(length_of_front(argv)) and list(argv[: len(ours)]) != ours


def options_of(argv: Sequence[str]) -> list[str]:
    """The proxy's options in a command that is wrapped by us (``--name=NAME``, others of the user's), else none."""
    end = _end_of_options(argv)
    at = next((at for at, word in enumerate(argv[:end]) if _OURS.search(word)), end)
    return list(argv[at + 1 : end])


def _end_of_options(argv: Sequence[object]) -> int:
    return next((at for at, word in enumerate(argv) if word == "--"), len(argv))


def chosen(servers: Iterable[Server], names: Sequence[str]) -> list[Server]:
    """The servers that ``--wrap-mcp`` names and that can be wrapped."""
    return [server for server in servers if _is_named(server, names) and server.can_be_wrapped]


def refusals(servers: Iterable[Server], names: Sequence[str]) -> list[Note]:
    """A sentence for each server that was asked for and cannot be wrapped."""
    return [
        Note("not_wrapped", f"The MCP server {server.name} in {server.path} is not wrapped: {_why_not(server)}")
        for server in servers
        if _is_named(server, names) and not is_wrapped(server.argv) and not server.can_be_wrapped
    ]


def _why_not(server: Server) -> str:
    if server.remote:
        return "it is reached by an address, and the proxy can only run in front of a program."
    return server.obstacle or "its entry names no command."


def is_named(server: Server, names: Sequence[str]) -> bool:
    """Whether ``--wrap-mcp`` names a server that is started as a program."""
    return bool(server.argv) and _is_named(server, names)


def _is_named(server: Server, names: Sequence[str]) -> bool:
    return ALL in names or server.name in names
