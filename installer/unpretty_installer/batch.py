"""Several agents in one run: one plan each, applied one after the other; a failure stays with its agent."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty.tokens.stop import stop_counting
from unpretty_installer import agents
from unpretty_installer.core import home_owner, launcher, own_files, planning
from unpretty_installer.core.agent_installer import AgentInstaller
from unpretty_installer.core.apply import apply
from unpretty_installer.core.plan import Note, Options, Plan
from unpretty_installer.core.report import AgentReport
from unpretty_installer.wrap import launcher as wrap_launcher

OWN = "unpretty"
_MOST_NAMED = 5  # paths in one sentence


@dataclass(frozen=True, slots=True)
class AgentResult:
    """What is known of one agent: its plan, or why there is none; and after ``carry_out`` what came of it.

    Attributes:
        agent: the agent's name, or ``unpretty`` for our own files.
        title: its name in a sentence.
        plan: None when it could not be made.
        error: why the plan could not be made or applied.
        state: ``pending``, ``nothing_to_do``, ``applied`` or ``failed``.
        backup: the directory with copies of the agent's files as they were.
    """

    agent: str
    title: str
    plan: Plan | None
    error: UnprettyError | None
    state: str
    backup: Path | None = None


def plan_install(chosen: Iterable[AgentInstaller], options: Options) -> list[AgentResult]:
    """Plan to set up each agent; writes nothing and raises nothing."""
    return [_warned(_planned(agent, agent.plan_install, options)) for agent in chosen]


def plan_uninstall(chosen: Iterable[AgentInstaller], options: Options, *, purge: bool = False) -> list[AgentResult]:
    """Plan to uninstall from each agent; with the last agent our own files go too, with ``purge`` all of them.

    Raises:
        UnprettyError: ``purge`` was asked for while another agent is still set up.
    """
    chosen = list(chosen)
    results = [_planned(agent, agent.plan_uninstall, options) for agent in chosen]
    names = [agent.name for agent in chosen]
    others = [agent for agent in agents.every() if agent.name not in names and _is_set_up(agent)]
    if others and purge:
        titles = " and ".join(agent.title for agent in others)
        raise UnprettyError(
            f"{titles} still needs the files that --purge deletes.",
            code="purge_in_use",
            hint="Run `unpretty uninstall --apply --purge` without naming an agent.",
        )
    if others:
        return results
    own = _own_plan(purge)
    return results if own.is_empty and not own.warnings else [*results, _result(own)]


def carry_out(results: list[AgentResult]) -> list[AgentResult]:
    """Apply every pending plan. Our own files are removed only when all agents before them went well."""
    done: list[AgentResult] = []
    for result in results:
        if result.agent == OWN and any(earlier.state == "failed" for earlier in done):
            continue
        done.append(_carried_out(result))
    # With --purge the copies of files went last of all.
    return [
        result if result.backup is None or result.backup.exists() else replace(result, backup=None) for result in done
    ]


def repair(report: AgentReport) -> list[AgentResult]:
    """Plan and apply what fixes an agent, in each location where we are installed."""
    agent = agents.get(report.agent)
    results: list[AgentResult] = []
    for options in report.repair:
        results += carry_out([_planned(agent, agent.plan_install, options)])
    return results


def _planned(agent: AgentInstaller, make: Callable[[Options], Plan], options: Options) -> AgentResult:
    try:
        return _result(make(options))
    except UnprettyError as exc:
        return AgentResult(agent.name, agent.title, None, exc, "failed")
    except OSError as exc:
        return AgentResult(agent.name, agent.title, None, UnprettyError(f"{exc}.", code="unreadable"), "failed")


def _warned(result: AgentResult) -> AgentResult:
    """With a warning when the user that it is for cannot run what is going to be registered."""
    if result.plan is None or result.plan.is_empty:
        return result
    return replace(result, plan=replace(result.plan, warnings=(*result.plan.warnings, *home_owner.notes())))


def _result(plan: Plan) -> AgentResult:
    return AgentResult(plan.agent, plan.title, plan, None, "nothing_to_do" if plan.is_empty else "pending")


def _carried_out(result: AgentResult) -> AgentResult:
    if result.plan is None or result.state != "pending":
        return result
    plan = result.plan
    try:
        backup = apply(replace(plan, removals=()))
        if plan.removals:
            _purge(plan)
        return replace(result, state="applied", backup=backup)
    except UnprettyError as exc:
        return replace(result, state="failed", error=exc)


def _purge(plan: Plan) -> None:
    """Delete everything of ours. Raises UnprettyError with what could not be deleted.

    By now the agents' own plans have added copies of their files, and no agent can start a hook any more. One that is
    just ending may have written since, so what is left is looked for twice.
    """
    stop_counting(locations.decision_log_file())
    for _ in range(2):
        apply(replace(plan, changes=(), removals=own_files.inventory().ours))
    left = own_files.inventory().ours
    if left:
        raise UnprettyError(f"{_listed(left)} could not be deleted.", code="not_deleted", hint="Delete it by hand.")


def _own_plan(purge: bool) -> Plan:
    """Our own files: the launchers; with ``purge`` everything."""
    changes = (*launcher.removal(), *wrap_launcher.removal())
    there = own_files.inventory()
    removed = {change.path for change in changes}
    staying = [path for path in there.ours if path not in removed and not path.is_dir()]
    left = [directory for directory in own_files.directories() if any(directory in path.parents for path in staying)]
    where = ", ".join(map(str, left))
    kept = f"The decision log, copies of your files and the settings stay ({where}); --purge deletes them."
    return Plan(
        OWN,
        "unpretty's own files",
        changes=changes,
        removals=there.ours if purge else (),
        notices=() if purge or not left else (Note("left_over", kept),),
        warnings=_not_ours(there.foreign) if purge else (),
        blocks=planning.obstacles(changes),
    )


def _not_ours(foreign: tuple[Path, ...]) -> tuple[Note, ...]:
    """What ``--purge`` leaves alone, in one sentence."""
    if not foreign:
        return ()
    links = [path for path in foreign if path in own_files.directories() and path.is_symlink()]
    followed = "; a link is not followed, so what unpretty wrote in its target stays too" if links else ""
    message = f"Left alone, since unpretty did not make it: {_listed(foreign)}{followed}."
    return (Note("not_ours", message),)


def _listed(paths: tuple[Path, ...]) -> str:
    shown = [f"{path} -> {path.readlink()}" if path.is_symlink() else str(path) for path in paths[:_MOST_NAMED]]
    more = len(paths) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _is_set_up(agent: AgentInstaller) -> bool:
    """Whether there is something to uninstall; in doubt there is."""
    try:
        return not agent.plan_uninstall(Options()).is_empty
    except (UnprettyError, OSError):
        return True
