"""The guard around the real home folder, tested on folders that do not exist."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

REAL_HOME = Path.home()  # while this module is imported, no test runs yet


@pytest.fixture
def on_purpose(home_guard: object) -> Iterator[None]:
    """The test touches the real home on purpose: forget that it did, or it would fail when it ends."""
    yield
    home_guard.touched.clear()  # type: ignore[attr-defined]


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
