"""Claude Code: its hook entry in settings.json and its MCP servers."""
