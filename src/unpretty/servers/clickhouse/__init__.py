"""A ClickHouse server, read-only, over MCP."""
