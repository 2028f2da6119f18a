"""A scripted model: an HTTP server on 127.0.0.1 that answers each request of a client with the next step of a script.

The three API dialects are its subclasses, each in the module of its client. A script is a list of steps, each the tool
calls of one assistant turn; after the last step the model says "done".
"""

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One tool call of the script: the tool as the client lists it, and its input (text for a free-form tool)."""

    tool: str
    input: Json | str


Script = Sequence[Sequence[Call]]


@dataclass(frozen=True)
class Received:
    """One request that the model received: method, path without query, decoded body (empty when it had none)."""

    method: str
    path: str
    body: Json


@dataclass(frozen=True)
class Reply:
    """One answer of the model."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200


def json_reply(value: object, status: int = 200) -> Reply:
    """A plain JSON answer."""
    return Reply(json.dumps(value).encode(), status=status)


def event_stream(events: Iterable[tuple[str, object]]) -> Reply:
    """Server-sent events, one for each pair of event name (may be empty) and JSON value (text is sent as it is)."""
    lines = []
    for name, value in events:
        data = value if isinstance(value, str) else json.dumps(value)
        lines.append((f"event: {name}\n" if name else "") + f"data: {data}\n\n")
    return Reply("".join(lines).encode(), "text/event-stream")


class ScriptedModel(ABC):
    """The part that the dialects share: serving, recording, and finding the step of a request."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.received: list[Received] = []
        self._turns_before: int | None = None
        self._lock = threading.Lock()
        self._server = _Server(self)

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return int(self._server.server_address[1])

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer requests until the end of the block."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            self._server.server_close()

    def handle(self, request: Received) -> Reply:
        """Record ``request`` and answer it."""
        with self._lock:
            self.received.append(request)
            return self.reply(request)

    @abstractmethod
    def reply(self, request: Received) -> Reply:
        """Answer in this dialect; called by one thread at a time."""

    def step(self, turns: int) -> Sequence[Call]:
        """Return the calls of the assistant turn that follows ``turns`` turns.

        The position in the script follows from the conversation, so that neither a repeated request nor another one
        can shift it. Turns that a resumed conversation brought along do not count.
        """
        if self._turns_before is None:
            self._turns_before = turns
        place = turns - self._turns_before
        return self.script[place] if place < len(self.script) else ()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the requests are recorded."""

    def do_HEAD(self) -> None:
        self._send(Reply(b""))

    def do_GET(self) -> None:
        self._send(self.server.model.handle(Received("GET", self.path.partition("?")[0], {})))

    def do_POST(self) -> None:
        body = json.loads(self._body())
        self._send(self.server.model.handle(Received("POST", self.path.partition("?")[0], body)))

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", "").lower():
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)
