import pytest


def test_uncounted_conversions_are_estimated_at_the_rate_of_their_tool(log):
    log.tokens(log.decision(tool="Bash", bytes_in=1000, bytes_out=500), 400, 100)
    log.tokens(log.decision(tool="Grep", bytes_in=1000, bytes_out=500), 200, 150)
    log.decision(tool="Bash", bytes_in=2000, bytes_out=1000)
    report = log.report("tool")
    by_tool = dict(report.by["tool"])
    assert (by_tool["Bash"].tokens_in, by_tool["Bash"].tokens_out) == (400 + 800, 100 + 200)
    assert by_tool["Bash"].tokens_estimated == 800
    assert by_tool["Bash"].tokens_saved_estimated == 600
    assert by_tool["Grep"].tokens_estimated == 0


def test_a_tool_without_counts_is_estimated_at_the_rate_of_all(log):
    log.tokens(log.decision(tool="Bash", bytes_in=1000, bytes_out=500), 400, 100)
    log.decision(tool="Grep", bytes_in=100, bytes_out=50)
    assert dict(log.report("tool").by["tool"])["Grep"].tokens_in == 40
    assert dict(log.report("tool").by["tool"])["Grep"].tokens_out == 10


def test_without_any_count_tokens_are_three_tenths_of_the_bytes(log):
    log.decision(bytes_in=1000, bytes_out=500)
    log.decision(reason="not_json", bytes_in=100, bytes_out=100)
    totals = log.report().totals
    assert (totals.tokens_in, totals.tokens_out) == (300 + 30, 150 + 30)
    assert (totals.tokens_estimated, totals.tokens_saved_estimated) == (330, 150)


def test_results_left_alone_are_estimated_and_save_nothing(log):
    log.tokens(log.decision(bytes_in=1000, bytes_out=500), 400, 100)
    log.decision(reason="not_json", bytes_in=1000, bytes_out=3)
    totals = log.report().totals
    assert (totals.tokens_in, totals.tokens_out) == (400 + 300, 100 + 300)
    assert (totals.tokens_saved, totals.tokens_saved_estimated) == (300, 0)
    assert totals.bytes_out == 500 + 1000


def test_rounding_gives_the_rows_the_total(log):
    for number in range(7):
        log.decision(tool=f"T{number}", reason="not_json", bytes_in=1, bytes_out=1)  # 0.3 tokens each
    report = log.report("tool")
    assert report.totals.tokens_in == 2
    assert sum(figures.tokens_in for _, figures in report.by["tool"]) == 2


@pytest.mark.parametrize("empty", [True, False])
def test_a_count_of_no_bytes_sets_no_rate(log, empty):
    log.tokens(log.decision(bytes_in=0 if empty else 10, bytes_out=0), 5, 0)
    log.decision(bytes_in=1000, bytes_out=500)
    assert log.report().totals.tokens_in == 5 + 300
