"""What the registered command runs: one payload on standard input, at most one reply on standard output.

Whatever happens, the exit status is 0 and nothing but a complete reply is printed, so that the agent shows what it had.
The process is all ours and lives for milliseconds: it imports the standard library's ``sys``, ``time``, ``gc`` and
``_json`` and our own modules, nothing else (tests/unit/hooks/test_import_budget.py).
"""

import gc
import sys
import time

from unpretty.decision_log.writer import append, decision_record
from unpretty.engine import reason, system
from unpretty.engine.compaction import Compaction, Decision, compact
from unpretty.engine.json_text.scanner import InvalidJSON, loads, remove_stand_in, stand_in_for_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from unpretty.settings.defaults import Settings
    from unpretty_hooks.call import Call

MAX_PAYLOAD_BYTES = 256 << 20
# Agents wait 10 seconds for the hook (the time limit in its entry). It ends before that by itself, whatever holds it
# up: an input that stays open, a disk or a pipe that does not answer.
READ_SECONDS = 5
RUN_SECONDS = 9
# A payload that comes in pieces is parsed again for each that may be the last: up to so many bytes, and once its size.
_FREE_BYTES = 4 << 20


class Paths:
    """Where the hook finds its files.

    The installer bakes the paths into ``hook.py``: agents started from a desktop have no XDG variables.
    """

    __slots__ = ("config", "log", "resolved")

    def __init__(self, log: str, resolved: str, config: str) -> None:
        self.log = log
        self.resolved = resolved
        self.config = config


def main(agent: str, log: str, resolved: str, config: str) -> None:
    """Serve one tool result of ``agent``, or, for OpenCode, tool results until the end of input."""
    gc.disable()
    stand_in_for_json()
    paths = Paths(log, resolved, config)
    if agent == "opencode":
        from unpretty_hooks.worker import serve

        serve(paths)
        return
    started = time.perf_counter()
    received = Received()
    received.read()
    system.call_after(started + RUN_SECONDS - time.perf_counter(), lambda: system.exit_now(0))
    _answer(_adapter(agent), agent, received, paths, started)
    # Everything is written: tearing the interpreter down would only keep the agent waiting.
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


def _answer(adapter: "ModuleType", agent: str, received: Received, paths: Paths, started: float) -> None:
    """Reply to one payload, then write the log and have the tokens counted."""
    settings = load_settings(paths)
    payload, call = _understand(adapter, agent, received, settings)
    if adapter.RUNS_EACH_COPY and not selftest() and _is_another_copys(call, paths):
        return
    reply = ""
    try:
        if settings.encodings != ("json",) or settings.encodings_for:
            call.model = call.model or adapter.model(payload)  # decides which encodings are proven
        decide(call, settings)
        announce(call, paths, in_context=adapter.SHOWS_CONTEXT)
        if call.changed():
            reply = adapter.reply(payload, call)
        if reply:
            # A lone surrogate in what we hand back goes out as it came in: as an escape.
            system.write_all(1, reply.encode("utf-8", "backslashreplace"))
    except Exception:  # the agent keeps what it had; the log says that something was wrong
        call.fail()
    if not selftest():
        call.model = call.model or adapter.model(payload)
        log_call(call, settings, paths, "hook", started)


def selftest() -> bool:
    """True while the installer or doctor tries the hook: default settings, no log."""
    return system.environment("UNPRETTY_SELFTEST") == "1"


def load_settings(paths: Paths) -> "Settings":
    """The settings in force; the defaults while the hook is only tried."""
    if selftest():
        from unpretty.settings.defaults import Settings

        return Settings()
    from unpretty.settings.resolved import load

    return load(paths.resolved, paths.config)


def _adapter(agent: str) -> "ModuleType":
    if agent == "codex":
        from unpretty_hooks import codex

        return codex
    from unpretty_hooks import claude_code

    return claude_code


def _understand(
    adapter: "ModuleType", agent: str, received: Received, settings: "Settings"
) -> "tuple[dict[str, object], Call]":
    """The payload and the call it tells about; an unreadable one becomes a call without fields."""
    why = reason.TOO_LARGE if len(received.data) > MAX_PAYLOAD_BYTES else reason.BAD_PAYLOAD
    try:
        payload = received.value()
        if isinstance(payload, dict):
            call: Call = adapter.read(payload, settings)
            return payload, call
    except (InvalidJSON, UnicodeDecodeError, RecursionError, MemoryError):
        pass
    except Exception:
        why = reason.ERROR
    from unpretty_hooks.call import Call as NoCall

    call = NoCall(agent)
    call.reason = why
    return {}, call


def _is_another_copys(call: "Call", paths: Paths) -> bool:
    """Whether the agent runs a second copy of our hook on this call, and that one answers."""
    if not system.exists(f"{system.directory_of(paths.log)}/copies-{call.agent}"):  # locations.copies_file
        return False
    from unpretty_hooks.claim import claim

    return not claim(call, paths.log)


def decide(call: "Call", settings: "Settings") -> None:
    """Set the compaction of each field of ``call``."""
    why = call.reason or settings.off_reason(call.tool, call.command, call.project)
    for field in call.fields:
        if why:
            field.leave(why)
            continue
        context = field.context
        settings.apply_to(context)
        context.choose = settings.chooser(call.agent, call.tool, call.model)
        if context.choose is not None:
            _see_installed_packages()
        field.compaction = compact(field.text, context)
        if field.compaction.decision.converted and _has_lone_surrogate(field.compaction.text):
            # It cannot be written as UTF-8, and the client would put a replacement character in its place.
            field.leave(reason.NOT_VERIFIED)


def announce(call: "Call", paths: Paths, in_context: bool) -> None:
    """Have the model told, once in a session, when a text is in another encoding than JSON; see ``notice``."""
    for field in call.changed():
        if field.compaction is not None and field.compaction.decision.encoding not in ("", "json") and not selftest():
            from unpretty_hooks.notice import announce as announce_once

            announce_once(call, paths.log, in_context)
            return


def _see_installed_packages() -> None:
    """Let table encodings import what they need: this interpreter was started without any installed package."""
    remove_stand_in()
    if any(path.endswith("site-packages") for path in sys.path):
        return
    from unpretty.tokens.background import interpreter

    package = sys.modules["unpretty"].__path__[0]
    environment = system.directory_of(system.directory_of(interpreter(sys.executable)))
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}{'t' if 't' in getattr(sys, 'abiflags', '') else ''}"
    sys.path += [system.directory_of(package), f"{environment}/lib/{version}/site-packages"]


def _has_lone_surrogate(text: str) -> bool:
    if text.isascii():
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def log_call(call: "Call", settings: "Settings", paths: Paths, via: str, started: float) -> None:
    """Append a decision line for each field of ``call`` (one without fields: for the call), then count tokens."""
    count_tokens(log_decisions(call, settings, paths, via, started), settings, paths)


def log_decisions(
    call: "Call", settings: "Settings", paths: Paths, via: str, started: float
) -> "list[tuple[str, str, str]]":
    """Append the decision lines; id, text before and text after of each converted field."""
    milliseconds = (time.perf_counter() - started) * 1000
    outcomes = [(field.name, field.compaction) for field in call.fields if field.compaction is not None]
    if not outcomes:
        outcomes = [("", Compaction("", Decision(call.reason, "", 0)))]
    counted = []
    for (name, compaction), field in zip(outcomes, [*call.fields, None], strict=False):
        record = record_of(call, name, compaction.decision, via, milliseconds)
        append(paths.log, record, settings.log_max_bytes, settings.log_files)
        if compaction.decision.converted and field is not None:
            counted.append((str(record["id"]), field.text, compaction.text))
    return counted


def count_tokens(texts: "list[tuple[str, str, str]]", settings: "Settings", paths: Paths) -> None:
    """Have the tokens of ``texts`` (see ``log_decisions``) counted by a process of its own, unless settings say no."""
    if texts and settings.count_tokens == "exact":
        from unpretty.tokens.background import count_later

        count_later(sys.executable, paths.log, texts, settings.log_max_bytes, settings.log_files)


def record_of(call: "Call", field: str, decision: Decision, via: str, milliseconds: float) -> "dict[str, object]":
    """The line of the decision log for one field of ``call``."""
    who: dict[str, object] = {
        "via": via,
        "agent": call.agent,
        "agent_version": call.agent_version,
        "session": call.session,
        "tool_use_id": call.tool_use_id,
        "project": call.project,
        "model": call.model,
        "tool": call.tool,
        "field": field,
    }
    return decision_record(who, decision, milliseconds)
