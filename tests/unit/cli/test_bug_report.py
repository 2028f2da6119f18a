"""The file that a bug leaves: enough to find the error, nothing of the user's."""

import re
from pathlib import Path

import pytest

from unpretty import __version__, locations
from unpretty.cli.bug_report import write_bug_report
from unpretty.engine import system


def fail_with(secret: str) -> None:
    try:
        int(secret)
    except ValueError as cause:
        raise KeyError(secret) from cause


def report_on_a_failure() -> str:
    try:
        fail_with("sk-secret-payload")
    except KeyError:
        return write_bug_report()
    raise AssertionError


def test_the_sentence_names_the_fault_and_the_file():
    sentence = report_on_a_failure()
    assert sentence.count("\n") == 0
    found = re.fullmatch(r"unpretty: KeyError, which is a bug in unpretty\. (.+) is a report that .*", sentence)
    assert found is not None
    path = Path(found[1])
    assert path.parent == locations.state_dir()
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_report_holds_places_and_versions_and_nothing_of_the_users(monkeypatch):
    monkeypatch.setenv("SECRET_VARIABLE", "sk-secret-variable")
    report_on_a_failure()
    [path] = locations.state_dir().iterdir()
    text = path.read_text()
    assert f"unpretty {__version__}" in text
    assert "Python 3." in text
    assert "KeyError, raised in" in text
    assert "ValueError, raised in" in text
    assert "in fail_with" in text
    assert "sk-secret" not in text.replace('fail_with("sk-secret-payload")', "")  # the line of this test's source


def test_two_reports_of_one_second_do_not_fail():
    first, second = report_on_a_failure(), report_on_a_failure()
    assert "report" in first
    assert "report" in second


def test_a_report_that_cannot_be_written_still_gives_the_sentence(monkeypatch):
    def refuse(*args: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(system, "open_file", refuse)
    sentence = report_on_a_failure()
    assert sentence.startswith("unpretty: KeyError, which is a bug in unpretty; the report on it could not be written")


def test_without_an_exception_there_is_a_report_too():
    assert "NoneType" in write_bug_report()


def test_the_command_line_exits_with_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from unpretty.cli import main, overview

    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(overview, "show_overview", broken)
    monkeypatch.setattr("sys.argv", ["unpretty"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 3
    assert "ZeroDivisionError, which is a bug in unpretty" in capsys.readouterr().err


def test_a_file_that_the_user_may_not_use_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Root may have made it, with this user's HOME."""
    from unpretty.cli import main, overview

    def refused() -> None:
        raise PermissionError(13, "Permission denied", "/home/u/.local/state/unpretty/decisions.jsonl")

    monkeypatch.setattr(overview, "show_overview", refused)
    monkeypatch.setattr("sys.argv", ["unpretty"])
    with pytest.raises(SystemExit) as caught:
        main.main()
    assert caught.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith(
        "unpretty: /home/u/.local/state/unpretty/decisions.jsonl cannot be used (Permission denied)."
    )
    assert "sudo chown -R" in said
    assert not locations.state_dir().exists()
