"""Every reason is known wherever it has to be: one line in ``engine.reason`` adds one."""

from pathlib import Path

import pytest
from rich.console import Console

from unpretty.cli.explain import _show
from unpretty.decision_log.writer import append
from unpretty.engine import reason
from unpretty.estimate.report import explanation
from unpretty.explain import Explained
from unpretty.report.period import Period
from unpretty.stats import figures, terminal
from unpretty.stats.report import build_report
from unpretty.transcripts import result as recorded

REFERENCE = (Path(__file__).parents[2] / "docs/reference.md").read_text("utf-8")


def counted(path: Path, *codes: str) -> figures.StatsFigures:
    """The figures of a log with one result for each of ``codes``."""
    for number, code in enumerate(codes):
        record = {
            "v": 1, "kind": "decision", "id": f"{number:x}", "ts": 1_790_000_000_000, "via": "hook", "agent": "",
            "session": "s", "tool_use_id": f"t{number}", "tool": "Bash", "reason": code, "bytes_in": 9, "bytes_out": 5,
            "steps": {}, "ms": 1.0,
        }  # fmt: skip
        assert append(str(path), record)
    return build_report(path, Period(), ("reason",)).totals


@pytest.mark.parametrize("code", reason.TABLE)
class TestEveryReason:
    def test_is_a_constant_of_its_own_name(self, code: str) -> None:
        assert getattr(reason, code.upper()) == code

    def test_is_in_the_reference(self, code: str) -> None:
        assert f"| `{code}` | {reason.TABLE[code].sentence} |\n" in REFERENCE

    def test_is_explained_in_one_sentence(self, code: str) -> None:
        assert explanation(code) == reason.explanation(code) == reason.TABLE[code].sentence
        assert reason.TABLE[code].sentence.endswith(".")

    def test_is_counted_as_its_row_says(self, code: str, tmp_path: Path) -> None:
        totals = counted(tmp_path / "log", code)
        assert (totals.results, totals.eligible) == (1, int(reason.TABLE[code].eligible))

    def test_is_said_by_explain(self, code: str, capsys: pytest.CaptureFixture[str]) -> None:
        record = {"agent": "", "tool": "Bash", "field": "", "reason": code, "decision": "skipped"}
        _show(Console(width=200), Explained("", "", record), None)
        assert f"{code}\n  {reason.TABLE[code].sentence}" in capsys.readouterr().out


def test_a_reason_that_is_added_is_counted_and_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reason, "TABLE", table := dict(reason.TABLE))
    code = reason.define("demo", "For a test.", eligible=True, table=table)
    assert counted(tmp_path / "log", code, reason.TOO_SMALL).eligible == 1


def test_a_reason_of_another_version_is_counted_as_one_that_unpretty_could_not_work_on(tmp_path: Path) -> None:
    """Logs of 0.1.0 can hold ``no_noise``."""
    totals = counted(tmp_path / "log", "no_noise", "of_a_newer_version")
    assert (totals.results, totals.eligible) == (2, 0)
    report = build_report(tmp_path / "log", Period(), ("reason",))
    console = Console(width=80, record=True)
    terminal.show(report, console, full=True)
    assert "no_noise" in console.export_text()


def test_reasons_of_recorded_results_are_never_in_the_log() -> None:
    assert recorded.TABLE
    assert not set(recorded.TABLE) & set(reason.TABLE)
    assert all(explanation(code).endswith(".") for code in recorded.TABLE)
