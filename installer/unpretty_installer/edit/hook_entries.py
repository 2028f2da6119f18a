"""Our entry in a ``hooks`` tree, the shape that Claude Code's settings.json and Codex's hooks.json share.

    {"hooks": {"PostToolUse": [{"matcher": "...", "hooks": [{"type": "command", "command": "...", "timeout": 10}]}]}}

Finding, adding and removing all go by one predicate, ``registered.is_ours``, in every event and group.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from unpretty.agents import Agent
from unpretty.errors import UnprettyError
from unpretty_installer.core import registered
from unpretty_installer.edit.json_document import JsonDocument

EVENT = "PostToolUse"
# The hook takes milliseconds; the clients' default of 600 s would hang a session on a broken disk.
TIMEOUT_SECONDS = 10
Group = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class HookEntry:
    """A handler and where it is: ``hooks.<event>[group].hooks[index]``; ``alone`` when its group has no other."""

    event: str
    group: int
    index: int
    matcher: object
    handler: Mapping[str, object]
    alone: bool

    @property
    def command(self) -> str:
        """The command line, separate arguments joined by spaces; empty for a handler of another type."""
        command, arguments = self.handler.get("command"), self.handler.get("args")
        words = [command, *(arguments if isinstance(arguments, list) else [])]
        return " ".join(word for word in words if isinstance(word, str))

    @property
    def shown(self) -> str:
        """The command line in a sentence: at most 100 characters."""
        what = self.command or f"a hook of type {self.handler.get('type')!r}"
        return what if len(what) <= 100 else what[:97] + "..."


def entries(document: JsonDocument) -> list[HookEntry]:
    """All handlers that have the right shape, in the order of the file; others are passed over."""
    return entries_in(document.value(("hooks",)))


def entries_in(hooks: object) -> list[HookEntry]:
    """The same for the value of ``hooks``."""
    found: list[HookEntry] = []
    for event, groups in _mapping(hooks).items():
        for at, group in enumerate(groups if isinstance(groups, list) else []):
            members = _mapping(group)
            handlers = members.get("hooks")
            if not isinstance(handlers, list):
                continue
            for index, handler in enumerate(handlers):
                if isinstance(handler, dict):
                    found.append(HookEntry(event, at, index, members.get("matcher"), handler, len(handlers) == 1))
    return found


def foreign(found: Iterable[HookEntry], agent: str) -> list[HookEntry]:
    """The handlers of our event that are not ours for ``agent``."""
    return [entry for entry in found if entry.event == EVENT and not registered.is_ours(entry.command, agent)]


def group_of(row: Agent, **command: object) -> dict[str, object]:
    """Our group for the agent: one handler that runs ``command``, its members ``command`` and perhaps ``args``."""
    return {"matcher": row.matcher, "hooks": [{"type": "command", **command, "timeout": TIMEOUT_SECONDS}]}


def snippet(group: Group) -> str:
    """``group`` as JSON, to be pasted into a configuration that is managed in another way."""
    return json.dumps({"hooks": {EVENT: [group]}}, indent=2, ensure_ascii=False)


def may_hit(matcher: object, row: Agent, *, plain: str, mcp: str) -> bool:
    """Whether a hook with ``matcher`` may run on a tool that ours runs on, by the agent's rules (case-sensitive).

    Absent, empty and ``*`` match all tools. What ``plain`` matches are names, parted by ``|`` or ``,``; the name of an
    MCP tool matches ``mcp``. The rest is a regular expression, which is searched in the name; one that does not parse
    matches nothing.
    """
    if matcher is None or matcher in ("", "*"):
        return True
    if not isinstance(matcher, str):
        return False
    if re.fullmatch(plain, matcher, re.ASCII):
        names = [name.strip() for name in re.split(r"[|,]", matcher)]
        return any(name in row.result_tools or re.fullmatch(mcp, name) is not None for name in names)
    try:
        pattern = re.compile(matcher)
    except re.error:
        return False
    return row.mcp_prefix in matcher or any(map(pattern.search, [*row.result_tools, f"{row.mcp_prefix}server__tool"]))


def ours(document: JsonDocument, agent: str) -> list[HookEntry]:
    """Our own handlers for ``agent``, wherever they are."""
    return [entry for entry in entries(document) if registered.is_ours(entry.command, agent)]


def is_current(document: JsonDocument, agent: str, group: Group) -> bool:
    """Whether our entry is there exactly once, as ``group``, in the right event."""
    found = ours(document, agent)
    return len(found) == 1 and found[0].event == EVENT and _at(document, found[0]) == group


def with_ours(document: JsonDocument, agent: str, group: Group, *, front: bool) -> tuple[JsonDocument, tuple[str, ...]]:
    """Add ``group``, or bring every copy of ours down to one that equals it, in place of the first.

    Args:
        document: the agent's file.
        agent: whose command it is.
        group: the whole group, with our handler as its only one.
        front: put a new group before all others, otherwise after them, and then no group changes its position.

    Returns:
        The new document, and the keys that had to be made: ``hooks``, ``hooks.PostToolUse``.

    Raises:
        UnprettyError: ``hooks`` or the event has a type that the agent cannot read either.
    """
    _refuse_other_shapes(document)
    if is_current(document, agent, group):
        return document, ()
    kept = next((entry for entry in ours(document, agent) if entry.event == EVENT and _is_plain(document, entry)), None)
    document = _stripped(document, agent, spare=kept, keep_positions=not front)
    if kept is not None:
        return document.replace(("hooks", EVENT, kept.group), group), ()
    if document.node(("hooks",)) is None:
        return document.append((), {EVENT: [group]}, key="hooks"), ("hooks", f"hooks.{EVENT}")
    if document.node(("hooks", EVENT)) is None:
        return document.append(("hooks",), [group], key=EVENT), (f"hooks.{EVENT}",)
    path = ("hooks", EVENT)
    return (document.prepend(path, group) if front else document.append(path, group)), ()


def without_ours(
    document: JsonDocument, agent: str, added: tuple[str, ...], *, keep_positions: bool = False
) -> JsonDocument:
    """Take our handlers out, then each group that is left empty and was ours, then the keys in ``added`` left empty.

    ``keep_positions`` leaves an empty group where others follow, for an agent whose trust goes by position.
    """
    document = _stripped(document, agent, keep_positions=keep_positions)
    for name in sorted(added, key=len, reverse=True):
        path = tuple(name.split("."))
        if document.node(path) is not None and document.value(path) in ({}, []):
            document = document.remove(path)
    return document


def _stripped(
    document: JsonDocument, agent: str, *, spare: HookEntry | None = None, keep_positions: bool = False
) -> JsonDocument:
    """Take out all our handlers but ``spare``, the last first, so that the positions of those before it stay true."""
    kept = (spare.event, spare.group) if spare else None
    while extra := [entry for entry in ours(document, agent) if (entry.event, entry.group) != kept]:
        document = _without(document, extra[-1], keep_positions)
    return document


def _without(document: JsonDocument, entry: HookEntry, keep_positions: bool) -> JsonDocument:
    groups = ("hooks", entry.event)
    if not _is_plain(document, entry):
        return document.remove((*groups, entry.group, "hooks", entry.index))
    node = document.node(groups)
    assert node is not None
    if keep_positions and entry.group < len(node.items) - 1:
        return document.replace((*groups, entry.group), {"hooks": []})
    return document.remove((*groups, entry.group))


def _is_plain(document: JsonDocument, entry: HookEntry) -> bool:
    """Whether the group holds this handler only, and nothing that somebody else may have put there."""
    return entry.alone and set(_mapping(_at(document, entry))) <= {"matcher", "hooks"}


def _at(document: JsonDocument, entry: HookEntry) -> object:
    return document.value(("hooks", entry.event, entry.group))


def _refuse_other_shapes(document: JsonDocument) -> None:
    for path, kind, words in (
        ((), "{", "an object"),
        (("hooks",), "{", "an object"),
        (("hooks", EVENT), "[", "an array"),
    ):
        node = document.node(path)
        if node is not None and node.kind != kind:
            what = f"`{'.'.join(path)}`" if path else "the whole file"
            raise UnprettyError(
                f"{document.name}: {what} should be {words}.",
                code="unexpected_shape",
                hint="Fix the file, then try again.",
            )


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
