"""Where OpenCode looks for plugins, which of them are ours, and which client is on this machine.

Measured with OpenCode 1.18: plugins are the ``.js`` and ``.ts`` files in ``plugin`` and ``plugins`` (not below) of the
global config directory (``XDG_CONFIG_HOME`` or ``~/.config``, on every platform), of ``OPENCODE_CONFIG_DIR`` beside it,
of ``~/.opencode`` and of each ``.opencode`` from the current directory up.
"""

import json
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import unpretty_hooks
from unpretty import agents
from unpretty.errors import UnprettyError
from unpretty_installer.core import entry_plans, files, planning, registered
from unpretty_installer.core.client import AgentClient, number

FILE_NAME = "unpretty.js"
MARKER = b"// unpretty plugin for OpenCode"
_DIRECTORIES = ("plugins", "plugin")
_PLACEHOLDER = "__UNPRETTY__"


def plugin_source() -> bytes:
    """What our plugin file has to hold: the shipped file with the facts from ``plugin_facts`` in it."""
    template = (Path(unpretty_hooks.__file__).parent / "opencode_plugin.js").read_text(encoding="utf-8")
    return template.replace(_PLACEHOLDER, json.dumps(plugin_facts()), 1).encode("utf-8")


def plugin_facts() -> dict[str, object]:
    """What the plugin file is given: the registered command, the tools to ask about, and the agent's limits.

    Keys of ``limits``: those of ``unpretty.agents.Agent.limits``.
    """
    row = CLIENT.row
    return {"worker": registered.argv(row.name), "tools": row.result_tools, "limits": row.limits}


def entry_file(project: Path | None) -> Path:
    """Where our plugin file belongs: in the user's config directory, or in ``.opencode`` of ``project``."""
    directory = CLIENT.directory() if project is None else project / ".opencode"
    return directory / "plugins" / FILE_NAME


def entry_files(here: Path) -> list[Path]:
    """Every file on record, and every plugin file of ours that OpenCode may load when it is started in ``here``."""
    ours = [path for path in plugins(read_directories(here)) if is_ours(path)]
    return planning.each_once((*entry_plans.recorded(CLIENT.row), *ours))


def read_directories(here: Path) -> list[Path]:
    """Every directory whose plugins OpenCode may load when it is started in ``here``, each once."""
    above = [directory / ".opencode" for directory in (here, *here.parents)]
    return list(dict.fromkeys([*CLIENT.directories(), Path.home() / ".opencode", *above]))


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


def _elsewhere() -> tuple[Path, ...]:
    return (Path.home() / ".opencode" / "bin" / "opencode",)


def _version(program: str) -> str | None:
    """The version of the client at ``program``, such as ``1.18.33``."""
    return _packaged_version(program) or _answered_version(program)


def _packaged_version(found: str) -> str | None:
    """The version in the npm package that the program belongs to, which costs no start of the client."""
    for directory in list(Path(os.path.realpath(found)).parents)[:3]:
        try:
            package = json.loads((directory / "package.json").read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(package, dict) and str(package.get("name", "")).startswith("opencode-"):
            return number(str(package.get("version", "")))
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
        return number(done.stdout.decode("utf-8", "replace")) if done.returncode == 0 else None


CLIENT = AgentClient(agents.get("opencode"), _elsewhere, _version)
