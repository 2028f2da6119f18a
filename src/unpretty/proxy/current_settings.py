"""Settings in force for a tool result, and the engine's context made from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unpretty import locations
from unpretty.engine import system
from unpretty.engine.commands import asks_for_original, reads_file, shows_file
from unpretty.engine.context import FILE, MCP, Context
from unpretty.settings.defaults import Settings
from unpretty.settings.resolved import load

if TYPE_CHECKING:
    from unpretty.proxy.clients import ToolCall


class CurrentSettings:
    """The user's settings, read again when config.toml changes, and what they mean for one tool.

    Attributes:
        settings: the settings in force at the last ``refresh``.
        project: the directory that the client started us in.
    """

    def __init__(self) -> None:
        self._config = locations.config_file()
        self._resolved = str(locations.resolved_settings_file())
        self._stamp: tuple[int, int] | None = None
        self.settings = Settings()
        self.project = _working_directory()

    def refresh(self) -> None:
        """Read the settings if config.toml is not what it was; the defaults stay while the proxy is only tried."""
        if system.is_selftest():
            return
        try:
            status = self._config.stat()
            stamp = (status.st_mtime_ns, status.st_size)
        except OSError:
            stamp = (0, 0)
        if stamp != self._stamp:
            self.settings = load(self._resolved, str(self._config))
            self._stamp = stamp

    def switched_off(self, call: ToolCall, tool_id: str) -> str:
        """The reason code when results of ``tool_id`` (mcp__server__tool) have to be left alone, else empty."""
        return self.settings.off_reason(tool_id, call.command, self.project)

    def context(self, call: ToolCall, tool_id: str) -> Context:
        """The engine's context for a text of a result of ``call``, a call of ``tool_id``."""
        as_it_is = reads_file(tool_id) or asks_for_original(call.command) or shows_file(call.command)
        context = Context(FILE if as_it_is else MCP, command=call.command)
        self.settings.apply_to(context)
        return context


def _working_directory() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was removed
        return ""
