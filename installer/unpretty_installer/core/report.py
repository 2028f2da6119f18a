"""What is right and what is wrong with an installation, as values, and the checks that all agents share."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from unpretty import locations
from unpretty.engine import system
from unpretty.errors import UnprettyError
from unpretty.settings.defaults import is_off_in_environment
from unpretty_installer.core import files, launcher
from unpretty_installer.core.plan import Note, Options

Status = Literal["active", "not_installed", "not_trusted", "modified", "disabled", "broken", "client_too_old"]

FIX = "unpretty doctor --fix"
_TAIL_BYTES = 1 << 18
# The agents' records may be large, and what was wrong long ago may be fixed.
_SECONDS_TO_VERIFY = 1.0
_DAYS_TO_VERIFY = 7


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong. ``fix`` is the command (or the step) that fixes it."""

    code: str
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class ServerState:
    """An MCP server of the agent: its name, ``wrapped``, ``not_wrapped`` or ``remote``, its scope and its file."""

    name: str
    state: str
    scope: str
    path: Path


@dataclass(frozen=True, slots=True)
class AgentReport:
    """One agent as the doctor found it.

    Attributes:
        agent: its name on the command line.
        title: its name in a sentence.
        found: whether it is on this machine.
        version: its version, None when unknown.
        status: see ``Status``.
        config: the file that holds our entry, or would hold it; empty when there is none.
        problems: what is wrong; the doctor exits 1 when any agent has one.
        notices: what the agent does not allow, or is good to know; never a reason to exit 1.
        run_ms: how long the registered command took on a sample, milliseconds; None when it was not run.
        last_decision: the last line about this agent in the decision log: ts, tool, decision, reason; None when none.
        repair: what ``--fix`` plans and applies again: one Options per location where we are installed.
        servers: its MCP servers: wrapped by the proxy, not wrapped, or remote.
    """

    agent: str
    title: str
    found: bool
    version: str | None
    status: Status
    config: str
    problems: tuple[Problem, ...] = ()
    notices: tuple[Note, ...] = ()
    run_ms: float | None = None
    last_decision: dict[str, object] | None = None
    repair: tuple[Options, ...] = ()
    servers: tuple[ServerState, ...] = ()


def shared_problems() -> list[Problem]:
    """What is wrong with our own files, for an agent that is set up."""
    return [*_launcher_problems(), *_log_problems(), *_config_problems()]


def shared_notices(agent: str) -> list[Note]:
    """What switches the hook off on purpose, and what ``agent`` made of its answers lately."""
    notes = _rejections(agent)
    if is_off_in_environment():
        notes.append(
            Note("off_in_environment", "UNPRETTY in the environment switches the hook off for agents started here.")
        )
    if _settings().get("enabled") is False:
        notes.append(Note("off_in_settings", f"`enabled = false` in {locations.config_file()} switches the hook off."))
    return notes


def _rejections(agent: str) -> list[Note]:
    """A note when the agent's own records show originals where the hook had offered something smaller."""
    log = locations.decision_log_file()
    if not log.exists():
        return []
    from unpretty.stats.applied import lately, time_limit
    from unpretty.transcripts.outcomes import REJECTED, checks

    spend, since_ms = time_limit(_SECONDS_TO_VERIFY), int((time.time() - _DAYS_TO_VERIFY * 86_400) * 1000)
    outcomes = lately(log, agent, checks(since_ms, spend)[agent], since_ms=since_ms, spend=spend)
    if not outcomes[REJECTED]:
        return []
    share = f"{outcomes[REJECTED]} of the last {sum(outcomes.values())} conversions were rejected"
    return [
        Note(
            "rewrites_rejected",
            f"{share}: the agent showed the original. Another hook on the same tools, an old client or a changed hook"
            " command can be why; `unpretty stats --verify` counts them.",
        )
    ]


def last_decision(agent: str) -> dict[str, object] | None:
    """The last decision about ``agent`` near the end of the log: its ts, tool, decision and reason."""
    log = locations.decision_log_file()
    for path in (log, log.with_name(f"{log.name}.1")):
        tail, _ = system.read_tail(str(path), _TAIL_BYTES)
        for line in reversed(tail.splitlines()):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and record.get("kind") == "decision" and record.get("agent") == agent:
                return {key: record.get(key) for key in ("ts", "tool", "decision", "reason")}
    return None


def _launcher_problems() -> list[Problem]:
    nothing_fits = launcher.package_problem()
    found = [Problem("package_not_found", nothing_fits, FIX)] if nothing_fits else []
    for change in launcher.changes():
        if change.operation == "create":
            found.append(Problem("launcher_missing", f"{change.path} is missing, so the hook does nothing.", FIX))
        elif change.operation == "change":
            found.append(Problem("launcher_outdated", f"{change.path} belongs to another install of unpretty.", FIX))
    link = launcher.python_link()
    if link.is_symlink() and not link.exists():
        found.append(Problem("python_gone", f"{link} leads to a Python that is gone ({link.readlink()}).", FIX))
    return found


def _log_problems() -> list[Problem]:
    log = locations.decision_log_file()
    reason = files.why_not_writable(log)
    if reason is None:
        return []
    return [
        Problem("log_not_writable", f"The decision log cannot be written: {log} {reason[1]}.", f"Make {log} writable.")
    ]


def _config_problems() -> list[Problem]:
    path = locations.config_file()
    try:
        _read_settings()
    except UnprettyError as exc:
        return [Problem("config_invalid", f"{exc} The hook is off until it is fixed.", f"Fix {path}.")]
    return []


def _settings() -> dict[str, object]:
    try:
        return _read_settings()
    except UnprettyError:
        return {}


def _read_settings() -> dict[str, object]:
    """The user's settings; the TOML parser is loaded only when there is a file."""
    path = locations.config_file()
    if not path.exists():
        return {}
    from unpretty.settings.config_file import read_config

    return dict(read_config(path))
