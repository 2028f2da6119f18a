"""An agent's program on this machine: where it is, and which version it says it has."""

import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unpretty.agents import Agent
from unpretty_installer.core import selftest


@cache
def _answer(program: str) -> str | None:
    return number(selftest.program_version(program) or "")


def number(text: str) -> str | None:
    """The version number in a line of text, such as ``2.1.332``; None when there is none."""
    match = re.search(r"\d+\.\d+\.\d+", text)
    return match.group() if match else None


@dataclass(frozen=True, slots=True)
class AgentClient:
    """The client of an agent.

    Attributes:
        row: the agent.
        elsewhere: where the client's own installers put its program when it is not on PATH.
        ask: the version of the program at a path; None when it does not answer within seconds.
    """

    row: Agent
    elsewhere: Callable[[], Iterable[Path]] = tuple
    ask: Callable[[str], str | None] = _answer

    def program(self) -> str | None:
        """The client's program."""
        on_path = filter(None, map(shutil.which, self.row.programs))
        return next(on_path, None) or next((str(path) for path in self.elsewhere() if os.access(path, os.X_OK)), None)

    def version(self) -> str | None:
        """The client's version; None when it is not found or does not say."""
        found = self.program()
        return None if found is None else self.ask(found)

    def is_found(self) -> bool:
        """Whether the client is on this machine: its program or a directory of its configuration."""
        return any(directory.is_dir() for directory in self.directories()) or self.program() is not None

    def directories(self) -> list[Path]:
        """The directories of the user's configuration, that with precedence first."""
        kinds = (self.row.more_config, self.row.config)
        return [path for kind in kinds if kind is not None and (path := kind.path()) is not None]

    def directory(self) -> Path:
        """The directory of the user's configuration in which our entry belongs."""
        return self.directories()[0]
