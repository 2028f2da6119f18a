"""Wraps and unwraps MCP servers in Codex's config.toml, by splicing text: ``command`` and ``args``, nothing else.

The file is parsed before and after each edit; an edit that says anything else than it should is not made.
"""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence

import tomlkit
from tomlkit.exceptions import TOMLKitError

from unpretty.errors import UnprettyError
from unpretty_installer.codex.config import Config, Table
from unpretty_installer.edit import toml_spans
from unpretty_installer.edit.toml_spans import Member
from unpretty_installer.wrap import wrapped as wrap
from unpretty_installer.wrap.json_servers import added, argv_of_pair
from unpretty_installer.wrap.splice import CommandSpans, put_in_front, take_from_front
from unpretty_installer.wrap.wrapped import KeyPath

TABLE = "mcp_servers"


def servers_of(config: Config) -> dict[str, Table]:
    """The entries of all MCP servers by name."""
    servers = config.values.get(TABLE)
    found = servers.items() if isinstance(servers, dict) else ()
    return {name: entry for name, entry in found if isinstance(entry, dict)}


def wrapped(data: bytes, fronts: Mapping[KeyPath, Sequence[str]], *, name: str) -> tuple[bytes, tuple[str, ...]]:
    """The bytes with the arguments of ``fronts`` in front of each server named there that is not wrapped.

    Returns:
        The bytes, and what had to be made for that (see ``Receipt.added``).

    Raises:
        UnprettyError: the bytes are not TOML, or a server is written in a form that cannot be edited safely.
    """
    config = Config.read(data, name)
    made: list[str] = []
    for keys, front in fronts.items():
        entry = servers_of(config).get(keys[-1], {})
        argv = argv_of_pair(entry)
        if not argv or wrap.is_wrapped(argv):
            continue
        spelled = [tomlkit.item(word).as_string() for word in front]

        def put(text: str, spelled: Sequence[str] = spelled, keys: KeyPath = keys) -> str:
            text = text if "args" in _find(text, keys) else _with_args(text, keys)
            return put_in_front(text, _command(text, keys), spelled)

        config = _edited(config, keys, (*front, *argv), put)
        if "args" not in entry:
            made.append(added(keys))
    return config.text.encode("utf-8"), tuple(made)


def unwrapped(data: bytes, places: Iterable[KeyPath], made: Sequence[str], *, name: str) -> bytes:
    """The bytes without the proxy in front of the servers at ``places``, and without what ``made`` names.

    Raises:
        UnprettyError: as for ``wrapped``.
    """
    config = Config.read(data, name)
    for keys in places:
        argv = argv_of_pair(servers_of(config).get(keys[-1]))
        count = wrap.length_of_front(argv)
        if not count:
            continue
        alone = added(keys) in made and len(argv) == count + 1 and not _has_comment(config.text, keys)

        def take(text: str, keys: KeyPath = keys, count: int = count, alone: bool = alone) -> str:
            text = take_from_front(text, _command(text, keys), count)
            return _without_args(text, keys) if alone else text

        config = _edited(config, keys, argv[count:], take, has_args=not alone)
    return config.text.encode("utf-8")


def _edited(
    config: Config, keys: KeyPath, argv: Sequence[str], edit: Callable[[str], str], *, has_args: bool = True
) -> Config:
    """``config`` after ``edit``, which may only change the command of one server, to ``argv``."""
    wanted = copy.deepcopy(config.values)
    entry = wanted[TABLE][keys[-1]]
    entry["command"], entry["args"] = argv[0], list(argv[1:])
    if not has_args:
        del entry["args"]
    try:
        text = edit(config.text)
        values = tomlkit.parse(text).unwrap()
    except (ValueError, KeyError, IndexError, RecursionError, TOMLKitError):
        text, values = "", {}
    if values != wanted:
        raise UnprettyError(
            f"The MCP server {keys[-1]} in {config.name} is written in a form that cannot be edited safely, so the "
            "file was left alone.",
            code="cannot_edit",
            hint="Leave it out of --wrap-mcp.",
        )
    return Config(text, values, config.name)


def _find(text: str, keys: KeyPath) -> dict[str, Member]:
    """The members ``command`` and ``args`` of the server at ``keys``. Raises ValueError for a text that is odd."""
    return {member.keys[-1]: member for member in toml_spans.members(text) if member.keys[:-1] == keys}


def _command(text: str, keys: KeyPath) -> CommandSpans:
    found = _find(text, keys)
    command, args = found["command"], found["args"]
    return CommandSpans((command.value, command.end), (args.value, args.end), tuple(toml_spans.items(text, args.value)))


def _with_args(text: str, keys: KeyPath) -> str:
    """``text`` with an empty ``args`` after ``command``: on a line of its own, or in the same inline table."""
    command = _find(text, keys)["command"]
    if command.inline:
        return f"{text[: command.end]}, args = []{text[command.end :]}"
    start = text.rfind("\n", 0, command.start) + 1
    end = _end_of_line(text, command.end)
    line_end = "\r\n" if "\r\n" in text else "\n"
    key = text[start : command.last_key] + "args"
    return f"{text[:end]}{line_end}{key} = []{text[end:]}"


def _without_args(text: str, keys: KeyPath) -> str:
    """The inverse of ``_with_args``."""
    args = _find(text, keys)["args"]
    if args.inline:
        start = text.rindex(",", 0, args.start)
        return text[:start] + text[args.end :]
    start = text.rfind("\n", 0, args.start) + 1
    end = _end_of_line(text, args.end)
    if start == 0:
        return text[end:].lstrip("\r\n")
    return text[: _end_of_line(text, start - 1, back=True)] + text[end:]


def _has_comment(text: str, keys: KeyPath) -> bool:
    """Whether somebody wrote something after ``args`` on its line."""
    args = _find(text, keys)["args"]
    return not args.inline and bool(text[args.end : _end_of_line(text, args.end)].strip())


def _end_of_line(text: str, at: int, *, back: bool = False) -> int:
    """Where the line that holds ``at`` ends, its line break not included; ``back``: ``at`` is that line break."""
    end = at if back else text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if end > 0 and text[end - 1 : end + 1] == "\r\n" else end
