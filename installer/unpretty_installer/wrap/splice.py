"""Puts arguments in front of a server's command, in the text of its file, and takes them out again.

Nothing else in the text moves, and an argument that moves keeps its spelling, so that taking out is the
exact inverse of putting in, also in a file that was edited in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Span = tuple[int, int]  # start and end, in characters


@dataclass(frozen=True, slots=True)
class CommandSpans:
    """Where a command is in a text.

    Attributes:
        program: its first argument, where that is apart from the others; None where the array holds all of them.
        array: the array of arguments, brackets included.
        items: the arguments in the array.
    """

    program: Span | None
    array: Span
    items: tuple[Span, ...]


def put_in_front(text: str, command: CommandSpans, argv: Sequence[str]) -> str:
    """``text`` with ``argv``, each spelled as a string of the file's format, in front of ``command``."""
    moved = list(argv)
    edits: list[tuple[int, int, str]] = []
    if command.program is not None:
        start, end = command.program
        edits.append((start, end, moved.pop(0)))
        moved.append(text[start:end])
    inside = command.array[0] + 1
    at = command.items[0][0] if command.items else inside
    gap = text[inside:at]
    comma = f",{gap}" if "\n" in gap and not gap.strip() else ", "  # one argument per line where the others are so
    edits.append((at, at, comma.join(moved) + (comma if command.items else "")))
    return spliced(text, edits)


def take_from_front(text: str, command: CommandSpans, count: int) -> str:
    """``text`` without the first ``count`` arguments of ``command``, which has more."""
    edits: list[tuple[int, int, str]] = []
    if command.program is not None:
        start, end = command.items[count - 1]
        edits.append((*command.program, text[start:end]))
    start = command.items[0][0]
    if count < len(command.items):
        end = command.items[count][0]
    else:
        end = command.items[-1][1]
        rest = text[end : command.array[1] - 1]
        if rest.lstrip().startswith(","):  # a trailing comma has nothing to trail any more
            end += rest.index(",") + 1
    edits.append((start, end, ""))
    return spliced(text, edits)


def spliced(text: str, edits: list[tuple[int, int, str]]) -> str:
    """``text`` with each edit made: start, end and what to put there; they do not overlap."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
