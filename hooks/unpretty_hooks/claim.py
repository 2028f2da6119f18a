"""Which of several copies of our hook answers a call. Loaded only where the installer found a second copy.

Codex runs every copy, from the user's and from the project's configuration, at the same moment on the same result, and
gives the model the answers of all. So the first one to create a file named after the call answers, and the others
print nothing. The files are empty and deleted after a minute.
"""

import contextlib  # noqa: TID253  only where an agent runs two copies
import os  # noqa: TID253
import time

from unpretty.engine import system
from unpretty_hooks.call import Call

# Copies of one call start within milliseconds of one another, and each ends within seconds.
_SECONDS = 60
# Characters of a file name: 255 bytes are allowed nearly everywhere, and each byte of an id takes two characters.
_NAME_CHARS = 240


def claim(call: Call, log_path: str) -> bool:
    """Whether this process answers ``call``: True for one copy only, False also when it cannot be determined."""
    if not call.tool_use_id or system.is_uninstalled():
        return False
    directory = system.directory_of(log_path) + "/claims"
    name = f"{call.session} {call.tool_use_id}".encode("utf-8", "surrogatepass").hex()[-_NAME_CHARS:]
    try:
        system.make_directories(directory)
        _forget_old(directory)
        system.close(system.open_file(f"{directory}/{name}", system.WRITE | system.CREATE | system.EXCLUSIVE))
    except (OSError, ValueError):
        return False
    return True


def _forget_old(directory: str) -> None:
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if time.time() - entry.stat().st_mtime > _SECONDS:
                os.unlink(entry)
