"""Where unpretty keeps its own files. Agents' directories are the installer's business.

Linux: ``~/.config/unpretty``, ``~/.local/share/unpretty``, ``~/.local/state/unpretty`` (XDG variables honoured);
other platforms as platformdirs says. The hook never asks here: the installer bakes the paths into ``hook.py``. The
proxy of an MCP server gets them from its launcher: clients start servers without the variables that are read here.
"""

from pathlib import Path

import platformdirs

_given: dict[str, Path] = {}


def use(*, config: str, data: str, state: str) -> None:
    """From now on use these directories, regardless of the environment."""
    _given.update(config=Path(config), data=Path(data), state=Path(state))


def config_dir() -> Path:
    """Directory of ``config.toml``."""
    return _given.get("config") or Path(platformdirs.user_config_dir("unpretty", appauthor=False))


def data_dir() -> Path:
    """Directory of the ``python`` link, ``hook.py``, the proxy's launcher and the resolved settings."""
    return _given.get("data") or Path(platformdirs.user_data_dir("unpretty", appauthor=False))


def state_dir() -> Path:
    """Directory of the decision log, receipts, backups and bug reports."""
    return _given.get("state") or Path(platformdirs.user_state_dir("unpretty", appauthor=False))


def config_file() -> Path:
    """The settings that a user edits."""
    return config_dir() / "config.toml"


def decision_log_file() -> Path:
    """The decision log; rotated files are next to it as ``decisions.jsonl.1`` and so on."""
    return state_dir() / "decisions.jsonl"


def copies_file(agent: str) -> Path:
    """There while ``agent`` runs more than one copy of our hook on each call; see ``unpretty_hooks/claim.py``."""
    return state_dir() / f"copies-{agent}"


def resolved_settings_file() -> Path:
    """The copy of the settings that the hook reads; it is made from ``config.toml`` and can be deleted at any time."""
    return data_dir() / "settings.json"
