"""One pipeline: hook, worker, `explain` and `estimate` decide the same about every recorded payload of every agent."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from unpretty import agents
from unpretty.engine import reason
from unpretty.engine.json_text.scanner import loads
from unpretty.estimate.outcome import judge
from unpretty.explain import explain
from unpretty.settings.defaults import Settings
from unpretty.transcripts.result import ToolResult
from unpretty_hooks import serving
from unpretty_hooks.call import Call
from unpretty_installer.core import launcher

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROWS = [{"id": number, "name": f"user {number}", "ok": number % 2 == 0} for number in range(40)]
TEXTS = {
    "pretty JSON": json.dumps(ROWS, indent=2),
    "compact JSON": json.dumps(ROWS, separators=(",", ":")),
    "JSON in text": "orders:\n" + json.dumps(ROWS, indent=2) + "\nend\n",
    "colours": "\x1b[32mok\x1b[0m a test that passed\n" * 40,
    "search results": "".join(f"src/lib/orders/model.py:{number}:line {number}\n" for number in range(1, 60)),
    "no JSON": "a line of text without anything to find in it\n" * 40,
}
SETTINGS: dict[str, dict[str, object]] = {
    "defaults": {},
    "columnar": {"encodings": ["columnar"]},
    "auto": {"encodings": ["auto"]},
    "rules": {"encodings_for": [{"agent": name, "encodings": ["tight-c"]} for name in agents.names()]},
    "no noise, no paths": {"terminal_noise": False, "fold_paths": False},
    "saved output": {"inline_persisted": True},
    "small gains": {"min_gain_percent": 50.0},
    "excluded": {"exclude_tools": ["*a*"]},
    "off": {"enabled": False},
}
MODEL = "claude-opus-5-5"


class Shown(NamedTuple):
    """What became of one text."""

    field: str
    reason: str
    encoding: str
    text: str


def lengthened(value: Any, text: str) -> Any:
    """A recorded result with every text that a model may read replaced by ``text``."""
    if isinstance(value, list):
        return [lengthened(item, text) for item in value]
    if isinstance(value, dict):
        return {
            key: text
            if key in ("stdout", "content", "text", "output") and isinstance(item, str) and item
            else lengthened(item, text)
            for key, item in value.items()
        }
    return value


def recorded(agent: str) -> Iterator[dict[str, Any]]:
    """The payloads that the real client handed out, as they are."""
    for path in sorted((FIXTURES / agent).glob("*.json")):
        value = json.loads(path.read_text("utf-8"))
        if isinstance(value, dict) and (payload := serving.adapter_of(agent).payload_of(value)) is not None:
            yield {**payload, "id": 1} if agents.get(agent).worker else payload


def payloads(agent: str, folder: Path) -> list[dict[str, Any]]:
    """Every recorded payload with each of TEXTS in it, in separate sessions whose model is MODEL."""
    transcript = folder / "session.jsonl"
    transcript.write_text(json.dumps({"type": "assistant", "message": {"model": MODEL}}) + "\n", "utf-8")
    found = []
    for payload in recorded(agent):
        for text in TEXTS.values():
            made = dict(payload)
            for name in ("tool_response", "fields"):
                if name in payload:
                    made[name] = lengthened(payload[name], text)
            if isinstance(made.get("tool_response"), str):
                made["tool_response"] = text
            if "fields" in made:
                made["fields"] = [[name, text] for name, _ in payload["fields"]]
            for key in ("session_id", "session"):
                if key in made:
                    made[key] = f"session {len(found)}"
            if "transcript_path" in made:
                made["transcript_path"] = str(transcript)
            if "turn_id" in made or "fields" in made:
                made["model"] = MODEL
            found.append(made)
    return [*found, *special(agent, folder)]


def special(agent: str, folder: Path) -> Iterator[dict[str, Any]]:
    """What the recorded payloads do not show: results that OpenCode cut, and calls that a program made."""
    if agent != "opencode":
        return
    saved = folder / "tool-output" / "tool_1"
    saved.parent.mkdir(exist_ok=True)
    cut = agents.get(agent).marks["cut"] + f"{saved}\n\n(no output)"
    base = {"id": 1, "tool": "bash", "call": "c", "session": "cut", "command": "gh api x", "model": MODEL}
    saved.write_text(json.dumps(ROWS * 50, separators=(",", ":")), "utf-8")
    yield {**base, "saved": str(saved), "fields": [["output", cut]]}
    for text in TEXTS.values():
        yield {**base, "tool": "t_list", "mcp": True, "inner": True, "fields": [["content.0.text", text]]}
        yield {**base, "session": "mcp", "tool": "t_list", "mcp": True, "fields": [["content.0.text", text * 40]]}


def of_call(call: Call) -> list[Shown]:
    return [
        Shown(field.name, field.compaction.decision.reason, field.compaction.decision.encoding, field.compaction.text)
        for field in call.fields
        if field.compaction is not None
    ] or [Shown("", call.reason, "", "")]


class Process:
    """hook.py as the installer writes it, with its own files."""

    def __init__(self, agent: str, folder: Path, settings: dict[str, object]) -> None:
        self.agent = agent
        self.log = folder / "log"
        config = folder / "config.toml"
        self.script = folder / "hook.py"
        self.script.write_bytes(launcher.source_with(self.log, folder / "settings.json", config))
        config.write_text(toml({"count_tokens": "estimate", **settings}), "utf-8")

    def run(self, data: str) -> str:
        command = [sys.executable, "-I", "-S", str(self.script), self.agent]
        done = subprocess.run(command, input=data.encode(), capture_output=True, timeout=120, check=True)
        assert done.stderr == b""
        return done.stdout.decode()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]


def toml(values: dict[str, object]) -> str:
    """``values`` as config.toml; lists of tables come last."""
    tables = {name: value for name, value in values.items() if isinstance(value, list) and isinstance(value[0], dict)}
    plain = [f"{name} = {json.dumps(value)}" for name, value in values.items() if name not in tables]
    rows = [
        f"[[{name}]]\n" + "\n".join(f"{key} = {json.dumps(item)}" for key, item in row.items())
        for name, value in tables.items()
        for row in value
    ]
    return "\n".join([*plain, *rows]) + "\n"


def in_processes(agent: str, asked: list[dict[str, Any]], process: Process) -> Iterator[tuple[list[Any], str]]:
    """Field, reason and encoding of each text, and what the process printed, call by call."""
    if agents.get(agent).worker:
        replies = process.run("".join(json.dumps(payload) + "\n" for payload in asked)).splitlines(keepends=True)
        assert len(replies) == len(asked)
        lines = process.lines()
        for payload, reply in zip(asked, replies, strict=True):
            count = max(1, len(of_call(serving.handle(agent, loads(json.dumps(payload)), Settings()))))
            yield [(line["field"], line["reason"], line["encoding"]) for line in lines[:count]], reply
            del lines[:count]
        return
    for payload in asked:
        process.log.unlink(missing_ok=True)
        reply = process.run(json.dumps(payload))
        yield [(line["field"], line["reason"], line["encoding"]) for line in process.lines()], reply


@pytest.mark.parametrize("chosen", SETTINGS)
@pytest.mark.parametrize("agent", agents.names())
def test_hook_and_worker_processes_explain_and_estimate_decide_the_same(
    agent: str, chosen: str, tmp_path: Path
) -> None:
    settings = Settings(SETTINGS[chosen])
    asked = payloads(agent, tmp_path)
    assert len(asked) > 30
    # Where each call takes a process, a dozen of them show that the settings reach it.
    step = 1 if chosen == "defaults" or agents.get(agent).worker else 1 + len(asked) // 12
    processes = in_processes(agent, asked[::step], Process(agent, tmp_path, SETTINGS[chosen]))
    seen = set()
    for number, payload in enumerate(asked):
        call = serving.handle(agent, loads(json.dumps(payload)), settings)
        expected = of_call(call)
        if number % step == 0:
            logged, printed = next(processes)
            assert logged == [shown[:3] for shown in expected]
            assert printed == call.reply
        explained = explain(json.dumps(payload).encode(), settings, agent)
        assert [
            Shown(str(item.record["field"]), str(item.record["reason"]), str(item.record["encoding"]), item.after)
            for item in explained
        ] == expected
        given = loads(json.dumps(payload))
        assert isinstance(given, dict)
        judged = judge(ToolResult(agent, call.tool, "s", "c", "i", None, (), call.command, given, ""), settings)
        assert judged.reason == reason.CONVERTED if call.changed() else judged.reason in {s.reason for s in expected}
        assert [change.after for change in judged.changes] == [
            field.compaction.text[: field.compaction.decision.chars_out]
            for field in call.changed()
            if field.compaction and field.compaction.decision.bytes_in != field.compaction.decision.bytes_out
        ]
        seen |= {(shown.reason, shown.encoding) for shown in expected}
    if chosen == "off":
        assert reason.CONVERTED not in {why for why, _ in seen}
    else:
        assert len(seen) > 2


class TestUnknownAgents:
    def test_the_hook_prints_nothing_and_leaves_one_line(self, tmp_path: Path) -> None:
        process = Process("gemini", tmp_path, {})
        assert process.run(json.dumps(next(recorded("claude-code")))) == ""
        [line] = process.lines()
        assert (line["agent"], line["reason"], line["via"]) == ("gemini", reason.BAD_PAYLOAD, "hook")

    def test_no_adapter_is_asked(self) -> None:
        call = serving.handle("gemini", next(recorded("claude-code")), Settings())
        assert (call.reason, call.fields, call.reply) == (reason.BAD_PAYLOAD, [], "")
        with pytest.raises(KeyError):
            serving.adapter_of("gemini")


def test_the_model_of_the_session_chooses_among_encodings_everywhere(tmp_path: Path) -> None:
    """`explain` once did not read the transcript, and said json where the hook sent ldf."""
    asked = next(one for one in payloads("claude-code", tmp_path) if one["tool_name"] == "Bash")
    asked["tool_response"]["stdout"] = TEXTS["pretty JSON"]
    [explained] = explain(json.dumps(asked).encode(), Settings({"encodings": ["auto"]}))
    assert explained.record["encoding"] == "ldf"


def test_a_result_that_opencode_cut_is_explained_as_the_worker_decides(tmp_path: Path) -> None:
    [cut] = [one for one in special("opencode", tmp_path) if "saved" in one]
    [explained] = explain(json.dumps(cut).encode(), Settings())
    assert (explained.record["reason"], explained.after.count("\n") > 100) == (reason.CONVERTED, True)


def test_a_program_in_code_mode_is_given_json_by_explain_too(tmp_path: Path) -> None:
    [inner] = [
        one for one in special("opencode", tmp_path) if one.get("inner") and one["fields"][0][1] == TEXTS["pretty JSON"]
    ]
    [explained] = explain(json.dumps(inner).encode(), Settings({"encodings": ["columnar"]}))
    assert (explained.record["reason"], explained.record["encoding"]) == (reason.CONVERTED, "json")
