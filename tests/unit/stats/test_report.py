import json

import orjson
import pytest

from unpretty.report.period import Period
from unpretty.stats.report import to_json

from .conftest import START

FIGURES = {
    "results", "eligible", "converted", "applied", "rejected", "unknown", "bytes_in", "bytes_out", "tokens_in",
    "tokens_out", "tokens_estimated", "tokens_saved_estimated",
}  # fmt: skip


def as_json(report):
    return json.loads(orjson.dumps(to_json(report)))


def test_schema_1(log, zone):
    """The schema of docs/stats.md, written out; a change of it needs a new number."""
    zone("Europe/Berlin")
    log.tokens(log.decision(tool="Bash"), 300, 160)
    log.decision(tool="Grep", reason="not_json", via="worker", ms=4.0)
    with log.path.open("ab") as file:
        file.write(b"broken\n")
    document = as_json(log.report("tool", "day", period=Period(START, START + 1000), price=3.0))
    figures = document["totals"]
    assert set(figures) == FIGURES
    assert document == {
        "schema": 1,
        "zone": document["zone"],
        "since": "2026-09-21T16:13:20.000+02:00",
        "until": "2026-09-21T16:13:21.000+02:00",
        "totals": {
            "results": 2, "eligible": 1, "converted": 1, "applied": 0, "rejected": 0, "unknown": 1, "bytes_in": 2000,
            "bytes_out": 1600, "tokens_in": 600, "tokens_out": 460, "tokens_estimated": 300,
            "tokens_saved_estimated": 0,
        },
        "by": {
            "tool": [
                {"key": "Bash", **figures, "results": 1, "bytes_in": 1000, "bytes_out": 600, "tokens_in": 300,
                 "tokens_out": 160, "tokens_estimated": 0},
                {"key": "Grep", **dict.fromkeys(FIGURES, 0), "results": 1, "bytes_in": 1000, "bytes_out": 1000,
                 "tokens_in": 300, "tokens_out": 300, "tokens_estimated": 300},
            ],
            "day": [{"key": "2026-09-21", **figures}],
        },
        "verified": False,
        "steps": {"json": 400},
        "latency_ms": {
            "hook": {"p50": 2.5, "p95": 2.5, "max": 2.5, "calls": 1},
            "worker": {"p50": 4.0, "p95": 4.0, "max": 4.0, "calls": 1},
        },
        "largest": [
            {"when": "2026-09-21T16:13:20.000+02:00", "agent": "claude-code", "tool": "Bash", "tool_use_id": "toolu_0",
             "bytes_in": 1000, "bytes_out": 600},
        ],
        "largest_share": 1.0,
        "log": {
            "path": str(log.path), "bytes": log.path.stat().st_size, "lines": 4, "broken": 1, "newer": 0,
            "first": "2026-09-21T16:13:20.000+02:00", "last": "2026-09-21T16:13:20.002+02:00",
        },
        "money": {"usd_per_mtok": 3.0, "usd_saved": 0.00042},
    }  # fmt: skip


def test_an_empty_log_has_the_same_schema(log):
    document = as_json(log.report("agent"))
    assert document["totals"] == dict.fromkeys(FIGURES, 0)
    assert document["by"] == {"agent": []}
    assert (document["since"], document["until"], document["log"]["first"]) == (None, None, None)
    assert "money" not in document


def test_days_are_in_order_and_all_else_by_bytes_saved(log, zone):
    zone("UTC")
    day = 86_400_000
    for number, saved in enumerate((1, 3, 2)):
        log.decision(ts=START + number * day, tool=f"T{saved}", bytes_in=1000, bytes_out=1000 - 100 * saved)
    report = log.report("day", "tool")
    assert [key for key, _ in report.by["day"]] == ["2026-09-21", "2026-09-22", "2026-09-23"]
    assert [key for key, _ in report.by["tool"]] == ["T3", "T2", "T1"]


def test_the_period_is_respected(log):
    for number in range(10):
        log.decision(ts=START + number)
    assert log.report(period=Period(START + 2, START + 5)).totals.results == 3


@pytest.mark.parametrize("zone_of_user", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"])
def test_days_are_those_of_the_users_clock(log, zone, zone_of_user):
    """Every hour of two days, one result each: each local day gets the hours that lie in it."""
    zone(zone_of_user)
    for hour in range(48):
        log.decision(ts=START + hour * 3_600_000)
    counts = [figures.results for _, figures in log.report("day").by["day"]]
    first = {"Pacific/Kiritimati": 20, "Pacific/Pago_Pago": 21, "Europe/Berlin": 8}[zone_of_user]
    assert counts[:2] == [first, 24]
    assert sum(counts) == 48
