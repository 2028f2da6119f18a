"""OpenCode's worker, as the process that the plugin starts."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unpretty import agents, locations
from unpretty.engine import reason
from unpretty.settings.chooser import Chooser
from unpretty.tokens import background
from unpretty_hooks import serving, worker
from unpretty_hooks.call import Call
from unpretty_hooks.state import Files
from unpretty_installer.core import launcher

PRETTY = json.dumps([{"id": number, "name": f"row {number}"} for number in range(60)], indent=2)
COMPACT = json.dumps(json.loads(PRETTY), separators=(",", ":"))


class Running:
    """A worker and its pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        return reply

    def ask(self, **more: object) -> dict[str, Any]:
        request = {"id": 1, "tool": "bash", "call": "call_1", "command": "x", "fields": [["output", PRETTY]], **more}
        self.send(json.dumps(request).encode() + b"\n")
        return self.receive()


@pytest.fixture
def running(home: Path) -> Iterator[Running]:
    """A worker started as the plugin starts it."""
    hook = launcher.hook_file()
    hook.parent.mkdir(parents=True)
    hook.write_bytes(launcher.hook_source())
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(hook), "opencode"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        yield Running(process)
        process.kill()


def log_lines(count: int) -> list[dict[str, Any]]:
    """The decisions in the log, which are written after the reply: wait for ``count`` of them."""
    deadline = time.monotonic() + 20
    while True:
        log = locations.decision_log_file()
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        lines = [line for line in lines if line["kind"] == "decision"]
        if len(lines) >= count or time.monotonic() > deadline:
            return lines
        time.sleep(0.01)


def test_each_request_gets_the_reply_with_its_id(running: Running) -> None:
    for number in (1, 2, 3):
        assert running.ask(id=number) == {"id": number, "texts": {"output": COMPACT}}


def test_each_request_leaves_a_line_in_the_log(running: Running) -> None:
    running.ask(version="1.18.33", model="m", session="s", project="/p")
    running.ask(fields=[["output", "too small"]])
    first, second = log_lines(2)
    assert (first["via"], first["agent"], first["agent_version"], first["model"]) == (
        "worker", "opencode", "1.18.33", "m",
    )  # fmt: skip
    assert (first["reason"], first["bytes_in"], first["bytes_out"]) == ("converted", len(PRETTY), len(COMPACT))
    assert second["reason"] == reason.TOO_SMALL
    assert PRETTY[:20] not in locations.decision_log_file().read_text()


def test_a_changed_setting_takes_effect_on_the_next_request(running: Running) -> None:
    assert running.ask()["texts"]
    locations.config_file().parent.mkdir(parents=True)
    locations.config_file().write_text("enabled = false\n")
    assert running.ask()["texts"] == {}
    locations.config_file().unlink()
    assert running.ask()["texts"]


@pytest.mark.parametrize(
    "line", [b"\n", b"null\n", b"[1]\n", b"{nope\n", b"\xff\n", b"[" * 100_000 + b"\n", b'{"id":5}\n', b"\0\n"]
)
def test_a_line_that_is_no_request_is_answered_and_the_next_one_served(running: Running, line: bytes) -> None:
    running.send(line)
    assert running.receive()["texts"] == {}
    assert running.ask(id=2)["texts"] == {"output": COMPACT}


def test_a_request_of_megabytes_is_served(running: Running) -> None:
    long = json.dumps([{"id": number} for number in range(100_000)], indent=2)
    reply = running.ask(fields=[["content.0.text", long]], mcp=True, inner=True)
    assert json.loads(reply["texts"]["content.0.text"]) == json.loads(long)


def test_lone_surrogates_survive_the_way_there_and_back(running: Running) -> None:
    reply = running.ask(fields=[["output", PRETTY + "\ud800"]])
    assert reply["texts"].get("output", PRETTY + "\ud800").endswith("\ud800")


def test_the_worker_ends_with_its_input(running: Running) -> None:
    running.ask()
    assert running.process.stdin is not None
    running.process.stdin.close()
    assert running.process.wait(20) == 0


def test_half_a_line_at_the_end_of_input_is_no_request(running: Running) -> None:
    running.send(b'{"id":1,"tool":"bash"')
    assert running.process.communicate()[0] == b""
    assert not locations.decision_log_file().exists()


def test_the_worker_ends_when_nobody_reads_its_replies(running: Running) -> None:
    running.ask()
    assert running.process.stdout is not None
    running.process.stdout.close()
    running.send(b'{"id":1}\n')
    assert running.process.wait(20) == 0


def test_a_trial_of_the_installer_leaves_no_line_in_the_log(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNPRETTY_SELFTEST", "1")
    written: list[bytes] = []
    monkeypatch.setattr(worker.system, "write_all", lambda handle, data: written.append(data))
    request = {"id": 1, "tool": "bash", "fields": [["output", PRETTY]]}
    worker._serve_one("opencode", json.dumps(request).encode() + b"\n", paths(home), worker.Uncounted(paths(home)))
    assert json.loads(written[0])["texts"] == {"output": COMPACT}
    assert not (home / "log").exists()


def test_an_error_of_ours_gives_the_original_and_a_line_in_the_log(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(call: object, settings: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(serving, "decide", fail)
    written: list[bytes] = []
    monkeypatch.setattr(worker.system, "write_all", lambda handle, data: written.append(data))
    request = {"id": 1, "tool": "bash", "fields": [["output", PRETTY]]}
    worker._serve_one("opencode", json.dumps(request).encode() + b"\n", paths(home), worker.Uncounted(paths(home)))
    assert json.loads(written[0]) == {"id": 1, "texts": {}}
    assert json.loads((home / "log").read_text())["reason"] == reason.ERROR


def test_a_log_that_fails_in_an_unforeseen_way_stops_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Files, "log_decisions", fail)
    written: list[bytes] = []
    monkeypatch.setattr(worker.system, "write_all", lambda handle, data: written.append(data))
    worker._serve_one("opencode", b'{"id":1,"tool":"bash"}\n', paths(home), worker.Uncounted(paths(home)))
    assert json.loads(written[0]) == {"id": 1, "texts": {}}


def test_the_time_budget_is_below_the_time_limit_of_the_plugin() -> None:
    limits = agents.get("opencode").limits
    budget = limits["worker_ms"]
    assert budget < limits["plugin_ms"]
    for chosen, seconds in ((9_000, budget / 1000), (20, 0.02)):
        [field] = served({}, {"budget_ms": chosen}).fields
        assert field.context.budget_seconds == seconds


class TestCountingTokens:
    """One process counts at a time; what comes in the meantime waits for the next one."""

    @pytest.fixture
    def started(self, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
        """The ids that each process was given."""
        found: list[list[str]] = []
        monkeypatch.setattr(
            Files, "count_tokens", lambda files, texts, settings: found.append([text[0] for text in texts])
        )
        return found

    def test_what_comes_while_one_counts_is_handed_over_together(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, started: list[list[str]]
    ) -> None:
        uncounted = worker.Uncounted(paths(home))
        busy = False
        monkeypatch.setattr(background, "is_counting", lambda: busy)
        uncounted.hand_over()
        for number in range(4):
            uncounted.add([(str(number), "a", "b")], worker.Settings())
            uncounted.hand_over()
            busy = number == 0
        assert started == [["0"], ["1", "2"], ["3"]]

    def test_at_the_end_everything_is_handed_over(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, started: list[list[str]]
    ) -> None:
        uncounted = worker.Uncounted(paths(home))
        monkeypatch.setattr(background, "is_counting", lambda: True)
        uncounted.add([("1", "a", "b"), ("2", "a", "b")], worker.Settings())
        uncounted.hand_over()
        assert started == []
        uncounted.hand_over(last=True)
        assert started == [["1", "2"]]

    def test_only_so_much_waits(self, home: Path, monkeypatch: pytest.MonkeyPatch, started: list[list[str]]) -> None:
        monkeypatch.setattr(worker, "MAX_UNCOUNTED_CHARS", 10)
        uncounted = worker.Uncounted(paths(home))
        uncounted.add([("1", "aaaa", "b"), ("2", "aaaaaa", "b"), ("3", "a", "b")], worker.Settings())
        uncounted.hand_over(last=True)
        assert started == [["1", "3"]]

    def test_a_running_worker_adds_the_counts_to_the_log(self, running: Running) -> None:
        """Exact counts need tiktoken and its vocabulary, which ship with the package."""
        for number in range(3):
            running.ask(id=number)
        assert running.process.stdin is not None
        running.process.stdin.close()
        running.process.wait(20)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            lines = [json.loads(line) for line in locations.decision_log_file().read_text().splitlines()]
            counts = [line for line in lines if line["kind"] == "tokens"]
            if len(counts) == 3:
                break
            time.sleep(0.05)
        assert {line["id"] for line in counts} == {line["id"] for line in lines if line["kind"] == "decision"}
        assert all(0 < line["tokens_out"] < line["tokens_in"] for line in counts)


def test_a_program_in_code_mode_gets_json_whatever_the_settings_say() -> None:
    settings: dict[str, object] = {"encodings": ["auto"], "encodings_for": [{"tool": "*", "encodings": ["toon"]}]}
    [inner], [outer] = (served({"inner": inner}, settings).fields for inner in (True, False))
    assert inner.context.choose is None
    assert isinstance(outer.context.choose, Chooser)
    assert outer.context.choose.names == ("toon",)


def test_reading_goes_on_until_the_end_of_input(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop itself, in this process: two requests, then half a line."""
    reader, writer = os.pipe()
    os.write(writer, b'{"id":1}\n{"id":2}\n{"id":')
    os.close(writer)
    served: list[bytes] = []
    monkeypatch.setattr(worker, "_serve_one", lambda agent, line, files, uncounted: served.append(line))
    standard_input = os.dup(0)
    try:
        os.dup2(reader, 0)
        worker.serve("opencode", paths(home))
    finally:
        os.dup2(standard_input, 0)
        os.close(standard_input)
        os.close(reader)
    assert served == [b'{"id":1}\n', b'{"id":2}\n']


@pytest.mark.parametrize("ending", [BrokenPipeError, KeyboardInterrupt])
def test_an_end_of_opencode_is_an_end_without_noise(
    home: Path, monkeypatch: pytest.MonkeyPatch, ending: type[BaseException]
) -> None:
    def fail(agent: str, line: bytes, files: object, uncounted: object) -> None:
        raise ending

    reader, writer = os.pipe()
    os.write(writer, b"{}\n{}\n")
    os.close(writer)
    monkeypatch.setattr(worker, "_serve_one", fail)
    standard_input = os.dup(0)
    try:
        os.dup2(reader, 0)
        worker.serve("opencode", paths(home))
    finally:
        os.dup2(standard_input, 0)
        os.close(standard_input)
        os.close(reader)


def paths(folder: Path) -> Files:
    return Files(str(folder / "log"), str(folder / "resolved"), str(folder / "config.toml"))


def served(more: dict[str, object], settings: dict[str, object]) -> Call:
    """The call that the worker makes of a request."""
    request = {"tool": "bash", "fields": [["output", PRETTY]], **more}
    return serving.handle("opencode", request, worker.Settings(settings))
