import pytest

from unpretty.stats.applied import lately
from unpretty.transcripts.outcomes import APPLIED, REJECTED, UNKNOWN, by_lengths


@pytest.mark.parametrize(
    ("lengths", "outcome"),
    [({600}, APPLIED), ({1000}, REJECTED), ({600, 1000}, APPLIED), ({7}, UNKNOWN), ((), UNKNOWN)],
)
def test_lengths_decide(lengths, outcome):
    assert by_lengths(frozenset(lengths), {"chars_in": 1000, "chars_out": 600}) == outcome


def test_lately_looks_at_the_last_conversions_of_one_agent(log):
    for number in range(10):
        log.decision(session=f"s{number}")
    log.decision(reason="not_json")
    log.decision(agent="codex")
    log.tokens("x", 1, 1)
    log.decision(session=["odd"])
    asked = []

    def check(record):
        asked.append(record["session"])
        if record["session"] == ["odd"]:
            raise TypeError
        return REJECTED if record["session"] == "s9" else APPLIED

    assert lately(log.path, "claude-code", check, most=4) == {APPLIED: 2, REJECTED: 1, UNKNOWN: 1}
    assert asked == [["odd"], "s9", "s8", "s7"]


def test_lately_of_an_empty_log_is_nothing(log):
    assert lately(log.path, "claude-code", lambda record: APPLIED) == {APPLIED: 0, REJECTED: 0, UNKNOWN: 0}
