"""The proxy: two pumps, one per direction, and what each does to the lines that pass.

From client to server everything passes byte for byte, but for questions about resources that only the proxy can answer.
From server to client everything passes byte for byte, but for results of ``tools/call`` and, when results are cut, the
server's list of resources and its capabilities. Whatever goes wrong with a line, the line passes as it came.
"""

from __future__ import annotations

import gc
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unpretty.engine import reason
from unpretty.engine.compaction import Compaction, Decision
from unpretty.engine.json_text.scanner import InvalidJSON
from unpretty.proxy.channel import InputLine, Outlet, read_lines
from unpretty.proxy.current_settings import CurrentSettings
from unpretty.proxy.kept_results import LIST_CHANGED, PREFIX, KeptResults, encode_reply, list_reply, read_reply
from unpretty.proxy.log import ProxyLog
from unpretty.proxy.message import Message, as_dict, as_text, read_messages, splice
from unpretty.proxy.resource_replies import add_resources, offer_resources
from unpretty.proxy.rewrite import Rewriter, Rewritten, TextDecision
from unpretty.proxy.server_process import ServerProcess
from unpretty.proxy.session import INTRODUCTIONS, PendingRequest, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# After the end of input a server that owes no answer gets this many seconds to end by itself.
_GRACE = 10.0
# Seconds without a byte after which the output of a server that has ended is taken to be complete.
_QUIET = 1.0
# Lines over this many bytes are large.
_LARGE = 1 << 16


class Proxy:
    """One server between one client's descriptors ``stdin`` and ``stdout``."""

    def __init__(  # noqa: PLR0913  one keyword per option
        self,
        server: ServerProcess,
        *,
        name: str = "",
        max_result_bytes: int | None = None,
        passthrough: bool = False,
        stdin: int = 0,
        stdout: int = 1,
    ) -> None:
        self._server = server
        self._stdin = stdin
        self._to_client = Outlet(stdout)
        self._to_server = Outlet(server.stdin)
        self._session = Session(name)
        self._policy = CurrentSettings()
        self._store = KeptResults()
        limit = None if passthrough else max_result_bytes
        self._cuts = limit is not None
        self._passthrough = passthrough
        # We promised the client to tell when our list of resources changes.
        self._tells_of_changes = False
        self._rewriter = Rewriter(self._session, self._policy, self._store, limit)
        self._ledger = ProxyLog(self._session, self._policy, observing=passthrough)
        self._pumps: list[threading.Thread] = []
        self._answers: list[threading.Thread] = []
        # When the last line from the server was dealt with; None while one is.
        self._idle_since: float | None = time.monotonic()

    def run(self) -> int:
        """Pass messages until the server ends; its exit status as ``ServerProcess.wait`` gives it."""
        self._server.forward_signals()
        directions = (self._pump_to_server, self._pump_to_client)
        self._pumps = [threading.Thread(target=direction, daemon=True) for direction in directions]
        for pump in self._pumps:
            pump.start()
        status = self._server.wait()
        self._let_out(self._pumps[1])
        self._server.clear_up()
        self._ledger.count_tokens()
        return status

    @property
    def summary(self) -> str:
        """What ``passthrough`` has seen, in one line."""
        return self._ledger.summary()

    def _let_out(self, back: threading.Thread) -> None:
        """Wait until everything that the server said has reached the client.

        What the server started may hold its output open, so after its end a quiet second is the end, too.
        """
        while back.is_alive() and not self._to_client.reader_is_gone():
            idle_since = self._idle_since
            if idle_since is not None and time.monotonic() - idle_since > _QUIET:
                break
            back.join(0.05)
        for thread in self._answers:
            while thread.is_alive() and not self._to_client.reader_is_gone():
                thread.join(0.05)

    def _pump_to_server(self) -> None:
        for line in read_lines(self._stdin):
            data = self._from_client(line)
            if data and not self._to_server.write(data):
                Outlet(self._stdin).close()  # the client learns that nobody reads any more
                return
        self._to_server.close()
        self._await_end()

    def _await_end(self) -> None:
        """After the end of input: the server ends by itself, or owes answers that somebody reads, or is ended."""
        deadline = time.monotonic() + _GRACE
        while self._server.is_running:
            if self._to_client.reader_is_gone() or (not self._session.under_way and time.monotonic() > deadline):
                self._server.end()
                return
            time.sleep(0.05)

    def _pump_to_client(self) -> None:
        for line in read_lines(self._server.stdout):
            self._idle_since = None
            with _collector_off(len(line.data)):
                alive = self._pass_to_client(line)
            if not alive:
                self._server.end()
                return
            self._idle_since = time.monotonic()
        self._to_client.close()

    # From client to server

    def _from_client(self, line: InputLine) -> bytes:
        """What to send to the server for a line of the client; empty when the proxy answers itself."""
        if not line.whole or b'"method"' not in line.data:
            return line.data
        try:
            text = line.data.decode("utf-8")
            messages = read_messages(text)
        except (InvalidJSON, UnicodeDecodeError, RecursionError, MemoryError):
            return line.data
        ours = [message for message in messages if self._is_ours(message)] if self._cuts else []
        for message in messages:
            if message not in ours:
                self._session.note_from_client(message)
        if not ours:
            return line.data
        self._answer(ours, batch=text.lstrip().startswith("["))
        others = [text[message.start : message.end] for message in messages if message not in ours]
        return f"[{','.join(others)}]\n".encode() if others else b""

    def _is_ours(self, message: Message) -> bool:
        """True for a request that the server could only refuse: about a kept result, or about resources it has not."""
        if message.id is None or message.method is None or not message.method.startswith("resources/"):
            return False
        if message.method == "resources/read":
            address = as_text(as_dict(message.params).get("uri"))
            if address.startswith(PREFIX):
                return not self._session.server_has_resources or self._store.read(address) is not None
            return False
        lists = message.method in ("resources/list", "resources/templates/list")
        return lists and not self._session.server_has_resources

    def _answer(self, requests: Sequence[Message], *, batch: bool) -> None:
        """Answer in a thread of its own: a client that is still writing may not be reading yet."""
        self._session.client_uses_resources = True
        replies = []
        for request in requests:
            assert request.method is not None
            if request.method == "resources/read":
                body = read_reply(self._store, request.params)
            else:
                body = list_reply(self._store, request.method, request.params)
            replies.append(encode_reply(request.id, body))
        data = b"[" + b",".join(reply.rstrip(b"\n") for reply in replies) + b"]\n" if batch else b"".join(replies)
        thread = threading.Thread(target=self._to_client.write, args=(data,), daemon=True)
        self._answers = [other for other in self._answers if other.is_alive()] + [thread]
        thread.start()

    # From server to client

    def _pass_to_client(self, line: InputLine) -> bool:
        """Send a line of the server on, rewritten where that is called for; False when the client is gone."""
        if not line.whole or not self._session.under_way:
            return self._to_client.write(line.data)
        try:
            text = line.data.decode("utf-8")
            messages = read_messages(text)
        except (InvalidJSON, UnicodeDecodeError, RecursionError, MemoryError):
            return self._to_client.write(line.data)
        edits = []
        made = []
        for message in messages:
            request = self._session.request_answered_by(message)
            if request is None:
                continue
            if request.call is not None:
                started = time.perf_counter()
                rewritten = self._rewrite(text, message, request)
                made.append((request.call, rewritten, (time.perf_counter() - started) * 1000))
                edits += rewritten.edits
            else:
                edits += self._learn(text, message, request)
        unchanged = self._passthrough or not edits
        alive = self._to_client.write(line.data if unchanged else splice(text, edits).encode("utf-8"))
        if self._tells_of_changes and any(cut.kept for _, rewritten, _ in made if (cut := rewritten.cut)):
            alive = self._to_client.write(LIST_CHANGED)
        for call, rewritten, milliseconds in made:
            self._ledger.record(call, rewritten, milliseconds)
        return alive

    def _rewrite(self, text: str, message: Message, request: PendingRequest) -> Rewritten:
        assert request.call is not None
        try:
            self._policy.refresh()
            return self._rewriter.rewrite(text, message, request.call)
        except Exception:  # a result must never be lost to a bug of ours
            made = Rewritten()
            made.outcomes = [TextDecision("", "", Compaction("", Decision(reason.ERROR, "", 0)))]
            return made

    def _learn(self, text: str, message: Message, request: PendingRequest) -> list[tuple[int, int, str]]:
        """Note an answer that tells about the server; the changes that make it offer our resources too."""
        try:
            self._session.note_answer(request, text, message)
            if not self._cuts or message.result is None:
                return []
            if request.method in INTRODUCTIONS:
                edits = offer_resources(text, message.result)
                self._tells_of_changes = bool(edits) and request.method == "initialize"
                return edits
            if request.method == "resources/list":
                return add_resources(text, message.result, request.params, self._store)
        except Exception:  # nothing learnt, and the line passes as it came
            return []
        return []


@contextmanager
def _collector_off(size: int) -> Iterator[None]:
    """Large messages make very many objects and no cycles: the cyclic collector would triple the time to read them."""
    if size < _LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def run(server: ServerProcess, *, name: str, max_result_bytes: int | None, passthrough: bool) -> tuple[int, str]:
    """Stand between our standard input and output and ``server``; the server's exit status and a closing line or ""."""
    gc.freeze()
    proxy = Proxy(server, name=name, max_result_bytes=max_result_bytes, passthrough=passthrough)
    status = proxy.run()
    return status, proxy.summary if passthrough else ""
