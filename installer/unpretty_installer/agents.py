"""The agents that unpretty can be set up in: one object each, made by the agent's module, found here by name."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from unpretty_installer.core.plan import Options, Plan

if TYPE_CHECKING:
    from unpretty_installer.core.report import AgentReport

# name on the command line -> module under unpretty_installer, whose ``agent`` is an Agent
_MODULES = {"claude-code": "claude_code", "codex": "codex", "opencode": "opencode"}
NAMES = tuple(_MODULES)


@dataclass(frozen=True, slots=True)
class Agent:
    """What the installer needs to know of an agent. All functions read only.

    Attributes:
        name: the name on the command line, in the registered command and in the decision log.
        title: the name in a sentence.
        is_found: whether the agent is on this machine (its program or its directory).
        plan_install: what setting it up would write. Nothing to do gives a plan whose ``is_empty`` is true.
            Raises UnprettyError when its files cannot be read or edited; they stay as they are.
        plan_uninstall: what taking it back would write, in every place where it was set up; same rules.
        examine: the doctor's report; it raises nothing, what is wrong is a problem in the report.
    """

    name: str
    title: str
    is_found: Callable[[], bool]
    plan_install: Callable[[Options], Plan]
    plan_uninstall: Callable[[Options], Plan]
    examine: Callable[[Options], "AgentReport"]


def get(name: str) -> Agent:
    """The agent called ``name``, which is one of ``NAMES``; its module is imported only now."""
    agent = import_module(f"unpretty_installer.{_MODULES[name]}.plans").agent
    assert isinstance(agent, Agent)
    return agent


def every() -> list[Agent]:
    """All agents, in the order of their names."""
    return [get(name) for name in NAMES]


def chosen(names: tuple[str, ...]) -> list[Agent]:
    """The agents named, whether found or not; without names every agent found on this machine."""
    if names:
        return [get(name) for name in NAMES if name in names]
    return [agent for agent in every() if agent.is_found()]
