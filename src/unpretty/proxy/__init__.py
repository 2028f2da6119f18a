"""The MCP proxy: it passes the messages of a client and a server and makes tool results smaller."""
