"""``unpretty estimate``: what is read, what is printed, and how it ends."""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from unpretty.cli import estimate as module
from unpretty.cli.estimate import command
from unpretty.errors import UnprettyError

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture
def sessions(home: Path) -> Path:
    """A recorded session of Claude Code in its directory, and one of Codex."""
    for recorded, place in (
        ("claude-code/session.jsonl", ".claude/projects/p/s1.jsonl"),
        ("codex/rollout.jsonl", ".codex/sessions/2026/11/30/rollout-1.jsonl"),
    ):
        (home / place).parent.mkdir(parents=True)
        shutil.copyfile(FIXTURES / recorded, home / place)
    return home


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The local clock shows UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def invoke(*words: str) -> Result:
    return CliRunner().invoke(command, words, standalone_mode=False)


def document(*words: str) -> dict[str, Any]:
    done = invoke(*words, "--json")
    assert done.exception is None, done.exception
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def agents(estimate: dict[str, Any]) -> dict[str, int]:
    return {row["key"]: row["results"] for row in estimate["by"]["agent"]}


class TestWhatIsRead:
    @pytest.mark.usefixtures("sessions")
    def test_every_agent_on_this_machine(self) -> None:
        assert agents(document()) == {"claude-code": 16, "codex": 17}

    @pytest.mark.usefixtures("sessions")
    def test_one_agent(self) -> None:
        assert agents(document("codex")) == {"codex": 17}

    def test_a_path_and_an_agent_that_lead_to_the_same_file(self, sessions: Path) -> None:
        estimate = document("codex", str(sessions / ".codex"), str(sessions / ".codex" / "sessions"))
        assert estimate["sources"] == [{"agent": "codex", "files": 1, "bytes": estimate["sources"][0]["bytes"]}]
        assert estimate["left_out"]["copies"] == 0

    def test_what_is_neither_agent_nor_file(self) -> None:
        with pytest.raises(UnprettyError, match="neither an agent nor a file") as exc:
            raise invoke("claude").exception or AssertionError
        assert exc.value.code == "not_found"
        assert "claude-code" in exc.value.hint

    def test_nothing_found_says_where_it_was_looked_for(self, home: Path, tmp_path: Path) -> None:
        with pytest.raises(UnprettyError, match="No session records") as exc:
            raise invoke("codex", str(tmp_path)).exception or AssertionError
        assert str(home / ".codex" / "sessions") in str(exc.value)
        assert str(tmp_path) in str(exc.value)

    def test_a_file_that_cannot_be_read_is_listed(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").symlink_to(tmp_path / "nothing")
        estimate = document(str(tmp_path))
        assert estimate["skipped"]["unreadable"][0]["path"] == str(tmp_path / "a.jsonl")

    @pytest.mark.usefixtures("sessions", "utc")
    def test_a_period_is_told_day_by_day(self) -> None:
        estimate = document("--since", "2026-11-30")
        assert [row["key"] for row in estimate["by"]["day"]] == ["2026-11-30"]
        assert sum(row["results"] for row in estimate["by"]["day"]) == estimate["totals"]["results"] == 33
        assert document("--since", "2026-12-01")["totals"]["results"] == 0
        assert document()["by"]["day"] == []

    @pytest.mark.usefixtures("sessions")
    def test_a_period_that_is_none_is_said_so(self) -> None:
        assert isinstance(invoke("--since", "soon").exception, UnprettyError)


class TestSettings:
    def config(self, home: Path, text: str) -> None:
        path = home / ".config" / "unpretty" / "config.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)

    def test_the_users_settings_count(self, sessions: Path) -> None:
        self.config(sessions, 'exclude_tools = ["Bash", "mcp__*"]\n')
        assert document()["totals"]["affected"] == 0

    def test_a_hook_that_is_switched_off_is_judged_as_if_it_were_on(
        self, sessions: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        expected = document()["totals"]
        self.config(sessions, "enabled = false\n")
        monkeypatch.setenv("UNPRETTY", "off")
        assert document()["totals"] == expected
        assert expected["affected"] > 5


class TestOutput:
    @pytest.mark.usefixtures("sessions")
    def test_people_get_tables_and_a_verdict(self) -> None:
        done = invoke()
        assert done.exception is None
        assert "Saved most, by tool" in done.stdout
        assert "Worth it for sessions like these" in done.stdout
        assert done.stderr == ""
        assert done.return_value == 0

    def test_nothing_is_written(self, sessions: Path) -> None:
        before = {path: path.stat().st_mtime_ns for path in sessions.rglob("*")}
        document()
        assert {path: path.stat().st_mtime_ns for path in sessions.rglob("*")} == before

    @pytest.mark.usefixtures("sessions")
    def test_progress_goes_to_a_terminal_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        done = invoke("--json")
        assert json.loads(done.stdout)
        assert "Reading sessions" in done.stderr


class TestInterrupt:
    def interrupt_after(self, count: int, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> None:
        """Press Ctrl-C while the result with this number is added."""
        added = 0
        add = module.Tally.add

        def press(tally: module.Tally, result: Any) -> None:
            nonlocal added
            added += 1
            add(tally, result)
            if added == count:
                for _ in range(times):
                    os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(module.Tally, "add", press)

    @pytest.mark.usefixtures("sessions")
    def test_ctrl_c_shows_what_there_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.interrupt_after(5, monkeypatch)
        before = signal.getsignal(signal.SIGINT)
        done = invoke("--json")
        estimate = json.loads(done.stdout)
        assert done.return_value == 130
        assert (estimate["complete"], estimate["totals"]["results"]) == (False, 5)
        assert signal.getsignal(signal.SIGINT) is before

    @pytest.mark.usefixtures("sessions")
    def test_a_second_ctrl_c_ends_it_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.interrupt_after(5, monkeypatch, times=2)
        before = signal.getsignal(signal.SIGINT)
        done = invoke("--json")
        assert type(done.exception).__name__ in ("Abort", "KeyboardInterrupt")
        assert done.stdout == ""
        assert signal.getsignal(signal.SIGINT) is before
