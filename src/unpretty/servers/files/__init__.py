"""Data files below one directory, read-only, over MCP."""
