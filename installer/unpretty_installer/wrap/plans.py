"""Adds the wrapping of MCP servers to an agent's plans: what ``--wrap-mcp`` asks for, and how to undo it.

A file that holds our hook as well (Codex's config.toml) is changed once: first for the hook, then for the servers.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.core import files, launcher, planning, receipt
from unpretty_installer.core.agent_installer import AgentInstaller
from unpretty_installer.core.plan import Block, Check, FileChange, Note, Options, Plan, Rework
from unpretty_installer.core.report import AgentReport
from unpretty_installer.wrap import checkup, wrapped
from unpretty_installer.wrap import launcher as wrap_launcher
from unpretty_installer.wrap.agent import PROJECT, AgentServers, may_hold_ours
from unpretty_installer.wrap.wrapped import Server


def with_wrapping(agent: AgentInstaller, servers: AgentServers) -> AgentInstaller:
    """``agent`` with plans that wrap and unwrap MCP servers too, and with reports that list them."""

    def plan_install(options: Options) -> Plan:
        return _installed(servers, agent.plan_install(options), options)

    def plan_uninstall(options: Options) -> Plan:
        return _uninstalled(servers, agent.plan_uninstall(options), options)

    def examine(options: Options) -> AgentReport:
        return checkup.with_servers(agent.examine(options), servers.servers(options.project or planning.here()))

    return replace(agent, plan_install=plan_install, plan_uninstall=plan_uninstall, examine=examine)


def require_known(plans: Iterable[Plan | None], names: Sequence[str]) -> None:
    """Raise UnprettyError for a name of ``--wrap-mcp`` that none of the agents has a server of."""
    notices = [plan.notices for plan in plans if plan]
    for name in names:
        if notices and all(_unknown(name) in notes for notes in notices):
            raise UnprettyError(
                f"There is no MCP server called {name}.",
                code="no_such_server",
                hint="`unpretty doctor` lists the servers of each agent.",
            )


def _unknown(name: str) -> Note:
    return Note("no_such_server", f"It has no MCP server called {name}.")


def _installed(agent: AgentServers, plan: Plan, options: Options) -> Plan:
    """The plan to install with what ``--wrap-mcp`` asks for, and with what keeps wrapped servers current."""
    names = options.wrap_mcp
    everything = agent.servers(options.project or planning.here(), strict=bool(names))
    servers = [server for server in everything if agent.is_asked_for(server, options.project)]
    chosen = wrapped.chosen(servers, names)
    work = [*chosen, *(server for server in servers if wrapped.is_outdated(server.argv) and server.scope != PROJECT)]
    changes = list(plan.changes)
    for path in dict.fromkeys(server.path for server in work):
        _wrap_in(agent, path, [server for server in work if server.path == path], changes)
    # A command that the plan only recommends needs our files, too.
    if any(wrapped.is_named(server, names) for server in servers) or any(map(_is_ours, everything)):
        changes[:0] = wrap_launcher.changes()
    added = _added(plan, changes)
    found = {server.name for server in servers}
    unknown = [_unknown(name) for name in names if name != wrapped.ALL and name not in found]
    if wrapped.ALL in names and not servers:
        unknown.append(Note("no_servers", "It has no MCP servers."))
    return replace(
        plan,
        changes=tuple(changes),
        checks=(*plan.checks, *([Check("The proxy is run once before a small MCP server.", _trial)] if added else [])),
        warnings=(*plan.warnings, *wrapped.refusals(servers, names)),
        notices=(*plan.notices, *unknown, *agent.advice(servers, chosen)),
        blocks=(*plan.blocks, *_blocks(plan, added, launcher.blocks() if added else (), _snippet(chosen))),
    )


def _wrap_in(agent: AgentServers, path: Path, servers: list[Server], changes: list[FileChange]) -> None:
    """Add to ``changes`` what puts the proxy in front of ``servers``, all in the file at ``path``, or renews it."""
    name = str(path)
    fronts = {server.keys: wrapped.front(server.name, wrapped.options_of(server.argv)) for server in servers}
    outdated = [server.keys for server in servers if wrapped.is_outdated(server.argv)]
    change = _change_of(path, changes)
    plain = agent.unwrapped(change.after or b"", outdated, (), name=name)
    after, made = agent.wrapped(plain, fronts, name=name)
    if agent.unwrapped(after, fronts, made, name=name) != plain:
        raise UnprettyError(
            f"MCP servers in {path} are written in a form that cannot be edited safely, so the file was left alone.",
            code="cannot_edit",
            hint="Leave them out of --wrap-mcp.",
        )

    def forward(data: bytes) -> bytes:
        return agent.wrapped(agent.unwrapped(data, outdated, (), name=name), fronts, name=name)[0]

    def back(data: bytes) -> bytes:
        return agent.unwrapped(data, fronts, made, name=name)

    lock = agent.lock(path)
    names = ", ".join(dict.fromkeys(server.name for server in servers))
    changes.append(receipt.remember(_receipts(agent), path, made))
    _put(changes, change, after, f"Puts the proxy in front of {names}.", Rework(forward, back, lock) if lock else None)


def _uninstalled(agent: AgentServers, plan: Plan, options: Options) -> Plan:
    """The plan to uninstall with what takes the proxy away from every server that is wrapped by us."""
    here = options.project or planning.here()
    kept = receipt.of_agent(_receipts(agent))
    changes = list(plan.changes)
    places = {**{one.path: "user" for one in kept}, **dict(agent.places(here))}
    for path, scope in places.items():
        made = [name for one in kept if planning.same_file(one.path, path) for name in one.added]
        _unwrap_in(agent, path, scope, made, changes)
    changes += [receipt.drop(one) for one in kept]
    added = _added(plan, changes)
    by_hand = [server for server in agent.servers(here) if wrapped.is_by_hand(server.argv)]
    return replace(
        plan,
        changes=tuple(changes),
        notices=(
            *plan.notices,
            *([Note("unwrap_effect", agent.effect)] if added else []),
            *(Note("wrapped_by_hand", _by_hand(server)) for server in by_hand),
        ),
        blocks=(*plan.blocks, *_blocks(plan, added)),
    )


def _unwrap_in(agent: AgentServers, path: Path, scope: str, made: Sequence[str], changes: list[FileChange]) -> None:
    """Add to ``changes`` what takes the proxy away from the servers in the file at ``path``.

    Raises:
        UnprettyError: it may have such servers, and does not parse.
    """
    name = str(path)
    change = _change_of(path, changes)
    if change.after is None or not may_hold_ours(change.after):
        return
    servers = agent.read(change.after, path, scope)
    fronts = {server.keys: server.argv[: wrapped.length_of_front(server.argv)] for server in servers}
    fronts = {keys: front for keys, front in fronts.items() if front}

    def forward(data: bytes) -> bytes:
        places = [server.keys for server in agent.read(data, path, scope)]
        return agent.unwrapped(data, places, made, name=name)

    def back(data: bytes) -> bytes:
        return agent.wrapped(data, fronts, name=name)[0]

    after, lock = forward(change.after), agent.lock(path)
    if after != change.after:
        why = "Starts the MCP servers without the proxy again."
        _put(changes, change, after, why, Rework(forward, back, lock) if lock else None)


def _change_of(path: Path, changes: list[FileChange]) -> FileChange:
    """The change of the file that is planned already; otherwise one that changes nothing."""
    for change in changes:
        if not change.ours and planning.same_file(change.path, path):
            return change
    data = files.read(path)
    return FileChange(path, data, data, "")


def _put(changes: list[FileChange], change: FileChange, after: bytes, why: str, rework: Rework | None) -> None:
    """Let ``change``, which may be among ``changes``, lead to ``after``."""
    why = f"{change.why} {why}" if change.operation != "keep" else why
    changed = replace(change, after=after, why=why, rework=rework, context=0)
    if change in changes:
        changes[changes.index(change)] = changed
    else:
        changes.append(changed)


def _is_ours(server: Server) -> bool:
    return wrapped.length_of_front(server.argv) > 0


def _trial() -> None:
    wrap_launcher.try_out()


def _receipts(agent: AgentServers) -> str:
    """The name under which receipts for wrapped servers are kept, apart from those for hooks."""
    return f"wrap-{agent.row.name}"


def _added(plan: Plan, changes: list[FileChange]) -> list[FileChange]:
    return [change for change in changes if change not in plan.changes and change.operation != "keep"]


def _blocks(plan: Plan, added: list[FileChange], found: tuple[Block, ...] = (), snippet: str = "") -> list[Block]:
    known = {(block.code, block.message) for block in plan.blocks}
    found = (*found, *planning.obstacles(added, snippet))
    return [block for block in found if (block.code, block.message) not in known]


def _snippet(chosen: list[Server]) -> str:
    """The commands of the wrapped servers, for files that are managed in another way."""
    return "\n".join(f"{server.name}: {shlex.join([*wrapped.front(server.name), *server.argv])}" for server in chosen)


def _by_hand(server: Server) -> str:
    return (
        f"The MCP server {server.name} in {server.path} runs through `unpretty proxy`, which was not set up by "
        "`unpretty install`; remove that yourself before you remove unpretty."
    )
