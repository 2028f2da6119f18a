"""The name of a command: the program that prints, and nothing of its arguments."""

import pytest

from unpretty.estimate.commands import OTHER, command_name


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("make", "make"),
        ("  git log --oneline", "git"),
        ("/usr/local/bin/python3.11 -c 'x'", "python3.11"),
        (r"C:\tools\rg.exe needle", "rg.exe"),
        ("cd /srv && npm test", "npm"),
        ("cd /srv; source .venv/bin/activate; pytest -q", "pytest"),
        ("export A=1\nls", "ls"),
        ("A=1 B='x y' C=\"z w\" env", "env"),
        ("TOKEN=s3cret curl https://example.org", "curl"),
        ("# a comment\nls", "ls"),
        ("cd /srv", "cd"),
        ("gh api repos | jq .", "gh"),
        ("false || echo no", "false"),
        ("", ""),
        ("   ", ""),
        ("A=1", OTHER),
        ("$PROGRAM --version", OTHER),
        ("'my program' x", OTHER),
        ("./" + "x" * 41, OTHER),
        ("https://user:password@example.org", OTHER),
        ("password=hunter2", OTHER),
        ("(cd x; ls)", OTHER),
    ],
)
def test_the_first_word_that_prints(command: str, name: str) -> None:
    assert command_name(command) == name


def test_a_command_without_end_costs_little() -> None:
    assert command_name("A=" + "x" * 10_000_000) == OTHER
    assert command_name("cd x && " * 1_000_000) == "cd"
    assert command_name("A='" * 100_000) == OTHER
