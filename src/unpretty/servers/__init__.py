"""Small read-only MCP servers for files and for ClickHouse."""
