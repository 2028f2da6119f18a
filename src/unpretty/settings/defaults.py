"""Every setting, its default and what it does, and what the settings mean for one tool call."""

from unpretty.engine import reason, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unpretty.engine.context import Choose, Context

# name -> (default, what it does). The type of the default is the type of the setting. ``config_file.explanation`` fills
# in the names of the encodings, which the hook does not load.
SETTINGS: "dict[str, tuple[object, str]]" = {
    "enabled": (True, "false turns unpretty off in all agents without uninstalling it."),
    "min_bytes": (512, "Results under this many bytes are left alone."),
    "min_gain_percent": (2.0, "A conversion must save at least this share of the result's bytes."),
    "max_input_bytes": (67108864, "Results over this many bytes are left alone."),
    "budget_ms": (5000, "Work on one result is given up after this many milliseconds."),
    "terminal_noise": (True, "Reduce colour codes and overwritten progress lines in shell output."),
    "fold_paths": (True, "Group search and shell lines that share a path under that path."),
    "encodings": (["json"], "Allowed encodings: {encodings}, or auto for the smallest proven one."),
    "encodings_for": ([], "Other encodings for an agent or for tools that fit a pattern: [[encodings_for]] tables."),
    "model": ("", "The model that reads the results, when the agent does not say; chooses among encodings."),
    "exclude_tools": ([], "Tools whose results are left alone; * matches any characters (example: mcp__billing__*)."),
    "exclude_commands": (
        [],
        "Shell commands whose output is left alone; matched as a pattern against the whole command.",
    ),
    "exclude_projects": ([], "Project directories in which nothing is converted, subdirectories included."),
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

    def off_reason(self, tool: str, command: str, project: str) -> str:
        """The reason code when this call is to be left alone, by settings or environment; empty when it is not."""
        if not self.enabled or is_off_in_environment():
            return reason.DISABLED
        if self.exclude_tools or self.exclude_commands or self.exclude_projects:
            from unpretty.settings.patterns import is_inside, matches_any

            home = system.environment("HOME") or system.environment("USERPROFILE") or ""
            if (
                matches_any(self.exclude_tools, tool)
                or matches_any(self.exclude_commands, command)
                or is_inside(project, self.exclude_projects, home)
            ):
                return reason.EXCLUDED
        return ""

    def encodings_of(self, agent: str, tool: str) -> "tuple[str, ...]":
        """The encodings allowed for a tool of an agent: those of the first rule that fits, else the general ones."""
        if self.encodings_for:
            from unpretty.settings.patterns import matches

            for rule in self.encodings_for:
                pattern, chosen = rule.get("tool"), rule.get("encodings")
                fits = rule.get("agent") in (None, agent) and (not isinstance(pattern, str) or matches(pattern, tool))
                if fits and isinstance(chosen, list):
                    return tuple(chosen)
        return self.encodings

    def chooser(self, agent: str, tool: str, model: str) -> "Choose | None":
        """What chooses the encoding for a tool of an agent, read by ``model``; None for minified JSON only."""
        names = self.encodings_of(agent, tool)
        if names == ("json",):
            return None
        from unpretty.settings.chooser import Chooser

        return Chooser(names, self.model or model)

    def apply_to(self, context: "Context") -> None:
        """Put limits and switches into ``context``; noise and paths are only ever switched off."""
        context.min_bytes = self.min_bytes
        context.min_gain = self.min_gain_percent / 100
        context.max_input_bytes = self.max_input_bytes
        context.budget_seconds = self.budget_ms / 1000
        context.noise = context.noise and self.terminal_noise
        context.paths = context.paths and self.fold_paths


def is_off_in_environment() -> bool:
    """Whether ``UNPRETTY`` switches everything off."""
    return (system.environment("UNPRETTY") or "").lower() in ("off", "0", "false", "no")
