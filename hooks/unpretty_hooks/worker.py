"""The worker beside OpenCode: one request per line on standard input, one reply per line on standard output.

Our plugin starts it and keeps it for as long as OpenCode runs. It ends with its input, which ends with OpenCode,
however that came about. A request that cannot be served gets a reply without texts, so that nobody waits for it.
"""

import contextlib
import gc
import time

from unpretty.engine import reason, system
from unpretty.engine.json_text.scanner import InvalidJSON, loads
from unpretty.settings.defaults import SETTINGS, Settings
from unpretty_hooks import entry, opencode
from unpretty_hooks.call import Call

# The plugin waits three seconds; work is given up well before.
BUDGET_MS = 2000
# Characters of text that may wait for their tokens to be counted.
MAX_UNCOUNTED_CHARS = 32 << 20


def serve(paths: entry.Paths) -> None:
    """Answer requests until the end of input."""
    gc.enable()  # unlike the hook, this process lives on
    uncounted = Uncounted(paths)
    with open(0, "rb", closefd=False) as requests, contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        for line in requests:
            if not line.endswith(b"\n"):
                break  # OpenCode ended while it was writing
            _serve_one(line, paths, uncounted)
    uncounted.hand_over(last=True)


class Uncounted:
    """Texts whose tokens are still to be counted: by one process at a time, the next takes all that came meanwhile."""

    def __init__(self, paths: entry.Paths) -> None:
        self._paths = paths
        self._settings = Settings()
        self._texts: "list[tuple[str, str, str]]" = []
        self._chars = 0

    def add(self, texts: "list[tuple[str, str, str]]", settings: Settings) -> None:
        """Keep ``texts`` (as ``entry.log_decisions`` gives them); when too much waits, those are shown as estimates."""
        self._settings = settings
        for text in texts:
            size = len(text[1]) + len(text[2])
            if self._chars + size <= MAX_UNCOUNTED_CHARS:
                self._texts.append(text)
                self._chars += size

    def hand_over(self, last: bool = False) -> None:
        """Start a process for what waits, unless one is still counting and another chance will come."""
        if not self._texts:
            return
        from unpretty.tokens.background import is_counting

        if last or not is_counting():
            entry.count_tokens(self._texts, self._settings, self._paths)
            self._texts, self._chars = [], 0


def _serve_one(line: bytes, paths: entry.Paths, uncounted: Uncounted) -> None:
    started = time.perf_counter()
    request = _parse(line)
    settings = entry.load_settings(paths)  # each time, so that a change takes effect on the next tool call
    call = Call(opencode.NAME)
    reply = ""
    try:
        call = opencode.read(request, settings)
        entry.decide(call, for_this_call(settings, request))
        entry.announce(call, paths, in_context=False)
        reply = opencode.reply(request, call)
        answer = reply.encode("utf-8")
    except Exception:
        call.fields.clear()
        call.reason = reason.ERROR
        answer = opencode.reply(request, call).encode("utf-8")
    system.write_all(1, answer)
    if not entry.selftest():
        with contextlib.suppress(Exception):  # the reply has left, and the next one matters more than this line
            uncounted.add(entry.log_decisions(call, settings, paths, "worker", started), settings)
            uncounted.hand_over()


def _parse(line: bytes) -> "dict[str, object]":
    try:
        request = loads(line.decode("utf-8"))
    except (InvalidJSON, UnicodeDecodeError, RecursionError, MemoryError):
        return {}
    return request if isinstance(request, dict) else {}


def for_this_call(settings: Settings, request: "dict[str, object]") -> Settings:
    """The settings within what this call allows: the plugin's patience, and plain JSON where a program reads."""
    values = {name: getattr(settings, name) for name in SETTINGS}
    values["budget_ms"] = min(settings.budget_ms, BUDGET_MS)
    if request.get("inner") is True:
        values["encodings"], values["encodings_for"] = ("json",), ()
    return Settings(values)
