"""The registered command as a process: whatever comes in, exit status 0 and a whole reply or nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unpretty.engine import reason, system
from unpretty.engine.context import SHELL, Context
from unpretty.settings.chooser import Chooser
from unpretty.settings.defaults import Settings
from unpretty_hooks import claude_code, entry, serving
from unpretty_hooks.call import Call, Field
from unpretty_hooks.state import Files
from unpretty_installer.core import launcher

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"
ROWS = [{"id": n, "name": f"user {n}"} for n in range(40)]
PRETTY = json.dumps(ROWS, indent=2)
COMPACT = json.dumps(ROWS, separators=(",", ":"))


class Hook:
    """hook.py as the installer writes it, with its own files."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.log = self.state / "decisions.jsonl"
        self.config = folder / "config.toml"
        self.script = folder / "hook.py"
        self.script.write_bytes(launcher.source_with(self.log, self.state / "settings.json", self.config))

    def run(self, data: bytes, agent: str = "claude-code", **environment: str) -> str:
        command = [sys.executable, "-I", "-S", str(self.script), agent]
        done = subprocess.run(
            command, input=data, capture_output=True, env={"PATH": os.defpath, **environment}, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode("utf-8")

    def decisions(self) -> list[dict[str, Any]]:
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        return [record for record in map(json.loads, lines) if record["kind"] == "decision"]


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    hook = Hook(tmp_path)
    hook.config.write_text('count_tokens = "estimate"\n', "utf-8")
    return hook


def bash(stdout: str) -> bytes:
    payload = json.loads((FIXTURES / "PostToolUse-Bash.json").read_text("utf-8"))
    payload["tool_input"]["command"] = "gh api x"
    payload["tool_response"]["stdout"] = stdout
    return json.dumps(payload).encode()


def test_a_result_is_replaced_and_logged(hook: Hook) -> None:
    reply = json.loads(hook.run(bash(PRETTY), AI_AGENT="claude-code_2-1-332_cli"))
    assert reply["hookSpecificOutput"]["updatedToolOutput"]["stdout"] == COMPACT
    (record,) = hook.decisions()
    assert len(record.pop("id")) == 16
    assert record.pop("ts") > 1_700_000_000_000
    assert 0 < record.pop("ms") < 60_000
    assert record == {
        "v": 1,
        "kind": "decision",
        "via": "hook",
        "agent": "claude-code",
        "agent_version": "2.1.332",
        "session": "545d2691-b031-4388-a210-376c0cf79923",
        "tool_use_id": "toolu_fake00100",
        "project": "/home/user/project",
        "model": "",
        "tool": "Bash",
        "field": "stdout",
        "decision": "converted",
        "reason": "converted",
        "encoding": "json",
        "bytes_in": len(PRETTY),
        "bytes_out": len(COMPACT),
        "chars_in": len(PRETTY),
        "chars_out": len(COMPACT),
        "docs": 1,
        "steps": {"json": len(PRETTY) - len(COMPACT)},
    }


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", reason.BAD_PAYLOAD),
        (b"not json", reason.BAD_PAYLOAD),
        (b"[]", reason.BAD_PAYLOAD),
        (b"null", reason.BAD_PAYLOAD),
        (b"\xff\xfe", reason.BAD_PAYLOAD),
        (b"{}", reason.BAD_PAYLOAD),
        (b"[" * 200_000, reason.BAD_PAYLOAD),
        (bash(PRETTY)[:-100], reason.BAD_PAYLOAD),
        (bash(PRETTY).replace(b'"Bash"', b'"NewTool"'), reason.UNSUPPORTED_TOOL),
        (bash(PRETTY).replace(b'"Bash"', b'{"a": 1}'), reason.BAD_PAYLOAD),
    ],
    ids=[
        "empty",
        "text",
        "array",
        "null",
        "not UTF-8",
        "no keys",
        "deep",
        "cut in half",
        "unknown tool",
        "odd tool name",
    ],
)
def test_bad_input_prints_nothing_and_leaves_one_line_with_a_reason(hook: Hook, data: bytes, why: str) -> None:
    assert hook.run(data) == ""
    assert [record["reason"] for record in hook.decisions()] == [why]


def test_fifty_megabytes_are_served_like_anything_else(hook: Hook) -> None:
    text = "plain text without any document in it\n" * (50 * 1024 * 1024 // 38)
    assert hook.run(bash(text)) == ""
    assert [record["reason"] for record in hook.decisions()] == [reason.NOT_JSON]


def test_the_environment_switches_one_session_off(hook: Hook) -> None:
    assert hook.run(bash(PRETTY), UNPRETTY="off") == ""
    assert [record["reason"] for record in hook.decisions()] == [reason.DISABLED]


def test_an_edited_config_takes_effect_on_the_next_call(hook: Hook) -> None:
    assert hook.run(bash(PRETTY)) != ""
    hook.config.write_text('enabled = false\ncount_tokens = "estimate"\n', "utf-8")
    assert hook.run(bash(PRETTY)) == ""
    hook.config.write_text('enabled = true\ncount_tokens = "estimate"\nmin_bytes = 1000000\n', "utf-8")
    assert hook.run(bash(PRETTY)) == ""
    assert [record["reason"] for record in hook.decisions()] == [reason.CONVERTED, reason.DISABLED, reason.TOO_SMALL]


def test_a_config_that_does_not_parse_keeps_everything_as_it_is(hook: Hook) -> None:
    hook.config.write_text("enabled = \n", "utf-8")
    assert hook.run(bash(PRETTY)) == ""
    assert [record["reason"] for record in hook.decisions()] == [reason.DISABLED]


def test_a_log_that_cannot_be_written_changes_nothing_else(hook: Hook) -> None:
    hook.log.mkdir(parents=True)
    assert COMPACT.replace('"', '\\"') in hook.run(bash(PRETTY))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_changes_nothing_else(hook: Hook) -> None:
    hook.state.mkdir()
    hook.log.symlink_to("/dev/full")
    assert COMPACT.replace('"', '\\"') in hook.run(bash(PRETTY))


def test_pieces_are_put_together_only_to_parse_them() -> None:
    """Many of the thousands of pieces of a large payload end in a brace; copying all so far each time adds up."""
    received = entry.Received()
    whole: "list[bytes]" = [b'{"a":', b"1}"]
    assert received._is_whole(whole)
    received._spent = entry._FREE_BYTES + 100
    cannot_be_joined = range(7)
    assert not received._is_whole([cannot_be_joined, b"1}"])  # type: ignore[list-item]
    assert received._spent == entry._FREE_BYTES + 100


def test_a_payload_over_the_limit_is_too_large_and_not_a_bad_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "MAX_PAYLOAD_BYTES", 1000)
    call = entry._handle("claude-code", entry.Received(bash(PRETTY)[:1001]), Settings(), Files("", "", ""))
    assert (call.reason, call.fields) == (reason.TOO_LARGE, [])


def test_a_payload_that_an_adapter_fails_on_is_logged_as_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_code, "read", lambda *_: {}["missing"])
    call = entry._handle("claude-code", entry.Received(bash(PRETTY)), Settings(), Files("", "", ""))
    assert (call.agent, call.reason, call.fields) == ("claude-code", reason.ERROR, [])


def test_every_setting_reaches_the_engine() -> None:
    chosen = {
        "min_bytes": 7,
        "min_gain_percent": 3.0,
        "max_input_bytes": 8_000,
        "budget_ms": 1_500,
        "terminal_noise": False,
        "fold_paths": False,
        "encodings": ["columnar"],
        "model": "m",
    }
    call = Call("claude-code")
    call.tool, call.model = "Bash", "another"
    call.fields.append(Field("stdout", "text", Context(SHELL, noise=True, paths=True)))
    serving.decide(call, Settings(chosen))
    context = call.fields[0].context
    assert (context.min_bytes, context.min_gain, context.max_input_bytes) == (7, 0.03, 8_000)
    assert (context.budget_seconds, context.noise, context.paths) == (1.5, False, False)
    assert isinstance(context.choose, Chooser)
    assert (context.choose.names, context.choose.model) == (("columnar",), "m")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_reply_that_cannot_be_written_is_logged_with_its_size(hook: Hook) -> None:
    command = [sys.executable, "-I", "-S", str(hook.script), "claude-code"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, input=bash(PRETTY), stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    (record,) = hook.decisions()
    assert (record["reason"], record["bytes_in"], record["bytes_out"]) == (reason.ERROR, len(PRETTY), len(PRETTY))


def test_a_lone_surrogate_beside_the_text_goes_back_as_it_came(hook: Hook) -> None:
    payload = json.loads(bash(PRETTY))
    payload["tool_response"]["stderr"] = "é \ud800"
    reply = json.loads(hook.run(json.dumps(payload).encode()))
    assert reply["hookSpecificOutput"]["updatedToolOutput"] == payload["tool_response"] | {"stdout": COMPACT}


def test_a_lone_surrogate_in_the_text_keeps_it_as_it_is(hook: Hook) -> None:
    assert hook.run(bash(PRETTY + "\n\ud800")) == ""
    assert [record["reason"] for record in hook.decisions()] == [reason.NOT_VERIFIED]


def test_a_path_that_no_system_takes_is_no_reason_to_fail(hook: Hook) -> None:
    hook.config.write_text('count_tokens = "estimate"\ninline_persisted = true\n', "utf-8")
    for path in ("/x\0/tool-results/a", "/\ud800/tool-results/a"):
        payload = json.loads(bash(PRETTY))
        payload["tool_response"]["persistedOutputPath"] = path
        assert hook.run(json.dumps(payload).encode()) == ""
    assert [record["reason"] for record in hook.decisions()] == [reason.CUT_BY_HOST] * 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_place_of_a_saved_result_is_not_waited_for(hook: Hook, tmp_path: Path) -> None:
    hook.config.write_text('count_tokens = "estimate"\ninline_persisted = true\n', "utf-8")
    saved = tmp_path / "tool-results" / "a.txt"
    saved.parent.mkdir()
    os.mkfifo(saved)
    payload = json.loads(bash(PRETTY))
    payload["tool_response"]["persistedOutputPath"] = str(saved)
    assert hook.run(json.dumps(payload).encode()) == ""
    assert [record["reason"] for record in hook.decisions()] == [reason.CUT_BY_HOST]


def test_the_log_is_rotated_at_the_size_of_the_settings(hook: Hook) -> None:
    hook.config.write_text('count_tokens = "estimate"\nlog_max_bytes = 4096\nlog_files = 2\n', "utf-8")
    hook.state.mkdir()
    hook.log.write_text("x" * 4096)
    for _ in range(2):
        assert hook.run(bash(PRETTY)) != ""
    assert len(hook.decisions()) == 2
    hook.log.write_text("y" * 4096)
    assert hook.run(bash(PRETTY)) != ""
    files = [path for path in hook.state.iterdir() if path.name.startswith(hook.log.name)]
    assert {path.name: path.stat().st_size > 3000 for path in files} == {
        hook.log.name: False,
        f"{hook.log.name}.1": True,
    }


def test_trying_the_hook_leaves_no_trace_and_uses_the_defaults(hook: Hook) -> None:
    hook.config.write_text("enabled = false\n", "utf-8")
    assert hook.run(bash(PRETTY), UNPRETTY_SELFTEST="1") != ""
    assert not hook.state.exists()


def test_the_log_holds_neither_output_nor_command(hook: Hook) -> None:
    payload = json.loads(bash(json.dumps({"token": "SECRET-OUT", "rows": ROWS}, indent=2)))
    payload["tool_input"]["command"] = "curl -H 'Authorization: SECRET-COMMAND' https://example.com"
    assert hook.run(json.dumps(payload).encode(), ANTHROPIC_API_KEY="SECRET-KEY") != ""
    for path in hook.state.rglob("*"):
        assert "SECRET" not in path.read_text("utf-8")
    assert hook.log.stat().st_mode & 0o777 == 0o600
    assert hook.state.stat().st_mode & 0o777 == 0o700


def test_parallel_calls_leave_one_whole_line_each(hook: Hook) -> None:
    command = [sys.executable, "-I", "-S", str(hook.script), "claude-code"]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(12)]
    for process in running:
        assert process.stdin is not None
        process.stdin.write(bash(PRETTY))
        process.stdin.close()
    for process in running:
        assert process.stdout is not None
        assert COMPACT.replace('"', '\\"') in process.stdout.read().decode()
        process.stdout.close()
        assert process.wait() == 0
    assert len(hook.decisions()) == 12
    assert len({record["id"] for record in hook.decisions()}) == 12


TABLE = json.dumps([{"id": n, "name": f"user {n}", "city": "Bern"} for n in range(60)], indent=2)


def test_an_encoding_of_the_users_choice_is_announced_once_in_a_session(hook: Hook) -> None:
    """The interpreter of the hook is started without installed packages; toons is one."""
    hook.config.write_text('count_tokens = "estimate"\nencodings = ["toon"]\n', "utf-8")
    first, second = (json.loads(hook.run(bash(TABLE)))["hookSpecificOutput"] for _ in range(2))
    assert first["updatedToolOutput"]["stdout"].startswith("[60]{id,name,city}:\n")
    assert first["updatedToolOutput"] == second["updatedToolOutput"]
    assert "TOON" in first["additionalContext"]
    assert "UNPRETTY_RAW=1" in first["additionalContext"]
    assert "additionalContext" not in second
    assert [record["encoding"] for record in hook.decisions()] == ["toon", "toon"]
    assert "tables" in hook.decisions()[0]["steps"]


def test_auto_needs_a_model_that_is_known_to_read_it(hook: Hook, tmp_path: Path) -> None:
    hook.config.write_text('count_tokens = "estimate"\nencodings = ["auto"]\n', "utf-8")
    transcript = tmp_path / "transcript.jsonl"
    for model, encodings in (("claude-opus-5-5", {"ldf"}), ("some-model", {"json"})):
        transcript.write_text(f'{{"type":"assistant","message":{{"model":"{model}"}}}}\n', "utf-8")
        payload = json.loads(bash(TABLE)) | {"transcript_path": str(transcript)}
        assert hook.run(json.dumps(payload).encode()) != ""
        assert {hook.decisions()[-1]["encoding"]} == encodings
        assert hook.decisions()[-1]["model"] == model


def test_encodings_can_be_chosen_for_tools_of_one_agent(hook: Hook) -> None:
    rule = '[[encodings_for]]\nagent = "%s"\ntool = "B*"\nencodings = ["tight-c"]\n'
    for agent, encoding in (("codex", "json"), ("claude-code", "tight-c")):
        hook.config.write_text('count_tokens = "estimate"\n' + rule % agent, "utf-8")
        assert hook.run(bash(TABLE)) != ""
        assert hook.decisions()[-1]["encoding"] == encoding


class TestInThisProcess:
    """The same steps, called from here: what a process cannot show."""

    @pytest.fixture
    def paths(self, tmp_path: Path) -> Files:
        config = tmp_path / "config.toml"
        config.write_text('count_tokens = "estimate"\n', "utf-8")
        return Files(str(tmp_path / "state" / "log"), str(tmp_path / "state" / "settings.json"), str(config))

    @pytest.fixture
    def written(self, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
        written: list[bytes] = []
        monkeypatch.setattr(system, "write_all", lambda _, data: written.append(data))
        monkeypatch.setattr(system, "exit_now", lambda status: written.append(b"exit %d" % status))
        monkeypatch.setattr(system, "call_after", lambda *_: None)  # it would end the test's own process
        return written

    def reasons(self, paths: Files) -> list[str]:
        return [json.loads(line)["reason"] for line in Path(paths.log).read_text("utf-8").splitlines()]

    @pytest.mark.parametrize("agent", ["claude-code", "codex"])
    def test_each_agent_has_its_adapter(
        self, agent: str, paths: Files, written: list[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(system, "read_to_end", lambda *_: b"{}")
        monkeypatch.setattr(entry.gc, "disable", lambda: None)
        entry.main(agent, paths.log, paths.resolved, paths.config)
        assert written == [b"exit 0"]
        assert json.loads(Path(paths.log).read_text("utf-8"))["agent"] == agent

    def test_opencode_is_served_by_the_worker(self, paths: Files, monkeypatch: pytest.MonkeyPatch) -> None:
        served: list[Files] = []
        monkeypatch.setattr("unpretty_hooks.worker.serve", lambda agent, files: served.append(files))
        monkeypatch.setattr(entry.gc, "disable", lambda: None)
        entry.main("opencode", paths.log, paths.resolved, paths.config)
        assert [made.log for made in served] == [paths.log]

    def test_a_reply_that_cannot_be_written_is_logged_as_an_error(
        self, paths: Files, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(_: int, __: bytes) -> None:
            raise BrokenPipeError

        monkeypatch.setattr(system, "write_all", broken)
        entry._answer("claude-code", entry.Received(bash(PRETTY)), paths, 0.0)
        assert self.reasons(paths) == [reason.ERROR]

    def test_a_fault_in_an_adapter_is_logged_as_an_error(
        self, paths: Files, written: list[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: object) -> None:
            raise KeyError

        monkeypatch.setattr(claude_code, "read", broken)
        entry._answer("claude-code", entry.Received(bash(PRETTY)), paths, 0.0)
        assert self.reasons(paths) == [reason.ERROR]
        assert written == []

    def test_encodings_find_the_installed_packages_once(
        self, paths: Files, written: list[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path(paths.config).write_text('count_tokens = "estimate"\nencodings = ["toon"]\n', "utf-8")
        before = [path for path in sys.path if not path.endswith("site-packages")]
        monkeypatch.setattr(sys, "path", list(before))
        for _ in range(2):
            entry._answer("claude-code", entry.Received(bash(TABLE)), paths, 0.0)
        assert len(sys.path) == len(before) + 2
        first, second = (json.loads(reply)["hookSpecificOutput"] for reply in written)
        assert "TOON" in first["additionalContext"]
        assert "additionalContext" not in second

    def test_tokens_are_counted_after_the_reply(
        self, paths: Files, written: list[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path(paths.config).write_text("", "utf-8")
        asked: list[tuple[object, ...]] = []
        monkeypatch.setattr(
            "unpretty.tokens.background.count_later", lambda *given: asked.append((*given, len(written)))
        )
        entry._answer("claude-code", entry.Received(bash(PRETTY)), paths, 0.0)
        ((_, log, texts, *_, replies),) = asked
        assert (log, replies) == (paths.log, 1)
        assert [text[1:] for text in texts] == [(PRETTY, COMPACT)]  # type: ignore[attr-defined]
