"""The way from an agent's payload to a decision: the same for the hook, the worker, ``explain`` and ``estimate``.

An adapter is the module of an agent in this package, with the functions

    read(payload, settings) -> Call     the call with its texts; it may raise anything
    reply(payload, call) -> str         what the agent is to be given, "" for nothing; it may still leave a text
    model(payload) -> str               the model that reads the result, "" when unknown
    payload_of(value) -> dict | None    the payload that a JSON object is or records, for ``explain``
"""

import sys

from unpretty import agents
from unpretty.engine import reason, system
from unpretty.engine.compaction import compact
from unpretty_hooks.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from unpretty.settings.defaults import Settings

    class Adapter(Protocol):
        """See the module."""

        def read(self, payload: "dict[str, object]", settings: Settings) -> Call: ...  # noqa: D102
        def reply(self, payload: "dict[str, object]", call: Call) -> str: ...  # noqa: D102
        def model(self, payload: "dict[str, object]") -> str: ...  # noqa: D102
        def payload_of(self, value: "dict[str, object]") -> "dict[str, object] | None": ...  # noqa: D102


class Memory:
    """What one call knows of the others. This class keeps it in the process; ``state.Files`` keeps it in files."""

    def __init__(self) -> None:
        self._announced: "set[tuple[str, str]]" = set()

    def claims(self, call: Call) -> bool:
        """Whether this process answers ``call``, and not another copy of the hook that the agent runs on it."""
        return True

    def is_first(self, session: str, encoding: str) -> bool:
        """Whether ``session`` meets ``encoding`` for the first time; asked once for each."""
        key = (session, encoding)
        first = key not in self._announced
        self._announced.add(key)
        return first


def handle(agent: str, payload: object, settings: "Settings", memory: "Memory | None" = None) -> Call:
    """The call that ``payload`` tells about with its decisions made, and in ``reply`` what ``agent`` is to be given.

    Never raises: an error in the agent's name, the payload or our own code becomes the reason of the call.

    Args:
        agent: the name of a row of ``unpretty.agents``.
        payload: as ``scanner.loads`` gives it.
        settings: those in force.
        memory: what is known of other calls; None when this call is the only one.
    """
    if agent not in agents.ROWS or not isinstance(payload, dict):
        return Call(agent, reason.BAD_PAYLOAD)
    adapter = adapter_of(agent)
    memory = Memory() if memory is None else memory
    call = Call(agent)
    try:
        call = adapter.read(payload, settings)
        if not memory.claims(call):
            call.elsewhere = True
            return call
        if settings.encodings != ("json",) or settings.encodings_for:
            call.model = call.model or adapter.model(payload)  # decides which encodings the evidence allows
        decide(call, settings)
        _announce(call, memory)
        call.reply = adapter.reply(payload, call)
    except Exception:  # the agent keeps the original; the log says that there was an error
        call.fail()
    call.payload = payload
    return call


def adapter_of(agent: str) -> "Adapter":
    """The adapter of the agent called ``agent``; raises KeyError when there is no such agent."""
    return agents.module("unpretty_hooks", agents.get(agent))  # type: ignore[return-value]


def decide(call: Call, settings: "Settings") -> None:
    """Set the compaction of each field of ``call``."""
    why = call.reason or settings.off_reason(call.tool, call.command, call.project)
    for field in call.fields:
        if why:
            field.leave(why)
            continue
        context = field.context
        settings.apply_to(context)
        if call.budget_ms is not None:
            context.budget_seconds = min(context.budget_seconds, call.budget_ms / 1000)
        context.choose = None if call.for_program else settings.chooser(call.agent, call.tool, call.model)
        if context.choose is not None:
            _see_installed_packages()
        field.compaction = compact(field.text, context)
        if field.compaction.decision.converted and not system.is_utf8(field.compaction.text):
            # It cannot be written as UTF-8, and the client would put a replacement character in its place.
            field.leave(reason.NOT_VERIFIED)


def _announce(call: Call, memory: Memory) -> None:
    """Announce to the model, once in a session, that a text is in another encoding than JSON; see ``notice``."""
    for field in call.changed():
        if field.compaction.decision.encoding not in ("", "json"):
            from unpretty_hooks.notice import announce

            announce(call, memory.is_first, agents.get(call.agent).shows_context)
            return


def _see_installed_packages() -> None:
    """Let table encodings import what they need: the hook's interpreter was started without any installed package."""
    if any(path.endswith("site-packages") for path in sys.path):
        return
    from unpretty.tokens.background import interpreter

    package = sys.modules["unpretty"].__path__[0]
    environment = system.directory_of(system.directory_of(interpreter(sys.executable)))
    sys.path += [system.directory_of(package), f"{environment}/lib/{system.python_directory()}/site-packages"]
