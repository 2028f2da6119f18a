import pytest

from unpretty.engine.reason import explanation
from unpretty.report.words import bar, label, percent, shortened, size, tokens, visible


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
        (34_500_000, "34.5 MB"), (2_000_000_000, "2.0 GB"), (5 * 10**15, "5000.0 TB"), (-1500, "-1.5 kB"),
    ],
)  # fmt: skip
def test_sizes(number, text):
    assert size(number) == text


def test_shares_of_nothing_are_nothing():
    assert (percent(1, 3), percent(0, 0), percent(5, 0)) == ("33.3 %", "0.0 %", "0.0 %")


def test_estimates_are_marked():
    assert (tokens(1234, 0), tokens(1234, 1)) == ("1,234", "~1,234")


def test_bars_are_never_longer_than_their_width_and_nothing_for_nothing():
    assert bar(1, 1, 4) == "████"
    assert bar(1, 2, 4) == "██"
    assert bar(1, 16, 2) == "▏"
    assert bar(9, 1, 4) == "████"
    assert bar(0, 1, 4) == bar(1, 0, 4) == bar(-1, 1, 4) == ""


def test_empty_keys_have_a_name():
    assert label("model", "") == "(unknown)"
    assert label("encoding", "") == "(not converted)"
    assert label("tool", "") == "(none)"
    assert label("tool", "Bash") == "Bash"


def test_names_cannot_steer_a_terminal():
    assert visible("a\x1b[31mb\nc\u202e") == "a\\x1b[31mb\\nc\\u202e"
    assert visible("ünïcode 😀") == "ünïcode 😀"


def test_names_are_shortened_in_the_middle():
    assert shortened("mcp__server__tool", 17) == "mcp__server__tool"
    assert shortened("mcp__server__tool", 9) == "mcp_…tool"


def test_every_reason_has_a_sentence_and_an_unknown_one_none():
    assert explanation("not_json").endswith(".")
    assert explanation("from_the_future") == ""
