"""The import names in a ``hook.py`` that 0.1.0 installed; the code is in ``unpretty_hooks``.

Such a file runs until `unpretty install` or `unpretty doctor --fix` writes a new one. It makes only the package
``unpretty`` known, so this module finds the other one beside it. ``mcp.py`` does the same for wrapped MCP servers.
"""

import sys

from unpretty.engine import system

if "unpretty_hooks" not in sys.modules:
    _package = type(sys)("unpretty_hooks")
    _root = system.directory_of(system.directory_of(__file__))
    # Installed from a wheel, or in place from a checkout.
    _package.__path__ = [f"{_root}/unpretty_hooks", f"{system.directory_of(_root)}/hooks/unpretty_hooks"]
    sys.modules["unpretty_hooks"] = _package

from unpretty_hooks import entry

sys.modules[f"{__name__}.entry"] = entry
