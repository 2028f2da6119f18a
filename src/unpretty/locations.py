"""Where unpretty keeps its own files. Agents' folders are the installer's business.

Linux: ``~/.config/unpretty``, ``~/.local/share/unpretty``, ``~/.local/state/unpretty`` (XDG variables honoured);
other platforms as platformdirs says. The hook never asks here: the installer bakes the paths into ``hook.py``. The
proxy in front of an MCP server is told by its launcher: clients start servers without the variables that decide here.
"""

from pathlib import Path

import platformdirs

_told: dict[str, Path] = {}


def use(*, config: str, data: str, state: str) -> None:
    """From now on use these folders, whatever the environment says."""
    _told.update(config=Path(config), data=Path(data), state=Path(state))


def config_dir() -> Path:
    """Folder of ``config.toml``."""
    return _told.get("config") or Path(platformdirs.user_config_dir("unpretty", appauthor=False))


def data_dir() -> Path:
    """Folder of the ``python`` link, ``hook.py``, the proxy's launcher and the resolved settings."""
    return _told.get("data") or Path(platformdirs.user_data_dir("unpretty", appauthor=False))


def state_dir() -> Path:
    """Folder of the decision log, receipts, backups and bug reports."""
    return _told.get("state") or Path(platformdirs.user_state_dir("unpretty", appauthor=False))


def config_file() -> Path:
    """The settings that a user edits."""
    return config_dir() / "config.toml"


def decision_log_file() -> Path:
    """The decision log; rotated files stand beside it as ``decisions.jsonl.1`` and so on."""
    return state_dir() / "decisions.jsonl"


def copies_file(agent: str) -> Path:
    """There while ``agent`` runs more than one copy of our hook on each call; see ``hooks/claim.py``."""
    return state_dir() / f"copies-{agent}"


def resolved_settings_file() -> Path:
    """The copy of the settings that the hook reads; it is made from ``config.toml`` and can be deleted at any time."""
    return data_dir() / "settings.json"
