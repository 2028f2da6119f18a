"""The command that agents run, and the one test of whether a command is ours.

It is the same over every upgrade: the interpreter's link and ``hook.py`` in the data folder change, never the command.
Agents that ask the user to trust a command by its text (Codex) need that.
"""

import re
import shlex
import sys

from unpretty import locations


def interpreter() -> str:
    """The interpreter that runs the hook: our link to it; on Windows, where links need rights, its own path."""
    path = sys.executable if sys.platform == "win32" else str(locations.data_dir() / "python")
    return _portable(path)


def argv(agent: str) -> list[str]:
    """The registered command as a list of words. ``-I -S``: no site-packages, no variables of the user's."""
    return [interpreter(), "-I", "-S", _portable(str(locations.data_dir() / "hook.py")), agent]


def shell_command(agent: str) -> str:
    """The registered command for a POSIX shell; ``exec`` saves the shell's own process (about 2 ms)."""
    return "exec " + shlex.join(argv(agent))


def is_ours(command: str, agent: str) -> bool:
    """Whether a command is ours for ``agent``: it ends in ``unpretty/hook.py`` (quoted or not) and the agent's name.

    What stands before does not matter: an older place, ``$HOME/...``, another interpreter. For a handler with separate
    arguments pass them joined by spaces.
    """
    return (
        re.search(rf"""(?:^|[/\\"'\s])unpretty[/\\]+hook\.py["']?\s+["']?{re.escape(agent)}["']?\s*$""", command)
        is not None
    )


def _portable(path: str) -> str:
    """Forward slashes on Windows too: Git Bash takes backslashes for escapes."""
    return path.replace("\\", "/") if sys.platform == "win32" else path
