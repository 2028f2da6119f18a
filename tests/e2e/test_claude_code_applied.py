"""``stats --verify``: what the client applied and what it refused, according to the client's own transcript."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from . import clients
from .claude_code import ClaudeCode, bash
from .installed import Unpretty
from .mcp_server import COMPACT, PRETTY
from .model import Call

# Runs the registered command on the payload, and breaks its reply as its argument says.
SPOILER = """
import json, subprocess, sys, time
reply = subprocess.run({command!r}, shell=True, stdin=sys.stdin, capture_output=True, check=True).stdout
output = json.loads(reply)["hookSpecificOutput"]
if {way!r} == "a text":
    output["updatedToolOutput"] = output["updatedToolOutput"]["stdout"]
print("log line" if {way!r} == "not JSON" else json.dumps({{"hookSpecificOutput": output}}))
if {way!r} == "held open":
    subprocess.Popen(["sleep", "2"])
"""
# The oldest client waits until no process holds standard output any more, and then takes the reply.
WAYS = ("a text", "not JSON", "held open")


@pytest.fixture(scope="module", params=[clients.CLAUDE_CODE, clients.CLAUDE_CODE_OLDEST], ids=lambda pin: pin.version)
def client(request: pytest.FixtureRequest) -> Path:
    """The client's program."""
    return clients.supply().program(request.param)


@pytest.fixture
def claude_code(client: Path, home: Path, project: Path) -> ClaudeCode:
    """The client in an empty home; the project has a program that prints a pretty document."""
    (project / "pretty").write_text(PRETTY)
    (project / "report").write_text("exec cat pretty\n")
    return ClaudeCode(client, home, project)


@pytest.fixture
def unpretty(unpretty_program: Path, claude_code: ClaudeCode) -> Unpretty:
    """The command, set up in the client."""
    command = Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)
    command.run("install", "claude-code", "--apply")
    return command


def spoil(unpretty: Unpretty, way: str, folder: Path) -> None:
    """Put a program in front of the registered command that breaks its replies."""
    settings = unpretty.home / ".claude" / "settings.json"
    value = json.loads(settings.read_text())
    handler = value["hooks"]["PostToolUse"][0]["hooks"][0]
    program = folder / "spoil.py"
    program.write_text(SPOILER.format(command=handler["command"].removeprefix("exec "), way=way))
    handler["command"] = shlex.join([sys.executable, "-I", str(program)])
    settings.write_text(json.dumps(value))


def outcomes(unpretty: Unpretty, *options: str) -> tuple[int, int, int]:
    """Applied, rejected and unknown results in the figures."""
    totals = unpretty.json("stats", *options)["totals"]
    return totals["applied"], totals["rejected"], totals["unknown"]


def test_replies_that_were_taken_are_applied(unpretty: Unpretty, claude_code: ClaudeCode, shapes: list[str]) -> None:
    steps = [[bash("sh report"), bash("echo hi")], [Call("mcp__t__text", {}), Call("mcp__t__both", {})]]
    run = claude_code.run(steps, mcp={"t": {"command": shapes[0], "args": shapes[1:]}})
    assert run.texts[0] == COMPACT
    assert outcomes(unpretty) == (0, 0, 3)
    assert outcomes(unpretty, "--verify") == (3, 0, 0)


@pytest.mark.parametrize("way", WAYS)
def test_replies_that_were_refused_are_rejected(
    unpretty: Unpretty, claude_code: ClaudeCode, tmp_path: Path, way: str
) -> None:
    assert claude_code.run([[bash("sh report")]]).texts == [COMPACT]
    spoil(unpretty, way, tmp_path)
    texts = claude_code.run([[bash("sh report")]]).texts
    if way == "held open" and texts == [COMPACT]:
        assert clients.CLAUDE_CODE_OLDEST.version in str(claude_code.program)
        assert outcomes(unpretty, "--verify") == (2, 0, 0)
        return
    assert texts == [PRETTY]
    assert outcomes(unpretty, "--verify") == (1, 1, 0)
    assert "rejected by the agent" in unpretty.run("stats", "--verify").stdout


def test_without_transcripts_nothing_is_known(unpretty: Unpretty, claude_code: ClaudeCode, tmp_path: Path) -> None:
    assert claude_code.run([[bash("sh report")]]).texts == [COMPACT]
    (claude_code.home / ".claude" / "projects").rename(tmp_path / "elsewhere")
    assert outcomes(unpretty, "--verify") == (0, 0, 1)
