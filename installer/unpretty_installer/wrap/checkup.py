"""The doctor's look at an agent's MCP servers: which are wrapped, and whether the wrapped ones can start."""

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.core.plan import Options
from unpretty_installer.core.report import FIX, AgentReport, Problem, ServerState
from unpretty_installer.wrap import launcher, wrapped
from unpretty_installer.wrap.agent import PROJECT
from unpretty_installer.wrap.wrapped import Server


def with_servers(report: AgentReport, servers: list[Server]) -> AgentReport:
    """``report`` with the agent's MCP servers, and with what is wrong with the wrapped ones."""
    problems = _problems(servers)
    repair = report.repair or ((Options(),) if problems else ())
    listed = tuple(ServerState(server.name, server.state, server.scope, server.path) for server in servers)
    return replace(report, servers=listed, problems=(*report.problems, *problems), repair=repair)


def _problems(servers: list[Server]) -> list[Problem]:
    """Why wrapped servers do not start, or not through this install's proxy."""
    ours = [server for server in servers if wrapped.length_of_front(server.argv)]
    if not ours:
        return []
    names = ", ".join(dict.fromkeys(server.name for server in ours))
    found = []
    for server in ours:
        if wrapped.is_outdated(server.argv):
            gone = "" if Path(server.argv[0]).exists() else ", which is not there: it cannot start"
            message = f"The MCP server {server.name} in {server.path} starts {server.argv[0]}{gone}."
            remedy = f"Take it out of {server.path} by hand." if server.scope == PROJECT else FIX
            found.append(Problem("wrap_outdated", message, remedy))
    found += _launcher_problems(names)
    return found or _trial_problems(names)


def _launcher_problems(names: str) -> list[Problem]:
    started = Path(launcher.argv()[-1])
    found = []
    for change in launcher.changes():
        if change.operation == "create":
            fate = "cannot start" if change.path == started else "run without the proxy"
            found.append(Problem("proxy_missing", f"{change.path} is missing, so these servers {fate}: {names}.", FIX))
        elif change.operation == "change":
            message = f"{change.path} belongs to another install of unpretty; it starts these servers: {names}."
            found.append(Problem("proxy_outdated", message, FIX))
        elif change.path == started and sys.platform != "win32" and not os.access(started, os.X_OK):
            message = f"{started} may not be executed, so these servers cannot start: {names}."
            found.append(Problem("proxy_not_executable", message, shlex.join(["chmod", "u+x", str(started)])))
    return found


def _trial_problems(names: str) -> list[Problem]:
    """Run the proxy as an agent would."""
    try:
        launcher.try_out()
    except UnprettyError as exc:
        return [Problem(exc.code, f"{exc} These servers depend on it: {names}.", FIX)]
    return []
