"""For any log: the rows of every breakdown add up to the total, and the total is what a plain count gives."""

import tempfile
from pathlib import Path
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from unpretty.engine.reason import TABLE
from unpretty.report.period import Period
from unpretty.stats.aggregate import DIMENSIONS
from unpretty.stats.report import build_report

START = 1_790_000_000_000
ELIGIBLE = {code for code, known in TABLE.items() if known.eligible}
REASONS = ("converted", "not_json", "too_small", "already_compact", "error", "from_the_future")

# Each example writes and reads a file: a quarter of the profile's number is enough for the few ways lines can meet.
fewer = settings(max_examples=max(50, settings().max_examples // 4))

decisions = st.fixed_dictionaries(
    {
        "via": st.sampled_from(("hook", "worker", "proxy")),
        "agent": st.sampled_from(("claude-code", "codex", "")),
        "session": st.sampled_from(("s1", "s2", "")),
        "tool_use_id": st.sampled_from(("", "a", "b", "c", "d", "e", "f")),
        "project": st.sampled_from(("/p", "/q")),
        "model": st.sampled_from(("m", "", None)),
        "tool": st.sampled_from(("Bash", "Grep", "mcp__x__y")),
        "reason": st.sampled_from(REASONS),
        "encoding": st.sampled_from(("", "json", "toon")),
        "bytes_in": st.integers(0, 5_000),
        "saved": st.integers(0, 5_000),
        "ms": st.floats(0, 100),
        "minutes": st.integers(0, 4_000),
        "count": st.none() | st.tuples(st.integers(0, 3_000), st.integers(0, 3_000)),
    }
)


def lines_of(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Log lines: each decision, and its count some lines later."""
    lines: list[dict[str, Any]] = []
    for number, one in enumerate(drawn):
        rest = {name: value for name, value in one.items() if name not in ("saved", "count", "minutes")}
        when = START + one["minutes"] * 60_000
        out = max(0, one["bytes_in"] - one["saved"]) if one["reason"] == "converted" else one["bytes_in"]
        lines.append(
            {"v": 1, "kind": "decision", "id": str(number), "ts": when, **rest, "bytes_out": out,
             "steps": {"json": one["bytes_in"] - out}}
        )  # fmt: skip
        if one["count"] is not None:
            count = {"tokens_in": one["count"][0], "tokens_out": one["count"][1]}
            lines.append({"v": 1, "kind": "tokens", "id": str(number), "ts": when + 700, **count})
    return lines


def report_on(lines: list[dict[str, Any]], *dimensions: str, period: Period | None = None) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "decisions.jsonl"
        path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        return build_report(path, period or Period(), dimensions)


@fewer
@given(st.lists(decisions, max_size=12))
def test_the_rows_of_every_breakdown_add_up_to_the_total(drawn):
    report = report_on(lines_of(drawn), *DIMENSIONS)
    totals = report.totals.to_json()
    for dimension in DIMENSIONS:
        rows = [figures.to_json() for _, figures in report.by[dimension]]
        assert {name: sum(row[name] for row in rows) for name in totals} == totals, dimension
    assert totals["converted"] == totals["applied"] + totals["rejected"] + totals["unknown"]
    assert totals["converted"] <= totals["eligible"] <= totals["results"]
    assert totals["bytes_out"] <= totals["bytes_in"]


@fewer
@given(st.lists(decisions, max_size=12), st.sampled_from(DIMENSIONS))
def test_the_total_does_not_depend_on_the_breakdown(drawn, dimension):
    lines = lines_of(drawn)
    assert report_on(lines).totals == report_on(lines, dimension).totals


@fewer
@given(st.lists(decisions.map(lambda one: {**one, "via": "hook"}), max_size=12))
def test_the_total_is_what_a_plain_count_gives(drawn):
    lines = lines_of(drawn)
    calls: dict[object, set[str]] = {}
    for number, line in enumerate(line for line in lines if line["kind"] == "decision"):
        # Without a session the id alone tells calls apart, and then it is not known which session was meant.
        if not line["session"] and line["tool_use_id"]:
            line["session"] = "s1"
        key = (line["session"], line["tool_use_id"]) if line["tool_use_id"] else number
        calls.setdefault(key, set()).add(line["reason"])
    totals = report_on(lines).totals
    assert totals.results == len(calls)
    assert totals.converted == sum("converted" in reasons for reasons in calls.values())
    decided = [line for line in lines if line["kind"] == "decision"]
    assert totals.bytes_in == sum(line["bytes_in"] for line in decided)
    assert totals.bytes_saved == sum(line["bytes_in"] - line["bytes_out"] for line in decided)
    single = [reasons for reasons in calls.values() if len(reasons) == 1]
    assert totals.eligible >= sum(next(iter(reasons)) in ELIGIBLE for reasons in single)


@fewer
@given(st.lists(decisions.map(lambda one: {**one, "via": "hook"}), max_size=12))
def test_counted_tokens_are_the_sum_of_the_counts(drawn):
    """Only a conversion is counted, so here every decision is one and every one has its count."""
    counted = [{**one, "reason": "converted", "count": one["count"] or (7, 3)} for one in drawn]
    totals = report_on(lines_of(counted)).totals
    assert totals.tokens_in == sum(one["count"][0] for one in counted)
    assert totals.tokens_out == sum(one["count"][1] for one in counted)
    assert totals.tokens_estimated == totals.tokens_saved_estimated == 0


@fewer
@given(st.lists(decisions.map(lambda one: {**one, "tool_use_id": ""}), max_size=12), st.integers(0, 4_000))
def test_a_log_cut_in_two_periods_adds_up_to_the_whole(drawn, minute):
    lines = sorted(lines_of(drawn), key=lambda line: line["ts"])
    cut = START + minute * 60_000 + 1
    whole = report_on(lines).totals
    before = report_on(lines, period=Period(None, cut)).totals
    after = report_on(lines, period=Period(cut, None)).totals
    for name in ("results", "eligible", "converted", "bytes_in", "bytes_out"):
        assert getattr(before, name) + getattr(after, name) == getattr(whole, name), name
