"""Where unpretty keeps its own files. Agents' folders are the installer's business.

Linux: ``~/.config/unpretty``, ``~/.local/share/unpretty``, ``~/.local/state/unpretty`` (XDG variables honoured);
other platforms as platformdirs says. The hook never asks here: the installer bakes the paths into ``hook.py``.
"""

from pathlib import Path

import platformdirs


def config_dir() -> Path:
    """Folder of ``config.toml``."""
    return Path(platformdirs.user_config_dir("unpretty", appauthor=False))


def data_dir() -> Path:
    """Folder of the ``python`` link, ``hook.py`` and the resolved settings."""
    return Path(platformdirs.user_data_dir("unpretty", appauthor=False))


def state_dir() -> Path:
    """Folder of the decision log, receipts, backups and bug reports."""
    return Path(platformdirs.user_state_dir("unpretty", appauthor=False))


def config_file() -> Path:
    """The settings that a user edits."""
    return config_dir() / "config.toml"


def decision_log_file() -> Path:
    """The decision log; rotated files stand beside it as ``decisions.jsonl.1`` and so on."""
    return state_dir() / "decisions.jsonl"


def resolved_settings_file() -> Path:
    """The copy of the settings that the hook reads; it is made from ``config.toml`` and can be deleted at any time."""
    return data_dir() / "settings.json"
