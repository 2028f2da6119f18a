"""Codex: its hook entry in hooks.json or config.toml, trust in it, and its MCP servers."""

from unpretty_installer.codex import checkup, places, plans, servers
from unpretty_installer.core.agent_installer import AgentInstaller
from unpretty_installer.wrap.plans import with_wrapping

installer = with_wrapping(
    AgentInstaller(
        places.CLIENT.row, places.CLIENT.is_found, plans.plan_install, plans.plan_uninstall, checkup.examine
    ),
    servers.servers,
)
