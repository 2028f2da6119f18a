"""Terminal noise compared with a terminal emulator: what is left must look the same on its screen.

Rule of comparison: the lines of the screen without blanks at their ends, and without empty lines at the bottom.
"""

import json
from collections.abc import Callable

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unpretty.engine.terminal import has_noise, reduce_noise
from unpretty.engine.terminal.colour import is_subject, may_be_subject, reads_as_subject

TEXT = ["a", "bc", "xyz1", " ", "  ", "done", "100%", "⠋", "█━", "é"]
STATES = ["10%", "20%", " 100%", "(3/9)", "|", "/", "⠋", "⠙", "=>", "  ", "done"]
# No zero-width joiner: after one this emulator drops what it is given in the same piece.
ODD = ["日本", "\t", "📦", "e\u0301", "\u0301", "日"]
ENDS = ["\n", "\r\n", "\n\n"]
MOVES = [
    "\r",
    "\b",
    "\x1b[K",
    "\x1b[0K",
    "\x1b[1K",
    "\x1b[2K",
    "\x1b[J",
    "\x1b[C",
    "\x1b[3C",
    "\x1b[D",
    "\x1b[2D",
    "\x1b[G",
]
MOVES += ["\x1b[1G", "\x1b[7G", "\x1b[2P", "\x1b[3@", "\x1b[4X", "\x1b[2a", "\r\x1b[K", "\x1b[2K\x1b[1G"]
COLOURS = [
    "\x1b[m",
    "\x1b[0m",
    "\x1b[31m",
    "\x1b[1;32m",
    "\x1b[38;5;208m",
    "\x1b(B\x1b[m",
    "\x1b[?25l",
    "\x1b[?25h",
    "\a",
]
COLOURS += [
    "\x1b]0;title\a",
    "\x1b]2;title\x1b\\",
    "\x1b]8;;https://example.org\x1b\\",
    "\x1b]8;;\a",
    "\x1b[?2004h",
    "\x1b=",
]
VERTICAL = ["\x1b[A", "\x1b[2A", "\x1b[B", "\x1b[E", "\x1b[F", "\x1b[1A\x1b[2K", "\x1b[2K\x1b[1A\x1b[2K\x1b[G"]
FAR = [
    "\x1b[H",
    "\x1b[2;3H",
    "\x1b[2J",
    "\x1b7",
    "\x1b8",
    "\x1b[?1049h",
    "\x1b[s",
    "\x1b[u",
    "\x1b[L",
    "\x1b[S",
    "\x1bM",
]
CUT = ["\x1b", "\x1b[", "\x1b[3", "\x1b]0;x", "\x1b[31\n", "\x1b[99z", "\x0e", "\x0c", "\x00"]


def streams(*parts: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([code for part in parts for code in part]), max_size=25).map("".join)


def screen(text: str) -> list[str]:
    """The lines that an emulator shows after ``text``."""
    emulated = pyte.Screen(400, 120)
    emulated.set_mode(pyte.modes.LNM)  # a line feed also goes to the left edge, as the terminal driver makes it
    pyte.Stream(emulated).feed(text)
    rows = [emulated.buffer[y] for y in range(max(emulated.buffer, default=-1) + 1)]
    lines = ["".join([row[x].data for x in range(max(row, default=-1) + 1)]).rstrip() for row in rows]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def check(text: str) -> None:
    reduced = reduce_noise(text)
    if reduced is None:
        return
    assert screen(reduced) == screen(text)
    assert len(reduced.encode()) < len(text.encode())
    assert reduce_noise(reduced) is None


@given(streams(TEXT, TEXT, ENDS, MOVES, COLOURS))
def test_the_reduced_text_looks_the_same_on_an_emulators_screen(text: str) -> None:
    check(text)


@given(streams(STATES, STATES, ENDS, MOVES, COLOURS))
def test_progress_that_was_written_over_looks_the_same_on_an_emulators_screen(text: str) -> None:
    check(text)


@given(st.sampled_from(["10%\n20%\n|\n", "|\n(3/9)  \n\n"]), streams(STATES, STATES, ENDS, MOVES, VERTICAL, VERTICAL))
def test_progress_on_earlier_lines_looks_the_same_on_an_emulators_screen(before: str, text: str) -> None:
    check(before + text)


@given(streams(TEXT, ODD, ENDS, MOVES, COLOURS))
def test_characters_of_unknown_width_never_lead_to_another_screen(text: str) -> None:
    check(text)


@given(st.sampled_from(["one\ntwo\nthree\n", "aa\nbb  \n\n"]), streams(TEXT, TEXT, ENDS, MOVES, VERTICAL, VERTICAL))
def test_going_back_to_earlier_lines_looks_the_same_on_an_emulators_screen(before: str, text: str) -> None:
    check(before + text)


@given(streams(TEXT, ENDS, MOVES, COLOURS, VERTICAL, FAR))
def test_codes_that_address_the_screen_never_lead_to_another_screen(text: str) -> None:
    check(text)


@given(streams(TEXT, ODD, ENDS, MOVES, COLOURS, CUT, VERTICAL))
def test_cut_and_broken_codes_lose_no_character_that_was_not_written_over(text: str) -> None:
    """What an emulator does with a broken code differs, so the rule is: no backward movement, no lost letter."""
    plain = text
    for code in MOVES + VERTICAL:
        plain = plain.replace(code, "")
    reduced = reduce_noise(plain)
    if reduced is None:
        return
    assert reduce_noise(reduced) is None
    for letters in ("xyz1", "done", "100%", "日本"):
        assert reduced.count(letters) == plain.count(letters)


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cc", "Cs"])), st.sampled_from([*COLOURS, *ENDS]))))
def test_text_between_colours_stays_character_by_character(parts: list[tuple[str, str]]) -> None:
    text = "".join(words + code for words, code in parts)
    expected = "".join(words + (code if code in ENDS else "") for words, code in parts)
    reduced = reduce_noise(text)
    if is_subject(text):
        assert reduced is None
    else:
        assert (text if reduced is None else reduced) == expected


@given(st.text())
def test_any_text_is_left_alone_or_becomes_shorter_for_good(text: str) -> None:
    reduced = reduce_noise(text)
    if reduced is not None:
        assert has_noise(text)
        assert len(reduced) < len(text)
        assert reduce_noise(reduced) is None


@given(st.text(st.characters(exclude_characters="\x1b\b\a")).map(lambda text: text.replace("\r", "\r\n")))
def test_text_without_control_codes_is_never_touched(text: str) -> None:
    assert not has_noise(text)
    assert reduce_noise(text) is None


FIELDS = st.sampled_from(
    ["a", "b c", "50%", " 60%", "(3/9)", "[4/9]", "1.2/3.4 MB", "--:--:--", "0:00:05", "-", "|", "7"]
)
VALUES = st.recursive(
    FIELDS | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)
PROGRESS = "".join(f"Receiving objects: {i}%\r" for i in range(100)) + "Receiving objects: 100%, done.\n"


@given(st.lists(VALUES, min_size=1, max_size=4), st.integers(0, 4), st.data())
def test_json_says_the_same_wherever_its_whitespace_is_a_carriage_return(
    values: list[object], indent: int, data: st.DataObject
) -> None:
    pieces = []
    for value in values:
        for line in json.dumps(value, indent=indent).split("\n"):
            pieces += [line, data.draw(st.sampled_from(["\r", "\n", "\r\n"]))]
    text = "[" + "".join(pieces) + "]\n"
    reduced = reduce_noise(PROGRESS + text)
    assert reduced == "Receiving objects: 100%, done.\n" + text


@given(st.lists(st.lists(FIELDS, min_size=2, max_size=4), min_size=2), st.sampled_from(",;\t|"))
def test_rows_that_carriage_returns_end_keep_every_field(rows: list[list[str]], sign: str) -> None:
    text = "name" + sign + "\r" + "\r".join(map(sign.join, rows)) + "\nend\n"
    assert reduce_noise(PROGRESS + text) == "Receiving objects: 100%, done.\n" + text


SENTENCES = st.lists(st.sampled_from(["Dear", "order", "is", "late", "ok", "failed:", "12", "a.c", "1.5"]), min_size=3)


@given(st.lists(SENTENCES.map(" ".join), min_size=2), st.sampled_from(["\r", "\x1b[G", "\x1b[1G", "\x1b[99D"]))
def test_a_sentence_that_is_no_progress_is_never_lost(sentences: list[str], move: str) -> None:
    text = move.join(sentences) + "\nend\n"
    assert reduce_noise(PROGRESS + text) == "Receiving objects: 100%, done.\n" + text


COLOURED = st.sampled_from(["\x1b[31m", "\x1b[92m", "\x1b[38;5;9m", "\x1b[48;2;1;2;3m", "\x1b[104m", "\x1b[1;33m"])
END = st.sampled_from(["\x1b[0m", "\x1b[m", "\x1b[39;49m", "\x1b(B\x1b[m", ""])


@given(
    st.lists(st.tuples(COLOURED, st.sampled_from(["10", "ab", "é"]), END), min_size=2), st.sampled_from(["", " x\n"])
)
def test_words_that_only_colours_part_are_never_joined(runs: list[tuple[str, str, str]], after: str) -> None:
    assert reduce_noise("\x1b[1mwords\x1b[0m:\n" + "".join(map("".join, runs)) + after) is None


PARTS = ["a", "b c", "10", '"', "-", "+ ", "> ", " ", "  ", "\t", "é", ":", "\r", "\n", "\n", "\n", "a\nb", "a b\n"]
DRESS = [
    "\x1b[31m", "\x1b[1;32m", "\x1b[41m", "\x1b[42m", "\x1b[38;5;9m", "\x1b[1m", "\x1b[22m", "\x1b[0m", "\x1b[m",
    "\x1b[39m",
    "\x1b[K", "\x1b]8;;a\a", "\x1b]8;;\a", "\x1b[2C", "\x1b[?25l", "\x1b[31", "\x1b",
]  # fmt: skip
LINES = [
    "\x1b[31ma b\x1b[0m\n",
    "\x1b[1ma b\x1b[m\n",
    "a b\n",
    "\x1b[31ma\x1b[m b\n",
    "\x1b[1mc\n",
    "c\x1b[0m\n",
    "c\n",
    "\n",
]


@given(streams(PARTS, DRESS, LINES) | streams(LINES) | streams(PARTS, DRESS[:10]))
def test_what_a_fast_look_finds_plain_is_no_subject_when_all_styles_are_read(text: str) -> None:
    assert may_be_subject(text) or not reads_as_subject(text)


@given(st.sampled_from("<>+- "), st.sampled_from("<>+- "), COLOURED, COLOURED, st.sampled_from(["", "  ", "\t"]))
def test_lines_that_differ_in_nothing_but_colour_never_become_equal(
    old: str, new: str, one: str, other: str, indentation: str
) -> None:
    text = f"{indentation}{old}{one}a b\x1b[0m\n{indentation}{new}{other}a b\x1b[0m\n"
    reduced = reduce_noise("\x1b[1mwords\x1b[0m:\n" + text)
    assert (reduced is None) == (one != other or {old, new} != {" "})


HOSTILE = {
    "control sequences without an end": "\x1b[",
    "escapes": "\x1b",
    "carriage returns": "\r",
    "short overwritten lines": "\rx",
    "steps back": "xy\b\b",
    "titles without an end": "\x1b]0;",
    "colours": "\x1b[31m",
    "always another colour": "\x1b[38;5;7m",
    "erasing to the left": "x\x1b[1K",
    "wide gaps": "\x1b[999Cx\x1b[2K\r",
    "insertions": "x\r\x1b[50@",
    "deletions": "xx\r\x1b[1P",
    "odd characters": "📦\r",
    "wide text": "日本\rx",
    "wide text, then growing": "日\r" + "x" * 50 + "\rx",
    "lines up": "a\n\x1b[A",
    "far up and down": "a\n\x1b[900A\x1b[900B",
    "states": "\r[ 50%] (3/9) 1.2/3.4 MB",
    "slashes": "\r1/2/",
    "percentages": "%1%",
    "a full line of states": "x" * 70 + " 50%" + "\r1%" * 9000,
    "steps back from states": "5%\b\b",
    "overstruck letters": "a\ba",
    "colours that pile up": "".join(f"\x1b[{i}mx " for i in range(300)),
    "underlining of ever other colours": "".join(f"\x1b[58:5:{i}mx " for i in range(300)),
    "one line of many colours": "\x1b[31mx \x1b[m",
    "coloured lines": "\x1b[31mx\x1b[m\n",
    "markers": "- ",
    "digits": "\x1b[1234567890",
    "many parameters": "\x1b[" + "1;" * 500,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_the_size_of_hostile_text_and_no_faster(
    name: str, processor_seconds: Callable[[Callable[[], object]], float]
) -> None:
    def seconds(size: int) -> float:
        text = HOSTILE[name] * (size // len(HOSTILE[name])) + "\n"
        return processor_seconds(lambda: reduce_noise(text))

    assert seconds(64_000) < 8 * 3 * seconds(8_000) + 0.05
