"""Tables for 80 columns, readable without colour."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from unpretty.report.words import visible

_Row = TypeVar("_Row")


def screen() -> Console:
    """Standard output; 80 columns wide when it is no terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 80)


def show(parts: Iterable[RenderableType], console: Console) -> None:
    """Print ``parts``; lines of text may be longer than the screen is wide."""
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text))


def table(*columns: str) -> Table:
    """An empty table; the first column and those without a heading are aligned to the left, numbers to the right."""
    made = Table(box=None, pad_edge=False, show_header=bool(columns), header_style="bold")
    for number, name in enumerate(columns):
        made.add_column(name, justify="left" if number == 0 or not name else "right", no_wrap=True)
    return made


def first_rows(rows: Sequence[_Row], most: int) -> tuple[Sequence[_Row], Sequence[_Row]]:
    """The rows to show, with space for a line about the rest when there are more than ``most``, and the rest."""
    shown = len(rows) if len(rows) <= most else most - 1
    return rows[:shown], rows[shown:]


def left_alone(numbers: Sequence[str], rows: Iterable[tuple[str, ...]], sentence_chars: int | None) -> Table:
    """Why results were not converted: one row for each reason.

    Args:
        numbers: the headings of the numbers.
        rows: reason, numbers and the sentence of the reason.
        sentence_chars: where a longer sentence is cut off, in characters; None to wrap it.
    """
    made = table("Left alone because", *numbers)
    made.add_column("")
    for name, *cells, sentence in rows:
        cut = sentence_chars is not None and len(sentence) > sentence_chars
        shown = sentence[: sentence_chars - 1].rstrip() + "…" if cut and sentence_chars else sentence
        made.add_row(Text(visible(name)), *cells, Text(shown, style="dim"))
    return made
