"""A machine for the installer's tests: an empty home, no real client on PATH, no real managed settings."""

import sys
from pathlib import Path

import pytest

from unpretty_installer.claude_code import places
from unpretty_installer.core import client as clients


@pytest.fixture(autouse=True)
def machine(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory for programs; there are no managed settings, and no answer of an earlier test's client is kept."""
    monkeypatch.setitem(places.MANAGED, sys.platform, machine.parent / "managed-settings.json")
    clients._answer.cache_clear()
    return machine


@pytest.fixture
def client(machine: Path):
    """Puts a Claude Code that says it is ``version`` on PATH."""

    def put(version: str) -> None:
        program = machine / "claude"
        program.write_text(f"#!/bin/sh\necho '{version}'\n")
        program.chmod(0o755)
        clients._answer.cache_clear()

    return put


@pytest.fixture
def settings_file(home: Path) -> Path:
    """The path of the user's settings.json; its directory exists, the file does not."""
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    return path


@pytest.fixture
def snapshot():
    """Everything under a directory: kind, permission bits, content, inode and modification time of each entry."""

    def take(directory: Path) -> dict[str, tuple]:
        found = {}
        for path in sorted(directory.rglob("*")):
            state = path.lstat()
            content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path.relative_to(directory))] = (oct(state.st_mode), content, state.st_ino, state.st_mtime_ns)
        return found

    return take


@pytest.fixture
def contents(snapshot):
    """The same without inodes and times."""
    return lambda directory: {name: entry[:2] for name, entry in snapshot(directory).items()}
