"""Diffs and numbered lines are recognised by their first lines."""

import pytest

from unpretty.engine.views import is_diff, is_line_numbered


@pytest.mark.parametrize(
    "text",
    [
        "diff --git a/x b/x\nindex 1..2",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@",
        "commit abc\n\n    message\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n",
        "some text\n@@ -1,2 +1,2 @@\n",
        "Author: a@b.c\n\ndiff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
        "*** Begin Patch\n*** Update File: x",
    ],
)
def test_diffs(text: str) -> None:
    assert is_diff(text)


@pytest.mark.parametrize("text", ["", "---\nyaml: true\n", '{"a": "@@ -1"}', "a diff --git in prose"])
def test_no_diffs(text: str) -> None:
    assert not is_diff(text)


@pytest.mark.parametrize(
    "text",
    [
        '     1\u2192{\n     2\u2192  "a": 1\n     3\u2192}',
        "     1\t{\n     2\t}\n",
        "<content>\n1: {\n2: }\n",
        '12:  "a": 1,\n15:  "b": 2',
        "1-{\n2:}\n",
        " 9 | x\n10 | y",
    ],
)
def test_numbered_lines(text: str) -> None:
    assert is_line_numbered(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1: only one",
        "12:30:01 a\n12:30:02 b",
        '{\n  "1": 2\n}',
        "3: c\n2: b\n1: a",
        "10 apples\n20 pears",
        "a\nb\nc\nd\n1: x\n2: y",
    ],
)
def test_other_lines(text: str) -> None:
    assert not is_line_numbered(text)
