"""A stdio MCP server for the tests, run as a program; each of its tools answers in another shape.

``PRETTY`` and ``COMPACT`` are one document before and after; its numbers and strings are those that a careless
conversion changes.
"""

import json
import os
import re
import sys
import time
from typing import Any

_ROW = """    {
      "id": 18446744073709551615,
      "price": 375.0,
      "ratio": 1e-05,
      "name": "Zo\\u00eb \\/ \\ud83d\\ude00 \u2603",
      "note": null,
      "tags": [],
      "id": %d
    }"""
PRETTY = '{\n  "rows": [\n' + ",\n".join(_ROW % number for number in range(12)) + '\n  ],\n  "more": false\n}'
COMPACT = re.sub(r"\n *", "", PRETTY).replace('": ', '":')

# What a client parses and writes again itself: plain numbers, and a string that holds a document.
STRUCTURED = {"stdout": json.dumps([{"id": number, "name": f"n{number}"} for number in range(40)], indent=4), "exit": 0}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def rows(count: int) -> str:
    """A pretty document of ``count`` rows, about 90 bytes each."""
    return json.dumps([{"number": number, "value": None, "text": "lorem ipsum"} for number in range(count)], indent=4)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of one tool call."""
    resource = {"uri": "test://1", "mimeType": "application/json", "text": PRETTY}
    results: dict[str, dict[str, Any]] = {
        "text": {"content": [_text(PRETTY)]},
        "plain": {"content": [_text("nothing to see\n" * 60)]},
        "multi": {"content": [_text(PRETTY), _text("second")]},
        "both": {"content": [_text(PRETTY)], "structuredContent": STRUCTURED},
        "schema": {"content": [_text(PRETTY)], "structuredContent": STRUCTURED},
        "structured": {"content": [], "structuredContent": STRUCTURED},
        "image": {"content": [_text(PRETTY), {"type": "image", "data": PNG, "mimeType": "image/png"}]},
        "resource": {"content": [_text("see"), {"type": "resource", "resource": resource}]},
        "error": {"content": [_text(PRETTY)], "isError": True},
        "big": {"content": [_text(rows(int(arguments.get("rows", 600))))]},
        "line": {"content": [_text(json.dumps("x" * int(arguments.get("length", 60_000))))]},
        "slow": {"content": [_text(PRETTY)]},
    }
    if tool == "slow":
        time.sleep(float(arguments.get("seconds", 1)))
    if tool == "crash":
        os._exit(9)
    return results[tool]


TOOLS = (
    "text", "plain", "multi", "both", "schema", "structured", "image", "resource", "error", "big", "line", "slow",
    "crash",
)  # fmt: skip


def _describe(tool: str) -> dict[str, Any]:
    number = {"type": "number"}
    properties = {"rows": number, "length": number, "seconds": number}
    described: dict[str, Any] = {
        "name": tool,
        "description": f"Answers in the shape {tool}.",
        "inputSchema": {"type": "object", "properties": properties},
        "annotations": {"readOnlyHint": True},
    }
    if tool == "schema":
        described["outputSchema"] = {"type": "object", "properties": {"stdout": {"type": "string"}}}
    return described


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    parameters = message.get("params") or {}
    match message["method"]:
        case "initialize":
            server = {"name": "shapes", "version": "1"}
            version = parameters["protocolVersion"]
            return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}}
        case "tools/list":
            return {"result": {"tools": [_describe(tool) for tool in TOOLS]}}
        case "tools/call":
            return {"result": _call(parameters["name"], parameters.get("arguments") or {})}
        case "ping":
            return {"result": {}}
    return {"error": {"code": -32601, "message": "no such method"}}


def main() -> None:
    """Answer requests on standard input until it ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **_answer(message)}), flush=True)


if __name__ == "__main__":
    main()
