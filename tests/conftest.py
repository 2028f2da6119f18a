"""What every test gets: an empty home directory, a guard around the real one, plain settings, Hypothesis profiles."""

import contextlib
import gc
import itertools
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# HYPOTHESIS_PROFILE picks one. `ci` is the gate: the same examples on every run, so that a failed gate can be repeated;
# `nightly` looks for what `ci` cannot see; `quick` is for other Pythons and for developing.
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

# Variables that name another directory for an agent or unpretty, switch it off, or carry a key.
_REMOVED_PREFIXES = (
    "XDG_", "CLAUDE", "CODEX", "OPENCODE", "UNPRETTY", "ANTHROPIC_", "OPENAI_", "AI_AGENT", "NO_COLOR", "FORCE_COLOR",
)  # fmt: skip

_AUDITED = frozenset(
    (
        "open", "os.chdir", "os.chmod", "os.chown", "os.link", "os.listdir", "os.mkdir", "os.remove", "os.rename",
        "os.rmdir", "os.scandir", "os.symlink", "os.truncate", "os.utime", "os.setxattr",
    )
)  # fmt: skip
_CREATING = frozenset(("os.link", "os.mkdir", "os.rename", "os.symlink"))  # the last path is the one that is created
# Where a test may create something: the checkout, Hypothesis's examples, libraries' temporary files, the kernel's own.
_FREE = (
    *map(os.path.abspath, (f"{__file__}/../..", os.environ.get("HYPOTHESIS_STORAGE_DIRECTORY", ".hypothesis"))),
    *map(os.path.abspath, (tempfile.gettempdir(), "/dev", "/proc")),
)


def _guarded_folders() -> tuple[str, ...]:
    """Real directories of agents and of unpretty, as absolute paths; a test may touch nothing under them."""
    named = [os.environ[name] for name in _FOLDER_VARIABLES if os.environ.get(name)]
    for name in _XDG_VARIABLES:
        if os.environ.get(name):
            named += [f"{os.environ[name]}/{child}" for child in ("unpretty", "opencode")]
    under_home = [str(home / part) for home in _homes() for part in _UNDER_HOME]
    paths = under_home + named
    return tuple({os.path.abspath(path) for path in paths} | {os.path.realpath(path) for path in paths})


def _homes() -> list[Path]:
    """The home directory, and the one that code finds when HOME is not set.

    A container may run with a user id that no account has. Then HOME is ``/`` or not set: there is nothing to guard.
    """
    found = []
    with contextlib.suppress(RuntimeError):
        found.append(Path.home())
    if sys.platform != "win32":
        import pwd

        with contextlib.suppress(KeyError):
            found.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
    return [home for home in found if home != Path("/")]


class HomeGuard:
    """An audit hook that stops, and records, every access to a guarded directory while a test runs.

    It does the same when a test creates something outside the directories in ``free``, which would stay on the machine.
    Such a test also depends on the machine: what root may create in ``/``, a user may not.

    It raises pytest's own failure, which is no ``Exception``: code that swallows errors does not swallow it. An access
    that is swallowed nevertheless is found in ``touched`` when the test ends.
    """

    def __init__(self, folders: tuple[str, ...]) -> None:
        self.folders = folders
        self.free: tuple[str, ...] = _FREE
        self.active = False
        self.touched: list[str] = []

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if not self.active or event not in _AUDITED:
            return
        for arg in args[:2]:
            if isinstance(arg, (str, bytes, os.PathLike)) and self.guards(os.fsdecode(arg)):
                self.touched.append(f"{event} {os.fsdecode(arg)}")
                pytest.fail(f"a test touched the real home folder: {self.touched[-1]}")
        created = _created(event, args)
        if created and not self._is_free(created):
            self.touched.append(f"{event} {created}")
            pytest.fail(f"a test creates something outside its directories: {self.touched[-1]}")

    def _is_free(self, path: str) -> bool:
        path = os.path.abspath(path)
        return "__pycache__" in path or any(path == folder or path.startswith(folder + os.sep) for folder in self.free)

    def guards(self, path: str) -> bool:
        """Whether ``path`` is a guarded directory or is in one."""
        if not path.startswith(os.sep):
            if "/" not in path and "." not in path:  # such as the mode of open(); not a path
                return False
            path = os.path.abspath(path)
        return any(path == folder or path.startswith(folder + os.sep) for folder in self.folders)


def _created(event: str, args: tuple[object, ...]) -> str:
    """The path that an audited call is about to create; empty when it creates none, or none that has a name."""
    if event == "open":
        path, creates = args[0], isinstance(args[2], int) and bool(args[2] & os.O_CREAT)
    else:
        path, creates = args[1 if event in ("os.link", "os.rename", "os.symlink") else 0], event in _CREATING
    return os.fsdecode(path) if creates and isinstance(path, (str, bytes, os.PathLike)) else ""


_guard = HomeGuard(_guarded_folders())
sys.addaudithook(_guard)
_home_numbers = itertools.count()


@pytest.fixture
def processor_seconds() -> Iterator[Callable[[Callable[[], object]], float]]:
    """A function that measures a call: the best processor time of three runs, which other processes do not lengthen.

    Nor does the garbage collector, which would go through all that the session has kept from earlier tests.
    """

    def measure(work: Callable[[], object]) -> float:
        best = float("inf")
        for _ in range(3):
            started = time.process_time()
            work()
            best = min(best, time.process_time() - started)
        return best

    gc.collect()
    gc.disable()
    yield measure
    gc.enable()


@pytest.fixture
def home_guard() -> HomeGuard:
    """The guard itself, for its own tests."""
    return _guard


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty HOME of the test's own, also for the processes that it starts; the real one must not be used.

    Time zone, locale and umask are fixed: a test that needs another one sets it itself.
    """
    base = tmp_path_factory.getbasetemp()
    folder = base / "homes" / str(next(_home_numbers))
    folder.mkdir(parents=True)
    for name in list(os.environ):
        if name.startswith(_REMOVED_PREFIXES):
            monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("APPDATA", str(folder / "AppData" / "Roaming"))
    monkeypatch.setenv("LOCALAPPDATA", str(folder / "AppData" / "Local"))
    for name in ("LANGUAGE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    umask = os.umask(0o022)
    _guard.free = (*_FREE, str(base))
    _guard.touched.clear()
    _guard.active = True
    yield folder
    _guard.active = False
    os.umask(umask)
    assert not _guard.touched, f"the real home folder or the machine was touched: {_guard.touched}"
