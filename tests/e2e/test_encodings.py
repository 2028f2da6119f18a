"""Table encodings with the real client: which model gets them, and the one line that announces them."""

import json
from pathlib import Path

import pytest

from .claude_code import ClaudeCode, ClaudeRun, bash
from .installed import Unpretty
from .model import Call

ROWS = [{"id": number, "name": f"user {number}", "city": "Bern"} for number in range(100)]
PRETTY = json.dumps(ROWS, indent=2)
COMPACT = json.dumps(ROWS, separators=(",", ":"))
LINE = "JSON tables are written as LDF"


@pytest.fixture
def unpretty(unpretty_program: Path, claude_code: ClaudeCode) -> Unpretty:
    """unpretty with its hook in place and encodings left to the evidence."""
    unpretty = Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)
    unpretty.run("install", "claude-code", "--apply")
    unpretty.run("config", "set", "encodings", "auto")
    (claude_code.project / "rows.json").write_text(PRETTY)
    return unpretty


def hold(claude_code: ClaudeCode, model: str) -> ClaudeRun:
    """A conversation in which the table is printed twice."""
    script = [[bash("python3 -m json.tool --indent 2 rows.json")] for _ in range(2)]
    return claude_code.run(script, args=("--model", model))


def told(run: ClaudeRun) -> int:
    """How often the model was told about the encoding, in the last request, which holds the whole conversation."""
    return json.dumps(run.conversation[-1].body["messages"]).count(LINE)


def test_a_model_that_reads_ldf_as_well_gets_it_with_one_line(claude_code: ClaudeCode, unpretty: Unpretty) -> None:
    run = hold(claude_code, "claude-opus-5-5")
    assert len(run.texts) == 2
    for text in run.texts:
        assert text.startswith("@records id:i,name:s,city:s\n0,user 0,Bern\n")
        assert len(text) < len(COMPACT) / 2
        assert json.loads(unpretty.run("convert", "--decode", "--to", "ldf", stdin=text).stdout) == ROWS
    assert told(run) == 1
    assert [line["encoding"] for line in unpretty.log_lines("decision")] == ["ldf", "ldf"]
    assert {line["model"] for line in unpretty.log_lines("decision")} == {"claude-opus-5-5"}


def test_a_model_without_evidence_gets_minified_json(claude_code: ClaudeCode, unpretty: Unpretty) -> None:
    run = hold(claude_code, "claude-unheard-of-9")
    assert run.texts == [COMPACT, COMPACT]
    assert told(run) == 0
    assert [line["encoding"] for line in unpretty.log_lines("decision")] == ["json", "json"]


def test_the_line_reaches_the_model_beside_mcp_results_too(
    claude_code: ClaudeCode, unpretty: Unpretty, shapes: list[str]
) -> None:
    unpretty.run("config", "set", "encodings", "toon")
    script = [[Call("mcp__shapes__big", {"rows": 60})], [Call("mcp__shapes__big", {"rows": 60})]]
    servers = {"shapes": {"command": shapes[0], "args": shapes[1:]}}
    run = claude_code.run(script, mcp=servers)
    assert [text.splitlines()[0] for text in run.texts] == ["[60]{number,value,text}:"] * 2
    assert json.dumps(run.conversation[-1].body["messages"]).count("JSON tables are written as TOON") == 1
