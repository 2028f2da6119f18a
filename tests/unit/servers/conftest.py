"""What tests of the servers need: the packages of the extra unpretty[mcp]."""

from importlib.util import find_spec

NEED_THE_EXTRA = ["clickhouse/test_server.py", "files/test_*.py"]
collect_ignore_glob = [] if find_spec("mcp") and find_spec("duckdb") else NEED_THE_EXTRA
