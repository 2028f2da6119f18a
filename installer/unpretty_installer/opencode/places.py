"""Where OpenCode looks for plugins, which of them are ours, and which client is on this machine.

Measured with OpenCode 1.18: plugins are the ``.js`` and ``.ts`` files in ``plugin`` and ``plugins`` (not below) of the
global config directory (``XDG_CONFIG_HOME`` or ``~/.config``, on every platform), of ``OPENCODE_CONFIG_DIR`` beside it,
of ``~/.opencode`` and of each ``.opencode`` from the current directory up.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import unpretty_hooks
from unpretty.errors import UnprettyError
from unpretty_installer.core import files, registered

NAME = "opencode"
TITLE = "OpenCode"
FILE_NAME = "unpretty.js"
MARKER = b"// unpretty plugin for OpenCode"
_DIRECTORIES = ("plugins", "plugin")
_PLACEHOLDER = "__UNPRETTY_WORKER__"


def plugin_source() -> bytes:
    """What our plugin file has to hold: the shipped file with the registered command in it."""
    template = (Path(unpretty_hooks.__file__).parent / "opencode_plugin.js").read_text(encoding="utf-8")
    return template.replace(_PLACEHOLDER, json.dumps(registered.argv(NAME)), 1).encode("utf-8")


def plugin_file(project: Path | None) -> Path:
    """Where our plugin file belongs: in the user's config directory, or in ``.opencode`` of ``project``."""
    directory = user_directories()[0] if project is None else project / ".opencode"
    return directory / "plugins" / FILE_NAME


def user_directories() -> list[Path]:
    """The user's config directories: ``OPENCODE_CONFIG_DIR`` when it is set, and the global one."""
    named = os.environ.get("OPENCODE_CONFIG_DIR", "").strip()
    general = os.environ.get("XDG_CONFIG_HOME", "").strip() or "~/.config"
    directories = [Path(general).expanduser().absolute() / "opencode"]
    return [Path(named).expanduser().absolute(), *directories] if named else directories


def read_directories(here: Path) -> list[Path]:
    """Every directory whose plugins OpenCode may load when it is started in ``here``, each once."""
    above = [directory / ".opencode" for directory in (here, *here.parents)]
    return list(dict.fromkeys([*user_directories(), Path.home() / ".opencode", *above]))


def is_ours(path: Path) -> bool:
    """Whether the file at ``path`` begins with our marker."""
    try:
        with path.open("rb") as file:
            return file.read(len(MARKER)) == MARKER
    except OSError:
        return False


def plugins(directories: list[Path]) -> list[Path]:
    """The plugin files in ``directories``, in the order of their paths."""
    found: list[Path] = []
    for directory in directories:
        for name in _DIRECTORIES:
            try:
                entries = sorted((directory / name).iterdir())
            except OSError:
                continue
            found += [path for path in entries if path.suffix in (".js", ".ts") and path.is_file()]
    return found


def rewrites_results(path: Path) -> bool:
    """Whether the plugin at ``path`` has a hook that may change tool results."""
    try:
        return b"tool.execute.after" in (files.read(path) or b"")
    except UnprettyError:
        return False


def waits_for_npm(directory: Path) -> bool:
    """Whether OpenCode, when it starts with any plugin, installs ``@opencode-ai/plugin`` into ``directory``."""
    return not (directory / "node_modules" / "@opencode-ai" / "plugin").is_dir()


def program() -> str | None:
    """The client's program: on PATH, or where its own installer puts it."""
    own = Path.home() / ".opencode" / "bin" / "opencode"
    return shutil.which("opencode") or (str(own) if os.access(own, os.X_OK) else None)


def version() -> str | None:
    """The client's version, such as ``1.18.33``; None when it is not found or does not say."""
    found = program()
    return None if found is None else _packaged_version(found) or _answered_version(found)


def is_found() -> bool:
    """Whether the client is on this machine: its program or its config directory."""
    return program() is not None or any(directory.is_dir() for directory in user_directories())


def _packaged_version(found: str) -> str | None:
    """The version in the npm package that the program belongs to, which costs no start of the client."""
    for directory in list(Path(os.path.realpath(found)).parents)[:3]:
        try:
            package = json.loads((directory / "package.json").read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(package, dict) and str(package.get("name", "")).startswith("opencode-"):
            return _number(str(package.get("version", "")))
    return None


@cache
def _answered_version(found: str) -> str | None:
    """Ask the client. It makes its directories even for that, so it gets a home that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="unpretty-", ignore_cleanup_errors=True) as home:
        directories = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR"), home)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "OPENCODE"))}
        try:
            done = subprocess.run(
                [found, "--version"],
                env={**kept, **directories},
                cwd=home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return _number(done.stdout.decode("utf-8", "replace")) if done.returncode == 0 else None


def _number(text: str) -> str | None:
    match = re.match(r"\s*v?(\d+\.\d+\.\d+)", text)
    return match.group(1) if match else None
