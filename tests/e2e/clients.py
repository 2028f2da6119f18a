"""The real clients, each pinned to one version, installed with npm into a cache outside the checkout.

Run as a program it installs them all, so that the network is needed once: ``python tests/e2e/clients.py``.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NPM_SECONDS = 900


@dataclass(frozen=True)
class Pin:
    """One version of one client.

    Attributes:
        program: the name that a user types.
        package: its npm package.
        version: the exact version.
        binaries: where the package's native programs lie, as patterns below ``node_modules``. The npm entry is a
            launcher in JavaScript, which needs a newer Node than the client itself; the native program needs none.
    """

    program: str
    package: str
    version: str
    binaries: tuple[str, ...]

    @property
    def folder_name(self) -> str:
        """Name of the install folder in the cache."""
        return f"{self.package.strip('@').replace('/', '-')}-{self.version}"


def _claude_code(version: str) -> Pin:
    return Pin("claude", "@anthropic-ai/claude-code", version, ("@anthropic-ai/claude-code-*/claude",))


CLAUDE_CODE = _claude_code("2.1.332")
CLAUDE_CODE_OLDEST = _claude_code("2.1.121")  # the first that honours a replaced result
CLAUDE_CODE_TOO_OLD = _claude_code("2.1.119")
CODEX = Pin(
    "codex", "@openai/codex", "0.171.0", ("@openai/codex-*/vendor/*/bin/codex", "@openai/codex-*/vendor/*/codex/codex")
)
# Both builds are installed where both fit; "baseline" is for processors without AVX2 and sorts behind.
OPENCODE = Pin("opencode", "opencode-ai", "1.18.33", ("opencode-*[!e]/bin/opencode", "opencode-*/bin/opencode"))
ALL = (CLAUDE_CODE, CLAUDE_CODE_OLDEST, CLAUDE_CODE_TOO_OLD, CODEX, OPENCODE)


class ClientUnavailable(RuntimeError):
    """A pinned client could not be installed, or what was installed does not run."""


def cache_folder() -> Path:
    """Where the clients are kept: ``UNPRETTY_E2E_CACHE``, or a folder of the user's cache."""
    named = os.environ.get("UNPRETTY_E2E_CACHE")
    if named:
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unpretty-e2e"


def install(pin: Pin, cache: Path) -> Path:
    """Return the native program of ``pin``, installing it first where the cache lacks it.

    The folder appears under its name only when the program in it has run, so an install that was stopped half-way is
    never taken for a whole one. Of several processes one installs and the others wait.

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
                _npm_install(pin, trial)
                _running_program(pin, trial)
                trial.rename(folder)
            finally:
                shutil.rmtree(trial, ignore_errors=True)
        return _running_program(pin, folder)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold ``path`` for this process alone; the kernel lets go of it if the process dies."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _npm_install(pin: Pin, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise ClientUnavailable("npm is needed to install the clients: install Node.js with npm and try again")
    # No scripts: they only link the native program, which we start by its own path. A too old Node is a warning.
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
    (folder / "package.json").write_text("{}")
    try:
        done = subprocess.run(
            [npm, "install", "--prefix", folder, *options, f"{pin.package}@{pin.version}"],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=NPM_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ClientUnavailable(f"npm did not install {pin.package}@{pin.version} in {NPM_SECONDS} s") from None
    if done.returncode != 0:
        raise ClientUnavailable(f"npm could not install {pin.package}@{pin.version}:\n{done.stderr[-2000:]}")


def _running_program(pin: Pin, folder: Path) -> Path:
    """Return the first native program of ``folder`` that runs on this machine and says the pinned version."""
    said = []
    for pattern in pin.binaries:
        for program in sorted((folder / "node_modules").glob(pattern)):
            try:
                with tempfile.TemporaryDirectory() as home:
                    environment = {"HOME": home, "PATH": os.defpath, "DISABLE_AUTOUPDATER": "1"}
                    done = subprocess.run(
                        [program, "--version"],
                        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                    )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as fault:
                said.append(f"{program}: {fault}")
                continue
            if pin.version in done.stdout:
                return program
            said.append(f"{program}: {done.stdout}{done.stderr}")
    raise ClientUnavailable(
        f"no program of {pin.package}@{pin.version} runs on this machine: {said or 'none was found'}"
    )


def main() -> int:
    """Install every pinned client and print where it is."""
    for pin in ALL:
        try:
            print(f"{pin.package}@{pin.version}: {install(pin, cache_folder())}", flush=True)
        except ClientUnavailable as fault:
            print(fault, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
