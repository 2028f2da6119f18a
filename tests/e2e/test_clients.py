"""Installing pinned clients, with a fake npm."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from . import clients
from .clients import ClientUnavailable, Pin, Supply, install
from .installed import CHECKOUT

PIN = Pin("agent", "@maker/agent", "1.2.3", ("@maker/agent-*/agent",))
PROGRAM = "#!/bin/sh\necho agent 1.2.3\n"


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of an npm that installs ``program`` from there and counts its runs in ``runs``."""
    folder = tmp_path / "npm"
    folder.mkdir()
    (folder / "program").write_text(PROGRAM)
    (folder / "npm").write_text(
        f'#!/bin/sh\ncd "$3" && here={shlex.quote(str(folder))}\necho "$@" >> "$here/runs"\nsleep 0.2\n'
        'test -e "$here/program" || { echo the registry is gone >&2; exit 1; }\n'
        'mkdir -p node_modules/@maker/agent-any && cp "$here/program" node_modules/@maker/agent-any/agent\n'
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
    """Processes, not threads: to fork while a thread runs is an error from Python 3.12 on."""
    ask = (
        "import sys; from pathlib import Path; from e2e.clients import Pin, install; "
        f"print(install({PIN}, Path(sys.argv[1])))"
    )
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", ask, tmp_path / "cache"], cwd=CHECKOUT / "tests", stdout=subprocess.PIPE
        )
        for _ in range(3)
    ]
    programs = [process.communicate()[0] for process in asking]
    assert [process.returncode for process in asking] == [0, 0, 0]
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


def test_a_client_that_could_not_be_installed_is_not_tried_again_in_the_same_run(npm: Path, tmp_path: Path) -> None:
    """The run may have several processes: the set-up, and the tests after it."""
    (npm / "program").unlink()
    here = Supply(tmp_path / "cache", tmp_path / "notes")
    faults = []
    for supply in (here, here, Supply(tmp_path / "cache", tmp_path / "notes")):
        with pytest.raises(ClientUnavailable, match="the registry is gone") as fault:
            supply.program(PIN)
        faults.append(str(fault.value))
    assert len(set(faults)) == 1
    assert runs(npm) == 1
    other = Pin("other", "@maker/other", "1.2.3", ("@maker/agent-*/agent",))
    (npm / "program").write_text(PROGRAM)
    assert here.program(other).exists()
    with pytest.raises(ClientUnavailable, match="the registry is gone"):
        here.program(PIN)
    assert Supply(tmp_path / "cache").program(PIN).exists()


def test_the_clients_of_a_run_share_its_time_for_npm(
    npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the registry does not answer, every client would take all of it."""
    monkeypatch.setattr(clients, "NPM_SECONDS", 2)
    (npm / "npm").write_text("#!/bin/sh\nexec sleep 60\n")
    supply, started = Supply(tmp_path / "cache"), time.monotonic()
    for number in range(3):
        with pytest.raises(ClientUnavailable, match=r"npm did not install other@1 in \d s"):
            supply.program(Pin("other", "other", "1", (f"{number}",)))
    assert time.monotonic() - started < 15


def test_an_installed_client_is_started_without_a_network_and_without_the_users_environment(
    npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says its version only in an empty home, where the loopback is the one interface."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    program = (
        "#!/bin/sh\n"
        'names=$(env | cut -d= -f1 | grep -vxE "PWD|OLDPWD|SHLVL|_" | sort | tr "\\n" " ")\n'
        'there=$(ls -A "$HOME")$(tail -n +3 /proc/self/net/dev | grep -v "^ *lo:")\n'
        'test "$names,$there" = "HOME PATH TMPDIR ," && echo agent 1.2.3 || echo "$names,$there" >&2\n'
    )
    (npm / "program").write_text(program)
    assert install(PIN, tmp_path / "cache").read_text() == program


def test_without_npm_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClientUnavailable, match=r"install Node\.js with npm"):
        install(PIN, tmp_path / "cache")


def test_the_cache_is_outside_the_checkout_unless_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert clients.cache_folder() == tmp_path / "unpretty-e2e"
    monkeypatch.setenv("UNPRETTY_E2E_CACHE", str(tmp_path / "named"))
    assert clients.cache_folder() == tmp_path / "named"
