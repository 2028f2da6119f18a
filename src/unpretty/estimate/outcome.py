"""What the hook would have done with one recorded tool result: the same adapters and the same engine, nothing sent."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field

from unpretty.engine.context import byte_length
from unpretty.engine.json_text.documents import Documents, may_hold_documents
from unpretty.engine.terminal import reduce_noise
from unpretty.settings.defaults import Settings
from unpretty.transcripts.result import ToolResult
from unpretty_hooks.call import Call, Field
from unpretty_hooks.serving import Memory, handle

# The steps that savings are counted by. ``document`` and ``embedded`` are the engine's step ``json`` on a text that
# is one document and on one that holds documents among other text; ``other`` is what no step accounts for: texts of
# which the agent cuts off a part after the hook.
STEPS = ("document", "embedded", "nested", "noise", "paths", "tables", "other")
_BLANK = " \t\n\r\ufeff"
_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Change:
    """One text before and after; UTF-8 bytes as the decision log would have them, and those saved by each step."""

    before: str
    after: str
    bytes_in: int
    bytes_out: int
    steps: dict[str, int]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What would have become of one tool result.

    Attributes:
        reason: a code of ``unpretty.engine.reason`` or of ``unpretty.transcripts.result``.
        bytes_read: UTF-8 bytes of what the model read.
        json_bytes: how many of them belong to JSON documents.
        changes: the texts that would have become smaller.
        gained: texts of which the model would have read more, or all instead of a preview; they save nothing.
    """

    reason: str
    bytes_read: int
    json_bytes: int
    changes: list[Change] = field(default_factory=list)
    gained: int = 0


def judge(result: ToolResult, settings: Settings, memory: Memory | None = None) -> Judgement:
    """Have the hook of the result's agent decide on ``result``; nothing is sent or logged.

    ``memory`` is what the hook would know of earlier calls; None when this is the only one.
    """
    json_bytes = sum(byte_length(text[start:end]) for text in result.texts for start, end in _documents(text))
    bytes_read = sum(map(byte_length, result.texts))
    if result.reason:
        return Judgement(result.reason, bytes_read, json_bytes)
    call = handle(result.agent, result.payload, settings, memory)
    changes = [_change(changed) for changed in call.changed()]
    smaller = [change for change in changes if change.bytes_in != change.bytes_out]
    return Judgement(_reason(call), bytes_read, json_bytes, smaller, len(changes) - len(smaller))


def _reason(call: Call) -> str:
    """One reason for all texts of a call: converted if any is, else that of the largest."""
    decisions = [field.compaction.decision for field in call.fields]
    if not decisions:
        return call.reason
    return max(decisions, key=lambda decision: (decision.converted, decision.bytes_in)).reason


def _change(changed: Field) -> Change:
    decision = changed.compaction.decision
    steps = dict(decision.steps)
    saved = steps.pop("json", 0)
    if saved:
        steps["document" if _is_document(changed) else "embedded"] = saved
    rest = decision.bytes_in - decision.bytes_out - sum(steps.values())
    if rest:
        steps["other"] = rest
    # Of a text that the agent cuts after the hook only the beginning is read.
    after = changed.compaction.text[: decision.chars_out]
    return Change(changed.text, after, decision.bytes_in, decision.bytes_out, steps)


def _is_document(changed: Field) -> bool:
    """True when the text is one document and nothing else, but for a frame that the agent put before it."""
    text = changed.text
    if "noise" in changed.compaction.decision.steps:
        text = reduce_noise(text) or text
    begin = changed.context.frame_chars
    found = _documents(text, begin)
    if len(found) != 1:
        return False
    start, end = found[0]
    return not (text[begin:start].strip(_BLANK) or text[end:].strip(_BLANK))


def _documents(text: str, begin: int = 0) -> list[tuple[int, int]]:
    """Where the JSON documents of ``text`` begin and end, in characters, from ``begin`` on."""
    if not may_hold_documents(text, begin):
        return []
    collecting = gc.isenabled()
    gc.disable()  # as in the engine: a scan makes very many objects and no cycles
    try:
        deadline = time.monotonic() + _SECONDS
        return [(start, end) for start, end, _ in Documents(text, begin, deadline)]
    except (RecursionError, MemoryError):
        return []
    finally:
        if collecting:
            gc.enable()
