"""Finding the records of sessions, on this machine and in directories from elsewhere."""

import os
import shutil
from pathlib import Path

import pytest

from unpretty import agents
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.sources import Source, agent_of, own_sources, read_results, sources_at

from .recorded import opencode_database, path_of

CLAUDE = ("projects/-home-user-project/s1.jsonl", "projects/-home-user-project/s1/subagents/agent-1.jsonl")
RECORDED = {"claude-code": "claude-code/session.jsonl", "codex": "codex/rollout.jsonl"}
CODEX = ("sessions/2026/11/30/rollout-1.jsonl", "archived_sessions/rollout-2.jsonl")


def place(recorded: str, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path_of(recorded), path)
    return path


@pytest.fixture
def claude(home: Path) -> list[Path]:
    return [place("claude-code/session.jsonl", home / ".claude" / name) for name in CLAUDE]


@pytest.fixture
def codex(home: Path) -> list[Path]:
    return [place("codex/rollout.jsonl", home / ".codex" / name) for name in CODEX]


@pytest.fixture
def opencode(home: Path) -> Path:
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    opencode_database(path).close()
    return path


def paths(sources: list[Source]) -> set[Path]:
    return {source.path for source in sources}


def numbers_of_results(sources: list[Source]) -> dict[str, int]:
    reading = Reading()
    found = {source.path.name: len(list(read_results(source, reading))) for source in sources}
    assert reading.unreadable == []
    return found


class TestThisMachine:
    def test_claude_code_keeps_sessions_and_those_of_subagents(self, claude: list[Path]) -> None:
        found = own_sources("claude-code", Reading())
        assert paths(found) == set(claude)
        assert numbers_of_results(found) == {"s1.jsonl": 16, "agent-1.jsonl": 16}

    def test_codex_keeps_sessions_and_archived_ones(self, codex: list[Path]) -> None:
        found = own_sources("codex", Reading())
        assert paths(found) == set(codex)
        assert numbers_of_results(found) == {"rollout-1.jsonl": 17, "rollout-2.jsonl": 17}

    def test_opencode_keeps_a_database(self, opencode: Path) -> None:
        (opencode.parent / "storage").mkdir()
        shutil.copyfile(opencode, opencode.parent / "storage" / "other.db")
        (opencode.parent / "log.jsonl").write_text("{}")
        (opencode.parent / "opencode-fake.db").write_text("not a database")
        found = own_sources("opencode", Reading())
        assert paths(found) == {opencode}
        assert numbers_of_results(found) == {"opencode.db": 16}

    def test_their_own_variables_are_honoured(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
            monkeypatch.setenv(name, str(tmp_path / name))
        directories = {row.name: row.session_directories for row in agents.every()}
        assert directories["claude-code"] == [tmp_path / "CLAUDE_CONFIG_DIR" / "projects"]
        assert directories["codex"] == [tmp_path / "CODEX_HOME" / name for name in ("sessions", "archived_sessions")]
        assert directories["opencode"] == [tmp_path / "XDG_DATA_HOME" / "opencode"]

    @pytest.mark.parametrize(("value", "below"), [("~/x y", "x y"), (" ", None), ("", None), ("rel", "cwd/rel")])
    @pytest.mark.parametrize("row", agents.every(), ids=lambda row: row.name)
    def test_a_variable_leads_to_the_directory_that_it_leads_the_installer_to(
        self, row: agents.Agent, value: str, below: str | None, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A leading ``~`` is the home directory, a blank value is as good as none, a relative one begins here."""
        (home / "cwd").mkdir()
        monkeypatch.chdir(home / "cwd")
        where = home / (row.data.default or "") if below is None else home / below
        if row.config.variable == row.data.variable:
            monkeypatch.setenv(row.data.variable, value)
            assert row.config.path() == where / row.config.below
        monkeypatch.setenv(row.data.variable, value)
        directory = where / row.data.below / row.sessions[0]
        if row.name == "opencode":
            directory.mkdir(parents=True)
            opencode_database(directory / "opencode.db").close()
        else:
            place(RECORDED[row.name], directory / "p" / "s1.jsonl")
        assert [source.path.is_relative_to(directory) for source in own_sources(row.name, Reading())] == [True]

    @pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
    def test_an_agent_that_is_not_there_has_no_sessions(self, agent: str) -> None:
        reading = Reading()
        assert own_sources(agent, reading) == []
        assert reading.unreadable == []

    def test_the_oldest_come_first(self, claude: list[Path]) -> None:
        os.utime(claude[0], (2_000_000_000, 2_000_000_000))
        os.utime(claude[1], (1_000_000_000, 1_000_000_000))
        found = own_sources("claude-code", Reading())
        assert [source.path for source in found] == [claude[1], claude[0]]
        assert found[0].changed_ms == 1_000_000_000_000
        assert found[0].size == claude[1].stat().st_size

    def test_a_log_next_to_the_database_belongs_to_it(self, opencode: Path) -> None:
        log = opencode.with_name("opencode.db-wal")
        log.write_bytes(b"x" * 1000)
        os.utime(log, (2_000_000_000, 2_000_000_000))
        [source] = own_sources("opencode", Reading())
        assert source.size == opencode.stat().st_size + 1000
        assert source.changed_ms == 2_000_000_000_000


class TestElsewhere:
    @pytest.mark.usefixtures("claude", "codex", "opencode")
    def test_a_directory_with_all_agents_records(self, home: Path) -> None:
        (home / "other.jsonl").write_text('{"some":"thing"}\n')
        (home / "notes.txt").write_text("sessionId")
        found = sources_at(home, Reading())
        assert sorted(source.agent for source in found) == ["claude-code"] * 2 + ["codex"] * 2 + ["opencode"]

    def test_one_file(self, tmp_path: Path) -> None:
        file = place("codex/rollout.jsonl", tmp_path / "renamed.jsonl")
        [source] = sources_at(file, Reading())
        assert (source.agent, source.path) == ("codex", file)

    def test_a_file_of_something_else(self, tmp_path: Path) -> None:
        file = tmp_path / "a.jsonl"
        file.write_text("{}")
        assert sources_at(file, Reading()) == []

    @pytest.mark.parametrize(
        ("name", "text", "agent"),
        [
            ("rollout-x.jsonl", b"", "codex"),
            ("a.jsonl", b'{"type":"session_meta"}', "codex"),
            ("a.jsonl", b'{"parentUuid":null}', "claude-code"),
            ("a.jsonl", b'{"type":"summary","sessionId":"s"}', "claude-code"),
            ("a.jsonl", b"{}", ""),
            ("a.jsonl", b'{"sessionId":"s","message":"a \\"session_meta\\" line, "session_meta""}', "claude-code"),
            ("a.jsonl", b'{"type":"session_meta","payload":{"note":""sessionId""}}', "codex"),
            ("a.db", b"SQLite format 3\0", "opencode"),
            ("a.db", b'{"sessionId":1}', ""),
        ],
    )
    def test_the_content_of_a_file_decides_whose_it_is(
        self, name: str, text: bytes, agent: str, tmp_path: Path
    ) -> None:
        (tmp_path / name).write_bytes(text)
        assert agent_of(tmp_path / name) == agent

    def test_what_is_no_file_is_not_opened(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.jsonl")
        (tmp_path / "folder.jsonl").mkdir()
        assert sources_at(tmp_path, Reading()) == []

    def test_a_link_to_a_session_is_followed_and_one_to_nothing_is_listed(self, tmp_path: Path) -> None:
        file = place("codex/rollout.jsonl", tmp_path / "elsewhere" / "x")
        (tmp_path / "below").mkdir()
        (tmp_path / "below" / "link.jsonl").symlink_to(file)
        (tmp_path / "below" / "dangling.jsonl").symlink_to(tmp_path / "nothing")
        reading = Reading()
        assert [source.agent for source in sources_at(tmp_path / "below", reading)] == ["codex"]
        assert [path.name for path, _ in reading.unreadable] == ["dangling.jsonl"]

    def test_compressed_records_are_listed(self, tmp_path: Path) -> None:
        (tmp_path / "rollout-1.jsonl.zst").write_bytes(b"x")
        reading = Reading()
        assert sources_at(tmp_path, reading) == []
        assert reading.unreadable == [(tmp_path / "rollout-1.jsonl.zst", "it is compressed; unpack it first")]


class TestUnreadable:
    def test_a_file_that_is_gone_is_listed(self, tmp_path: Path) -> None:
        reading = Reading()
        for name in ("claude-code", "codex", "opencode"):
            assert list(read_results(Source(name, tmp_path / name, 0, 0), reading)) == []
        assert [why for _, why in reading.unreadable] == ["No such file or directory"] * 3

    def test_a_database_that_is_none_is_listed(self, tmp_path: Path) -> None:
        (tmp_path / "a.db").write_bytes(b"SQLite format 3\0")
        reading = Reading()
        assert list(read_results(Source("opencode", tmp_path / "a.db", 0, 0), reading)) == []
        assert [why for _, why in reading.unreadable] == ["it is not a SQLite database"]

    def test_a_directory_that_cannot_be_read_is_listed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def walk(directory: Path, onerror: object) -> list[object]:
            assert callable(onerror)
            onerror(PermissionError(13, "Permission denied", str(directory / "closed")))
            onerror(FileNotFoundError(2, "No such file or directory", str(directory / "gone")))
            return []

        monkeypatch.setattr(os, "walk", walk)
        reading = Reading()
        assert sources_at(tmp_path, reading) == []
        assert reading.unreadable == [(tmp_path / "closed", "Permission denied")]
