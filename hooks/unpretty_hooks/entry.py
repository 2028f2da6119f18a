"""What the registered command runs: one payload on standard input, at most one reply on standard output.

In every case the exit status is 0 and only a complete reply is printed; without one the agent shows the original.
The process is ours alone and runs for milliseconds: it imports the standard library's ``sys``, ``time``, ``gc`` and
``_json`` and our own modules, nothing else (TID253 in pyproject.toml, tests/unit/hooks/test_import_budget.py).
"""

import gc
import time

from unpretty import agents
from unpretty.engine import reason, system
from unpretty.engine.json_text.scanner import InvalidJSON, loads
from unpretty_hooks import serving
from unpretty_hooks.call import Call
from unpretty_hooks.state import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.settings.defaults import Settings

MAX_PAYLOAD_BYTES = 256 << 20
# Agents wait 10 seconds for the hook (the time limit in its entry). It ends before that, whatever delays
# it: an input that stays open, a disk or a pipe that does not answer.
READ_SECONDS = 5
RUN_SECONDS = 9
# A payload that arrives in pieces is parsed after each that may be the last: up to so many bytes plus its size in all.
_FREE_BYTES = 4 << 20


def main(agent: str, log: str, resolved: str, config: str) -> None:
    """Serve one tool result of ``agent``, or tool results until the end of input where the agent has a worker."""
    gc.disable()
    files = Files(log, resolved, config)
    if agent in agents.ROWS and agents.get(agent).worker:
        from unpretty_hooks.worker import serve

        serve(agent, files)
        return
    started = time.perf_counter()
    received = Received()
    received.read()
    system.call_after(started + RUN_SECONDS - time.perf_counter(), lambda: system.exit_now(0))
    _answer(agent, received, files, started)
    # Everything is written: finalizing the interpreter would only keep the agent waiting.
    system.exit_now(0)


class Received:
    """What came in on standard input, up to the end of its JSON object: a client may leave the pipe open.

    ``data`` are the bytes; none when the input did not end in time.
    """

    __slots__ = ("_spent", "_value", "data")

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self._value: object = None
        self._spent = 0

    def value(self) -> object:
        """The JSON value in ``data`` as ``scanner.loads`` gives it; raises what that and decoding raise."""
        return loads(self.data.decode("utf-8")) if self._value is None else self._value

    def read(self) -> None:
        """Read standard input, for at most READ_SECONDS."""
        system.call_after(READ_SECONDS, _give_up)
        try:
            self.data = system.read_to_end(0, MAX_PAYLOAD_BYTES, self._is_whole)
        except _TooLate:
            return

    def _is_whole(self, pieces: "list[bytes]") -> bool:
        """Whether ``pieces`` are a whole object; not tried again when trying has cost more than parsing them once."""
        if not pieces[-1][-16:].rstrip().endswith(b"}"):
            return False
        size = sum(map(len, pieces))
        if self._spent > size + _FREE_BYTES:
            return False
        self._spent += size
        try:
            self._value = loads(b"".join(pieces).decode("utf-8"))
        except (InvalidJSON, UnicodeDecodeError, RecursionError, MemoryError):
            return False
        return True


class _TooLate(Exception):
    """The input did not end in time."""


def _give_up() -> None:
    raise _TooLate


def _answer(agent: str, received: Received, files: Files, started: float) -> None:
    """Reply to one payload, then write the log and have the tokens counted."""
    settings = files.load_settings()
    call = _handle(agent, received, settings, files)
    if call.elsewhere:
        return
    if call.reply:
        try:
            # A lone surrogate in the reply is written as it was read: as an escape.
            system.write_all(1, call.reply.encode("utf-8", "backslashreplace"))
        except Exception:  # the reply was not read, so nothing was replaced
            call.fail()
    if not system.is_selftest():
        if call.payload and not call.model:
            call.model = serving.adapter_of(agent).model(call.payload)
        files.count_tokens(files.log_decisions(call, settings, "hook", started), settings)


def _handle(agent: str, received: Received, settings: "Settings", files: Files) -> Call:
    """The call with its decisions made; input that is no JSON becomes a call without fields."""
    try:
        payload = received.value()
    except (InvalidJSON, UnicodeDecodeError, RecursionError, MemoryError):
        too_large = len(received.data) > MAX_PAYLOAD_BYTES
        return Call(agent, reason.TOO_LARGE if too_large else reason.BAD_PAYLOAD)
    return serving.handle(agent, payload, settings, files)
