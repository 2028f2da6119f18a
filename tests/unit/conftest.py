"""A machine without agents for every unit test: PATH and the parents of the current directory are the tests' own."""

import os
import time
from pathlib import Path

import pytest

_CLIENTS = frozenset(("claude", "codex", "opencode", "unpretty"))


@pytest.fixture(scope="session")
def system_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with links to the system's programs, except the agents: some systems have them in /usr/bin."""
    folder = tmp_path_factory.mktemp("system")
    for place in os.defpath.split(os.pathsep):
        for program in sorted(Path(place).iterdir()) if Path(place).is_dir() else ():
            if program.name not in _CLIENTS and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return folder


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory, system_programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """PATH is an empty directory, which it returns, and the system's programs; the current one is a project."""
    folder = tmp_path_factory.mktemp("machine")
    programs, project = folder / "programs", folder / "project"
    programs.mkdir()
    project.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join((str(programs), str(system_programs))))
    monkeypatch.chdir(project)
    return programs


@pytest.fixture(autouse=True)
def _on_the_machine(machine: Path) -> None:
    """Every unit test runs there."""


@pytest.fixture
def absent(tmp_path: Path) -> str:
    """A path that does not exist, in two missing directories, on every machine and for every user."""
    return str(tmp_path / "does" / "not" / "exist")


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch):
    """Sets the local zone of this process: ``zone("Pacific/Kiritimati")``."""

    def set_zone(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()
