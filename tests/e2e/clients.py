"""The real clients, each pinned to one version, installed with npm into a cache outside the checkout.

Run as a program it installs them all, so that the network is needed once: ``python -m e2e.clients`` in tests/.

UNPRETTY_E2E_CACHE names the cache. UNPRETTY_E2E_FAULTS names a directory that one run of the gate keeps: what could not
be installed is noted there, so that the tests which follow fail at once with that error and do not try again.
"""

import fcntl
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .sandbox import Finished, NoNamespace, isolated, run_to_end

NPM_SECONDS = 900  # for all clients together: the gate's time is limited


@dataclass(frozen=True)
class Pin:
    """One version of one client.

    Attributes:
        program: the name that a user types.
        package: its npm package.
        version: the exact version.
        binaries: where the package's native programs are, as patterns below ``node_modules``. The npm entry is a
            launcher in JavaScript, which needs a newer Node than the client itself; the native program needs none.
    """

    program: str
    package: str
    version: str
    binaries: tuple[str, ...]

    @property
    def folder_name(self) -> str:
        """Name of the install directory in the cache."""
        return f"{self.package.strip('@').replace('/', '-')}-{self.version}"


def _claude_code(version: str) -> Pin:
    return Pin("claude", "@anthropic-ai/claude-code", version, ("@anthropic-ai/claude-code-*/claude",))


CLAUDE_CODE = _claude_code("2.1.332")
CLAUDE_CODE_OLDEST = _claude_code("2.1.121")  # the first that honours a replaced result
CLAUDE_CODE_TOO_OLD = _claude_code("2.1.119")
CODEX = Pin(
    "codex", "@openai/codex", "0.171.0", ("@openai/codex-*/vendor/*/bin/codex", "@openai/codex-*/vendor/*/codex/codex")
)
# Both builds are installed where both fit; "baseline" is for processors without AVX2 and sorts after the other.
OPENCODE = Pin("opencode", "opencode-ai", "1.18.33", ("opencode-*[!e]/bin/opencode", "opencode-*/bin/opencode"))
ALL = (CLAUDE_CODE, CLAUDE_CODE_OLDEST, CLAUDE_CODE_TOO_OLD, CODEX, OPENCODE)


class ClientUnavailable(RuntimeError):
    """A pinned client could not be installed, or what was installed does not run."""


def cache_folder() -> Path:
    """Where the clients are kept: ``UNPRETTY_E2E_CACHE``, or a directory of the user's cache."""
    named = os.environ.get("UNPRETTY_E2E_CACHE")
    if named:
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unpretty-e2e"


class Supply:
    """The clients of one run: each is installed at its first use, and an error is remembered.

    Args:
        cache: where the clients are kept.
        notes: a directory with a file for each client that another process of the run could not install.
    """

    def __init__(self, cache: Path, notes: Path | None = None) -> None:
        self.cache = cache
        self._notes = notes
        self._faults: dict[Pin, str] = {}
        self._npm_seconds: float = NPM_SECONDS

    def program(self, pin: Pin) -> Path:
        """The native program of ``pin``.

        Raises:
            ClientUnavailable: it could not be installed, now or earlier in this run.
        """
        note = self._notes / pin.folder_name if self._notes else None
        if note and note.exists():
            self._faults[pin] = note.read_text("utf-8")
        if pin in self._faults:
            raise ClientUnavailable(self._faults[pin])
        started = time.monotonic()
        try:
            return install(pin, self.cache, self._npm_seconds)
        except ClientUnavailable as fault:
            self._faults[pin] = str(fault)
            if note:
                note.parent.mkdir(parents=True, exist_ok=True)
                note.write_text(str(fault), "utf-8")
            raise
        finally:
            self._npm_seconds = max(1.0, self._npm_seconds - (time.monotonic() - started))


@functools.cache
def supply() -> Supply:
    """The clients in the cache that the environment names. Called before any test: each has another environment."""
    named = os.environ.get("UNPRETTY_E2E_FAULTS")
    return Supply(cache_folder(), Path(named).absolute() if named else None)


def install(pin: Pin, cache: Path, npm_seconds: float = NPM_SECONDS) -> Path:
    """Return the native program of ``pin``, installing it first where the cache lacks it.

    The directory gets its name only when the program in it has run, so an install that was stopped half-way is
    never used as a complete one. Of several processes one installs and the others wait.

    Raises:
        ClientUnavailable: npm is missing or failed, or the program does not run.
    """
    folder = cache / pin.folder_name
    cache.mkdir(parents=True, exist_ok=True)
    with _lock(cache / f"{pin.folder_name}.lock"):
        if not folder.is_dir():
            for remains in cache.glob(f"{pin.folder_name}.part-*"):  # of an install that was killed: we hold the lock
                shutil.rmtree(remains, ignore_errors=True)
            trial = Path(tempfile.mkdtemp(prefix=f"{pin.folder_name}.part-", dir=cache))
            try:
                _npm_install(pin, trial, npm_seconds)
                _running_program(pin, trial)
                trial.rename(folder)
            finally:
                shutil.rmtree(trial, ignore_errors=True)
        return _running_program(pin, folder)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold ``path`` for this process alone; the kernel releases it if the process dies."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _npm_install(pin: Pin, folder: Path, seconds: float) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise ClientUnavailable("npm is needed to install the clients: install Node.js with npm and try again")
    # No scripts: they only link the native program, which we start by its own path. A too old Node is a warning.
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
    (folder / "package.json").write_text("{}")
    try:
        done = subprocess.run(
            [npm, "install", "--prefix", folder, *options, f"{pin.package}@{pin.version}"],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ClientUnavailable(f"npm did not install {pin.package}@{pin.version} in {seconds:.0f} s") from None
    if done.returncode != 0:
        raise ClientUnavailable(f"npm could not install {pin.package}@{pin.version}:\n{done.stderr[-2000:]}")


def _running_program(pin: Pin, folder: Path) -> Path:
    """Return the first native program of ``folder`` that runs on this machine and says the pinned version."""
    said = []
    for pattern in pin.binaries:
        for program in sorted((folder / "node_modules").glob(pattern)):
            try:
                done = _version(program)
            except NoNamespace as fault:
                raise ClientUnavailable(f"{pin.package}@{pin.version} was not tried: {fault}") from None
            except RuntimeError as fault:  # it does not start
                said.append(f"{program}: {fault}")
                continue
            if pin.version in done.stdout and done.exit_code == 0:
                return program
            said.append(f"{program}: {done.stdout}{done.stderr} (exit status {done.exit_code})")
    raise ClientUnavailable(
        f"no program of {pin.package}@{pin.version} runs on this machine: {said or 'none was found'}"
    )


def _version(program: Path) -> Finished:
    """What ``program --version`` says without a network and in an empty home: any start of a client may use both.

    Raises:
        RuntimeError: it does not start, or no network namespace could be made.
    """
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "TMPDIR": home, "PATH": os.defpath}
        return isolated(
            lambda: run_to_end([program, "--version"], folder=Path(home), env=environment, timeout=60, settle=5)
        )


def main() -> int:
    """Install every pinned client and print where it is, or why it could not be installed."""
    failed = 0
    for pin in ALL:
        try:
            print(f"{pin.package}@{pin.version}: {supply().program(pin)}", flush=True)
        except ClientUnavailable as fault:
            print(fault, file=sys.stderr, flush=True)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
