"""Installing pinned clients, with an npm that is written here."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from . import clients
from .clients import ClientUnavailable, Pin, install

PIN = Pin("agent", "@maker/agent", "1.2.3", ("@maker/agent-*/agent",))
PROGRAM = "#!/bin/sh\necho agent 1.2.3\n"


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an npm that installs ``program`` from its folder and counts its runs in ``runs``."""
    folder = tmp_path / "npm"
    folder.mkdir()
    (folder / "program").write_text(PROGRAM)
    (folder / "npm").write_text(
        f'#!/bin/sh\necho "$@" >> {folder}/runs\nsleep 0.2\ntest -e {folder}/program || exit 1\n'
        f"mkdir -p node_modules/@maker/agent-any && cp {folder}/program node_modules/@maker/agent-any/agent\n"
        "chmod +x node_modules/@maker/agent-any/agent\n"
    )
    (folder / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.defpath}")
    return folder


def runs(npm: Path) -> int:
    """How often npm was started."""
    return len((npm / "runs").read_text().splitlines())


def test_a_client_is_installed_once(npm: Path, tmp_path: Path) -> None:
    program = install(PIN, tmp_path / "cache")
    assert program.read_text() == PROGRAM
    assert install(PIN, tmp_path / "cache") == program
    assert runs(npm) == 1
    assert "@maker/agent@1.2.3" in (npm / "runs").read_text()


def test_processes_that_ask_at_once_share_one_install(npm: Path, tmp_path: Path) -> None:
    """Threads do for processes here: the lock belongs to the file as it was opened."""
    with ThreadPoolExecutor(3) as pool:
        programs = list(pool.map(install, [PIN] * 3, [tmp_path / "cache"] * 3))
    assert len(set(programs)) == 1
    assert runs(npm) == 1


@pytest.mark.parametrize("program", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho agent 1.2.4\n", None])
def test_what_does_not_run_or_is_another_version_is_not_kept(program: str | None, npm: Path, tmp_path: Path) -> None:
    (npm / "program").unlink()
    if program is not None:
        (npm / "program").write_text(program)
    with pytest.raises(ClientUnavailable, match=r"@maker/agent@1\.2\.3"):
        install(PIN, tmp_path / "cache")
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]
    (npm / "program").write_text(PROGRAM)
    assert install(PIN, tmp_path / "cache").exists()


def test_the_remains_of_an_install_that_was_killed_are_removed(npm: Path, tmp_path: Path) -> None:
    whole = install(PIN, tmp_path / "cache").parents[3]
    remains = whole.with_name(f"{whole.name}.part-killed")
    shutil.move(whole, remains)
    install(PIN, tmp_path / "cache")
    assert whole.exists()
    assert not remains.exists()


def test_without_npm_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClientUnavailable, match=r"install Node\.js with npm"):
        install(PIN, tmp_path / "cache")


def test_the_cache_is_outside_the_checkout_unless_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert clients.cache_folder() == tmp_path / "unpretty-e2e"
    monkeypatch.setenv("UNPRETTY_E2E_CACHE", str(tmp_path / "named"))
    assert clients.cache_folder() == tmp_path / "named"
