"""Our own two files in the data folder: the link to the interpreter and ``hook.py``, which agents run.

They hold what depends on this install (where its interpreter and its package are) and on this user (where log and
settings are: an agent started from a desktop has no XDG variables). An upgrade or a move rewrites them and leaves the
agents' configuration alone.
"""

import os
import re
import sys
from pathlib import Path, PurePath

import unpretty
import unpretty.hooks
from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty.installer import files
from unpretty.installer.plan import Block, FileChange

# Compiled at each start, so it is short. The package is made by hand: finding it through site-packages would cost more
# than the hook's work. Whatever goes wrong, also a package that is gone, the agent sees status 0 and no output.
_HOOK = """\
# Written by unpretty; `unpretty doctor --fix` writes it anew.
import sys
try:
    m = type(sys)("unpretty")
    m.__path__ = {paths}
    sys.modules["unpretty"] = m
    from unpretty.hooks.entry import main
    main(sys.argv[1], {log}, {resolved}, {config})
except BaseException:
    pass
"""


def hook_file() -> Path:
    """The script that agents run."""
    return locations.data_dir() / "hook.py"


def python_link() -> Path:
    """The link to this install's interpreter (not used on Windows)."""
    return locations.data_dir() / "python"


def hook_source() -> bytes:
    """What ``hook.py`` has to hold for this install, ASCII only: other characters in paths are escaped."""
    return _HOOK.format(
        paths=ascii([str(folder) for folder in _package_folders()]),
        log=ascii(str(locations.decision_log_file())),
        resolved=ascii(str(locations.resolved_settings_file())),
        config=ascii(str(locations.config_file())),
    ).encode("ascii")


def _package_folders() -> list[Path]:
    """Where the parts of the package are: its folder, and for an editable install the folder that holds ``hooks``."""
    package = Path(unpretty.__file__).parent.absolute()
    hooks = Path(unpretty.hooks.__file__).parent.absolute()
    return [package] if hooks.parent == package else [package, hooks.parent]


def changes() -> tuple[FileChange, ...]:
    """The changes that put both files in place; they belong at the start of every agent's plan to install."""
    hook = FileChange(
        hook_file(), files.read(hook_file()), hook_source(), "The script that agents run.", ours=True, mode=0o600
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
    return link, hook


def removal() -> tuple[FileChange, ...]:
    """The changes that take our files out of the data folder, for when no agent needs them any more."""
    why = "No agent uses it any more."
    folder = (locations.data_dir(),)
    found = [
        FileChange(path, files.read(path), None, why, ours=True, empty_dirs=folder)
        for path in (hook_file(), locations.resolved_settings_file())
    ]
    if sys.platform != "win32":
        link = files.read_link(python_link())
        found.append(FileChange(python_link(), link, None, why, kind="link", ours=True, empty_dirs=folder))
    return tuple(change for change in found if change.before is not None)


def blocks() -> tuple[Block, ...]:
    """Why this install must not be registered with an agent; empty when it may.

    ``uvx`` and ``pipx run`` keep their environments in a cache, from which they vanish some day.
    """
    if not _is_temporary(PurePath(sys.prefix)):
        return ()
    message = f"unpretty runs from a temporary environment ({sys.prefix}), which will vanish."
    hint = (
        "Install it for good with `uv tool install unpretty` or `pipx install unpretty`, then run this command again."
    )
    return (Block("temporary_environment", message, hint),)


def _is_temporary(prefix: PurePath) -> bool:
    """Whether an environment lies in uv's cache or in that of ``pipx run``.

    Measured: ``<cache>/archive-v0/<id>`` (uv 0.13), ``~/.cache/pipx/<hash>`` and ``$PIPX_HOME/.cache/<hash>`` (pipx
    1.18); on other platforms pipx takes the folder of platformdirs, which ends in ``pipx`` or ``pipx/Cache``.
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
