"""The worker beside OpenCode: one request per line on standard input, one reply per line on standard output.

Our plugin starts it and keeps it for as long as OpenCode runs. It ends with its input, which ends with OpenCode,
however that came about. A request that cannot be served gets a reply without texts, so that nobody waits for it.
"""

import contextlib
import gc
import time

from unpretty import reason, system
from unpretty.hooks import entry, opencode
from unpretty.hooks.call import Call
from unpretty.json_text.scanner import InvalidJSON, loads
from unpretty.settings.defaults import SETTINGS, Settings

# The plugin waits three seconds; work is given up well before.
BUDGET_MS = 2000


def serve(paths: entry.Paths) -> None:
    """Answer requests until the end of input."""
    gc.enable()  # unlike the hook, this process lives on
    with open(0, "rb", closefd=False) as requests:
        for line in requests:
            if not line.endswith(b"\n"):
                return  # OpenCode ended while it was writing
            try:
                _serve_one(line, paths)
            except (BrokenPipeError, KeyboardInterrupt):
                return


def _serve_one(line: bytes, paths: entry.Paths) -> None:
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
        _log(call, settings, paths, started)


def _log(call: Call, settings: Settings, paths: entry.Paths, started: float) -> None:
    with contextlib.suppress(Exception):  # the reply has left, and the next one matters more than this line
        entry.log_call(call, settings, paths, "worker", started)


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
