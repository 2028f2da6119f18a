"""Lines of a pipe: whole, or in pieces when they are too long to be read; everything out, whatever happens."""

import os
import threading
import time

import pytest

from unpretty.proxy.channel import Outlet, read_lines


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    open_ends = {reading, writing}

    def close(fd):
        open_ends.discard(fd)
        os.close(fd)

    yield reading, writing, close
    for fd in open_ends:
        os.close(fd)


def test_a_line_that_is_too_long_passes_in_pieces_and_the_next_one_is_whole_again(pipe):
    reading, writing, close = pipe
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(read_lines(reading, max_line=10)))
    reader.start()
    for piece in (b"short\n", b"123456789012", b"345", b"\nnext\n", b"123456789012"):
        os.write(writing, piece)
        time.sleep(0.1)
    close(writing)
    reader.join()
    assert [(line.data, line.whole) for line in lines] == [
        (b"short\n", True),
        (b"123456789012", False),
        (b"345\n", False),
        (b"next\n", True),
        (b"123456789012", False),
    ]


@pytest.mark.skipif(os.name != "posix", reason="pipes that do not block")
def test_pipes_that_somebody_made_non_blocking_are_waited_for(pipe):
    reading, writing, close = pipe
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(read_lines(reading)))
    reader.start()
    time.sleep(0.05)
    assert Outlet(writing).write(b"x" * 1_000_000 + b"\n")
    close(writing)
    reader.join()
    assert [len(line.data) for line in lines] == [1_000_001]


def test_a_pipe_without_reader_is_broken_and_stays_so(pipe):
    reading, writing, close = pipe
    outlet = Outlet(writing)
    assert not outlet.reader_is_gone()
    close(reading)
    assert not outlet.write(b"x")
    assert outlet.broken
    assert outlet.reader_is_gone()
    assert not outlet.write(b"y")


def test_closing_lets_the_reader_see_the_end_and_keeps_the_number_taken(pipe):
    reading, writing, _ = pipe
    outlet = Outlet(writing)
    outlet.close()
    assert os.read(reading, 10) == b""
    assert not outlet.write(b"x")
    os.fstat(writing)


def test_a_descriptor_that_cannot_be_read_is_at_its_end(pipe):
    _, writing, _ = pipe
    assert list(read_lines(writing)) == []


def test_where_nothing_can_be_polled_only_a_failed_write_tells(pipe, monkeypatch):
    reading, writing, close = pipe
    monkeypatch.delattr("select.poll")
    outlet = Outlet(writing)
    close(reading)
    assert not outlet.reader_is_gone()
    outlet.write(b"x")
    assert outlet.reader_is_gone()
