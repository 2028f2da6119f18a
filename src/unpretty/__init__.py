"""Smaller tool results with exactly the same meaning.

The public names are imported when first used, so that the hook, which also passes through here, pays for none of them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.encodings import decode as decode
    from unpretty.encodings import encode as encode
    from unpretty.engine.compaction import Compaction as Compaction
    from unpretty.engine.compaction import Decision as Decision
    from unpretty.engine.compaction import compact as compact
    from unpretty.engine.context import Context as Context

__version__ = "0.1.0"
__all__ = ["Compaction", "Context", "Decision", "compact", "decode", "encode"]

_HOMES = {
    "Compaction": "unpretty.engine.compaction",
    "Decision": "unpretty.engine.compaction",
    "compact": "unpretty.engine.compaction",
    "Context": "unpretty.engine.context",
    "decode": "unpretty.encodings",
    "encode": "unpretty.encodings",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'unpretty' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
