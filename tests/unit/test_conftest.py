"""The guard around the real home directory, tested on directories that do not exist."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

REAL_HOME = Path(os.path.expanduser("~"))  # while this module is imported, no test runs yet


@pytest.fixture
def on_purpose(home_guard: Any) -> Iterator[None]:
    """The test touches the real home on purpose: forget that it did, or it would fail when it ends."""
    if not home_guard.guards(str(REAL_HOME / ".claude")):
        pytest.skip("this account has no home directory")
    yield
    home_guard.touched.clear()


def test_home_is_an_empty_folder_of_the_tests_own(home: Path) -> None:
    assert Path.home() == home == Path(os.environ["HOME"])
    assert list(home.iterdir()) == []


@pytest.mark.usefixtures("on_purpose")
@pytest.mark.parametrize("name", [".claude/x.json", ".codex/x.toml", ".config/opencode/x", ".local/state/unpretty/x"])
def test_opening_a_file_in_a_real_agent_folder_fails_the_test(name: str, home: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match="real home folder"):
        (REAL_HOME / name).open("a")


@pytest.mark.usefixtures("on_purpose")
@pytest.mark.parametrize("act", [os.mkdir, os.listdir, os.remove, os.scandir, lambda path: os.rename(path, path)])
def test_making_listing_and_removing_there_fails_too(act: object, home: Path) -> None:
    assert callable(act)
    with pytest.raises(pytest.fail.Exception, match="real home folder"):
        act(str(REAL_HOME / ".claude" / "no-such-folder"))


@pytest.mark.usefixtures("on_purpose")
def test_a_relative_path_does_not_get_around_the_guard(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    with pytest.raises(pytest.fail.Exception, match="real home folder"):
        os.listdir(os.path.relpath(REAL_HOME / ".claude" / "no-such-folder"))


@pytest.mark.usefixtures("on_purpose")
def test_code_that_swallows_every_error_does_not_swallow_the_guard(home: Path) -> None:
    def swallow() -> None:
        with contextlib.suppress(Exception):
            (REAL_HOME / ".claude" / "no-such-file").read_text()

    with pytest.raises(pytest.fail.Exception):
        swallow()


def test_other_files_are_free(home: Path, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text("{}")
    (home / ".claude").mkdir()


@pytest.mark.usefixtures("on_purpose")
@pytest.mark.parametrize(
    "act",
    [
        os.mkdir, os.symlink, os.rename, os.link,
        lambda *paths: Path(paths[-1]).write_text(""), lambda *paths: os.open(paths[-1], os.O_CREAT | os.O_RDWR),
    ],
    ids=["mkdir", "symlink", "rename", "link", "open", "os.open"],
)  # fmt: skip
def test_creating_something_outside_the_folders_of_the_test_fails_it(
    act: Callable[..., object], tmp_path: Path
) -> None:
    """As root it would stay on the machine, as a user it cannot be done."""
    inside, outside = tmp_path / "file", "/no-such-folder/unpretty"
    inside.write_text("")
    with pytest.raises(pytest.fail.Exception, match="outside its directories"):
        act(outside) if act is os.mkdir else act(str(inside), outside)


def test_the_time_zone_the_locale_and_the_umask_are_the_same_on_every_machine(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644
    shown = subprocess.run(["sh", "-c", "date +%Z; umask"], capture_output=True, text=True, check=True).stdout.split()
    assert (time.strftime("%Z"), shown[0], int(shown[1], 8)) == ("UTC", "UTC", 0o022)


@pytest.mark.parametrize("where", ["HOME", "the account"])
def test_a_home_that_is_a_link_is_guarded_under_both_its_names(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "import conftest, os, pwd\n"
        f"if {where!r} == 'the account':\n"
        "    os.environ.pop('HOME')\n"
        f"    pwd.getpwuid = lambda number: pwd.struct_passwd(('u', 'x', 1, 1, '', {str(tmp_path / 'link')!r}, ''))\n"
        "print(*conftest._guarded_folders(), sep='\\n')"
    )
    environment = {**os.environ, "HOME": str(tmp_path / "link")}
    guarded = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True).stdout
    assert {str(tmp_path / name / ".claude") for name in ("real", "link")} <= set(guarded.splitlines())


@pytest.mark.parametrize("home", ["/", None])
def test_an_account_without_a_home_has_nothing_to_guard(home: str | None) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "import conftest, pwd, pathlib\n"
        "def nobody(*_): raise KeyError\n"
        "pwd.getpwuid = nobody\n"
        "print(conftest._guarded_folders())"
    )
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    if home:
        environment["HOME"] = home
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == "()\n", done.stderr
