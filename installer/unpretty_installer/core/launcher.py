"""Our own two files in the data directory: the link to the interpreter and ``hook.py``, which agents run.

They hold what depends on this install (where its interpreter and its package are) and on this user (where log and
settings are: an agent started from a desktop has no XDG variables). An upgrade or a move rewrites them and leaves the
agents' configuration alone.
"""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePath

import unpretty
import unpretty_hooks
from unpretty import locations
from unpretty.engine import system
from unpretty.errors import UnprettyError
from unpretty_installer.core import files, own_files, registered
from unpretty_installer.core.plan import Block, FileChange

# Compiled at each start, so it is short. The packages are made by hand: finding them through site-packages would cost
# more than the hook's work. Whatever goes wrong, also a package that is gone, the agent sees status 0 and no output.
_HOOK = """\
# Written by unpretty; `unpretty doctor --fix` writes it again.
import sys
try:
    packages = {packages}
    for name in {names}:
        m = sys.modules[name] = type(sys)(name)
        top, _, below = name.partition(".")
        m.__path__ = [packages[top] + "/" + below.replace(".", "/")]
    from unpretty_hooks.entry import main
    main(sys.argv[1], {log}, {resolved}, {config})
except BaseException:
    pass
"""

# Every package that the hook passes through. Loading each one's __init__.py, which holds nothing but a docstring, would
# make the hook 5 % slower.
_PACKAGES = (
    "unpretty",
    "unpretty.engine",
    "unpretty.engine.json_text",
    "unpretty.decision_log",
    "unpretty.settings",
    "unpretty_hooks",
)


def hook_file() -> Path:
    """The script that agents run."""
    return locations.data_dir() / "hook.py"


def python_link() -> Path:
    """The link to this install's interpreter (not used on Windows)."""
    return locations.data_dir() / "python"


def hook_source() -> bytes:
    """What ``hook.py`` has to hold for this install and this user."""
    return source_with(locations.decision_log_file(), locations.resolved_settings_file(), locations.config_file())


def source_with(log: Path, resolved: Path, config: Path) -> bytes:
    """A ``hook.py`` with other files: decision log, resolved settings and config.toml.

    It is ASCII; other characters in paths are escaped.
    """
    paths = {"log": log, "resolved": resolved, "config": config}
    escaped = {name: ascii(str(path)) for name, path in paths.items()}
    return _HOOK.format(packages=_packages_source(), names=_PACKAGES, **escaped).encode("ascii")


def path_list(directories: Iterable[Path | str]) -> str:
    """``directories`` as a Python list in ASCII, with the version of the Python that evaluates it.

    An environment may be moved to another Python in place (``uv tool upgrade --python``, ``pipx reinstall``); its
    packages are then in ``lib/pythonX.Y`` of that one. The source needs ``sys``.
    """
    return "[" + ", ".join(map(_path_source, directories)) + "]"


def _path_source(directory: Path | str) -> str:
    before, own, after = str(directory).rpartition(f"/{system.python_directory()}/")
    if not own or not re.match(r"(?:site|dist)-packages(?:/|$)", after):
        return ascii(str(directory))
    version = """"%d.%d" % sys.version_info[:2] + ("t" if "t" in sys.abiflags else "")"""
    return f"{before + '/python'!a} + {version} + {'/' + after!a}"


def package_directories() -> dict[str, Path]:
    """The directory of each package that the hook loads, by the package's name."""
    return {package.__name__: Path(str(package.__file__)).parent.absolute() for package in (unpretty, unpretty_hooks)}


def _packages_source() -> str:
    """``package_directories`` as a Python dictionary in ASCII; see ``path_list``."""
    pairs = [f"{name!r}: {_path_source(directory)}" for name, directory in package_directories().items()]
    return "{" + ", ".join(pairs) + "}"


def changes() -> tuple[FileChange, ...]:
    """The changes that put both files in place; they belong at the start of every agent's plan to install.

    ``hook.py`` comes first here and goes last in ``removal``: an older entry without the guard of ``registered`` would
    show Python's complaint about a missing script, but nothing when Python is missing.
    """
    hook = FileChange(
        hook_file(),
        files.read(hook_file(), own=True),
        hook_source(),
        "The script that agents run.",
        ours=True,
        mode=0o600,
    )
    if sys.platform == "win32":
        return (hook,)
    link = FileChange(
        python_link(),
        files.read_link(python_link()),
        os.fsencode(interpreter()),
        "Leads to the Python that runs it; agents keep the same command when that Python moves.",
        kind="link",
        ours=True,
    )
    return hook, link


def removal() -> tuple[FileChange, ...]:
    """The changes that take our files out of the data directory, for when no agent needs them any more.

    What is not ours there stays, and is no reason to keep the agents' entries.
    """
    why = "No agent uses it any more."
    directory = (locations.data_dir(),)
    found = []
    # Something else may be there: a file of the user's, a directory, what cannot be read.
    if sys.platform != "win32" and own_files.is_ours(python_link()):
        link = files.read_link(python_link())
        found.append(FileChange(python_link(), link, None, why, kind="link", ours=True, empty_dirs=directory))
    found += [
        FileChange(path, files.read(path), None, why, ours=True, empty_dirs=directory)
        for path in (hook_file(), locations.resolved_settings_file())
        if own_files.is_ours(path)
    ]
    return tuple(found)


# Run by the hook's own interpreter: its version, then the directories in which hook.py looks for our packages.
_ASK = """\
import sys
with open(sys.argv[1], encoding="ascii") as script:
    listed = [line.partition("=")[2].strip() for line in script if line.startswith("    packages = ")]
packages = eval(listed[0])
print("%d.%d" % sys.version_info[:2], packages["unpretty"], packages["unpretty_hooks"], sep="\\0")
"""


_ASKING = threading.Lock()


def package_problem() -> str | None:
    """Why ``hook.py`` does nothing, as a sentence: its Python is there and our package is not; None otherwise.

    It happens when an environment was given another Python and unpretty was not installed in it again.
    """
    if not hook_file().is_file() or not os.access(registered.interpreter(), os.X_OK):
        return None  # another problem says so
    with _ASKING:  # agents are examined at the same time, and the answer is the same for all
        answer = _asked(os.path.realpath(registered.interpreter()), hook_file(), hook_file().read_bytes())
    version, *directories = answer.split("\0")
    if len(directories) != 2:
        return None  # it is not Python; another problem says so, too
    library, hooks = map(Path, directories)
    if (library / "engine").is_dir() and (hooks / "entry.py").is_file():
        return None
    return f"The hook does nothing: {hook_file()} finds no unpretty for its Python {version} in {library}."


@cache
def _asked(python: str, script: Path, content: bytes) -> str:  # noqa: ARG001  another content has another answer
    """The answer to ``_ASK``; "" when there is none. ``python`` is a path without links."""
    command = [registered.interpreter(), "-I", "-S", "-c", _ASK, str(script)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return os.fsdecode(done.stdout).rstrip("\r\n")


def blocks() -> tuple[Block, ...]:
    """Why this install must not be registered with an agent; empty when it may.

    ``uvx`` and ``pipx run`` keep their environments in a cache, which is cleaned at times.
    """
    if not _is_temporary(PurePath(sys.prefix)):
        return ()
    message = f"unpretty runs from a temporary environment ({sys.prefix}), which will vanish."
    hint = "Install it with `uv tool install unpretty` or `pipx install unpretty`, then run this command again."
    return (Block("temporary_environment", message, hint),)


def _is_temporary(prefix: PurePath) -> bool:
    """Whether an environment lies in uv's cache or in that of ``pipx run``.

    Measured: ``<cache>/archive-v0/<id>`` (uv 0.13), ``~/.cache/pipx/<hash>`` and ``$PIPX_HOME/.cache/<hash>`` (pipx
    1.18); on other platforms pipx takes the directory of platformdirs, which ends in ``pipx`` or ``pipx/Cache``.
    """
    if any(re.fullmatch(r"(?:archive|environments|builds)-v\d+", part) for part in prefix.parts):
        return True
    hashed = re.fullmatch(r"[0-9a-f]{10,64}", prefix.name) is not None
    return hashed and prefix.parent.name.lower() in ("pipx", ".cache", "cache")


def interpreter() -> str:
    """The interpreter of this install, by the name that stays when the environment moves to a newer Python."""
    if not sys.executable:
        raise UnprettyError("Python does not say where it is (sys.executable is empty).", code="no_interpreter")
    plain = Path(sys.executable).with_name("python")
    return str(plain) if plain.exists() and plain.samefile(sys.executable) else sys.executable
