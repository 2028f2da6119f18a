"""Model Context Protocol: the proxy that stands in front of a server, and two small read-only servers."""
