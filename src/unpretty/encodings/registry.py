"""All encodings by name, each imported when first used."""

from functools import cache
from importlib import import_module
from typing import cast

from unpretty.encodings.base import Encoding
from unpretty.errors import UnprettyError

# name -> module under unpretty.encodings, and the object in it. The order is that of listings; on a tie in size the
# earlier one wins, so that minified JSON is never left for nothing.
_HOMES = {
    "json": ("minified", "JSON"),
    "columnar": ("columnar", "COLUMNAR"),
    "toon": ("toon", "TOON"),
    "tight-c": ("tight_c", "TIGHT_C"),
    "ldf": ("ldf", "LDF"),
    "ldf-inline": ("ldf", "LDF_INLINE"),
}
NAMES = tuple(_HOMES)


@cache
def get(name: str) -> Encoding:
    """The encoding called ``name``. Raises UnprettyError when there is none."""
    if name not in _HOMES:
        raise UnprettyError(
            f"There is no encoding called {name!r}.", code="unknown_encoding", hint=f"Use one of: {', '.join(NAMES)}."
        )
    module, attribute = _HOMES[name]
    return cast("Encoding", getattr(import_module(f"unpretty.encodings.{module}"), attribute))
