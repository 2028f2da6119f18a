"""One result is one call, whatever its lines look like; each test writes a log and reads it back."""

import pytest

from unpretty.stats import aggregate
from unpretty.transcripts.outcomes import APPLIED, REJECTED, UNKNOWN


def reach(report):
    totals = report.totals
    return totals.results, totals.eligible, totals.converted


def sizes(report):
    return report.totals.bytes_in, report.totals.bytes_out


def groups(report, dimension):
    return {key: (figures.results, figures.bytes_in, figures.bytes_out) for key, figures in report.by[dimension]}


def test_reach_goes_from_seen_to_eligible_to_converted(log):
    for reason in ("converted", "converted", "too_small", "not_json", "already_compact", "file_view", "error"):
        log.decision(reason=reason)
    report = log.report("reason")
    assert reach(report) == (7, 4, 2)
    assert sizes(report) == (7000, 6200)
    assert groups(report, "reason")["converted"] == (2, 2000, 1200)
    assert [key for key, _ in report.by["reason"]] == [
        "converted", "already_compact", "error", "file_view", "not_json", "too_small",
    ]  # fmt: skip


def test_texts_of_one_call_are_one_result_and_its_bytes_add_up(log):
    for place, reason in enumerate(("too_small", "converted", "converted", "not_json")):
        log.decision(tool_use_id="toolu_x", field=f"[{place}].text", reason=reason)
    report = log.report("reason")
    assert reach(report) == (1, 1, 1)
    assert sizes(report) == (4000, 3200)
    assert groups(report, "reason") == {
        "converted": (1, 2000, 1200), "too_small": (0, 1000, 1000), "not_json": (0, 1000, 1000),
    }  # fmt: skip


def test_a_call_of_skipped_texts_counts_under_the_first_reason(log):
    log.decision(tool_use_id="toolu_x", reason="too_small")
    log.decision(tool_use_id="toolu_x", reason="not_json")
    report = log.report("reason")
    assert groups(report, "reason") == {"too_small": (1, 1000, 1000), "not_json": (0, 1000, 1000)}


def test_lines_of_parallel_calls_may_be_mixed(log):
    for _ in range(3):
        for call in range(5):
            log.decision(tool_use_id=f"toolu_{call}", reason="not_json")
    assert reach(log.report()) == (5, 0, 0)


def test_the_same_id_in_two_sessions_is_two_results(log):
    """Scripted models number their calls; real ids are unique."""
    for session in ("s1", "s2", "s1", "s2", "s2"):
        log.decision(tool_use_id="toolu_0", session=session)
    report = log.report("session")
    assert groups(report, "session") == {"s1": (1, 2000, 1200), "s2": (1, 3000, 1800)}


def test_lines_without_an_id_are_a_result_each(log):
    log.decision(tool_use_id="", reason="bad_payload", bytes_in=0, bytes_out=0, session="", tool="")
    log.decision(tool_use_id="", reason="bad_payload", bytes_in=0, bytes_out=0, session="", tool="")
    assert reach(log.report()) == (2, 0, 0)


@pytest.mark.parametrize("session", ["", "s1"])
@pytest.mark.parametrize("hook_first", [False, True])
def test_a_result_that_the_proxy_converted_and_the_hook_left_is_one(log, session, hook_first):
    lines = [
        {"via": "proxy", "tool": "query", "session": session, "bytes_in": 1000, "bytes_out": 600},
        {"via": "hook", "reason": "already_compact", "bytes_in": 600, "bytes_out": 600},
    ]
    for line in reversed(lines) if hook_first else lines:
        log.decision(tool_use_id="toolu_x", **line)
    report = log.report()
    assert reach(report) == (1, 1, 1)
    assert sizes(report) == (1000, 600)


@pytest.mark.parametrize("hook_first", [False, True])
def test_a_result_that_the_proxy_left_and_the_hook_converted_is_one(log, hook_first):
    lines = [
        {"via": "proxy", "tool": "query", "field": "[0].text", "reason": "not_json"},
        {"via": "proxy", "tool": "query", "field": "[1].text", "reason": "too_small", "bytes_in": 10, "bytes_out": 10},
        {"via": "hook", "tool": "mcp__db__query", "bytes_in": 1010, "bytes_out": 610},
    ]
    for line in reversed(lines) if hook_first else lines:
        log.decision(tool_use_id="toolu_x", **line)
    report = log.report("tool")
    assert reach(report) == (1, 1, 1)
    assert sizes(report) == (1010, 610)


def test_a_result_that_neither_converted_is_one(log):
    log.decision(tool_use_id="toolu_x", via="proxy", reason="not_json")
    log.decision(tool_use_id="toolu_x", via="hook", reason="not_json")
    assert (reach(log.report()), sizes(log.report())) == ((1, 0, 0), (1000, 1000))


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("hook_first", [False, True])
def test_a_result_that_both_converted_goes_from_the_proxys_input_to_the_hooks_output(log, hook_first, counted):
    lines = [
        {"via": "proxy", "bytes_in": 1000, "bytes_out": 600, "id": "p"},
        {"via": "hook", "bytes_in": 600, "bytes_out": 500, "id": "h"},
    ]
    for line in reversed(lines) if hook_first else lines:
        log.decision(tool_use_id="toolu_x", **line)
    if counted:
        log.tokens("p", 300, 200)
        log.tokens("h", 200, 170)
    report = log.report()
    assert reach(report) == (1, 1, 1)
    assert sizes(report) == (1000, 500)
    if counted:
        assert (report.totals.tokens_in, report.totals.tokens_out) == (300, 170)
        assert report.totals.tokens_estimated == 0


def test_counts_are_joined_to_their_decision_wherever_they_stand(log):
    first = log.decision(tool="Bash")
    second = log.decision(tool="Grep")
    log.decision(tool="Bash", reason="not_json", bytes_in=0, bytes_out=0)
    log.tokens(second, 310, 170)
    log.tokens(first, 300, 160)
    report = log.report("tool")
    assert (report.totals.tokens_in, report.totals.tokens_out) == (610, 330)
    assert report.totals.tokens_estimated == report.totals.tokens_saved_estimated == 0
    by_tool = {key: (figures.tokens_in, figures.tokens_out) for key, figures in report.by["tool"]}
    assert by_tool == {"Bash": (300, 160), "Grep": (310, 170)}
    assert report.totals.results == 3


def test_a_count_of_an_unknown_decision_or_a_second_count_changes_nothing(log):
    only = log.decision()
    log.tokens(only, 300, 160)
    log.tokens(only, 999, 999)
    log.tokens("feedfeedfeedfeed", 999, 999)
    assert (log.report().totals.tokens_in, log.report().totals.tokens_out) == (300, 160)
    assert log.report().log.broken == 0


def test_lines_without_usable_figures_are_counted_as_broken(log):
    for odd in (
        {"bytes_in": "1000"}, {"bytes_out": None}, {"bytes_in": 1.5}, {"bytes_in": True}, {"ms": "fast"},
        {"tool_use_id": ["x"]}, {"steps": 7}, {"ts": 1 << 62},
    ):  # fmt: skip
        log.decision(**odd)
    log.tokens(log.decision(), "many", 1)
    report = log.report("day")
    assert report.log.broken >= 8
    assert report.log.lines == 10


def test_missing_and_odd_dimensions_have_a_name(log):
    log.decision(model=None, project=7)
    log.decision(model="")
    report = log.report("model", "project")
    assert groups(report, "model") == {"": (2, 2000, 1200)}
    assert set(groups(report, "project")) == {"7", "/home/user/project"}


def test_a_line_that_lacks_a_dimension_is_added_up(log):
    log.path.write_text(
        '{"v":1,"kind":"decision","id":"a","ts":1790000000000,"via":"worker","tool_use_id":"x","session":"s","tool":"T",'
        '"reason":"converted","bytes_in":10,"bytes_out":4,"steps":{},"ms":1}\n'
    )
    report = log.report("model", "agent")
    assert groups(report, "agent") == {"": (1, 10, 4)}
    assert report.log.broken == 0


def test_steps_are_added_up(log):
    log.decision(steps={"json": 300, "noise": 100})
    log.decision(steps={"paths": 350, "json": 50})
    assert log.report().steps == {"json": 350, "paths": 350, "noise": 100}


def test_the_largest_savings_are_kept_and_their_share_is_told(log):
    for saved in (10, 500, 20, 400, 30):
        log.decision(bytes_in=1000, bytes_out=1000 - saved)
    report = log.report(largest=2)
    assert [row["bytes_in"] - row["bytes_out"] for row in report.largest] == [500, 400]
    assert report.largest_share == pytest.approx(900 / 960)
    assert log.report(largest=0).largest == []


def test_latency_is_counted_once_per_call_and_by_way(log):
    for milliseconds in (1.0, 2.0, 3.0, 4.0):
        log.decision(ms=milliseconds, reason="not_json")
    log.decision(ms=100.0, via="worker", tool_use_id="w", field="a")
    log.decision(ms=100.0, via="worker", tool_use_id="w", field="b")
    assert log.report().latency == {"hook": {10: 1, 20: 1, 30: 1, 40: 1}, "worker": {1000: 1}}


@pytest.mark.parametrize(("outcome", "column"), [(APPLIED, 0), (REJECTED, 1), (UNKNOWN, 2)])
def test_outcomes_are_asked_for_once_per_converted_call(log, outcome, column):
    asked = []

    def applied(record):
        asked.append(record["tool_use_id"])
        return outcome

    log.decision(tool_use_id="a", field="[0].text", reason="too_small")
    log.decision(tool_use_id="a", field="[1].text")
    log.decision(tool_use_id="a", field="[2].text")
    log.decision(tool_use_id="b", reason="not_json")
    totals = log.report(applied=applied).totals
    expected = [0, 0, 0]
    expected[column] = 1
    assert [totals.applied, totals.rejected, totals.unknown] == expected
    assert asked == ["a"]


def test_calls_and_counts_are_remembered_in_bounded_memory(log, monkeypatch):
    monkeypatch.setattr(aggregate, "_CALLS", 4)
    monkeypatch.setattr(aggregate, "_CONVERSIONS", 4)
    ids = [log.decision() for _ in range(20)]
    for identity in ids:
        log.tokens(identity, 300, 160)
    log.decision(tool_use_id="toolu_19")
    report = log.report()
    assert report.totals.results == 20  # the last one is still known
    assert 4 * 300 <= report.totals.tokens_in - report.totals.tokens_estimated <= 8 * 300


def test_the_collector_is_on_again_afterwards(log):
    import gc

    log.decision()
    assert gc.isenabled()
    log.report()
    assert gc.isenabled()
    gc.disable()
    try:
        log.report()
        assert not gc.isenabled()
    finally:
        gc.enable()
