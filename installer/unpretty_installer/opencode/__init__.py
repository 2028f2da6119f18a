"""OpenCode: our plugin file and its MCP servers."""
