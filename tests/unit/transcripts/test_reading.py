"""Reading records in bounded memory: nothing stops it, and everything that is skipped is counted."""

import io
import json

import pytest

from unpretty.engine.json_text.scanner import mapping_of, text_of
from unpretty.transcripts import reading as module
from unpretty.transcripts.reading import Reading, lines, milliseconds, parse, texts_of


class TestLines:
    def test_every_line_comes_with_its_end(self) -> None:
        reading = Reading()
        assert list(lines(io.BytesIO(b"one\n\ntwo\nthree"), reading)) == [b"one\n", b"\n", b"two\n", b"three"]
        assert reading.huge == 0

    @pytest.mark.parametrize("last", [b"x" * 25 + b"\nend", b"x" * 25])
    def test_lines_that_are_too_long_are_left_out_and_counted(
        self, last: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "MAX_LINE_BYTES", 10)
        monkeypatch.setattr(module, "_CHUNK_BYTES", 4)
        reading = Reading()
        found = list(lines(io.BytesIO(b"short\n" + b"y" * 100 + b"\nshort\n" + last), reading))
        assert found == [b"short\n", b"short\n", *last.split(b"\n")[1:]]
        assert reading.huge == 2

    def test_a_line_of_just_the_limit_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MAX_LINE_BYTES", 6)
        reading = Reading()
        assert list(lines(io.BytesIO(b"12345\n67"), reading)) == [b"12345\n", b"67"]
        assert reading.huge == 0

    def test_progress_is_told_every_byte_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MAX_LINE_BYTES", 50)
        monkeypatch.setattr(module, "_PIECE_BYTES", 20)
        read_bytes: list[int] = []
        reading = Reading(progress=read_bytes.append)
        text = b"short\n" * 10 + b"x" * 500 + b"\nend"
        list(lines(io.BytesIO(text), reading))
        assert sum(read_bytes) == len(text)
        assert len(read_bytes) > 3


class TestParse:
    def test_a_record_is_an_object(self) -> None:
        reading = Reading()
        assert parse(b'{"a":1}\n', reading) == {"a": 1}
        assert parse(b"[1]\n", reading) is None
        assert reading.broken == 1

    def test_a_cut_last_line_is_not_a_broken_one(self) -> None:
        reading = Reading()
        assert parse(b'{"a":', reading) is None
        assert (reading.broken, reading.unfinished) == (0, 1)

    def test_a_whole_last_line_counts_without_its_end(self) -> None:
        assert parse(b'{"a":1}', Reading()) == {"a": 1}

    def test_lone_surrogates_and_bytes_that_are_no_text_are_read(self) -> None:
        assert parse(b'{"a":"\\ud83d"}\n', Reading()) == {"a": "\ud83d"}
        assert parse(b'{"a":"\xff"}\n', Reading()) == {"a": "\ufffd"}

    def test_nesting_without_end_is_broken(self) -> None:
        reading = Reading()
        assert parse(b'{"a":' + b"[" * 200_000 + b"\n", reading) is None
        assert reading.broken == 1


class TestTimes:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2026-11-30T02:39:32.767Z", 1_796_006_372_767),
            ("2026-11-30T03:39:32.767+01:00", 1_796_006_372_767),
            ("1970-01-01T00:00:00Z", 0),
            ("yesterday", None),
            ("", None),
            (5, None),
            (None, None),
        ],
    )
    def test_a_time_is_milliseconds_since_1970(self, text: object, expected: int | None) -> None:
        assert milliseconds(text) == expected

    def test_a_year_that_no_clock_knows_is_no_time(self) -> None:
        assert milliseconds("0001-01-01T00:00:00") is None


def test_unknown_kinds_are_counted_up_to_a_number() -> None:
    reading = Reading()
    for number in range(1000):
        reading.count_unknown(f"kind {number}")
        reading.count_unknown("kind 0")
    assert reading.unknown["kind 0"] == 1001
    assert len(reading.unknown) == 50
    reading.count_unknown("x" * 1000)
    assert max(map(len, reading.unknown)) <= 60


def test_what_is_not_there_is_empty() -> None:
    record = {"text": "a", "object": {"b": 1}, "number": 5}
    assert (text_of(record, "text"), text_of(record, "number"), text_of(record, "none")) == ("a", "", "")
    assert (mapping_of(record, "object"), mapping_of(record, "text"), mapping_of(record, "none")) == ({"b": 1}, {}, {})


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("a", ("a",)),
        ([{"type": "text", "text": "a"}, {"type": "image"}, {"text": 5}, "b"], ("a",)),
        (None, ()),
        ({"text": "a"}, ()),
    ],
)
def test_the_texts_of_a_result(content: object, texts: tuple[str, ...]) -> None:
    assert texts_of(json.loads(json.dumps(content))) == texts
