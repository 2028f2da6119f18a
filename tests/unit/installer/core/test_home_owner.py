"""Root in the home directory of another user (``sudo -E``, image builds): what it creates is the user's."""

import errno
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from unpretty import locations
from unpretty.cli.main import cli
from unpretty.engine import system
from unpretty_installer.core import files, home_owner, launcher, selftest
from unpretty_installer.core.apply import apply
from unpretty_installer.core.plan import Options, Plan

from .everything_written import USER, everywhere, use_everything

root_only = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can create files for another user"
)


@pytest.fixture
def foreign_home(home: Path) -> Path:
    os.chown(home, *USER)
    return home


def owners(directory: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_uid, path.lstat().st_gid) for path in everywhere(directory)}


@root_only
def test_whatever_any_feature_creates_belongs_to_the_owner_of_home(foreign_home, tmp_path):
    use_everything(foreign_home, tmp_path)
    assert {path: owner for path, owner in owners(foreign_home).items() if owner != USER} == {}
    assert CliRunner().invoke(cli, ["uninstall", "--apply"]).exit_code == 0  # its copies of files are the user's too
    assert {path: owner for path, owner in owners(foreign_home).items() if owner != USER} == {}


@root_only
def test_in_roots_own_home_everything_stays_roots(home, tmp_path):
    use_everything(home, tmp_path)
    assert set(owners(home).values()) == {(0, 0)}


@root_only
def test_what_was_there_keeps_its_owner_and_mode(foreign_home):
    settings, config = foreign_home / ".claude" / "settings.json", locations.config_file()
    for path, owner in ((settings, (0, 0)), (config, (23456, 34567))):
        path.parent.mkdir(parents=True)
        path.write_text("{}" if path == settings else "")
        path.chmod(0o640)
        os.chown(path, *owner)
    before = {path: files.target(path).stat() for path in (settings, config, settings.parent, config.parent)}
    for command in (["install", "claude-code", "--apply"], ["config", "set", "min_bytes", "9"]):
        assert CliRunner().invoke(cli, command).exit_code == 0
    assert settings.read_text() != "{}"
    assert config.read_text() == "min_bytes = 9\n"
    for path, state in before.items():
        now = path.stat()
        assert (now.st_uid, now.st_gid, now.st_mode) == (state.st_uid, state.st_gid, state.st_mode), path


@pytest.fixture
def no_chown(monkeypatch, home):
    """Root without the right to give files away, as in a container without CAP_CHOWN; needs no root."""
    if sys.platform == "win32":
        pytest.skip("no owners here")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(system, "home_owner", lambda: (54321, 54321))
    monkeypatch.setattr(system._calls, "fchown", refuse)
    monkeypatch.setattr(os, "chown", refuse)


@pytest.mark.parametrize("kind", ["directory", "file", "link"])
def test_where_that_fails_it_is_refused_in_one_sentence_and_nothing_is_left(no_chown, home, kind):
    link, hook = launcher.changes()
    changes = {"directory": (link,), "file": (hook,), "link": (link,)}[kind]
    if kind != "directory":
        hook.path.parent.mkdir(parents=True)
    before = everywhere(home)
    with pytest.raises(Exception, match="cannot be given to user 54321, the owner of HOME") as caught:
        apply(Plan("x", "X", changes=changes))
    assert caught.value.code == "not_given"  # type: ignore[attr-defined]
    assert "Run the command as that user" in caught.value.hint  # type: ignore[attr-defined]
    assert "Writing failed" not in str(caught.value)
    assert everywhere(home) == before


def test_the_other_commands_say_so_too_and_the_hook_goes_on_without_a_log(no_chown, home):
    from unpretty.decision_log.writer import append

    result = CliRunner().invoke(cli, ["config", "set", "min_bytes", "9"])
    assert result.exit_code == 1
    assert "cannot be given to user 54321, the owner of HOME" in str(result.exception)
    assert append(str(locations.decision_log_file()), {"n": 1}) is False
    locations.state_dir().mkdir(parents=True)
    assert append(str(locations.decision_log_file()), {"n": 1}) is False
    assert [path for path in everywhere(home) if path.is_file()] == []


@root_only
def test_agents_own_programs_run_as_that_user(foreign_home):
    assert selftest.program_version("/usr/bin/id", "-u") == str(USER[0])
    assert selftest.program_version("/usr/bin/id", "-G") == str(USER[1])


def test_otherwise_programs_run_as_always(home):
    assert home_owner.run_as() == {}
    assert home_owner.notes() == ()


@root_only
def test_an_install_that_the_user_cannot_run_is_a_warning(foreign_home, tmp_path, monkeypatch):
    from unpretty_installer import agents, batch

    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    (hidden / "python").symlink_to("/bin/true")
    monkeypatch.setattr(home_owner.launcher, "interpreter", lambda: str(hidden / "python"))
    chosen = [agents.get("claude-code")]
    (result,) = batch.plan_install(chosen, Options())
    assert result.plan is not None
    assert [note.code for note in result.plan.warnings].count("owner_cannot_run") == 1
    assert result.state == "pending"
    monkeypatch.setattr(home_owner.launcher, "interpreter", lambda: "/bin/true")
    (result,) = batch.plan_install(chosen, Options())
    assert result.plan is not None
    assert "owner_cannot_run" not in [note.code for note in result.plan.warnings]
