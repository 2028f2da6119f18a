"""A tool call as the adapters describe it: who made it, and which of its texts may be made smaller."""

from unpretty.engine import reason
from unpretty.engine.compaction import Compaction, Decision
from unpretty.engine.context import Context
from unpretty.engine.json_text.scanner import mapping_of, text_of


class Field:
    """One text of a tool result.

    Attributes:
        name: where the text is in the result, as the decision log spells it (``stdout``, ``[0].text``).
        text: the text as the agent handed it over.
        context: what is known about it.
        whole: the text is all of a result that the agent truncated.
        compaction: what became of it; ``serving`` sets it.
    """

    __slots__ = ("compaction", "context", "name", "text", "whole")

    def __init__(self, name: str, text: str, context: Context, whole: bool = False) -> None:
        self.name = name
        self.text = text
        self.context = context
        self.whole = whole
        self.compaction = Compaction(text, Decision("", text, 0))

    def leave(self, why: str) -> None:
        """Keep the original text, for the reason ``why``."""
        self.compaction = Compaction(self.text, Decision(why, self.text))


class Call:
    """One tool call of an agent.

    Attributes:
        agent, agent_version, session, tool_use_id, project, model, tool: as in the decision log, "" when unknown.
        command: the shell command, never logged.
        payload: what the agent handed over, empty when that is unknown or no payload of its.
        budget_ms: the time limit that the agent sets, in milliseconds; None when it sets none.
        for_program: a program reads the result, not the model: nothing but JSON may be changed, and stays JSON.
        fields: the texts that may be made smaller, in order.
        reason: why there are none, "" when there are some.
        notice: a line for the model with the result, "" when there is none.
        reply: what goes to the agent, "" for nothing.
        elsewhere: another copy of the hook answers this call, so this one neither replies nor logs.
    """

    __slots__ = (
        "agent", "agent_version", "budget_ms", "command", "elsewhere", "fields", "for_program", "model", "notice",
        "payload", "project", "reason", "reply", "session", "tool", "tool_use_id",
    )  # fmt: skip

    def __init__(self, agent: str, why: str = "") -> None:
        self.agent = agent
        self.agent_version = ""
        self.session = ""
        self.tool_use_id = ""
        self.project = ""
        self.model = ""
        self.tool = ""
        self.command = ""
        self.payload: "dict[str, object]" = {}
        self.budget_ms: "int | None" = None
        self.for_program = False
        self.fields: "list[Field]" = []
        self.reason = why
        self.notice = ""
        self.reply = ""
        self.elsewhere = False

    def fail(self) -> None:
        """Keep every text: something went wrong."""
        self.reason = reason.ERROR
        self.reply = ""
        for field in self.fields:
            field.leave(reason.ERROR)

    def changed(self) -> "list[Field]":
        """The fields that became smaller."""
        return [field for field in self.fields if field.compaction.decision.converted]


def call_of(agent: str, payload: "dict[str, object]") -> Call:
    """The call that a payload in the form of Claude Code's hooks tells about, without its texts."""
    call = Call(agent)
    call.session = text_of(payload, "session_id")
    call.tool_use_id = text_of(payload, "tool_use_id")
    call.project = text_of(payload, "cwd")
    call.model = text_of(payload, "model")
    call.tool = text_of(payload, "tool_name")
    call.command = text_of(mapping_of(payload, "tool_input"), "command")
    return call
