"""What is left when unpretty itself has a bug: a file that can be attached to an issue.

It holds where the error happened, versions and the platform: no variable of the environment, no argument, and of the
exceptions only their kinds, since their messages may quote the data that caused them.
"""

import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator

from unpretty import __version__, locations
from unpretty.engine import system


def write_bug_report() -> str:
    """Write a report on the exception that is being handled; the sentence to print about it. Never raises."""
    error = sys.exc_info()[1]
    name = type(error).__name__
    try:
        path = locations.state_dir() / f"bug-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        system.make_directories(str(path.parent))
        handle = system.open_file(str(path), system.WRITE | system.CREATE | system.EXCLUSIVE)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(_report(error))
    except Exception as exc:  # the sentence has to appear in any case
        return f"unpretty: {name}, which is a bug in unpretty; the report on it could not be written ({exc})."
    return f"unpretty: {name}, which is a bug in unpretty. {path} is a report that you can attach to an issue."


def _report(error: BaseException | None) -> Iterator[str]:
    yield f"unpretty {__version__}\n"
    yield f"Python {platform.python_version()} ({platform.python_implementation()})\n"
    yield f"{platform.platform()}\n"
    while error is not None:
        yield f"\n{type(error).__name__}, raised in\n"
        yield from traceback.format_tb(error.__traceback__)
        error = error.__cause__ or error.__context__
