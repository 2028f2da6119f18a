"""All encodings by name, each imported when first used; the one place that lists them."""

from importlib import import_module
from typing import NamedTuple, cast

from unpretty.encodings.base import Encoding
from unpretty.errors import UnprettyError


class EncodingEntry(NamedTuple):
    """What is known of an encoding without importing it.

    Attributes:
        home: its module under ``unpretty.encodings`` and the object in it, with a colon between them.
        title: what it is, in a sentence for a model that meets it.
        section: its section of docs/formats.md, "" for one of its own name.
        offered: it may be named in the settings and for ``serve``; ``convert`` writes every one.
    """

    home: str
    title: str
    section: str = ""
    offered: bool = True

    @property
    def notice(self) -> str:
        """The line for a model that meets the encoding for the first time."""
        return f"unpretty: JSON tables are written as {self.title} here; the data is the same."


# By name. The order is that of listings; on a tie in size the earlier one wins, so that JSON is not left for nothing.
ENCODINGS = {
    "json": EncodingEntry("minified:JSON", "JSON"),
    "columnar": EncodingEntry("columnar:COLUMNAR", "columnar JSON (column names once, then rows)"),
    "toon": EncodingEntry("toon:TOON", "TOON"),
    "tight-c": EncodingEntry("tight_c:TIGHT_C", "tight-c (column names once, then rows)"),
    "ldf": EncodingEntry("ldf:LDF", "LDF (column names and types once, then rows)"),
    "ldf-inline": EncodingEntry("ldf:LDF_INLINE", "LDF (flat arrays kept in their row)", section="ldf", offered=False),
}


def names() -> tuple[str, ...]:
    """The names of all encodings."""
    return tuple(ENCODINGS)


def offered() -> tuple[str, ...]:
    """The names that the settings and ``serve`` take."""
    return tuple(name for name, entry in ENCODINGS.items() if entry.offered)


def get(name: str) -> Encoding:
    """The encoding called ``name``. Raises UnprettyError when there is none."""
    if name not in ENCODINGS:
        raise UnprettyError(
            f"There is no encoding called {name!r}.", code="unknown_encoding", hint=f"Use one of: {', '.join(names())}."
        )
    module, _, attribute = ENCODINGS[name].home.partition(":")
    return cast("Encoding", getattr(import_module(f"unpretty.encodings.{module}"), attribute))
