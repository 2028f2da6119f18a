"""Reading everything, or until the caller stops it."""

import json
from pathlib import Path

import pytest

from unpretty.decision_log.writer import append
from unpretty.estimate.run import replaced_by_hook, run
from unpretty.estimate.tally import Tally
from unpretty.settings.defaults import Settings
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.sources import Source


def transcript(path: Path, count: int, more: str = "") -> Source:
    """A file with ``count`` results."""
    lines = []
    for number in range(count):
        call = {"type": "tool_use", "id": f"{path.name}{number}", "name": "Bash", "input": {"command": "make"}}
        block = {"type": "tool_result", "tool_use_id": f"{path.name}{number}", "content": "out"}
        lines.append({"type": "assistant", "message": {"content": [call]}})
        lines.append({"type": "user", "sessionId": path.name, "message": {"content": [block]}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + more)
    return Source("claude-code", path, path.stat().st_size, 5_000)


@pytest.fixture
def tally() -> Tally:
    return Tally(Settings(), len)


def results(tally: Tally) -> int:
    return sum(cell.results for cell in tally.cells.values())


def test_everything_is_read_and_progress_is_told(tmp_path: Path, tally: Tally) -> None:
    read_bytes: list[int] = []
    reading = Reading(progress=read_bytes.append)
    sources = [transcript(tmp_path / name, 5) for name in "ab"]
    assert run(sources, tally, reading)
    assert results(tally) == 10
    assert sum(read_bytes) == sum(source.size for source in sources)
    assert reading.progress == read_bytes.append


def test_files_that_are_older_than_the_period_are_passed_over(tmp_path: Path, tally: Tally) -> None:
    read_bytes: list[int] = []
    source = transcript(tmp_path / "a", 5)
    assert run([source], tally, Reading(progress=read_bytes.append), since_ms=5_001)
    assert (results(tally), read_bytes) == (0, [source.size])
    assert run([source], tally, Reading(), since_ms=5_000)
    assert results(tally) == 5


def test_it_stops_between_two_results(tmp_path: Path, tally: Tally) -> None:
    assert not run([transcript(tmp_path / "a", 5)], tally, Reading(), stopped=lambda: results(tally) == 3)
    assert results(tally) == 3


def test_it_stops_where_there_are_no_results(tmp_path: Path, tally: Tally) -> None:
    read_bytes: list[int] = []
    source = transcript(tmp_path / "a", 0, more='{"type":"note"}\n' * 100_000)
    reading = Reading(progress=read_bytes.append)
    assert not run([source, source], tally, reading, stopped=lambda: len(read_bytes) > 2)
    assert sum(read_bytes) < source.size / 2
    assert reading.progress == read_bytes.append


def test_a_file_that_cannot_be_read_does_not_end_it(tmp_path: Path, tally: Tally) -> None:
    reading = Reading()
    assert run([Source("codex", tmp_path / "gone", 0, 0), transcript(tmp_path / "a", 2)], tally, reading)
    assert results(tally) == 2
    assert [path.name for path, _ in reading.unreadable] == ["gone"]


def test_conversions_in_the_log_are_known_by_agent_session_and_id(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    line = {"v": 1, "kind": "decision", "ts": 5, "agent": "codex", "session": "s", "tool_use_id": "call_1"}
    append(str(log), {**line, "reason": "converted"})
    append(str(log), {**line, "reason": "not_json", "tool_use_id": "call_2"})
    append(str(log), {"v": 1, "kind": "tokens", "ts": 5, "id": "x"})
    with log.open("a") as file:
        file.write("{broken\n")
    assert replaced_by_hook(log) == {("codex", "s", "call_1")}
    append(str(log), {"v": 1, "kind": "decision", "ts": 5, "reason": "converted"})
    assert replaced_by_hook(log) == {("codex", "s", "call_1"), ("", "", "")}


def test_without_a_log_nothing_was_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert replaced_by_hook(tmp_path / "none.jsonl") == frozenset()

    def fail(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("unpretty.estimate.run.DecisionLog", fail)
    assert replaced_by_hook(tmp_path / "none.jsonl") == frozenset()
