"""Every setting, its default and what it does. The hook reads this module, so it holds literals only."""

# name -> (default, what it does). The type of the default is the type of the setting.
SETTINGS: "dict[str, tuple[object, str]]" = {
    "enabled": (True, "false turns unpretty off in all agents without uninstalling it."),
    "min_bytes": (512, "Results under this many bytes are left alone."),
    "min_gain_percent": (2.0, "A conversion must save at least this share of the result's bytes."),
    "max_input_bytes": (67108864, "Results over this many bytes are left alone."),
    "budget_ms": (5000, "Work on one result is given up after this many milliseconds."),
    "terminal_noise": (True, "Reduce colour codes and overwritten progress lines in shell output."),
    "fold_paths": (True, "Group search and shell lines that share a path under that path."),
    "encodings": (
        ["json"],
        "Allowed encodings: json, columnar, toon, tight-c, ldf, or auto for the smallest proven one.",
    ),
    "encodings_for": ([], "Other encodings for an agent or for tools that fit a pattern: [[encodings_for]] tables."),
    "model": ("", "The model that reads the results, when the agent does not say; chooses among encodings."),
    "exclude_tools": ([], "Tools whose results are left alone; * matches any characters (example: mcp__billing__*)."),
    "exclude_commands": (
        [],
        "Shell commands whose output is left alone; matched as a pattern against the whole command.",
    ),
    "exclude_projects": ([], "Project folders in which nothing is converted, subfolders included."),
    "inline_persisted": (
        False,
        "Read output that Claude Code saved to a file and show it whole when it fits compacted.",
    ),
    "count_tokens": ("exact", '"exact" counts o200k tokens after the reply has left, "estimate" never counts.'),
    "log_max_bytes": (33554432, "Size in bytes at which the decision log is rotated."),
    "log_files": (4, "How many decision log files are kept, the current one included."),
}


class Settings:
    """Settings as attributes, named as in ``SETTINGS``; lists are tuples."""

    enabled: bool
    min_bytes: int
    min_gain_percent: float
    max_input_bytes: int
    budget_ms: int
    terminal_noise: bool
    fold_paths: bool
    encodings: "tuple[str, ...]"
    encodings_for: "tuple[dict[str, object], ...]"
    model: str
    exclude_tools: "tuple[str, ...]"
    exclude_commands: "tuple[str, ...]"
    exclude_projects: "tuple[str, ...]"
    inline_persisted: bool
    count_tokens: str
    log_max_bytes: int
    log_files: int

    def __init__(self, values: "dict[str, object] | None" = None) -> None:
        """Take ``values`` over the defaults; names that are not settings are ignored."""
        for name, (default, _) in SETTINGS.items():
            value = default if values is None else values.get(name, default)
            setattr(self, name, tuple(value) if isinstance(value, list) else value)
