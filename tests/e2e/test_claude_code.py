"""Claude Code with unpretty installed: one conversation with a call of each kind, and what became of each of them.

The conversation is held with the newest and with the oldest client that honours a replaced result.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from . import clients
from .claude_code import ClaudeCode, ClaudeRun, ToolResult, bash
from .installed import Unpretty
from .mcp_server import COMPACT, PRETTY, STRUCTURED
from .model import Call, Json

ENVELOPE = '{\n  "stdout": %s,\n  "exit": 0\n}'
ENVELOPE_COMPACT = '{"stdout":%s,"exit":0}'
PLAIN = "\n".join(f"line {number} of a text without any document in it" for number in range(40))
COLOURED = "\n".join(f"\x1b[32mok\x1b[0m test number {number} of many" for number in range(40))
CUT = PRETTY[: PRETTY.rindex('"tags"')].rstrip()
NOTHING = "nothing to see\n" * 60
AROUND = "=== orders ===\n%s\nfetched in 0.3 s\n%s done"
STRUCTURED_COMPACT = {**STRUCTURED, "stdout": json.dumps(json.loads(str(STRUCTURED["stdout"])), separators=(",", ":"))}


def minified(value: object) -> str:
    """JSON as the client writes it itself."""
    return json.dumps(value, separators=(",", ":"))


@dataclass(frozen=True)
class Field:
    """One text of a result: what the tool gave, what the model is to receive, and the reason in the log."""

    name: str
    given: str
    received: str
    reason: str = "converted"


@dataclass(frozen=True)
class Case:
    """One call; ``received`` is the whole text of the result, ``fields`` are the decisions to be logged for it."""

    name: str
    call: Call
    received: str
    fields: tuple[Field, ...]


def shell(name: str, command: str, given: str, received: str, reason: str = "converted") -> Case:
    """A shell command that succeeds."""
    return Case(name, bash(command), received, (Field("stdout", given, received, reason),))


def report(name: str, given: str, received: str, reason: str = "converted") -> Case:
    """A program that prints ``given``; see ``reports``."""
    return shell(name, f"./report {name}", given, received, reason)


def mcp(name: str, received: str, *fields: Field) -> Case:
    """A call of the MCP server's tool."""
    return Case(name, Call(f"mcp__t__{name.partition(' ')[0]}", {}), received, fields)


CONVERTED_TEXT = Field("[0].text", PRETTY, COMPACT)
CASES = (
    report("pretty", PRETTY, COMPACT),
    report("envelope", ENVELOPE % json.dumps(PRETTY), ENVELOPE_COMPACT % json.dumps(COMPACT)),
    report("around", AROUND % (PRETTY, PRETTY), AROUND % (COMPACT, COMPACT)),
    report("coloured", COLOURED, COLOURED.replace("\x1b[32m", "").replace("\x1b[0m", "")),
    report("plain", PLAIN, PLAIN, "not_json"),
    report("half", CUT, CUT, "invalid_json"),
    report("compact", COMPACT, COMPACT, "already_compact"),
    report("small", '{ "a": 1 }', '{ "a": 1 }', "too_small"),
    shell("a file view", "cat reports/pretty", PRETTY, PRETTY, "file_view"),
    shell("on request raw", "UNPRETTY_RAW=1 ./report pretty", PRETTY, PRETTY, "bypassed"),
    Case("a failing command", bash("./report pretty; exit 3"), f"Exit code 3\n{PRETTY}", ()),
    mcp("text", COMPACT, CONVERTED_TEXT),
    mcp("multi", COMPACT + "second", CONVERTED_TEXT, Field("[1].text", "second", "second", "too_small")),
    mcp("plain", NOTHING, Field("[0].text", NOTHING, NOTHING, "not_json")),
    mcp("both", minified(STRUCTURED_COMPACT), Field("", minified(STRUCTURED), minified(STRUCTURED_COMPACT))),
    mcp("schema", minified(STRUCTURED_COMPACT), Field("", minified(STRUCTURED), minified(STRUCTURED_COMPACT))),
    mcp("error", PRETTY),
)  # fmt: skip


@dataclass(frozen=True)
class Conversation:
    """What is left of the conversation."""

    run: ClaudeRun
    unpretty: Unpretty

    def result(self, case: Case) -> ToolResult:
        """The result of the case's call as the model received it."""
        return next(result for result in self.run.tool_results if result.tool_use_id == tool_use_id(case))


def tool_use_id(case: Case) -> str:
    """Each case is one turn."""
    return f"toolu_{CASES.index(case):03d}_0"


def reports(project: Path) -> None:
    """A program ``report`` that prints one of the texts of the cases."""
    (project / "reports").mkdir()
    for case in CASES:
        if case.call.tool == "Bash" and case.fields:
            (project / "reports" / case.name).write_text(case.fields[0].given)
    program = project / "report"
    program.write_text('#!/bin/sh\nexec cat "reports/$1"\n')
    program.chmod(0o755)


@pytest.fixture(scope="module", params=[clients.CLAUDE_CODE, clients.CLAUDE_CODE_OLDEST], ids=lambda pin: pin.version)
def conversation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, unpretty_program: Path, shapes: list[str]
) -> Conversation:
    """Install, and have every case's call made."""
    program = clients.supply().program(request.param)
    folder = tmp_path_factory.mktemp("conversation")
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    reports(project)
    unpretty = Unpretty(unpretty_program, home, project, program)
    unpretty.run("install", "claude-code", "--apply")
    script = [[case.call] for case in CASES]
    run = ClaudeCode(program, home, project).run(script, mcp={"t": {"command": shapes[0], "args": shapes[1:]}})
    assert run.client.exit_code == 0, run.client.stderr
    return Conversation(run, unpretty)


def without_notes(text: str) -> str:
    """A result without what the client itself may append, now and then or after an error."""
    return text.partition("\n\n<system-reminder>")[0].partition("\n\nThis tool's input schema was not in your prompt")[
        0
    ]


def each_case() -> pytest.MarkDecorator:
    """Run a test for every case."""
    return pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case()
def test_the_model_receives_the_text_with_the_same_meaning(case: Case, conversation: Conversation) -> None:
    result = conversation.result(case)
    assert without_notes(result.text) == case.received
    assert result.is_error == (not case.fields)


@each_case()
def test_every_decision_is_logged_once_with_its_exact_sizes(case: Case, conversation: Conversation) -> None:
    logged = {
        field: (line["reason"], line["bytes_in"], line["bytes_out"], line["chars_in"], line["chars_out"])
        for (call, field), line in conversation.unpretty.decisions().items()
        if call == tool_use_id(case)
    }
    assert logged == {
        field.name: (
            field.reason, len(field.given.encode()), len(field.received.encode()), len(field.given), len(field.received)
        )
        for field in case.fields
    }  # fmt: skip


def test_the_log_tells_who_asked_but_not_what_was_said(conversation: Conversation) -> None:
    for line in conversation.unpretty.log_lines("decision"):
        assert line["agent"] == "claude-code"
        assert line["via"] == "hook"
        assert line["project"] == str(conversation.unpretty.project)
    text = conversation.unpretty.log.read_text()
    assert "lorem" not in text
    assert "report" not in text.replace(str(conversation.unpretty.project), "")


def test_every_conversion_has_its_tokens_counted_and_nothing_keeps_running(conversation: Conversation) -> None:
    assert conversation.run.client.survivors == ()
    converted = {line["id"] for line in conversation.unpretty.log_lines("decision") if line["decision"] == "converted"}
    counted = {line["id"]: line for line in conversation.unpretty.log_lines("tokens")}
    assert set(counted) == converted
    assert all(0 < line["tokens_out"] < line["tokens_in"] for line in counted.values())


def test_stats_agrees_with_what_was_sent(conversation: Conversation) -> None:
    stats = conversation.unpretty.json("stats")
    seen = [case for case in CASES if case.fields]
    assert_totals(stats["totals"], seen)
    assert stats["log"]["broken"] == 0
    by_tool = {row["key"]: row for row in stats["by"]["tool"]}
    assert set(by_tool) == {case.call.tool for case in seen}
    for tool, totals in by_tool.items():
        assert_totals(totals, [case for case in seen if case.call.tool == tool])


def test_every_conversion_is_found_in_the_clients_own_transcript(conversation: Conversation) -> None:
    totals = conversation.unpretty.json("stats", "--verify")["totals"]
    assert totals["applied"] == totals["converted"] > 0
    assert (totals["rejected"], totals["unknown"]) == (0, 0)


def assert_totals(totals: Json, cases: list[Case]) -> None:
    """Check one row of figures against the cases that it sums up; a case of several texts is one result."""
    fields = [field for case in cases for field in case.fields]
    assert totals["results"] == len(cases)
    assert totals["converted"] == sum(any(field.reason == "converted" for field in case.fields) for case in cases)
    assert totals["bytes_in"] == sum(len(field.given.encode()) for field in fields)
    assert totals["bytes_out"] == sum(len(field.received.encode()) for field in fields)


def test_the_client_shows_no_error(conversation: Conversation) -> None:
    assert conversation.run.client.stderr == ""
