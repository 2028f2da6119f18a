"""A proxy in this process between a client and a server that are both the test itself."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from unpretty import locations
from unpretty.proxy.relay import Proxy
from unpretty.proxy.resource_replies import LIST_CHANGED


class End:
    """One end of a pair of pipes: send and receive lines or JSON messages."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reader = os.fdopen(reading, "rb", buffering=1 << 16)
        self.writing = writing
        self.changes = 0

    def send(self, message: object) -> bytes:
        """Send a message (bytes as they are, anything else as one line of JSON) and return the line."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        view = memoryview(line)
        while view:
            view = view[os.write(self.writing, view) :]
        return line

    def line(self) -> bytes:
        """The next line; notices of changed resources are only counted, in ``changes``."""
        while (line := self._reader.readline()) == LIST_CHANGED:
            self.changes += 1
        return line

    def receive(self) -> Any:
        return json.loads(self.line())

    def rest(self) -> bytes:
        return self._reader.read()

    def hang_up(self) -> None:
        if self.writing != -1:
            os.close(self.writing)
            self.writing = -1

    def stop_reading(self) -> None:
        self._reader.close()

    def close(self) -> None:
        self.hang_up()
        self._reader.close()


class PlayedServer:
    """Replaces ``ServerProcess``; the test is the server and says when it has ended."""

    def __init__(self, stdin: int, stdout: int) -> None:
        self.stdin, self.stdout = stdin, stdout
        self.ended = threading.Event()
        self.asked_to_end = threading.Event()
        self.status = 0

    def forward_signals(self) -> None:
        pass

    def wait(self) -> int:
        self.ended.wait(20)
        return self.status

    @property
    def is_running(self) -> bool:
        return not self.ended.is_set()

    def end(self) -> None:
        self.asked_to_end.set()

    def clear_up(self) -> None:
        pass


class Wire:
    """Client and server ends of a running proxy."""

    def __init__(self, options: dict[str, Any]) -> None:
        server_in, to_server = os.pipe()
        from_server, server_out = os.pipe()
        client_in, to_client = os.pipe()
        from_client, client_out = os.pipe()
        self._own = [to_server, from_server, to_client, from_client]
        self.process = PlayedServer(to_server, from_server)
        self.proxy = Proxy(self.process, stdin=from_client, stdout=to_client, **options)
        self.client = End(client_in, client_out)
        self.server = End(server_in, server_out)
        self.returned: list[int] = []
        self._thread = threading.Thread(target=lambda: self.returned.append(self.proxy.run()))
        self._thread.start()

    def initialize(self, name: str = "claude-code", **capabilities: object) -> Any:
        """Shake hands as the client ``name``; what the client got."""
        info = {"name": name, "version": "2.1"}
        self.client.send(request(0, "initialize", clientInfo=info, capabilities={}, protocolVersion="2025-06-18"))
        self.server.line()
        server_info = {"name": "my server", "version": "1"}
        self.server.send(
            {"jsonrpc": "2.0", "id": 0, "result": {"capabilities": capabilities, "serverInfo": server_info}}
        )
        return self.client.receive()

    def list_tools(self, *tools: dict[str, object]) -> None:
        self.client.send(request("tools", "tools/list"))
        self.server.line()
        self.server.send({"jsonrpc": "2.0", "id": "tools", "result": {"tools": list(tools)}})
        self.client.line()

    def call(self, result: object, identity: object = 1, tool: str = "rows", **params: object) -> bytes:
        """Call a tool that gives ``result``; the line that the client got."""
        sent = self.client.send(request(identity, "tools/call", name=tool, **params))
        assert self.server.line() == sent
        self.server.send(result if isinstance(result, bytes) else {"jsonrpc": "2.0", "id": identity, "result": result})
        return self.client.line()

    def finish(self, status: int = 0) -> int:
        """Let the server end; what ``run`` returned."""
        self.process.status = status
        self.server.hang_up()
        self.process.ended.set()
        self._thread.join(20)
        assert self.returned, "the proxy did not end"
        return self.returned[0]

    def close(self) -> None:
        self.client.hang_up()
        if not self.returned:
            self.finish()
        self.client.close()
        self.server.close()
        for pump in self.proxy._pumps:
            pump.join(20)
            assert not pump.is_alive()
        for fd in self._own:
            os.close(fd)


def request(identity: object, method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


@pytest.fixture
def wire() -> Iterator[Callable[..., Wire]]:
    """Start a proxy with these options."""
    wires: list[Wire] = []

    def start(**options: Any) -> Wire:
        wires.append(Wire(options))
        return wires[-1]

    yield start
    for made in wires:
        made.close()


@pytest.fixture
def log() -> Callable[[], list[dict[str, Any]]]:
    """The lines of the decision log."""

    def read() -> list[dict[str, Any]]:
        path = Path(locations.decision_log_file())
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    return read


@pytest.fixture(autouse=True)
def no_counting(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Tokens are not counted in the background; what would have been counted."""
    counted: list[Any] = []
    monkeypatch.setattr("unpretty.tokens.background.count_later", lambda *args, **kw: bool(counted.append(args)))
    return counted
