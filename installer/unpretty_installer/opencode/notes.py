"""What keeps our plugin from being loaded, or from being alone: said by the plan and by the doctor."""

import os
from pathlib import Path

from unpretty_installer.core import planning
from unpretty_installer.core.plan import Note, Options
from unpretty_installer.opencode import places


def environment(options: Options) -> list[Note]:
    """What in the environment keeps OpenCode from loading the plugin."""
    found = []
    if _is_set("OPENCODE_PURE"):
        found.append(Note("pure", "OPENCODE_PURE is set: an OpenCode started here loads no plugins."))
    if options.project is not None and _is_set("OPENCODE_DISABLE_PROJECT_CONFIG"):
        message = "OPENCODE_DISABLE_PROJECT_CONFIG is set: an OpenCode started here loads no plugins of a project."
        found.append(Note("project_config_off", message))
    return found


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "").lower() in ("1", "true")


def copies(path: Path, here: Path) -> list[Note]:
    """A note for each copy of ours in another directory than that of ``path`` that OpenCode may load as well."""
    return [
        Note("second_copy", f"{other} is a copy of our plugin, too. Only one of them works on a result; one is enough.")
        for other in places.plugins(places.read_directories(here))
        if places.is_ours(other) and not planning.same_file(other.parent.parent, path.parent.parent)
    ]


def others(here: Path) -> list[Note]:
    """A note for each foreign plugin that may change the same results."""
    return [
        Note("other_hook", f"{path} may change tool results too; OpenCode runs its plugins one after the other.")
        for path in places.plugins(places.read_directories(here))
        if not places.is_ours(path) and places.rewrites_results(path)
    ]


def start_up(path: Path) -> list[Note]:
    """OpenCode waits for npm as soon as there is any plugin; without a network that takes over a minute per start."""
    directory = path.parent.parent
    if (directory / "node_modules" / "@opencode-ai" / "plugin").is_dir():
        return []
    return [
        Note(
            "start_up_wait",
            "With any plugin OpenCode installs @opencode-ai/plugin from npm when it starts and waits for it. Without a "
            f"network that can take over a minute each time; the line `fetch-retries=0` in {directory / '.npmrc'} "
            "makes it give up at once, and the plugin works all the same.",
        )
    ]
