"""A worker of an agent: one request per line on standard input, one reply per line on standard output.

Our plugin starts it and keeps it for as long as the agent runs. It ends with its input, which ends with the agent,
however the agent ends. A request that cannot be served gets a reply without texts, so that the plugin does not wait.
"""

import contextlib  # noqa: TID253  one process serves a session
import gc
import time

from unpretty.engine import system
from unpretty.engine.json_text.scanner import InvalidJSON, loads
from unpretty.engine.json_text.writer import to_json
from unpretty.settings.defaults import Settings
from unpretty_hooks import serving
from unpretty_hooks.state import Files

# Characters of text that may wait for their tokens to be counted.
MAX_UNCOUNTED_CHARS = 32 << 20


def serve(agent: str, files: Files) -> None:
    """Answer requests about tool results of ``agent`` until the end of input."""
    gc.enable()  # unlike the hook, this process keeps running
    uncounted = Uncounted(files)
    with open(0, "rb", closefd=False) as requests, contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        for line in requests:
            if not line.endswith(b"\n"):
                break  # the agent ended while it was writing
            _serve_one(agent, line, files, uncounted)
    uncounted.hand_over(last=True)


class Uncounted:
    """Texts whose tokens are still to be counted: by one process at a time, the next one takes all that came since."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._settings = Settings()
        self._texts: "list[tuple[str, str, str]]" = []
        self._chars = 0

    def add(self, texts: "list[tuple[str, str, str]]", settings: Settings) -> None:
        """Keep ``texts`` (of ``Files.log_decisions``); beyond the limit their tokens are shown as estimates."""
        self._settings = settings
        for text in texts:
            size = len(text[1]) + len(text[2])
            if self._chars + size <= MAX_UNCOUNTED_CHARS:
                self._texts.append(text)
                self._chars += size

    def hand_over(self, last: bool = False) -> None:
        """Start a process for what waits, unless one is still counting and more requests may follow."""
        if not self._texts:
            return
        from unpretty.tokens.background import is_counting

        if last or not is_counting():
            self._files.count_tokens(self._texts, self._settings)
            self._texts, self._chars = [], 0


def _serve_one(agent: str, line: bytes, files: Files, uncounted: Uncounted) -> None:
    started = time.perf_counter()
    request = _parse(line)
    settings = files.load_settings()  # each time, so that a change takes effect on the next tool call
    call = serving.handle(agent, request, settings, files)
    answer = call.reply or to_json({"id": request.get("id"), "texts": {}}) + "\n"
    system.write_all(1, answer.encode("utf-8", "backslashreplace"))
    if not system.is_selftest():
        with contextlib.suppress(Exception):  # the reply is sent, and the next one matters more than this line
            uncounted.add(files.log_decisions(call, settings, "worker", started), settings)
            uncounted.hand_over()


def _parse(line: bytes) -> "dict[str, object]":
    try:
        request = loads(line.decode("utf-8"))
    except (InvalidJSON, UnicodeDecodeError, RecursionError, MemoryError):
        return {}
    return request if isinstance(request, dict) else {}
