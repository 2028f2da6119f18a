"""What is known about one connection so far: the client, the server, its tools, and the requests without an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unpretty.engine.json_text.scanner import scan
from unpretty.proxy.clients import Client, ToolCall, client_named, read_call
from unpretty.proxy.json_cursor import as_dict, as_text
from unpretty.proxy.output_schemas import OutputSchemas

if TYPE_CHECKING:
    from unpretty.proxy.message import Message

# Revision 2026-07-28 has no handshake: each request names its client, and server/discover introduces the server.
_CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
_SERVER_KEY = "io.modelcontextprotocol/serverInfo"
INTRODUCTIONS = ("initialize", "server/discover")


# Made for each message, so not frozen (see message.py).
@dataclass(slots=True, eq=False)
class PendingRequest:
    """A request of the client that the server has not answered yet.

    Attributes:
        method: its method.
        params: those of ``resources/list`` as the scanner gives them.
        call: what a ``tools/call`` asks for.
    """

    method: str
    params: object
    call: ToolCall | None


class Session:
    """The state of one connection, kept by both directions.

    A request is noted before it is passed on, so its answer always finds it. Each direction is read by one thread.

    Attributes:
        client, client_version: as the client introduced itself.
        server_name: as the server introduced itself, or as it was named on the command line.
        given_name: the latter only, which is how the client knows the server.
        server_has_resources: the server itself offers resources.
        client_uses_resources: the client has asked for resources.
        schemas: the declared outputSchemas.
        under_way: requests without an answer, by id.
    """

    def __init__(self, server_name: str = "") -> None:
        self.client: Client = client_named("")
        self.client_version = ""
        self.server_name = self.given_name = server_name
        self.server_has_resources = False
        self.client_uses_resources = False
        self.schemas = OutputSchemas()
        self.under_way: dict[object, PendingRequest] = {}

    def note_from_client(self, message: Message) -> None:
        """Take note of a message that is on its way to the server."""
        if message.method is None:
            return
        params = message.params
        if message.method == "notifications/cancelled":
            self.under_way.pop(as_dict(params).get("requestId"), None)
            return
        if message.id is None:
            return
        members = as_dict(params)
        info = members.get("clientInfo") or as_dict(members.get("_meta")).get(_CLIENT_KEY)
        if info:
            self._meet_client(as_dict(info))
        if message.method.startswith("resources/"):
            self.client_uses_resources = True
        self.under_way[message.id] = PendingRequest(
            message.method,
            params if message.method == "resources/list" else None,
            read_call(params) if message.method == "tools/call" else None,
        )

    def request_answered_by(self, message: Message) -> PendingRequest | None:
        """The request that ``message`` answers, which is then no longer under way."""
        return self.under_way.pop(message.id, None) if message.is_response else None

    def note_answer(self, request: PendingRequest, text: str, message: Message) -> None:
        """Learn from the answer to ``request``; ``text`` is the line that holds ``message``."""
        if message.result is None:
            return
        if request.method == "tools/list":
            self.schemas.learn(scan(text, message.result.start)[0])
        elif request.method in INTRODUCTIONS:
            self._meet_server(as_dict(scan(text, message.result.start)[0]))

    def tool_id(self, tool: str) -> str:
        """The name under which agents know ``tool``: mcp__server__tool, with _ for other characters of the server."""
        return f"mcp__{re.sub('[^A-Za-z0-9_-]', '_', self.server_name)}__{tool}"

    def _meet_client(self, info: dict[str, object]) -> None:
        self.client = client_named(as_text(info.get("name")))
        self.client_version = as_text(info.get("version"))[:64]

    def _meet_server(self, result: dict[str, object]) -> None:
        self.server_has_resources = "resources" in as_dict(result.get("capabilities"))
        info = as_dict(result.get("serverInfo") or as_dict(result.get("_meta")).get(_SERVER_KEY))
        if not self.given_name and info:
            self.server_name = as_text(info.get("name"))[:64]
