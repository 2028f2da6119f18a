"""What the hook does with one tool result, and why: the same adapters and the same engine, nothing sent or logged."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from unpretty import agents
from unpretty.engine.context import SHELL, Context
from unpretty.engine.json_text.scanner import InvalidJSON, loads
from unpretty.errors import UnprettyError
from unpretty.settings.defaults import Settings
from unpretty_hooks import serving
from unpretty_hooks.call import Call, Field
from unpretty_hooks.state import outcomes, record_of


@dataclass(frozen=True, slots=True)
class Explained:
    """One text of a tool result: what came in, what would go out, and the decision as the log would hold it."""

    before: str
    after: str
    record: dict[str, object]


def explain(data: bytes, settings: Settings, agent: str = "") -> list[Explained]:
    """Each text of the tool result in ``data`` with its decision.

    ``data`` is what an agent hands to its hook (JSON), or any other text, which is then treated as the output of a
    shell command. Raises UnprettyError when it is not UTF-8, or when ``agent`` is given and it is no payload of that
    agent's.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise UnprettyError(
            f"The input is not UTF-8 (byte {exc.start}).", code="not_utf8", hint="Convert it first, e.g. with iconv."
        ) from None
    started = time.perf_counter()
    name, payload = _payload(text, (agent,) if agent else agents.names())
    if agent and not name:
        raise UnprettyError(
            f"The input is not a payload of {agent}.", code="no_payload", hint="Leave --agent out for plain output."
        )
    call = serving.handle(name, payload, settings) if name else _shell_output(text, settings)
    milliseconds = (time.perf_counter() - started) * 1000
    return [
        Explained(before, compaction.text, record_of(call, field, compaction.decision, "explain", milliseconds))
        for field, before, compaction in outcomes(call)
    ]


def _payload(text: str, names: Iterable[str]) -> tuple[str, dict[str, object]]:
    """The agent of ``names`` that hands out payloads like ``text``, and the payload; "" for any other text."""
    try:
        value = loads(text)
    except (InvalidJSON, RecursionError):
        return "", {}
    if isinstance(value, dict):
        for name in names:
            payload = serving.adapter_of(name).payload_of(value)
            if payload is not None:
                return name, payload
    return "", {}


def _shell_output(text: str, settings: Settings) -> Call:
    """A call without an agent that printed ``text``, with its decisions made."""
    call = Call("")
    call.fields.append(Field("text", text, Context(SHELL, noise=True, paths=True)))
    serving.decide(call, settings)
    return call
