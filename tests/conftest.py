"""What every test gets: an empty home folder, a guard around the real one, and the Hypothesis profiles."""

import itertools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# HYPOTHESIS_PROFILE picks one. `ci` is the gate: the same examples on every run, so that a red gate can be repeated;
# `nightly` looks for what `ci` cannot see; `quick` is for a second look on another Python and for developing.
_SLOW_MACHINE = (HealthCheck.too_slow,)
settings.register_profile("quick", max_examples=100, deadline=None, suppress_health_check=_SLOW_MACHINE)
settings.register_profile(
    "ci", max_examples=1_000, deadline=None, suppress_health_check=_SLOW_MACHINE, derandomize=True, print_blob=True
)
settings.register_profile(
    "nightly", max_examples=50_000, deadline=None, suppress_health_check=_SLOW_MACHINE, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# A shell starts what runs in its background with interrupts ignored, and all that we start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_UNDER_HOME = (
    ".claude", ".claude.json", ".codex", ".opencode", ".config", ".local/state", ".local/share/unpretty",
    ".local/share/opencode", ".cache/unpretty", "Library/Application Support/unpretty", "Library/Logs/unpretty",
    "AppData/Local/unpretty", "AppData/Roaming/unpretty",
)  # fmt: skip
_FOLDER_VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR")
_XDG_VARIABLES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")

# Variables that lead an agent or unpretty to some other folder, switch it off, or carry a key.
_REMOVED_PREFIXES = (
    "XDG_", "CLAUDE", "CODEX", "OPENCODE", "UNPRETTY", "ANTHROPIC_", "OPENAI_", "AI_AGENT", "NO_COLOR", "FORCE_COLOR",
)  # fmt: skip

_AUDITED = frozenset(
    (
        "open", "os.chdir", "os.chmod", "os.chown", "os.link", "os.listdir", "os.mkdir", "os.remove", "os.rename",
        "os.rmdir", "os.scandir", "os.symlink", "os.truncate", "os.utime", "os.setxattr",
    )
)  # fmt: skip


def _guarded_folders() -> tuple[str, ...]:
    """Real folders of agents and of unpretty, as absolute paths; nothing under them may be touched by a test."""
    named = [os.environ[name] for name in _FOLDER_VARIABLES if os.environ.get(name)]
    for name in _XDG_VARIABLES:
        if os.environ.get(name):
            named += [f"{os.environ[name]}/{child}" for child in ("unpretty", "opencode")]
    homes = (Path.home(), _home_of_account())
    under_home = [str(home / part) for home in homes for part in _UNDER_HOME]
    return tuple({os.path.abspath(path) for path in under_home + named})


def _home_of_account() -> Path:
    """The home folder that code finds when HOME is not set."""
    if sys.platform == "win32":
        return Path.home()
    import pwd

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:  # a container may run under a number that no account has
        return Path.home()


class HomeGuard:
    """An audit hook that stops, and remembers, every touch of a guarded folder while a test runs.

    It raises pytest's own failure, which is no ``Exception``: code that swallows errors does not swallow this one. What
    is swallowed nevertheless is found in ``touched`` when the test ends.
    """

    def __init__(self, folders: tuple[str, ...]) -> None:
        self.folders = folders
        self.active = False
        self.touched: list[str] = []

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if not self.active or event not in _AUDITED:
            return
        for arg in args[:2]:
            if isinstance(arg, (str, bytes, os.PathLike)) and self.guards(os.fsdecode(arg)):
                self.touched.append(f"{event} {os.fsdecode(arg)}")
                pytest.fail(f"a test touched the real home folder: {self.touched[-1]}")

    def guards(self, path: str) -> bool:
        """Whether ``path`` is a guarded folder or lies in one."""
        if not path.startswith(os.sep):
            if "/" not in path and "." not in path:  # the mode of open() among others: no path leads out of here
                return False
            path = os.path.abspath(path)
        return any(path == folder or path.startswith(folder + os.sep) for folder in self.folders)


_guard = HomeGuard(_guarded_folders())
sys.addaudithook(_guard)
_home_numbers = itertools.count()


@pytest.fixture
def home_guard() -> HomeGuard:
    """The guard itself, for its own tests."""
    return _guard


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty HOME of the test's own, also for the processes that it starts; the real one is out of bounds."""
    folder = tmp_path_factory.getbasetemp() / "homes" / str(next(_home_numbers))
    folder.mkdir(parents=True)
    for name in list(os.environ):
        if name.startswith(_REMOVED_PREFIXES):
            monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("APPDATA", str(folder / "AppData" / "Roaming"))
    monkeypatch.setenv("LOCALAPPDATA", str(folder / "AppData" / "Local"))
    _guard.touched.clear()
    _guard.active = True
    yield folder
    _guard.active = False
    assert not _guard.touched, f"the real home folder was touched: {_guard.touched}"
