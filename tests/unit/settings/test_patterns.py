"""Exclude lists: a star matches any characters."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unpretty.settings.patterns import is_inside, matches, matches_any


@given(st.text("ab*", max_size=8), st.text("ab", max_size=10))
def test_patterns_match_as_shell_patterns_do(pattern: str, text: str) -> None:
    assert matches(pattern, text) == fnmatch.fnmatchcase(text, pattern)


def test_brackets_and_question_marks_stand_for_themselves() -> None:
    assert matches("a[b]?*", "a[b]?c")
    assert not matches("a[b]", "ab")


def test_one_fitting_pattern_is_enough() -> None:
    assert matches_any(("x", "mcp__billing__*"), "mcp__billing__list")
    assert not matches_any((), "anything")


@pytest.mark.parametrize(
    ("directory", "directories", "expected"),
    [
        ("/home/u/p", ("/home/u/p",), True),
        ("/home/u/p/sub", ("/home/u/p/",), True),
        ("/home/u/p2", ("/home/u/p",), False),
        ("/home/u/p", ("~/p",), True),
        ("/home/u/p", ("~",), True),
        ("C:\\u\\p\\s", ("C:\\u\\p",), True),
        ("/x", (), False),
    ],
)
def test_a_project_is_excluded_with_its_subdirectories(
    directory: str, directories: tuple[str, ...], expected: bool
) -> None:
    assert is_inside(directory, directories, "/home/u") is expected
