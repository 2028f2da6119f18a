"""Adding the proxy's resources to what a server says about itself, at exactly one place of its own words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from unpretty.proxy.message import Cursor, as_dict

if TYPE_CHECKING:
    from unpretty.proxy.kept_results import KeptResults
    from unpretty.proxy.message import CallResult, Edit


def offer_resources(text: str, result: CallResult) -> list[Edit]:
    """Add ``resources`` to the capabilities of an ``initialize`` or ``server/discover`` result without any.

    Raises InvalidJSON.
    """
    cursor = Cursor(text, result.start)
    for name in cursor.members():
        if name == "capabilities" and cursor.peek() == "{":
            opening = cursor.position
            names = []
            for member in cursor.members():
                names.append(member)
                cursor.value()
            if "resources" in names:
                return []
            return [(opening + 1, opening + 1, '"resources":{"listChanged":true}' + ("," if names else ""))]
        cursor.value()
    return []


def add_resources(text: str, result: CallResult, params: object, store: KeptResults) -> list[Edit]:
    """Add the kept results to the first page of a ``resources/list`` result. Raises InvalidJSON."""
    entries = store.entries()
    if not entries or as_dict(params).get("cursor") is not None:
        return []
    added = ",".join(json.dumps(entry) for entry in entries)
    cursor = Cursor(text, result.start)
    for name in cursor.members():
        if name == "resources" and cursor.peek() == "[":
            opening = cursor.position
            count = 0
            for _ in cursor.items():
                cursor.value()
                count += 1
            return [(opening + 1, opening + 1, added + ("," if count else ""))]
        cursor.value()
    return []
