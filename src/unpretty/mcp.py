"""The import name in a ``proxy.py`` that 0.1.0 installed; the code is in ``unpretty.proxy``. See ``hooks.py``."""

import sys

from unpretty.proxy import relay

sys.modules[f"{__name__}.proxy"] = relay
