"""What is right and what is wrong with an installation, as values."""

from dataclasses import dataclass
from typing import Literal

from unpretty.installer.plan import Note

Status = Literal["active", "not_installed", "not_trusted", "modified", "disabled", "broken", "client_too_old"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong. ``fix`` is the command (or the step) that mends it."""

    code: str
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class AgentReport:
    """One agent as the doctor found it.

    Attributes:
        agent: its name on the command line.
        title: its name in a sentence.
        found: whether it is on this machine.
        version: its version, None when unknown.
        status: see ``Status``.
        config: the file that holds our entry, or would hold it; empty when there is none.
        faults: what is wrong; the doctor exits 1 when any agent has one.
        notices: what the agent does not allow, or is good to know; never a reason to exit 1.
        run_ms: how long the registered command took on a sample, milliseconds; None when it was not run.
        last_decision: the last line about this agent in the decision log: ts, tool, decision, reason; None when none.
    """

    agent: str
    title: str
    found: bool
    version: str | None
    status: Status
    config: str
    faults: tuple[Fault, ...] = ()
    notices: tuple[Note, ...] = ()
    run_ms: float | None = None
    last_decision: dict[str, object] | None = None
