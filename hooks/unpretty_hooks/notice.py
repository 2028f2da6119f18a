"""The line that tells a model, once in a session, that tables are written in another encoding than JSON.

Loaded only when a result is in another encoding, which is off by default. A directory next to the
decision log remembers that the line was given: an empty file per session and encoding.
"""

import contextlib  # noqa: TID253  the encodings have loaded more by now
import os  # noqa: TID253

from unpretty.encodings.registry import ENCODINGS  # noqa: TID253
from unpretty.engine import system
from unpretty.engine.commands import RAW_MARKER
from unpretty_hooks.call import Call, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# This many sessions are remembered; older ones have ended.
_MAX_REMEMBERED = 500


def announce(call: Call, is_first: "Callable[[str, str], bool]", in_context: bool) -> None:
    """Give the line for each encoding of ``call`` that this session meets for the first time.

    Args:
        call: with its decisions made.
        is_first: whether a session meets an encoding for the first time; see ``serving.Memory``.
        in_context: put the line into ``call.notice``, which the agent shows with the result; otherwise it becomes
            the first line of the text.
    """
    for field in call.changed():
        encoding = field.compaction.decision.encoding
        if encoding in ("", "json") or not is_first(call.session, encoding):
            continue
        line = ENCODINGS[encoding].notice
        if call.command:
            line += f" For the original, put {RAW_MARKER} in front of the command."
        if in_context:
            call.notice = f"{call.notice}\n{line}".lstrip()
        else:
            _put_first(field, line)


def _put_first(field: Field, line: str) -> None:
    field.compaction.text = f"[{line}]\n{field.compaction.text}"
    for name in ("bytes_out", "chars_out"):
        size = getattr(field.compaction.decision, name)
        setattr(field.compaction.decision, name, size + len(line) + 3)


def remember(log_path: str, session: str, encoding: str) -> bool:
    """Note that ``session`` met ``encoding``: True the first time, also among calls at the same moment.

    False when it cannot be remembered.
    """
    directory = system.directory_of(log_path) + "/noticed"
    name = "".join(char if char.isalnum() else "-" for char in session)[:80]
    if system.is_uninstalled():
        return False
    try:
        system.make_directories(directory)
        system.close(
            system.open_file(f"{directory}/{name}.{encoding}", system.WRITE | system.CREATE | system.EXCLUSIVE)
        )
    except (OSError, ValueError):
        return False
    _forget_oldest(directory)
    return True


def _forget_oldest(directory: str) -> None:
    with contextlib.suppress(OSError):
        known = os.listdir(directory)
        if len(known) > _MAX_REMEMBERED:
            known.sort(key=lambda name: os.stat(f"{directory}/{name}").st_mtime)
            for name in known[: _MAX_REMEMBERED // 2]:
                os.unlink(f"{directory}/{name}")
