"""Codex: its hook entry in hooks.json or config.toml, trust in it, and its MCP servers."""
