"""Putting the proxy in front of MCP servers: what wrapping shares over all agents."""
