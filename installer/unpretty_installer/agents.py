"""The agents that unpretty can be set up in: each row of the table of agents has a package here, found by its name."""

from unpretty import agents
from unpretty.agents import Agent, names
from unpretty_installer.core.agent_installer import AgentInstaller

__all__ = ["chosen", "every", "get", "names"]


def get(name: str) -> AgentInstaller:
    """What the installer does for the agent called ``name``, one of ``names()``; its package is imported only now."""
    return _of(agents.get(name))


def every() -> list[AgentInstaller]:
    """All agents, in the order of listings."""
    return [_of(row) for row in agents.every()]


def chosen(named: tuple[str, ...]) -> list[AgentInstaller]:
    """The agents named, whether found or not; without names every agent found on this machine."""
    if named:
        return [get(name) for name in names() if name in named]
    return [agent for agent in every() if agent.is_found()]


def _of(row: Agent) -> AgentInstaller:
    found = getattr(agents.module("unpretty_installer", row), "installer", None)
    assert isinstance(found, AgentInstaller), f"unpretty_installer.{row.module} has no `installer`"
    return found
