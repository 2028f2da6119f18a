"""The proxy: two threads, one per direction, and what each does to the lines that pass.

From client to server everything passes byte for byte, except requests about resources that only the proxy can answer.
From server to client everything passes byte for byte, except results of ``tools/call`` and, with a limit, the server's
list of resources and its capabilities. On any error the line passes as it came.
"""

from __future__ import annotations

import gc
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unpretty.engine import reason
from unpretty.proxy.channel import InputLine, Outlet, read_lines
from unpretty.proxy.compacted import unchanged
from unpretty.proxy.current_settings import CurrentSettings
from unpretty.proxy.kept_results import KeptResults
from unpretty.proxy.log import ProxyLog
from unpretty.proxy.message import Edit, Message, read_line, splice
from unpretty.proxy.resource_replies import LIST_CHANGED, add_resources, answered_here, offer_resources, reply
from unpretty.proxy.rewrite import Rewriter, Rewritten
from unpretty.proxy.server_process import ServerProcess
from unpretty.proxy.session import INTRODUCTIONS, PendingRequest, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unpretty.proxy.clients import ToolCall

# After the end of input a server that owes no answer gets this many seconds to end by itself.
_GRACE = 10.0
# Seconds without a byte after which the output of a server that has ended counts as complete.
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
        self._current = CurrentSettings()
        self._kept = KeptResults()
        limit = None if passthrough else max_result_bytes
        self._limits = limit is not None
        self._passthrough = passthrough
        # We offered the client notifications when our list of resources changes.
        self._notifies = False
        self._rewriter = Rewriter(self._session, self._current, self._kept, limit)
        self._log = ProxyLog(self._session, self._current, observing=passthrough)
        self._pumps: list[threading.Thread] = []
        self._answers: list[threading.Thread] = []
        # When the last line from the server was passed on; None while one is under way.
        self._idle_since: float | None = time.monotonic()

    def run(self) -> int:
        """Pass messages until the server ends; its exit status as ``ServerProcess.wait`` gives it."""
        self._server.forward_signals()
        directions = (self._pump_to_server, self._pump_to_client)
        self._pumps = [threading.Thread(target=direction, daemon=True) for direction in directions]
        for pump in self._pumps:
            pump.start()
        status = self._server.wait()
        self._drain(self._pumps[1])
        self._server.clear_up()
        self._log.count_tokens()
        return status

    @property
    def summary(self) -> str:
        """What ``passthrough`` has seen, in one line."""
        return self._log.summary()

    def _drain(self, to_client: threading.Thread) -> None:
        """Wait until everything that the server wrote has reached the client.

        What the server started may hold its output open, so after its end a second without output is the end, too.
        """
        while to_client.is_alive() and not self._to_client.reader_is_gone():
            idle_since = self._idle_since
            if idle_since is not None and time.monotonic() - idle_since > _QUIET:
                break
            to_client.join(0.05)
        for thread in self._answers:
            while thread.is_alive() and not self._to_client.reader_is_gone():
                thread.join(0.05)

    def _pump_to_server(self) -> None:
        for line in read_lines(self._stdin):
            data = self._from_client(line)
            if data and not self._to_server.write(data):
                Outlet(self._stdin).close()  # the client sees that nothing is read any more
                return
        self._to_server.close()
        self._await_end()

    def _await_end(self) -> None:
        """After the end of input: end the server unless it ends or owes answers that the client still reads."""
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
        read = read_line(line.data) if line.whole and b'"method"' in line.data else None
        if read is None:
            return line.data
        text, messages = read
        has_resources = self._session.server_has_resources
        ours: list[Message] = []
        for message in messages:
            if self._limits and answered_here(message, self._kept, server_has_resources=has_resources):
                ours.append(message)
            else:
                self._session.note_from_client(message)
        if not ours:
            return line.data
        self._answer(ours, batch=text.lstrip().startswith("["))
        kept = ",".join(text[message.start : message.end] for message in messages if message not in ours)
        return f"[{kept}]\n".encode() if kept else b""

    def _answer(self, requests: Sequence[Message], *, batch: bool) -> None:
        """Answer in another thread: a client that is still writing may not be reading yet."""
        self._session.client_uses_resources = True
        replies = b",".join(reply(request, self._kept) for request in requests)
        data = (b"[%b]\n" if batch else b"%b\n") % replies
        thread = threading.Thread(target=self._to_client.write, args=(data,), daemon=True)
        self._answers = [other for other in self._answers if other.is_alive()] + [thread]
        thread.start()

    # From server to client

    def _pass_to_client(self, line: InputLine) -> bool:
        """Send a line of the server on, rewritten where that is called for; False when the client is gone."""
        read = read_line(line.data) if line.whole and self._session.under_way else None
        if read is None:
            return self._to_client.write(line.data)
        text, messages = read
        edits: list[Edit] = []
        made: list[tuple[ToolCall, Rewritten, float]] = []
        for message in messages:
            request = self._session.request_answered_by(message)
            if request is None:
                continue
            if request.call is not None:
                started = time.perf_counter()
                rewritten = self._rewrite(text, message, request.call)
                made.append((request.call, rewritten, (time.perf_counter() - started) * 1000))
                edits += rewritten.edits
            else:
                edits += self._learn(text, message, request)
        same = self._passthrough or not edits
        alive = self._to_client.write(line.data if same else splice(text, edits).encode("utf-8"))
        if self._notifies and any(rewritten.limited.kept for _, rewritten, _ in made if rewritten.limited):
            alive = self._to_client.write(LIST_CHANGED)
        for call, rewritten, milliseconds in made:
            self._log.record(call, rewritten, milliseconds)
        return alive

    def _rewrite(self, text: str, message: Message, call: ToolCall) -> Rewritten:
        try:
            self._current.refresh()
            return self._rewriter.rewrite(text, message, call)
        except Exception:  # a result must never be lost to a bug of ours
            return Rewritten(texts=[unchanged("", "", reason.ERROR)])

    def _learn(self, text: str, message: Message, request: PendingRequest) -> list[Edit]:
        """Note an answer that describes the server; the changes that make it offer our resources too."""
        try:
            self._session.note_answer(request, text, message)
            if not self._limits or message.result is None:
                return []
            if request.method in INTRODUCTIONS:
                edits = offer_resources(text, message.result)
                self._notifies = bool(edits) and request.method == "initialize"
                return edits
            if request.method == "resources/list":
                return add_resources(text, message.result, request.params, self._kept)
        except Exception:  # the line passes as it came
            return []
        return []


@contextmanager
def _collector_off(size: int) -> Iterator[None]:
    """Large messages make very many objects and no cycles: the garbage collector would triple the time to read them."""
    if size < _LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def run(server: ServerProcess, *, name: str, max_result_bytes: int | None, passthrough: bool) -> tuple[int, str]:
    """Pass messages between our standard input and output and ``server``; its exit status, and a closing line or ""."""
    gc.freeze()
    proxy = Proxy(server, name=name, max_result_bytes=max_result_bytes, passthrough=passthrough)
    status = proxy.run()
    return status, proxy.summary if passthrough else ""
