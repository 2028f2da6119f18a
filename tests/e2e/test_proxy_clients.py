"""The three clients, each with the proxy in front of an MCP server and without any hook: what their models received."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from .claude_code import ClaudeCode
from .codex import CODE_MODE, DIRECT, Codex, javascript, mcp
from .mcp_server import COMPACT, PRETTY, STRUCTURED
from .model import Call, Json
from .opencode import OpenCode

TOOLS = ("text", "multi", "both", "schema", "structured", "image", "error", "slow", "crash")
SHORTER = {**STRUCTURED, "stdout": json.dumps(json.loads(str(STRUCTURED["stdout"])), separators=(",", ":"))}
ROWS = [{"number": number, "value": None, "text": "lorem ipsum"} for number in range(100)]


@pytest.fixture
def proxied(shapes: list[str]) -> list[str]:
    """The command that starts the MCP server of the tests with the proxy in front."""
    return [sys.executable, "-m", "unpretty", "proxy", "--name", "t", "--", *shapes]


@pytest.fixture
def capped(shapes: list[str]) -> Json:
    """The same with a limit, as Claude Code and Codex want it."""
    options = ["-m", "unpretty", "proxy", "--name=t", "--max-result-bytes", "3000", "--"]
    return {"command": sys.executable, "args": [*options, *shapes]}


def logged(home: Path) -> dict[str, dict[str, Any]]:
    """The last line of the decision log for each tool."""
    lines = (home / ".local/state/unpretty/decisions.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return {record["tool"]: record for record in records if record["kind"] == "decision"}


def test_claude_code_reads_smaller_results(claude_code: ClaudeCode, proxied: list[str], home: Path) -> None:
    server = {"command": proxied[0], "args": proxied[1:]}
    run = claude_code.run([[Call(f"mcp__t__{tool}", {})] for tool in TOOLS], mcp={"t": server})
    text, multi, both, schema, structured, image, error, slow, crash = run.texts
    assert text == slow == COMPACT
    assert multi == COMPACT + "second"
    assert [json.loads(shown) for shown in (both, schema, structured)] == [SHORTER] * 3
    assert image.startswith(COMPACT)
    assert error.startswith(PRETTY)
    assert "Connection closed" in crash
    line = logged(home)["mcp__t__both"]
    assert (line["agent"], line["tool_use_id"], line["reason"]) == ("claude-code", "toolu_002_0", "converted")
    assert (line["bytes_in"], line["bytes_out"]) == (len(json.dumps(STRUCTURED, separators=(",", ":"))), len(both))


def test_codex_reads_smaller_results(codex: Codex, proxied: list[str], home: Path) -> None:
    server = {"command": proxied[0], "args": proxied[1:]}
    run = codex.run([[mcp("t", tool)] for tool in TOOLS], model=DIRECT, mcp={"t": server})
    text, multi, both, schema, structured, image, error, slow, crash = (
        shown.partition("Output:")[2].removeprefix("\n") for shown in run.texts
    )
    assert text == slow == COMPACT
    assert multi == COMPACT + "second"
    assert [json.loads(shown) for shown in (both, schema, structured)] == [SHORTER] * 3
    assert image == COMPACT + "<input_image>"
    assert error == PRETTY
    assert "Transport closed" in crash
    line = logged(home)["mcp__t__text"]
    assert (line["agent"], line["model"], line["tool_use_id"]) == ("codex", DIRECT, "call_000_0")
    assert line["session"]


def test_a_script_of_codex_gets_smaller_results_that_it_can_still_parse(
    codex: Codex, proxied: list[str], home: Path
) -> None:
    server = {"command": proxied[0], "args": proxied[1:]}
    program = (
        "const r = await tools.mcp__t__both({}); text(r.content[0].text.length); text(JSON.stringify(r));"
        "text(JSON.parse(r.content[0].text).rows.length); text(JSON.parse(r.structuredContent.stdout).length);"
        "const s = await tools.mcp__t__schema({}); text(JSON.stringify(s.structuredContent))"
    )
    run = codex.run([[javascript(program)]], model=CODE_MODE, mcp={"t": server})
    [output] = run.outputs.values()
    assert isinstance(output, list)
    _, length, both, rows, names, schema = (part["text"] for part in output)
    assert (int(length), int(rows), int(names)) == (len(COMPACT), 12, 40)
    result = json.loads(both)
    assert (result["content"][0]["text"], result["structuredContent"]) == (COMPACT, SHORTER)
    assert json.loads(schema) == SHORTER
    assert logged(home)["mcp__t__both"]["model"] == CODE_MODE


def test_opencode_reads_smaller_results(opencode: OpenCode, proxied: list[str], home: Path) -> None:
    server = {"type": "local", "command": proxied}
    calls = [[Call("t_big", {"rows": 900})], *([Call(f"t_{tool}", {})] for tool in TOOLS)]
    run = opencode.run(calls, mcp={"t": server})
    big, text, multi, both, schema, structured, image, error, slow, crash = run.texts
    assert text == both == schema == image == slow == COMPACT
    assert multi == COMPACT + "\n\nsecond"
    assert json.loads(structured) == SHORTER
    assert error == PRETTY
    assert "Connection closed" in crash
    assert len(json.loads(big)) == 900  # 90 KB, of which the client would have shown the first half
    assert logged(home)["mcp__t__text"]["agent"] == "opencode"


def test_claude_code_can_read_the_rows_that_a_limit_hid(claude_code: ClaudeCode, capped: Json) -> None:
    address = "unpretty://result/1/rows/99-100"
    script = [
        [Call("mcp__t__big", {"rows": 100})],
        [Call("ReadMcpResourceTool", {"server": "t", "uri": address})],
    ]
    # The client lists resources once, when it starts; it reads any address.
    shown, rest = claude_code.run(script, mcp={"t": capped}).texts
    check_cut(shown)
    assert json.loads(json.loads(rest)["contents"][0]["text"]) == ROWS[98:]


def test_codex_can_read_the_rows_that_a_limit_hid(codex: Codex, capped: Json) -> None:
    address = "unpretty://result/1/rows/99-100"
    script = [
        [mcp("t", "big", rows=100)],
        [Call("list_mcp_resources", {})],
        [Call("read_mcp_resource", {"server": "t", "uri": address})],
    ]
    shown, listed, rest = codex.run(script, model=DIRECT, mcp={"t": capped}).texts
    check_cut(shown.partition("Output:")[2].lstrip("\n"))
    assert '"uri":"unpretty://result/1"' in listed
    assert json.loads(json.loads(rest)["contents"][0]["text"]) == ROWS[98:]


def check_cut(shown: str) -> None:
    """The first rows, whole, and the notice after them."""
    rows, end = json.JSONDecoder().raw_decode(shown)
    assert rows == ROWS[: len(rows)]
    assert shown[end:].lstrip("\n").startswith(f"{len(rows)} of 100 rows are shown; all are 4,791 bytes.")
    assert f'unpretty://result/1/rows/{len(rows) + 1}-100 of MCP server "t"' in shown
