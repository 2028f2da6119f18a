"""What the installer does for one agent, as a value that each agent's package makes."""

from collections.abc import Callable
from dataclasses import dataclass

from unpretty.agents import Agent
from unpretty_installer.core.plan import Options, Plan
from unpretty_installer.core.report import AgentReport


@dataclass(frozen=True, slots=True)
class AgentInstaller:
    """What the installer does for an agent. All functions only read.

    Attributes:
        row: the agent.
        is_found: whether the agent is on this machine (its program or its directory).
        plan_install: what setting it up would write. Nothing to do gives a plan whose ``is_empty`` is true.
            Raises UnprettyError when its files cannot be read or edited; they stay as they are.
        plan_uninstall: what undoing that would write, in every location where it was set up; same rules.
        examine: the doctor's report; it raises nothing, what is wrong is a problem in the report.
    """

    row: Agent
    is_found: Callable[[], bool]
    plan_install: Callable[[Options], Plan]
    plan_uninstall: Callable[[Options], Plan]
    examine: Callable[[Options], AgentReport]

    @property
    def name(self) -> str:
        """The agent's name on the command line."""
        return self.row.name

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        return self.row.title
