"""Our entry in a ``hooks`` tree, the shape that Claude Code's settings.json and Codex's hooks.json share.

    {"hooks": {"PostToolUse": [{"matcher": "...", "hooks": [{"type": "command", "command": "...", "timeout": 10}]}]}}

Finding, adding and removing all go by one predicate, ``registered.is_ours``, in every event and group.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from unpretty.errors import UnprettyError
from unpretty_installer.core import registered
from unpretty_installer.edit.json_document import JsonDocument

EVENT = "PostToolUse"
Group = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Entry:
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


def entries(document: JsonDocument) -> list[Entry]:
    """All handlers that have the right shape, in the order of the file; others are passed over."""
    found: list[Entry] = []
    for event, groups in _mapping(document.value(("hooks",))).items():
        for at, group in enumerate(groups if isinstance(groups, list) else []):
            members = _mapping(group)
            handlers = members.get("hooks")
            if not isinstance(handlers, list):
                continue
            for index, handler in enumerate(handlers):
                if isinstance(handler, dict):
                    found.append(Entry(event, at, index, members.get("matcher"), handler, len(handlers) == 1))
    return found


def ours(document: JsonDocument, agent: str) -> list[Entry]:
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
        front: put a new group before all others, otherwise after them, and then no group changes its place.

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
    place = ("hooks", EVENT)
    return (document.prepend(place, group) if front else document.append(place, group)), ()


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
    document: JsonDocument, agent: str, *, spare: Entry | None = None, keep_positions: bool = False
) -> JsonDocument:
    """Take out all our handlers but ``spare``, the last first, so that the places of those before it stay true."""
    place = (spare.event, spare.group) if spare else None
    while extra := [entry for entry in ours(document, agent) if (entry.event, entry.group) != place]:
        document = _without(document, extra[-1], keep_positions)
    return document


def _without(document: JsonDocument, entry: Entry, keep_positions: bool) -> JsonDocument:
    groups = ("hooks", entry.event)
    if not _is_plain(document, entry):
        return document.remove((*groups, entry.group, "hooks", entry.index))
    node = document.node(groups)
    assert node is not None
    if keep_positions and entry.group < len(node.items) - 1:
        return document.replace((*groups, entry.group), {"hooks": []})
    return document.remove((*groups, entry.group))


def _is_plain(document: JsonDocument, entry: Entry) -> bool:
    """Whether the group holds this handler only, and nothing that somebody else may have put there."""
    return entry.alone and set(_mapping(_at(document, entry))) <= {"matcher", "hooks"}


def _at(document: JsonDocument, entry: Entry) -> object:
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
