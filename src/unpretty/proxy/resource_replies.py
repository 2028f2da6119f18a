"""Answers about the kept results: the proxy's own, and what it adds to the answers of the server.

Replies follow the MCP specification's ReadResourceResult and ListResourcesResult.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from unpretty.proxy.json_cursor import JsonCursor, as_dict, as_text
from unpretty.proxy.kept_results import PREFIX, mime_type

if TYPE_CHECKING:
    from unpretty.proxy.json_cursor import Span
    from unpretty.proxy.kept_results import KeptResults
    from unpretty.proxy.message import CallResult, Edit, Message

# Tells a client that lists resources to look again (handshake revisions only; 2026-07-28 has subscriptions).
LIST_CHANGED = b'{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}\n'
_NOT_FOUND = -32002
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


def answered_here(message: Message, kept: KeptResults, *, server_has_resources: bool) -> bool:
    """True for a request about a kept result, or about resources when the server has none: it could only refuse."""
    if message.id is None:
        return False
    if message.method == "resources/read":
        address = as_text(as_dict(message.params).get("uri"))
        return address.startswith(PREFIX) and (not server_has_resources or kept.read(address) is not None)
    return message.method in ("resources/list", "resources/templates/list") and not server_has_resources


def reply(message: Message, kept: KeptResults) -> bytes:
    """The JSON-RPC response to a request of ``answered_here``."""
    if message.method == "resources/read":
        body = _read(kept, message.params)
    elif message.method == "resources/list":
        body = _result(message.params, resources=kept.entries())
    else:
        template = {"uriTemplate": PREFIX + "{number}/rows/{first}-{last}", "name": "rows of a result that was cut"}
        body = _result(message.params, resourceTemplates=[template])
    # The scanner gives numbers as bytes.
    identity = message.id.decode("ascii") if isinstance(message.id, bytes) else json.dumps(message.id)
    return f'{{"jsonrpc":"2.0","id":{identity},{json.dumps(body)[1:]}'.encode("ascii")


def _read(kept: KeptResults, params: object) -> dict[str, object]:
    address = as_text(as_dict(params).get("uri"))
    text = kept.read(address)
    if text is None:
        return {"error": {"code": _NOT_FOUND, "message": "Resource not found", "data": {"uri": address}}}
    return _result(params, contents=[{"uri": address, "mimeType": mime_type(text), "text": text}])


def _result(params: object, **members: object) -> dict[str, object]:
    """A result with the members that revision 2026-07-28 asks for when the request is of that revision."""
    if _VERSION_KEY in as_dict(as_dict(params).get("_meta")):
        members = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **members}
    return {"result": members}


def offer_resources(text: str, result: CallResult) -> list[Edit]:
    """Add ``resources`` to the capabilities of an ``initialize`` or ``server/discover`` result without any.

    Raises InvalidJSON.
    """
    span = _member(text, result, "capabilities")
    if span is None or not isinstance(span.value, tuple) or "resources" in as_dict(span.value):
        return []
    return [_first(span, '"resources":{"listChanged":true}')]


def add_resources(text: str, result: CallResult, params: object, kept: KeptResults) -> list[Edit]:
    """Add the kept results to the first page of a ``resources/list`` result. Raises InvalidJSON."""
    entries = kept.entries()
    span = _member(text, result, "resources") if entries and as_dict(params).get("cursor") is None else None
    if span is None or not isinstance(span.value, list):
        return []
    return [_first(span, ",".join(json.dumps(entry) for entry in entries))]


def _member(text: str, result: CallResult, wanted: str) -> Span | None:
    cursor = JsonCursor(text, result.start)
    return {name: cursor.value() for name in cursor.members()}.get(wanted)


def _first(span: Span, added: str) -> Edit:
    """The edit that puts ``added`` before what is in the object or array at ``span``."""
    return span.start + 1, span.start + 1, added + ("," if span.value else "")
