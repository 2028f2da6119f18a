"""The report: every breakdown adds up to the total, and ``--json`` says everything."""

from pathlib import Path

import orjson
import pytest

from unpretty.engine.reason import TABLE
from unpretty.estimate.outcome import STEPS
from unpretty.estimate.report import DIMENSIONS, EstimateFigures, EstimateReport, build_report, explanation, to_json
from unpretty.estimate.tally import EstimateCell, Tally
from unpretty.settings.defaults import Settings
from unpretty.transcripts import result as recorded
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import FAILED
from unpretty.transcripts.sources import Source

from .made import COLOURED, FOUND, NESTED, PLAIN, PRETTY, bash, mcp, opencode

SUMMED = (
    "results", "affected", "gained", "json_results", "bytes_read", "json_bytes", "bytes_in", "bytes_out", "tokens_read",
    "tokens_estimated", "tokens_in", "tokens_out", "tokens_saved",
)  # fmt: skip


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture
def report() -> EstimateReport:
    """Results of several agents, tools, commands, reasons and days."""
    tally = Tally(Settings(), words, since_ms=0, day_of=lambda when: f"day {when % 3}")
    for number, text in enumerate((PRETTY, NESTED, COLOURED, FOUND, PLAIN, PLAIN, "small", PRETTY[:-1])):
        tally.add(bash(text, f"program{number % 3} --option"))
        tally.add(mcp(text))
        tally.add(mcp(text, "mcp__t__y", session="s2"))
        tally.add(opencode(text))
    tally.add(bash(PRETTY, reason=FAILED))
    sources = [Source("claude-code", Path("a"), 10, 0), Source("claude-code", Path("b"), 5, 0)]
    return build_report(tally, sources, Reading(), words, since_ms=0)


class TestSums:
    @pytest.mark.parametrize("dimension", ["agent", "tool", "reason", "day"])
    @pytest.mark.parametrize("figure", SUMMED)
    def test_every_breakdown_adds_up_to_the_total(self, dimension: str, figure: str, report: EstimateReport) -> None:
        total = getattr(report.totals, figure)
        assert sum(getattr(figures, figure) for _, figures in report.by[dimension]) == total
        assert total > 0 or figure == "gained"

    def test_steps_add_up_to_what_is_saved(self, report: EstimateReport) -> None:
        assert sum(step.tokens for step in report.steps.values()) == report.totals.tokens_saved
        saved = report.totals.bytes_in - report.totals.bytes_out
        assert sum(step.bytes for step in report.steps.values()) == saved
        assert list(report.steps) == [name for name in STEPS if name in report.steps]

    def test_only_commands_have_a_line_by_command(self, report: EstimateReport) -> None:
        names = {"program0", "program1", "program2", "make"}
        assert {key for key, _ in report.by["command"]} == {("claude-code", name) for name in names}

    def test_the_largest_saving_comes_first_and_days_in_order(self, report: EstimateReport) -> None:
        for dimension in ("agent", "tool", "command", "reason"):
            saved = [figures.tokens_saved for _, figures in report.by[dimension]]
            assert saved == sorted(saved, reverse=True)
        assert [key for key, _ in report.by["day"]] == [("day 0",), ("day 1",), ("day 2",)]


class TestFigures:
    def test_what_is_not_counted_is_estimated(self) -> None:
        figures = EstimateFigures()
        figures.add(EstimateCell(bytes_rest=1000, tokens_in=50, tokens_out=20), 0.25)
        assert (figures.tokens_read, figures.tokens_estimated, figures.tokens_saved) == (300, 250, 30)
        assert figures.share == pytest.approx(0.1)

    def test_nothing_of_nothing_is_nothing(self) -> None:
        figures = EstimateFigures()
        assert (figures.share, figures.quantile(0.5)) == (0.0, None)
        assert figures.to_json()["median_percent"] is None

    def test_median_and_ninth_decile_are_those_of_all_lines(self) -> None:
        figures = EstimateFigures()
        for start in (0, 50):
            cell = EstimateCell()
            cell.shares.extend(float(number) for number in range(start, start + 50))
            figures.add(cell, 0.3)
        assert (figures.quantile(0.5), figures.quantile(0.9), figures.quantile(1)) == (50, 90, 99)

    def test_a_tool_without_a_sample_has_the_rate_of_mixed_output(self) -> None:
        tally = Tally(Settings(), words)
        one = bash(PRETTY)
        one.texts = (PRETTY, "x" * 1000)
        tally.add(one)
        assert build_report(tally, [], Reading(), words).totals.tokens_estimated == 300


class TestJson:
    def test_it_is_one_document_of_schema_1(self, report: EstimateReport) -> None:
        document = orjson.loads(orjson.dumps(to_json(report)))
        assert list(document) == [
            "schema", "complete", "zone", "since", "first", "last", "sessions", "totals", "steps", "by",
            "largest_result_share", "verdict", "left_out", "sources", "skipped",
        ]  # fmt: skip
        assert document["schema"] == 1
        assert document["complete"] is True
        assert document["since"] == "1970-01-01T00:00:00.000+00:00"
        assert document["first"] < document["last"]
        assert document["sessions"] == 3
        assert document["sources"] == [{"agent": "claude-code", "files": 2, "bytes": 15}]
        assert set(document["verdict"]) == {"code", "message"}
        assert set(document["left_out"]) == {"replaced", "copies", "undated"}
        assert 0 < document["largest_result_share"] < 1

    def test_every_line_has_every_figure(self, report: EstimateReport) -> None:
        document = to_json(report)
        names = {*SUMMED, "share", "median_percent", "p90_percent"}
        assert set(document["totals"]) == names
        assert set(document["by"]) == set(DIMENSIONS)
        for dimension, rows in document["by"].items():
            more = {"tool": {"agent"}, "command": {"agent"}, "reason": {"explanation"}}.get(dimension, set())
            assert all(set(row) == {"key", *names, *more} for row in rows)
        assert all(set(step) == {"key", "results", "bytes_saved", "tokens_saved"} for step in document["steps"])

    def test_what_was_skipped_is_listed(self, report: EstimateReport) -> None:
        report.reading.broken, report.reading.unfinished, report.reading.huge = 1, 2, 3
        report.reading.unknown = {"b": 1, "a": 2}
        report.reading.unreadable = [(Path(f"/f{number}"), "Permission denied") for number in range(150)]
        report.tally.uncounted = 4
        skipped = to_json(report)["skipped"]
        assert list(skipped["unknown"].items()) == [("a", 2), ("b", 1)]
        assert (skipped["broken"], skipped["unfinished"], skipped["huge"], skipped["uncounted"]) == (1, 2, 3, 4)
        assert len(skipped["unreadable"]) == 100
        assert skipped["unreadable"][0] == {"path": "/f0", "why": "Permission denied"}
        assert skipped["unreadable_files"] == 150

    def test_nothing_at_all(self) -> None:
        document = to_json(build_report(Tally(Settings(), words), [], Reading(), words, complete=False))
        assert document["complete"] is False
        assert (document["since"], document["first"], document["last"], document["sessions"]) == (None, None, None, 0)
        assert document["totals"]["results"] == 0
        assert document["largest_result_share"] == 0
        assert document["verdict"]["code"] == "no_results"


def test_every_reason_is_explained() -> None:
    for code in (*TABLE, *recorded.TABLE):
        assert explanation(code).endswith(".")
    assert explanation("of a newer version") == ""
    assert not set(TABLE) & set(recorded.TABLE)
