"""Several copies of our hook on one call: one answers, the others print nothing."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from unpretty import locations
from unpretty_hooks.call import Call
from unpretty_hooks.claim import claim
from unpretty_installer.core import launcher, registered
from unpretty_installer.core.apply import apply
from unpretty_installer.core.plan import Plan

ROWS = [{"id": number, "name": f"user {number}"} for number in range(40)]


def call(tool_use_id: str = "call_1", session: str = "0198a6ee-aaaa-7000-8000-000000000000") -> Call:
    made = Call("codex")
    made.session, made.tool_use_id = session, tool_use_id
    return made


@pytest.fixture
def log(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "decisions.jsonl")


def test_the_first_to_claim_a_call_answers_it_and_nobody_else(log: str) -> None:
    assert claim(call(), log)
    assert not claim(call(), log)
    assert claim(call("call_2"), log)
    assert claim(call(session="another"), log)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "\0", "ü\udce9", "x" * 10_000, "."])
def test_any_id_makes_a_name_of_a_file_in_our_directory(log: str, name: str, tmp_path: Path) -> None:
    assert claim(call(name), log)
    assert not claim(call(name), log)
    assert len(os.listdir(tmp_path / "state" / "claims")) == 1


def test_a_call_without_an_id_cannot_be_claimed(log: str) -> None:
    assert not claim(call(""), log)


def test_in_doubt_nobody_answers(log: str, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the place of the directory")
    assert not claim(call(), log)


def test_claims_are_forgotten_after_a_minute(log: str, tmp_path: Path) -> None:
    assert claim(call(), log)
    [file] = (tmp_path / "state" / "claims").iterdir()
    os.utime(file, (0, time.time() - 59))
    assert not claim(call(), log)
    os.utime(file, (0, time.time() - 61))
    assert claim(call("call_2"), log)
    assert len(os.listdir(tmp_path / "state" / "claims")) == 1


class TestTheHook:
    """The process as Codex starts it."""

    @pytest.fixture
    def start(self) -> Callable[[str], "subprocess.Popen[bytes]"]:
        apply(Plan("unpretty", "x", changes=launcher.changes()))

        def start(tool_use_id: str) -> "subprocess.Popen[bytes]":
            payload = {
                "session_id": "s", "transcript_path": None, "cwd": "/", "hook_event_name": "PostToolUse",
                "model": "gpt-5.5", "tool_name": "mcp__t__list", "tool_input": {}, "tool_use_id": tool_use_id,
                "tool_response": {"content": [{"type": "text", "text": json.dumps(ROWS, indent=2)}]},
            }  # fmt: skip
            hook = subprocess.Popen(registered.argv("codex"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert hook.stdin is not None
            hook.stdin.write(json.dumps(payload).encode())
            hook.stdin.close()
            return hook

        return start

    def answers(self, hooks: "list[subprocess.Popen[bytes]]") -> list[bytes]:
        outputs = []
        for hook in hooks:
            with hook:
                assert hook.stdout is not None
                outputs.append(hook.stdout.read())
            assert hook.returncode == 0
        return [output for output in outputs if output]

    def logged(self) -> int:
        lines = locations.decision_log_file().read_text().splitlines()
        return sum(json.loads(line)["kind"] == "decision" for line in lines)

    def test_of_copies_that_start_together_one_answers_and_is_logged(
        self, start: Callable[[str], "subprocess.Popen[bytes]"]
    ) -> None:
        locations.state_dir().mkdir(parents=True)
        locations.copies_file("codex").touch()
        assert len(self.answers([start("call_1") for _ in range(4)])) == 1
        assert self.logged() == 1
        assert len(self.answers([start("call_2")])) == 1

    def test_without_a_second_copy_no_call_is_claimed(self, start: Callable[[str], "subprocess.Popen[bytes]"]) -> None:
        assert len(self.answers([start("call_1"), start("call_1")])) == 2
        assert not (locations.state_dir() / "claims").exists()

    @pytest.mark.skipif(sys.platform == "win32", reason="the registered command is for a POSIX shell")
    def test_a_trial_is_never_taken_for_a_second_copy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from unpretty_installer.codex import entry

        apply(Plan("unpretty", "x", changes=launcher.changes()))
        locations.state_dir().mkdir(parents=True)
        locations.copies_file("codex").touch()
        assert entry.try_out() > 0
        assert entry.try_out() > 0
