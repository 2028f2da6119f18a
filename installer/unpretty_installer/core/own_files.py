"""Everything that unpretty writes into its own directories, in one list, and what of it is there.

``uninstall --purge`` deletes what the list names and nothing else. The directories may be shared with files of the
user's, or be links into the user's own directories: no link is followed but the ``python`` link is ours itself, and
where a name alone is no proof, a file's first bytes are. Whoever makes unpretty write another file adds it here;
tests/unit/installer/core/test_own_files.py fails until then.
"""

import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unpretty import locations

_Form = Callable[[Path], bool]
_SCRIPT = b"# Written by unpretty"
_RUN = r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z-[a-z0-9-]+-[0-9]+"  # a run's copies of files: time, agent, process
_RECEIPT = r"[a-z0-9-]+-[0-9a-f]{16}\.json"
_BESIDE = r"\.[A-Za-z0-9_]{8}\.unpretty"  # what a process leaves that is killed while it replaces a file


@dataclass(frozen=True, slots=True)
class Inventory:
    """What is in our directories.

    Attributes:
        ours: files, links and directories that we made, each directory after what is in it.
        foreign: what we did not make, and whatever is a link where we make none; of a directory only itself.
    """

    ours: tuple[Path, ...]
    foreign: tuple[Path, ...]


def inventory() -> Inventory:
    """What is in our directories now; a directory that cannot be read counts as foreign."""
    ours: list[Path] = []
    foreign: list[Path] = []
    for top in directories():
        if os.path.lexists(top):
            _look(top, top, _rules_of(top), ours, foreign)
    return Inventory(tuple(ours), tuple(foreign))


def directories() -> tuple[Path, ...]:
    """Our directories, each once: on some platforms they are one."""
    return tuple(dict.fromkeys((locations.state_dir(), locations.config_dir(), locations.data_dir())))


def is_ours(path: Path) -> bool:
    """Whether ``path``, which is directly in one of our directories, has the name and the form of a file of ours."""
    return any(_matches(path, path.name, _rules_of(top)) for top in directories() if top == path.parent)


def _look(place: Path, top: Path, rules: "tuple[_Rule, ...]", ours: list[Path], foreign: list[Path]) -> None:
    """Sort the directory ``place`` and what is in it; ``place`` is ours to remove when all that is in it is."""
    known = len(foreign)
    try:
        if place.is_symlink() or not place.is_dir():
            raise NotADirectoryError
        entries = sorted(place.iterdir())
    except OSError:
        foreign.append(place)
        return
    for path in entries:
        name = path.relative_to(top).as_posix()
        if (
            any(re.fullmatch(directory, name) for directory in _SUBDIRECTORIES)
            and not path.is_symlink()
            and path.is_dir()
        ):
            _look(path, top, rules, ours, foreign)
        elif _matches(path, name, rules):
            ours.append(path)
        else:
            foreign.append(path)
    if len(foreign) == known:
        ours.append(place)


def _is_file(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _begins(head: bytes) -> _Form:
    """A form that a file has when it begins with ``head``, or is a beginning of it: a full disk cuts files short."""

    def check(path: Path) -> bool:
        if not _is_file(path):
            return False
        with path.open("rb") as file:
            return head.startswith(file.read(len(head)))

    return check


def _is_empty(path: Path) -> bool:
    return _is_file(path) and path.lstat().st_size == 0


@dataclass(frozen=True, slots=True)
class _Rule:
    """Files of ours in one directory: a pattern for the path below it, and the form that they have."""

    directory: Callable[[], Path]
    name: str
    form: _Form = _is_file


_SUBDIRECTORIES = ("receipts", "noticed", "claims", "backups", rf"backups/{_RUN}")
_RULES = (
    # The log, its rotated files, and the locks of rotating and of counting tokens; a file that is nameless by now.
    _Rule(locations.state_dir, r"decisions\.jsonl(\.[0-9]+|\.lock|\.counting|\.[0-9a-f]{16})?"),
    _Rule(locations.state_dir, r"noticed/[\w-]*\.(columnar|toon|tight-c|ldf)", _is_empty),
    _Rule(locations.state_dir, r"claims/[0-9a-f]+", _is_empty),
    _Rule(locations.state_dir, rf"copies-[a-z-]+|\.copies-[a-z-]+{_BESIDE}"),
    _Rule(locations.state_dir, rf"receipts/({_RECEIPT}|\.{_RECEIPT}{_BESIDE})"),
    _Rule(locations.state_dir, rf"backups/{_RUN}/([0-9]+-.+|\.[0-9]+-.+{_BESIDE})"),
    _Rule(locations.state_dir, r"bug-[0-9]{8}-[0-9]{6}-[0-9]+\.txt", _begins(b"unpretty ")),
    _Rule(locations.config_dir, r"config\.toml|\.config\.toml\.[0-9]+\.tmp"),
    _Rule(locations.data_dir, rf"python|\.python{_BESIDE}", Path.is_symlink),
    _Rule(locations.data_dir, r"(hook|proxy)\.py", _begins(_SCRIPT)),
    _Rule(locations.data_dir, "proxy", _begins(b"#!/bin/sh\n" + _SCRIPT)),
    _Rule(locations.data_dir, rf"\.(hook\.py|proxy\.py|proxy){_BESIDE}"),
    _Rule(locations.data_dir, r"settings\.json(\.[0-9]+\.tmp)?", _begins(b'{"source":[')),
)


def _rules_of(top: Path) -> tuple[_Rule, ...]:
    return tuple(rule for rule in _RULES if rule.directory() == top)


def _matches(path: Path, name: str, rules: tuple[_Rule, ...]) -> bool:
    try:
        return any(re.fullmatch(rule.name, name, re.DOTALL) and rule.form(path) for rule in rules)
    except OSError:
        return False
