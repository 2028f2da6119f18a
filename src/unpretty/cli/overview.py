"""``unpretty`` alone: which agents are on, the last result seen, what was saved, and what to do next."""

from concurrent.futures import ThreadPoolExecutor

from rich.table import Table
from rich.text import Text

from unpretty import __version__, locations
from unpretty import agents as table
from unpretty.decision_log.reader import last_decision
from unpretty.report.period import Period, local_time
from unpretty.report.tables import screen
from unpretty.report.words import one_of, percent, size, tokens, visible
from unpretty.stats.report import StatsReport, build_report
from unpretty_installer import agents
from unpretty_installer.core.plan import Options
from unpretty_installer.core.report import AgentReport

_STYLES = {"active": "green", "not_installed": "dim"}


def show_overview() -> None:
    """Print the overview: one screen, nothing is written."""
    console = screen()
    reports = _examine()
    console.print(Text(f"unpretty {__version__}", style="bold"))
    console.print("")
    if reports:
        console.print(_agents(reports))
    else:
        console.print("No coding agent was found on this machine.")
    console.print("")
    last = _last_result()
    for line in (last, _saved() if last else "", f"Next: {next_step(reports, seen=bool(last))}"):
        if line:
            console.print(Text(line), soft_wrap=True)


def next_step(reports: list[AgentReport], *, seen: bool) -> str:
    """The one thing to do next.

    Args:
        reports: the agents on this machine.
        seen: whether the decision log holds any result.
    """
    for report in reports:
        if report.problems:
            return f"{report.title}: {report.problems[0].fix}"
    waiting = [report.agent for report in reports if report.status == "not_installed"]
    if waiting and len(waiting) == len(reports):
        return "`unpretty install` shows what would be written; `unpretty estimate` what it would save."
    if not reports:
        titles = one_of(row.title for row in table.every())
        return f"install {titles}, or try `unpretty convert` on a JSON file."
    if not seen:
        return "let the agent run a command, then look at `unpretty stats`."
    if waiting:
        return f"`unpretty install {waiting[0]}` sets up {waiting[0]} too; `unpretty stats` has the figures."
    return "`unpretty stats` has the figures."


def _examine() -> list[AgentReport]:
    """The reports on all agents that were found; side by side, since some have to ask the agent itself."""
    found = agents.chosen(())
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda agent: agent.examine(Options()), found))


def _agents(reports: list[AgentReport]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for report in reports:
        problem = report.problems[0].message if report.problems else ""
        status = report.status.replace("_", " ")
        style = _STYLES.get(report.status, "red")
        state = Text(status, style=style, no_wrap=True)
        table.add_row(report.title, state, Text(visible(report.version or "")), Text(visible(problem)))
    return table


def _last_result() -> str:
    """The last result in the log as a line; "" when there is none."""
    last = last_decision(locations.decision_log_file())
    if last is None:
        return ""
    when = local_time(last["ts"]) if type(last.get("ts")) is int else "?"
    outcome = "made smaller" if last.get("decision") == "converted" else f"left alone ({last.get('reason')})"
    return visible(f"Last result: {when}, {last.get('agent')} {last.get('tool')}, {outcome}")


def _saved() -> str:
    try:
        report: StatsReport = build_report(locations.decision_log_file(), Period(), largest=0)
    except OSError as exc:
        return f"The decision log cannot be read: {exc.strerror}"
    totals = report.totals
    saved = tokens(totals.tokens_saved, totals.tokens_saved_estimated)
    return (
        f"Saved so far: {size(totals.bytes_saved)} of {size(totals.bytes_in)} "
        f"({percent(totals.bytes_saved, totals.bytes_in)}), {saved} tokens (o200k), "
        f"in {totals.converted:,} of {totals.results:,} results since {local_time(report.first_ts)[:10]}"
    )
