"""The command that agents run, and the one test of whether a command is ours.

It is the same over every upgrade: the interpreter's link and ``hook.py`` in the data directory change, never the
command. Agents that ask the user to trust a command by its text (Codex) need that.
"""

import re
import shlex
import sys

from unpretty import locations
from unpretty.engine import system
from unpretty.errors import UnprettyError


def interpreter() -> str:
    """The interpreter that runs the hook: our link to it; on Windows, where links need rights, its own path."""
    path = sys.executable if sys.platform == "win32" else str(locations.data_dir() / "python")
    return _portable(path)


def argv(agent: str) -> list[str]:
    """The registered command as a list of arguments. ``-I -S``: no site-packages, no variables of the user's.

    Raises:
        UnprettyError: the agents' files, which are UTF-8, cannot name our directory.
    """
    if not system.is_utf8(str(locations.data_dir())):
        shown = str(locations.data_dir()).encode("utf-8", "backslashreplace").decode("utf-8")
        message = f"The name of {shown} is no UTF-8 text, so the agents' files cannot hold it."
        raise UnprettyError(message, code="bad_path", hint="Set XDG_DATA_HOME to a directory with another name.")
    return [interpreter(), "-I", "-S", _portable(str(locations.data_dir() / "hook.py")), agent]


def shell_command(agent: str) -> str:
    """The registered command for a POSIX shell: it always ends with status 0 and never writes to standard error.

    Clients show any other status to the user, and Codex replaces the tool result by what a command with status 2 wrote
    to standard error: Python, when it cannot read its script. So the shell waits for Python and reports success, also
    when it cannot start a process (dash then exits with 2). Standard error is closed in the shell, which needs no file
    handle, and leads nowhere in Python, which may write to a handle of that number.

    Measured with Claude Code 2.1.332 and 2.1.121 (``/bin/sh -c``) and Codex 0.171 (``/bin/bash -c``, whatever the
    user's own shell is): at their time limit both end the whole process group, so Python does not outlive the shell.
    """
    return f"trap 'exit 0' EXIT; exec 2>&-; {shlex.join(argv(agent))} 2>/dev/null"


def is_ours(command: str, agent: str) -> bool:
    """Whether a command is ours for ``agent``: it holds the words ``unpretty/hook.py`` (quoted or not) and ``agent``.

    What is around them does not matter: an older directory, ``$HOME/...``, another interpreter, ``exec``, a pipe. For a
    handler with separate arguments pass them joined by spaces.
    """
    script = r"""(?:^|[/\\"'\s])unpretty[/\\]+hook\.py["']?"""
    return re.search(rf"""{script}\s+["']?{re.escape(agent)}["']?(?=$|[\s;|&<>)])""", command) is not None


def _portable(path: str) -> str:
    """Forward slashes on Windows too: Git Bash takes backslashes for escapes."""
    return path.replace("\\", "/") if sys.platform == "win32" else path
