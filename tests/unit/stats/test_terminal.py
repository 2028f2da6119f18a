import io
import re

import pytest
from rich.console import Console

from unpretty.engine import reason
from unpretty.report.period import Period
from unpretty.stats import empty, terminal

from .conftest import START

ESC = "\x1b"


def shown(report, *, full=False, **options):
    console = Console(file=io.StringIO(), width=80, highlight=False, **options)
    terminal.show(report, console, full=full)
    terminal.show_largest(report, console)
    return console.file.getvalue()


def fill(log):
    """Every reason, many tools, three days; some counted and some not."""
    for number, code in enumerate(reason.TABLE):
        log.decision(reason=code, tool=f"mcp__a_server_with_a_long_name__tool_{number}")
    for number in range(12):
        log.decision(
            tool=f"tool {number}", bytes_in=1_000_000_000 + number, bytes_out=7, ts=START + number * 43_200_000
        )
    log.tokens(log.decision(tool="Bash"), 300, 160)
    log.decision(via="proxy", tool_use_id="p", reason="not_json")


def test_one_screen_of_80_columns_and_24_lines_without_colour(log):
    fill(log)
    text = shown(log.report("tool", "reason", price=3))
    screen = text.split("\n\nLargest savings")[0].splitlines()
    assert len(screen) <= 26  # 24, one more for each of price and proxy
    log_line = screen.pop()
    assert log_line.startswith(f"Log  {log.path}")
    assert not [line for line in screen if len(line) > 80]
    assert ESC not in text


def test_the_figures_are_those_of_the_report(log):
    log.tokens(log.decision(tool="Bash"), 300, 160)
    log.decision(tool="Bash", reason="not_json")
    log.decision(tool="Grep", reason="too_small", bytes_in=8_000, bytes_out=8_000)
    text = shown(log.report("tool", "reason"))
    assert re.search(r"Tool results seen +3 +100\.0 %", text)
    assert re.search(r"made smaller, offered +1 +33\.3 %", text)
    assert "Saved  400 B of 10.0 kB seen (4.0 %)" in text
    assert "       140 of ~3,000 o200k tokens (4.7 %), ~ estimated" in text
    assert re.search(r"Bash +2 +1 +400 B +140 +100\.0 %", text)
    assert re.search(r"not_json +1 +No line of the result", text)
    assert "Hook time  median 2.5 ms, 95 % within 2.5 ms, longest 2.5 ms" in text
    assert "The 1 largest results are 100 % of what was saved" in text


def test_rows_that_do_not_fit_are_added_up(log):
    for number in range(10):
        log.decision(tool=f"T{number}", bytes_out=100 * number)
    text = shown(log.report("tool"))
    assert re.search(r"7 more +7 +7 +2\.8 kB", text)
    assert "more" not in shown(log.report("tool"), full=True).split("Hook")[0]


def test_of_many_days_the_last_are_shown(log):
    for number in range(60):
        log.decision(ts=START + number * 86_400_000)
    text = shown(log.report("day"), full=True)
    assert re.search(r"21 more +21", text)
    assert "2026-11-19" in text
    assert "2026-09-22 " not in text.split("By day")[1].split("Hook")[0]


def test_reasons_asked_for_are_explained_in_full(log):
    fill(log)
    text = shown(log.report("reason"), full=True)
    for code in reason.TABLE:
        assert re.search(rf"\n{code} +\d", text)
    assert "more reasons" not in text


def test_applied_and_rejected_are_shown_when_looked_up(log):
    outcomes = iter(["applied", "rejected", "unknown"])
    for _ in range(3):
        log.decision()
    text = shown(log.report(applied=lambda record: next(outcomes)))
    assert re.search(r"applied by the agent +1", text)
    assert re.search(r"rejected by the agent +1", text)
    assert re.search(r"not known +1", text)
    assert "unpretty doctor" in text
    assert "offered" not in text


def test_money_is_shown_with_its_assumption(log):
    log.tokens(log.decision(), 3_000_000, 1_000_000)
    assert "6.00 USD at 3 USD per million tokens, each read once, none cached" in shown(log.report(price=3.0))


def test_names_from_the_log_cannot_steer_the_terminal(log):
    log.decision(tool=f"{ESC}]0;title\x07[bold]x[/bold]", via=f"{ESC}[2J")
    text = shown(log.report("tool"), force_terminal=True)
    assert "title" in text
    assert f"{ESC}]" not in text
    assert f"{ESC}[2J" not in text
    assert "[bold]x[/bold]" in text.replace("…", "")


def test_colour_only_on_a_terminal_and_not_with_no_color(log, monkeypatch):
    fill(log)
    assert f"{ESC}[" in shown(log.report("tool"), force_terminal=True, color_system="standard")
    monkeypatch.setenv("NO_COLOR", "1")
    plain = shown(log.report("tool"), force_terminal=True)
    assert not re.search(f"{ESC}\\[[0-9;]*3[0-9]", plain)


def test_a_log_of_newer_lines_says_so(log):
    log.decision()
    log.decision(v=2)
    assert "1 by a newer version" in shown(log.report())


@pytest.mark.parametrize(
    ("content", "period", "words"),
    [
        (None, Period(), "does not exist"),
        ("", Period(), "holds no decision (0 bytes, 0 broken lines)"),
        ("broken\n", Period(), "holds no decision (7 bytes, 1 broken lines)"),
        ("one", Period(START + 10), "No result in this period. The last one in"),
    ],
)
def test_an_empty_report_says_why_and_what_to_do(log, content, period, words):
    if content == "one":
        log.decision()
    elif content is not None:
        log.path.write_text(content)
    sentences = list(empty.reasons(log.report(period=period)))
    assert words in sentences[0]
    assert str(log.path) in sentences[0]
    assert any("unpretty install" in sentence or "--since" in sentence for sentence in sentences[1:])


def test_without_results_left_alone_there_is_no_table_of_reasons(log):
    log.decision(tool="Bash")
    assert "Left alone" not in shown(log.report("tool", "reason"))
