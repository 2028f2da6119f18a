"""Smaller tool results with exactly the same meaning.

The public names are imported when first used, so that the hook, which also passes through here, pays for none of them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.compaction import Compaction as Compaction
    from unpretty.compaction import Decision as Decision
    from unpretty.compaction import compact as compact
    from unpretty.context import Context as Context
    from unpretty.encodings import decode as decode
    from unpretty.encodings import encode as encode

__version__ = "0.1.0"
__all__ = ["Compaction", "Context", "Decision", "compact", "decode", "encode"]

_HOMES = {
    "Compaction": "unpretty.compaction",
    "Decision": "unpretty.compaction",
    "compact": "unpretty.compaction",
    "Context": "unpretty.context",
    "decode": "unpretty.encodings",
    "encode": "unpretty.encodings",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'unpretty' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
