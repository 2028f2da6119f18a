"""Estimate on sessions that the real clients wrote without unpretty, then the same calls with it: equal to the byte."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from .claude_code import ClaudeCode
from .claude_code import bash as claude_bash
from .codex import CODE_MODE, Codex, javascript, mcp, shell
from .installed import Unpretty
from .mcp_server import PRETTY, rows
from .model import Call, Json
from .opencode import OpenCode
from .opencode import bash as opencode_bash

ENVELOPE = json.dumps({"stdout": PRETTY, "exit": 0}, indent=2)
COLOURED = "\n".join(f"\x1b[32mok\x1b[0m test number {number} of many" for number in range(40))
FOUND = "\n".join(f"src/some/folder/module_{number // 9}.py:{number}:    needle = {number}" for number in range(90))
REPORTS = {
    "pretty": PRETTY,
    "envelope": ENVELOPE,
    "around": f"=== orders ===\n{PRETTY}\nfetched in 0.3 s\n{PRETTY} done",
    "coloured": COLOURED,
    "coloured-json": f"\x1b[1m{PRETTY}\x1b[0m",
    "found": FOUND,
    "plain": "nothing to see here\n" * 60,
    "half": PRETTY[: len(PRETTY) // 2],
    "compact": json.dumps(json.loads(PRETTY), separators=(",", ":")),
    "small": '{ "a": 1 }',
    "large": rows(900),
    "longest-row": json.dumps(["x" * 60_000]) + "\n",
}
SHELL = [f"./report {name}" for name in REPORTS] + [
    "cat reports/pretty",
    "UNPRETTY_RAW=1 ./report pretty",
    "cd reports && ../report pretty 3",
    "true",
]
SHAPES = ("text", "plain", "multi", "both", "schema", "structured", "image", "resource", "error")


def reports(project: Path) -> None:
    """A program ``report`` that prints one of the texts and ends with the status that it is given."""
    folder = project / "reports"
    folder.mkdir()
    for name, text in REPORTS.items():
        (folder / name).write_text(text)
    program = project / "report"
    program.write_text('#!/bin/sh\ncat "${0%/*}/reports/$1"; exit "${2:-0}"\n')
    program.chmod(0o755)


def by_tool(decisions: list[Json], figure: str) -> dict[str, int]:
    """Sums of a figure over the conversions in the log that saved or cost anything, by tool."""
    sums: Counter[str] = Counter()
    for line in decisions:
        if line["reason"] == "converted" and line["bytes_in"] != line["bytes_out"]:
            sums[line["tool"]] += line[figure]
    return dict(sums)


def estimated(estimate: Json, figure: str) -> dict[str, int]:
    """The same figure of an estimate, by tool."""
    return {row["key"]: row[figure] for row in estimate["by"]["tool"] if row["affected"]}


def without_several_blocks(agent: str, sums: dict[str, int]) -> dict[str, int]:
    """OpenCode keeps the blocks of an MCP result as one text: subtract the other blocks."""
    beside = {"t_multi": "\n\nsecond", "t_resource": "see\n\n"} if agent == "opencode" else {}
    return {tool: size - len(beside.get(tool, "")) for tool, size in sums.items()}


def steps(decisions: list[Json]) -> dict[str, int]:
    """Bytes saved by each of the engine's steps, from the log."""
    sums: Counter[str] = Counter()
    for line in decisions:
        if line["reason"] == "converted":
            sums.update(line["steps"])
    return dict(sums)


def estimated_steps(estimate: Json) -> dict[str, int]:
    """The same from an estimate, which distinguishes whole documents from embedded ones."""
    sums: Counter[str] = Counter()
    for step in estimate["steps"]:
        if step["key"] != "other":
            sums["json" if step["key"] in ("document", "embedded") else step["key"]] += step["bytes_saved"]
    return dict(sums)


def digests(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file below ``folder`` with the hash of its content and when it was last changed."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def check(unpretty: Unpretty, agent: str, converse: Callable[[], object]) -> Json:
    """Hold the conversation without the hook, estimate, hold it with the hook, and compare."""
    converse()
    before = digests(unpretty.home)
    estimate = unpretty.json("estimate", agent)
    assert digests(unpretty.home) == before, "estimate wrote something"
    trust = ["--trust"] if agent == "codex" else []
    unpretty.run("install", agent, *trust, "--apply")
    expected = [without_several_blocks(agent, estimated(estimate, figure)) for figure in ("bytes_in", "bytes_out")]
    decisions = decisions_of(unpretty, converse, expected)
    assert [by_tool(decisions, figure) for figure in ("bytes_in", "bytes_out")] == expected
    assert estimated_steps(estimate) == steps(decisions)
    assert 0 < estimate["totals"]["tokens_out"] < estimate["totals"]["tokens_in"]
    assert estimate["left_out"]["replaced"] == 0
    return estimate


def decisions_of(unpretty: Unpretty, converse: Callable[[], object], expected: list[dict[str, int]]) -> list[Json]:
    """The log after the conversation; a hook that was too late on a busy machine is run again."""
    decisions: list[Json] = []
    for _ in range(3):
        unpretty.log.unlink(missing_ok=True)
        converse()
        decisions = unpretty.log_lines("decision")
        if [by_tool(decisions, figure) for figure in ("bytes_in", "bytes_out")] == expected:
            break
    return decisions


def reasons(estimate: Json) -> dict[str, int]:
    """Numbers of results by reason."""
    return {row["key"]: row["results"] for row in estimate["by"]["reason"]}


def test_claude_code(unpretty_program: Path, claude_code: ClaudeCode, shapes: list[str]) -> None:
    reports(claude_code.project)
    unpretty = Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)
    script = [
        *([claude_bash(command)] for command in SHELL),
        *([Call(f"mcp__t__{name}", {})] for name in SHAPES),
        *([Call("mcp__t__big", {"rows": count})] for count in (300, 600, 2000)),
        [claude_bash("./report pretty"), claude_bash("./report found"), Call("Read", {"file_path": "report"})],
        [claude_bash("./report pretty", run_in_background=True)],
    ]

    def converse() -> None:
        run = claude_code.run(script, mcp={"t": {"command": shapes[0], "args": shapes[1:]}}, timeout=300)
        assert run.client.exit_code == 0, run.client.stderr

    estimate = check(unpretty, "claude-code", converse)
    counts = reasons(estimate)
    assert counts["failed_call"] == 2, "a failing command and a failing MCP tool"
    assert counts["bypassed"] == 1
    assert counts["cut_by_host"] >= 2
    assert estimate["totals"]["gained"] == 1, "the MCP result over 50,000 characters"
    assert {row["key"] for row in estimate["by"]["command"] if row["affected"]} == {"report"}


def test_what_the_hook_made_smaller_is_left_out(unpretty_program: Path, claude_code: ClaudeCode) -> None:
    reports(claude_code.project)
    unpretty = Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)
    unpretty.run("install", "claude-code", "--apply")
    run = claude_code.run([[claude_bash("./report pretty")], [claude_bash("./report plain")]])
    assert run.client.exit_code == 0, run.client.stderr
    estimate = unpretty.json("estimate", "claude-code")
    assert estimate["left_out"]["replaced"] == 1
    assert reasons(estimate) == {"not_json": 1}
    assert estimate["verdict"]["code"] == "already_installed"


def test_claude_code_subagents(unpretty_program: Path, claude_code: ClaudeCode, shapes: list[str]) -> None:
    """A subagent's transcript does not hold what the hook is given; it is made from what the model read."""
    reports(claude_code.project)
    unpretty = Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)
    agent = {"description": "again", "prompt": "go", "subagent_type": "general-purpose", "run_in_background": False}
    script = [
        [claude_bash("./report envelope"), claude_bash("./report large"), claude_bash("true")],
        [claude_bash("cd reports && ../report around"), claude_bash("cd reports; ../report pretty; exit 3")],
        [Call("mcp__t__multi", {}), Call("mcp__t__both", {}), Call("mcp__t__big", {"rows": 600})],
        [claude_bash("./report pretty", run_in_background=True)],
        [Call("Agent", agent)],
    ]

    def converse() -> None:
        run = claude_code.run(script, mcp={"t": {"command": shapes[0], "args": shapes[1:]}}, timeout=300)
        assert run.client.exit_code == 0, run.client.stderr

    estimate = check(unpretty, "claude-code", converse)
    assert reasons(estimate)["failed_call"] >= 2, "no subagent ran"


def test_claude_code_search(unpretty_program: Path, claude_code: ClaudeCode) -> None:
    """The search tools, which exist only when they are asked for."""
    reports(claude_code.project)
    for number in range(30):
        file = claude_code.project / "src" / "some" / "folder" / f"module_{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("needle = 1\n" * 4)
    unpretty = Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)
    content = {"pattern": "needle", "path": "src", "output_mode": "content", "-n": True}
    script = [
        [Call("Grep", content)],
        [Call("Grep", {"pattern": "needle", "path": "src"})],
        [claude_bash("./report pretty")],
    ]

    def converse() -> None:
        run = claude_code.run(script, args=["--tools", "Bash,Grep"])
        assert run.client.exit_code == 0, run.client.stderr

    estimate = check(unpretty, "claude-code", converse)
    assert {row["key"]: row["affected"] for row in estimate["by"]["tool"]} == {"Bash": 1, "Grep": 1}


def test_codex(unpretty_program: Path, codex: Codex, shapes: list[str]) -> None:
    reports(codex.project)
    unpretty = Unpretty(unpretty_program, codex.home, codex.project, codex.program)
    script = [
        *([shell(command)] for command in SHELL),
        [shell("./report pretty", max_output_tokens=100)],
        *([mcp("t", name)] for name in SHAPES),
        *([mcp("t", "big", rows=count)] for count in (60, 300, 2000)),
        [shell("./report pretty"), shell("./report found")],
        [Call("apply_patch", "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n")],
    ]

    def converse() -> None:
        (codex.project / "new.txt").unlink(missing_ok=True)
        run = codex.run(script, mcp={"t": {"command": shapes[0], "args": shapes[1:]}}, timeout=300)
        assert run.client.exit_code == 0, run.client.stderr

    estimate = check(unpretty, "codex", converse)
    counts = reasons(estimate)
    assert counts["failed_call"] == 1, "the MCP tool's error; a failing command does reach the hook"
    assert counts["cut_by_host"] >= 3
    assert counts["over_host_limit"] >= 1


def test_codex_programs(unpretty_program: Path, codex: Codex) -> None:
    """In code mode no hook can replace what the model reads, so nothing is promised."""
    reports(codex.project)
    unpretty = Unpretty(unpretty_program, codex.home, codex.project, codex.program)
    program = 'const done = await tools.exec_command({cmd: "./report pretty"}); text(done.output)'
    run = codex.run([[javascript(program)], [javascript(program)]], model=CODE_MODE)
    assert run.client.exit_code == 0, run.client.stderr
    estimate = unpretty.json("estimate", "codex")
    assert reasons(estimate) == {"host_cannot_replace": 2}
    assert estimate["totals"]["bytes_read"] == sum(len(text.encode()) for text in run.texts)
    assert estimate["totals"]["tokens_saved"] == 0
    assert estimate["verdict"]["code"] == "not_worth_it"


def test_opencode(unpretty_program: Path, opencode: OpenCode, shapes: list[str]) -> None:
    reports(opencode.project)
    unpretty = Unpretty(unpretty_program, opencode.home, opencode.project, opencode.program)
    script = [
        *([opencode_bash(command)] for command in SHELL),
        *([Call(f"t_{name}", {})] for name in SHAPES),
        *([Call("t_big", {"rows": count})] for count in (300, 600, 2000)),
        [opencode_bash("./report pretty"), opencode_bash("./report found")],
        [Call("grep", {"pattern": "ratio", "path": str(opencode.project / "reports")})],
        [Call("read", {"filePath": str(opencode.project / "reports" / "pretty")})],
    ]

    def converse() -> None:
        run = opencode.run(script, mcp={"t": {"type": "local", "command": shapes}}, timeout=300)
        assert run.client.exit_code == 0, run.client.stderr

    estimate = check(unpretty, "opencode", converse)
    assert reasons(estimate)["failed_call"] == 1
