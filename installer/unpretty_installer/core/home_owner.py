"""Root in the home directory of another user, as with ``sudo -E`` or in an image build.

What we create is given to the home's owner where it is created (``system.home_owner``). Agents' own programs create
files too, so they run as that user.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import unpretty
from unpretty.engine import system
from unpretty_installer.core import launcher
from unpretty_installer.core.plan import Note

# A directory that is there: the current one may have been deleted, or be one that the user must not enter.
ANYWHERE = os.path.abspath(os.sep)  # noqa: PTH100
_TIMEOUT_SECONDS = 20.0


def run_as() -> dict[str, Any]:
    """Arguments with which ``subprocess`` starts a program as the owner of HOME; none where all is as usual."""
    owner = system.home_owner()
    return {} if owner is None else {"user": owner[0], "group": owner[1], "extra_groups": []}


def answer(command: Sequence[str], seconds: float) -> bytes | None:
    """What a program prints that runs as the owner of HOME; None when it fails or takes longer than ``seconds``."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=True,
            cwd=ANYWHERE,
            **run_as(),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    output: bytes = done.stdout
    return output


def notes() -> tuple[Note, ...]:
    """A warning when the owner of HOME cannot run this install, so that the hook would be there and do nothing."""
    owner = system.home_owner()
    if owner is None or _can_run(launcher.interpreter()):
        return ()
    message = (
        f"User {owner[0]}, who owns HOME, cannot run this unpretty ({sys.prefix}): for that user the hook would do"
        " nothing. Install unpretty as that user, or where every user can read it."
    )
    return (Note("owner_cannot_run", message),)


def _can_run(python: str) -> bool:
    """Whether the owner of HOME can start ``python`` and read our package."""
    package = Path(unpretty.__file__).absolute()
    command = [python, "-I", "-S", "-c", "import sys; open(sys.argv[1]).close()", str(package)]
    return answer(command, _TIMEOUT_SECONDS) is not None
