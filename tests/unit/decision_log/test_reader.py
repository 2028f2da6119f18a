import json
import os
from pathlib import Path

import pytest

from unpretty.decision_log import reader
from unpretty.decision_log.reader import SLACK_MS, DecisionLog, last_decision
from unpretty.decision_log.writer import append

START = 1_790_000_000_000


def line(ts: object = START, kind: object = "decision", v: object = 1, **more: object) -> bytes:
    return json.dumps({"v": v, "kind": kind, "ts": ts, **more}).encode() + b"\n"


def write(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(lines))
    return path


def times(log: DecisionLog, since: int | None = None, until: int | None = None) -> list[int]:
    return [record["ts"] for record in log.records(since, until)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "decisions.jsonl"


def test_a_missing_log_is_empty(path):
    log = DecisionLog(path)
    assert (list(log.records()), log.bytes, log.lines, log.broken) == ([], 0, 0, 0)
    assert list(DecisionLog(path / "below" / "a file").records()) == []
    assert last_decision(path) is None


def test_a_directory_in_place_of_the_log_is_empty(path):
    path.mkdir()
    assert list(DecisionLog(path).records()) == []


def test_what_the_writer_appends_is_what_the_reader_gives(path):
    record = {"v": 1, "kind": "decision", "ts": START, "tool": "Bash ü \ud800?", "steps": {"json": 3}, "ms": 1.25}
    assert append(str(path), {**record, "tool": "Bash ü"})
    assert list(DecisionLog(path).records()) == [{**record, "tool": "Bash ü"}]


def test_rotated_files_are_read_oldest_first_and_other_files_not_at_all(path):
    write(path, line(5))
    write(path.with_name("decisions.jsonl.1"), line(4))
    write(path.with_name("decisions.jsonl.2"), line(3))
    write(path.with_name("decisions.jsonl.10"), line(1), line(2))
    for other in ("decisions.jsonl.lock", "decisions.jsonl.counting", "decisions.jsonl.", "decisions.jsonl.1.bak"):
        write(path.with_name(other), line(9))
    log = DecisionLog(path)
    assert times(log) == [1, 2, 3, 4, 5]
    assert log.lines == 5
    assert log.bytes == 5 * len(line(1))


def test_a_rotation_while_the_files_are_opened_neither_hides_nor_doubles_a_line(path, monkeypatch):
    older = path.with_name("decisions.jsonl.1")
    write(path, line(2))
    write(older, line(1))
    open_file = Path.open

    def rotate_after_the_first_file_is_open(self, *args):
        monkeypatch.setattr(Path, "open", open_file)
        source = open_file(self, *args)
        os.replace(older, path.with_name("decisions.jsonl.2"))
        os.replace(path, older)
        write(path, line(3))
        return source

    monkeypatch.setattr(Path, "open", rotate_after_the_first_file_is_open)
    log = DecisionLog(path)
    assert times(log) == [1, 2]
    assert log.bytes == 2 * len(line(1))


def test_broken_lines_are_counted_and_the_rest_is_read(path):
    broken = [
        b"", b"{", b"null", b"[]", b"7", b'"kind"', b"\x00\xff", b'{"kind":"decision"}', b'{"v":1}',
        b'{"v":"1","kind":"decision","ts":1}', b'{"v":1,"kind":["decision"],"ts":1}', line(1)[:20],
        line("2026-01-01").strip(), line(None).strip(), line(True).strip(), b"[" * 5000,
    ]  # fmt: skip
    write(path, line(1), *(piece + b"\n" for piece in broken), line(2))
    log = DecisionLog(path)
    assert times(log) == [1, 2]
    assert (log.lines, log.broken) == (len(broken) + 2, len(broken))


def test_unknown_kinds_and_newer_versions_are_skipped_and_are_not_broken(path):
    write(path, line(1, kind="weather"), line(2, v=2), line(3, v=2, kind="weather"), line(4), line(5, kind="tokens"))
    log = DecisionLog(path)
    assert times(log) == [4, 5]
    assert (log.lines, log.broken, log.newer) == (5, 0, 2)


def test_a_last_line_without_its_end_is_read_when_it_is_whole(path):
    write(path, line(1), line(2).rstrip(b"\n"))
    assert times(DecisionLog(path)) == [1, 2]
    write(path, line(1), line(2)[:-5])
    log = DecisionLog(path)
    assert (times(log), log.broken) == ([1], 1)


@pytest.mark.parametrize("end", [b"", b"\n", b"\n" + line(2)])
def test_a_line_of_many_megabytes_is_one_broken_line(path, end):
    write(path, line(1), b"x" * (5 << 20), end)
    log = DecisionLog(path)
    assert times(log) == ([1, 2] if len(end) > 1 else [1])
    assert log.broken == 1


def test_lines_across_the_borders_of_chunks_are_whole(path, monkeypatch):
    monkeypatch.setattr(reader, "_CHUNK_BYTES", 7)
    write(path, *(line(number) for number in range(50)))
    log = DecisionLog(path)
    assert times(log) == list(range(50))
    assert log.broken == 0


def test_the_period_holds_its_first_millisecond_and_not_its_last(path):
    write(path, *(line(START + number) for number in range(5)))
    assert times(DecisionLog(path), START + 1, START + 3) == [START + 1, START + 2]
    assert times(DecisionLog(path), None, START + 1) == [START]
    assert times(DecisionLog(path), START + 4) == [START + 4]


def test_a_count_that_comes_after_the_period_still_belongs_to_it(path):
    write(path, line(START), line(START + 700, kind="tokens"), line(START + 800))
    assert times(DecisionLog(path), START, START + 100) == [START, START + 700]


def test_reading_ends_after_the_period(path, monkeypatch):
    monkeypatch.setattr(reader, "_LATE_LINES", 50)
    monkeypatch.setattr(reader, "_CHUNK_BYTES", 200)
    late = START + 2 * SLACK_MS
    write(path, line(START), *(line(late + number) for number in range(1000)))
    log = DecisionLog(path)
    assert times(log, None, START + 1) == [START]
    assert 50 < log.lines < 70


def test_a_few_lines_of_a_clock_that_was_wrong_hide_nothing(path, monkeypatch):
    monkeypatch.setattr(reader, "_CHUNK_BYTES", 200)
    step = 2 * SLACK_MS
    good = [line(START + number * step) for number in range(100)]
    write(path, *good[:50], line(5), line(START * 2), line(7), *good[50:])
    assert times(DecisionLog(path), START + 30 * step, START + 90 * step) == [
        START + number * step for number in range(30, 90)
    ]


def test_a_time_that_is_none_is_damage(path):
    write(path, line(1), line(-1), line(1 << 62), line(1 << 80), line(2))
    log = DecisionLog(path)
    assert (times(log), log.broken) == ([1, 2], 3)


@pytest.mark.parametrize("wanted", [0, 1, 499, 500, 501, 998, 999, 1000])
def test_the_last_part_of_a_large_log_is_found_without_reading_the_rest(path, monkeypatch, wanted):
    monkeypatch.setattr(reader, "_CHUNK_BYTES", 400)
    step = SLACK_MS * 2
    write(path, *(line(START + number * step, pad="x" * (number % 90)) for number in range(1000)))
    log = DecisionLog(path)
    assert times(log, START + wanted * step) == [START + number * step for number in range(wanted, 1000)]
    assert log.lines <= 1000 - wanted + 20


def test_lines_that_are_minutes_out_of_order_are_not_missed(path, monkeypatch):
    monkeypatch.setattr(reader, "_CHUNK_BYTES", 400)
    lines = [START + number * 60_000 for number in range(1000)]
    for position in range(0, 1000, 9):  # a line that comes up to nine minutes late
        lines.insert(min(position + 9, len(lines) - 1), lines.pop(position))
    write(path, *map(line, lines))
    for wanted in range(0, 1000, 37):
        since = START + wanted * 60_000
        assert times(DecisionLog(path), since) == [ts for ts in lines if ts >= since]


def test_a_stretch_of_damage_does_not_lead_the_search_astray(path, monkeypatch):
    monkeypatch.setattr(reader, "_CHUNK_BYTES", 200)
    step = SLACK_MS * 2
    good = [line(START + number * step) for number in range(100)]
    write(path, *good[:50], b"\xff\x00 damage\n" * 500, *good[50:])
    for wanted in (10, 49, 50, 90):
        assert times(DecisionLog(path), START + wanted * step) == [START + n * step for n in range(wanted, 100)]
    write(path, *good[:50], b"\xff\x00 damage\n" * 500)
    assert times(DecisionLog(path), START + 49 * step) == [START + 49 * step]


def test_the_last_decision_is_found_from_the_end(path):
    write(path, *(line(number) for number in range(5000)), line(9999, kind="tokens"), b"half a li")
    last = last_decision(path)
    assert last is not None
    assert last["ts"] == 4999


def test_the_last_decision_may_stand_in_a_rotated_file_or_before_long_lines(path):
    write(path.with_name("decisions.jsonl.1"), line(1), line(2, pad="x" * 200_000))
    write(path, line(3, kind="tokens"), b"[1]\n", b"{}\n")
    last = last_decision(path)
    assert last is not None
    assert last["ts"] == 2


def test_a_log_that_cannot_be_read_has_no_last_decision_but_stats_say_so(path, monkeypatch):
    write(path, line(1))

    def refuse(self, *args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert last_decision(path) is None
    with pytest.raises(PermissionError):
        list(DecisionLog(path).records())


def test_a_file_that_is_rotated_away_before_it_is_opened_is_passed_over(path, monkeypatch):
    write(path, line(1))
    gone = write(path.with_name("decisions.jsonl.1"), line(0))
    open_file = Path.open

    def gone_when_opened(self, *args):
        if self == gone:
            raise FileNotFoundError(2, "No such file or directory")
        return open_file(self, *args)

    monkeypatch.setattr(Path, "open", gone_when_opened)
    assert times(DecisionLog(path)) == [1]
