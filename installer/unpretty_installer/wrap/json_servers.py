"""Wraps and unwraps MCP servers in JSON and JSONC files, by splicing text.

Two shapes: ``{"command": "npx", "args": [...]}`` (Claude Code) and ``{"command": ["npx", ...]}`` (OpenCode). The file
may be large, so it is parsed once, and each server is edited as a document of its own.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from unpretty.engine import system
from unpretty.errors import UnprettyError
from unpretty_installer.core.plan import Note
from unpretty_installer.edit.json_document import JsonDocument
from unpretty_installer.wrap import wrapped as wrap
from unpretty_installer.wrap.agent import AgentServers
from unpretty_installer.wrap.splice import CommandSpans, put_in_front, spliced, take_from_front
from unpretty_installer.wrap.wrapped import KeyPath, Server

ARGS = "args:"  # how ``Receipt.added`` names a server whose ``args`` we made


def argv_of(entry: object) -> tuple[str, ...]:
    """The command that starts the server with this entry, empty when it has none or it makes no sense."""
    command = entry.get("command") if isinstance(entry, dict) else None
    return _argv(command) if isinstance(command, list) else argv_of_pair(entry)


def argv_of_pair(entry: object) -> tuple[str, ...]:
    """The same for agents that know ``command`` and ``args`` only."""
    if not isinstance(entry, dict):
        return ()
    arguments = entry.get("args", [])
    return _argv([entry.get("command"), *arguments]) if isinstance(arguments, list) else ()


def _argv(argv: list[object]) -> tuple[str, ...]:
    """``argv`` if it is a command: texts, the first of which is not empty."""
    known = tuple(word for word in argv if isinstance(word, str))
    return known if len(known) == len(argv) and any(known[:1]) else ()


def wrapped(
    data: bytes, fronts: Mapping[KeyPath, Sequence[str]], *, name: str, strict: bool
) -> tuple[bytes, tuple[str, ...]]:
    """The bytes with the arguments of ``fronts`` in front of each server named there that is not wrapped.

    Returns:
        The bytes, and what had to be made for that (see ``Receipt.added``).

    Raises:
        UnprettyError: the bytes do not parse, or a server is written in a form that cannot be edited safely.
    """
    document = JsonDocument.read(data, name=name, strict=strict)
    made: list[str] = []
    edits: list[tuple[int, int, str]] = []
    for keys, front in fronts.items():
        server = _server(document, keys)
        argv = argv_of(server.value()) if server else ()
        if server is None or not argv or wrap.is_wrapped(argv):
            continue
        if _is_pair(server) and server.node(("args",)) is None:
            server = server.append((), [], key="args")
            made.append(added(keys))
        spelled = [json.dumps(word, ensure_ascii=not system.is_utf8(word)) for word in front]
        server = _read_again(server, put_in_front(server.text, _command(server), spelled), (*front, *argv))
        edits.append(_replacement(document, keys, server))
    return spliced(document.text, edits).encode("utf-8"), tuple(made)


def unwrapped(data: bytes, places: Iterable[KeyPath], made: Sequence[str], *, name: str, strict: bool) -> bytes:
    """The bytes without the proxy in front of the servers at ``places``, and without what ``made`` names.

    Raises:
        UnprettyError: as for ``wrapped``.
    """
    places = dict.fromkeys(places)
    if not places:
        return data
    document = JsonDocument.read(data, name=name, strict=strict)
    edits: list[tuple[int, int, str]] = []
    for keys in places:
        server = _server(document, keys)
        argv = argv_of(server.value()) if server else ()
        count = wrap.length_of_front(argv)
        if server is None or not count:
            continue
        server = _read_again(server, take_from_front(server.text, _command(server), count), argv[count:])
        if added(keys) in made and server.value(("args",)) == []:
            server = server.remove(("args",))
        edits.append(_replacement(document, keys, server))
    return spliced(document.text, edits).encode("utf-8")


def added(keys: KeyPath) -> str:
    """The name in ``Receipt.added`` for the ``args`` of the server at ``keys``."""
    return ARGS + json.dumps(keys)


def _server(document: JsonDocument, keys: KeyPath) -> JsonDocument | None:
    """The entry at ``keys`` as a document of its own."""
    node = document.node(keys)
    if node is None or node.kind != "{":
        return None
    text = document.text[node.start : node.end]
    return JsonDocument.read(text.encode("utf-8"), name=f"{keys[-1]} in {document.name}", strict=document.strict)


def _replacement(document: JsonDocument, keys: KeyPath, server: JsonDocument) -> tuple[int, int, str]:
    node = document.node(keys)
    assert node is not None
    return node.start, node.end, server.text


def _read_again(server: JsonDocument, text: str, argv: Sequence[str]) -> JsonDocument:
    """The entry with its new text, whose command must be ``argv``."""
    try:
        edited = JsonDocument.read(text.encode("utf-8"), name=server.name, strict=server.strict)
    except UnprettyError:
        edited = server
    if argv_of(edited.value()) != tuple(argv):
        raise UnprettyError(
            f"The MCP server {server.name} is written in a form that cannot be edited safely, so it was left alone.",
            code="cannot_edit",
            hint="Leave it out of --wrap-mcp, or take the proxy out of its command by hand.",
        )
    return edited


def _is_pair(server: JsonDocument) -> bool:
    node = server.node(("command",))
    return node is not None and node.kind == ""


def _command(server: JsonDocument) -> CommandSpans:
    command = server.node(("command",))
    array = server.node(("args",)) if _is_pair(server) else command
    assert command is not None and array is not None
    program = (command.start, command.end) if array is not command else None
    items = tuple((item.node.start, item.node.end) for item in array.items)
    return CommandSpans(program, (array.start, array.end), items)


class JsonServers(AgentServers):
    """The MCP servers of an agent that keeps them in JSON files, and whose hook reaches their results.

    Attributes:
        strict: whether the agent refuses comments and trailing commas.
        covered: that the hook makes their results smaller already, and what the proxy adds.
    """

    strict: bool
    covered: str

    def advice(self, servers: list[Server], chosen: list[Server]) -> list[Note]:
        """The hook covers MCP servers already."""
        return [Note("hook_covers", self.covered), Note("wrap_effect", self.effect)] if chosen else []

    def wrapped(
        self, data: bytes, fronts: Mapping[KeyPath, Sequence[str]], *, name: str
    ) -> tuple[bytes, tuple[str, ...]]:
        """See the function ``wrapped``."""
        return wrapped(data, fronts, name=name, strict=self.strict)

    def unwrapped(self, data: bytes, places: Iterable[KeyPath], made: Sequence[str], *, name: str) -> bytes:
        """See the function ``unwrapped``."""
        return unwrapped(data, places, made, name=name, strict=self.strict)
