"""Our entry in Codex's config.toml, put in and taken out without touching anything else.

New tables go after the last line, which is valid TOML and makes ours the last group. What was inserted is taken out as
the very text; when it was edited since, by the lines of its tables; and in inline forms through tomlkit. Each edit
is proven: the file parses, and it says what it said before, with the one change.
"""

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from unpretty.errors import UnprettyError
from unpretty_installer.codex.config import Config, Table, is_ours
from unpretty_installer.edit.hook_entries import EVENT

# How ``Receipt.added`` names what uninstalling has to remove: a text that was inserted, a key of ``hooks.state``.
TEXT, TRUST = "text:", "trust:"

_GROUP_HEADER = re.compile(rf"\s*\[\[\s*hooks\s*\.\s*{EVENT}\s*\]\]")
_HANDLER_HEADER = re.compile(rf"\s*\[\[\s*hooks\s*\.\s*{EVENT}\s*\.\s*hooks\s*\]\]")
_STATE_HEADER = re.compile(r"\s*\[\s*hooks\s*\.\s*state\s*\.")


def with_group(config: Config, group: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    """The text with ``group`` as the last PostToolUse group, and what uninstalling has to remove.

    Raises:
        UnprettyError: hooks are written in a form that cannot be extended.
    """
    wanted = copy.deepcopy(config.values)
    try:
        wanted.setdefault("hooks", {}).setdefault(EVENT, []).append(dict(group))
    except (AttributeError, TypeError):
        raise _cannot_edit(config.name) from None
    inserted = _block(config.text, group)
    after = config.text + inserted
    if _values(after) == wanted:
        return after, (TEXT + inserted,)
    after = _appended_inline(config.text, group)
    if _values(after) == wanted:
        return after, ()
    raise _cannot_edit(config.name)


def without_ours(config: Config, added: tuple[str, ...]) -> str:
    """The text without our handlers, without the trust that ``added`` names, and without the texts in it.

    A group of ours that others follow stays as an empty one: Codex keeps trust by position.

    Raises:
        UnprettyError: the entry was edited into a form that cannot be taken out.
    """
    keys = [name.removeprefix(TRUST) for name in added if name.startswith(TRUST)]
    pieces = [name.removeprefix(TEXT) for name in reversed(added) if name.startswith(TEXT)]
    wanted = _tidy(_stripped(config.values, keys))
    edits: tuple[Callable[[], str], ...] = (
        lambda: _without_pieces(config, pieces),
        lambda: _without_tables(config, keys),
        lambda: _without_items(config.text, keys),
    )
    for edit in edits:
        text = edit()
        if _tidy(_values(text)) == wanted:
            return text
    raise _cannot_edit(config.name)


def inserted_text(before: str, after: str) -> str | None:
    """The text that was inserted at one position to make ``after`` of ``before``; None when something else changed."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    rest = len(before) - start
    if len(after) <= len(before) or before[start:] != after[len(after) - rest :]:
        return None
    return after[start : len(after) - rest]


def _block(text: str, group: Mapping[str, object]) -> str:
    """Our group as tables that can follow ``text``, in its own line endings."""
    handlers = group["hooks"]
    assert isinstance(handlers, list)
    lines = ["", f"[[hooks.{EVENT}]]", *_pairs({name: value for name, value in group.items() if name != "hooks"})]
    for handler in handlers:
        lines += ["", f"[[hooks.{EVENT}.hooks]]", *_pairs(handler)]
    if not text.strip():
        del lines[0]
    end = "\r\n" if "\r\n" in text else "\n"
    return ("" if not text or text.endswith("\n") else end) + "".join(line + end for line in lines)


def _placeholder(block: str) -> str:
    """What keeps the position of ``block``: as much of it as comes before its own lines, and an empty group."""
    end = "\r\n" if "\r\n" in block else "\n"
    lead = block[: block.index("[")]
    return f"{lead}[[hooks.{EVENT}]]{end}hooks = []{end}"


def _pairs(values: Mapping[str, object]) -> list[str]:
    return [f"{name} = {tomlkit.item(value).as_string()}" for name, value in values.items()]


def _appended_inline(text: str, group: Mapping[str, object]) -> str:
    """``text`` with ``group`` after the last one of an array that is written inline; unchanged for any other form."""
    document = tomlkit.parse(text)
    hooks: Any = document.get("hooks")
    if not isinstance(hooks, dict):
        return text
    if EVENT not in hooks:
        hooks[EVENT] = tomlkit.array()
    if not isinstance(hooks[EVENT], Array):
        return text
    table = tomlkit.inline_table()
    table.update(group)
    hooks[EVENT].append(table)
    return document.as_string()


def _without_pieces(config: Config, pieces: list[str]) -> str:
    """Take out what we inserted, as the very text, wherever it is by now."""
    text = config.text
    for piece in pieces:
        if text.count(piece) == 1:
            keep = _is_followed(config) and f"[[hooks.{EVENT}]]" in piece
            text = text.replace(piece, _placeholder(piece) if keep else "")
    return text


def _without_tables(config: Config, keys: list[str]) -> str:
    """Take out whole tables by their header lines: groups that hold only our handler, and entries of trust."""
    lines = config.text.splitlines(keepends=True)
    headers = [number for number, line in enumerate(lines) if _GROUP_HEADER.match(line)]
    gone: set[int] = set()
    for entry in config.ours():
        if entry.group < len(headers):
            start = headers[entry.group]
            body = set(_table_lines(lines, start, _HANDLER_HEADER))
            if _is_followed(config):
                body.discard(start)
                lines[start] += f"hooks = []{_line_end(lines[start])}"
            gone |= body
    for number, line in enumerate(lines):
        if _STATE_HEADER.match(line) and any(key in line for key in keys):
            gone |= set(_table_lines(lines, number, None))
    return "".join(line for number, line in enumerate(lines) if number not in gone)


def _table_lines(lines: list[str], start: int, more: "re.Pattern[str] | None") -> list[int]:
    """The lines of the table that begins at ``start``, with the sub-tables whose header fits ``more``.

    Blank lines and comments before the next table belong to that one. The empty line above goes too where another empty
    line would be left in its place.
    """
    end = start + 1
    while end < len(lines) and (not lines[end].lstrip().startswith("[") or (more and more.match(lines[end]))):
        end += 1
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    blank_above = start > 0 and not lines[start - 1].strip()
    blank_below = end == len(lines) or not lines[end].strip()
    return list(range(start - 1 if blank_above and blank_below else start, end))


def _line_end(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"


def _without_items(text: str, keys: list[str]) -> str:
    """Take out what is written inline."""
    document = tomlkit.parse(text)
    hooks: Any = document.get("hooks", {})
    _strip_groups(hooks)
    if EVENT in hooks and not hooks[EVENT]:
        del hooks[EVENT]
    state = hooks.get("state", {})
    for key in keys:
        if key in state:
            del state[key]
    return document.as_string()


def _stripped(values: Table, keys: list[str]) -> Table:
    """``values`` as they have to be without us."""
    stripped = copy.deepcopy(values)
    hooks = stripped.get("hooks")
    if isinstance(hooks, dict):
        _strip_groups(hooks)
        state = hooks.get("state")
        if isinstance(state, dict):
            for key in keys:
                state.pop(key, None)
    return stripped


def _strip_groups(hooks: MutableMapping[str, Any]) -> None:
    """Take our handlers out of a ``hooks`` table, plain or of tomlkit's, and the groups that were ours alone."""
    groups = hooks.get(EVENT)
    if not isinstance(groups, list):
        return
    for at in reversed(range(len(groups))):
        handlers = groups[at].get("hooks") if isinstance(groups[at], dict) else None
        if not isinstance(handlers, list):
            continue
        ours = [index for index, handler in enumerate(handlers) if is_ours(handler)]
        if len(ours) == len(handlers) and ours and set(groups[at]) <= {"matcher", "hooks"}:
            if at == len(groups) - 1:
                del groups[at]
            else:
                groups[at] = {"hooks": []}
        else:
            for index in reversed(ours):
                del handlers[index]


def _is_followed(config: Config) -> bool:
    """Whether a group is after ours."""
    groups = config.hooks().get(EVENT)
    return isinstance(groups, list) and any(entry.group < len(groups) - 1 for entry in config.ours())


def _tidy(values: Table | None) -> Table | None:
    """``values`` without what is empty under ``hooks``, which says nothing."""
    hooks = values.get("hooks") if values else None
    if values is None or not isinstance(hooks, dict):
        return values
    kept = {name: value for name, value in hooks.items() if value not in ({}, [])}
    others = {name: value for name, value in values.items() if name != "hooks"}
    return {**others, "hooks": kept} if kept else others


def _cannot_edit(name: str) -> UnprettyError:
    return UnprettyError(
        f"The hooks in {name} are written in a form that cannot be edited safely, so the file was left alone.",
        code="cannot_edit",
        hint="Edit its [[hooks.PostToolUse]] entries by hand.",
    )


def _values(text: str) -> Table | None:
    """What ``text`` says, None when it is not valid."""
    try:
        return tomlkit.parse(text).unwrap()
    except (TOMLKitError, ValueError):
        return None
