"""What the proxy costs, compared with ``cat``: time per small message, bytes per second of large ones.

Run ``python tests/bench/proxy.py [--json]``. Goals: a small message takes less than 1 ms longer than through ``cat``, a
large result passes at 40 MB/s or more (MB = 1,000,000 bytes of the message as the server wrote it). On a busy machine
the figure per second of the proxy's own processor time (Linux) is more reliable.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SMALL_CALLS = 2_000
IN_FLIGHT = 100
LARGE_BYTES = 32_000_000
ROUNDS = 3


def serve(size: int) -> None:
    """Answer every request; ``tools/call`` with a pretty-printed text of about ``size`` bytes."""
    row = {"id": 12345, "name": "a name of some length", "price": 12.5, "tags": ["red", "green"], "note": None}
    count = max(1, size // len(json.dumps(row, indent=2)))
    text = json.dumps([row] * count, indent=2) if size else "ok"
    body = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "bench", "version": "1"},
    }
    greeting = json.dumps(hello).encode()
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        request = json.loads(line)
        result = greeting if request["method"] == "initialize" else body
        out.write(b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (request["id"], result))
        out.flush()


class Connection:
    """A client's end of a server that runs through a proxy."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.count = 0
        self.send("initialize", {"clientInfo": {"name": "claude-code", "version": "1"}, "capabilities": {}})
        self.stdout.readline()

    def send(self, method: str, params: dict[str, object]) -> None:
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.stdin.write(json.dumps(request).encode() + b"\n")
        self.stdin.flush()

    def call(self) -> int:
        self.send("tools/call", {"name": "rows", "arguments": {}})
        return len(self.stdout.readline())

    def close(self) -> None:
        self.stdin.close()
        self.process.wait(20)
        self.stdout.close()


def commands(size: int) -> dict[str, list[str]]:
    """The same server through ``cat`` and through the proxy."""
    server = [sys.executable, "-I", "-S", os.path.abspath(__file__), "--serve", str(size)]
    shell = " ".join(server)
    return {
        "cat": ["sh", "-c", f"cat | {shell} | cat"],
        "proxy": [sys.executable, "-m", "unpretty", "proxy", "--", *server],
    }


def microseconds_per_call(connection: Connection) -> float:
    """Time of one small call and its answer, one after the other."""
    for _ in range(100):
        connection.call()
    times = []
    for _ in range(SMALL_CALLS):
        started = time.perf_counter()
        connection.call()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e6


def microseconds_in_flight(connection: Connection) -> float:
    """Time per small call with ``IN_FLIGHT`` of them sent before the first answer is read."""
    started = time.perf_counter()
    for _ in range(SMALL_CALLS // IN_FLIGHT):
        for _ in range(IN_FLIGHT):
            connection.send("tools/call", {"name": "rows", "arguments": {}})
        for _ in range(IN_FLIGHT):
            connection.stdout.readline()
    return (time.perf_counter() - started) / SMALL_CALLS * 1e6


def megabytes_per_second(connection: Connection, sent: int) -> float:
    """Bytes that the server wrote per second, in the best of ``ROUNDS`` calls."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        connection.call()
        best = min(best, time.perf_counter() - started)
    return sent / best / 1e6


def processor_seconds(pid: int) -> float:
    """Processor time of a process so far, 0 where the system has no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure() -> dict[str, float]:
    """All figures by name."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        for name, command in commands(0).items():
            connection = Connection(command, environment)
            figures[f"{name}: microseconds per small call"] = microseconds_per_call(connection)
            figures[f"{name}: microseconds per small call, {IN_FLIGHT} in flight"] = microseconds_in_flight(connection)
            connection.close()
        sent = 0
        for name, command in commands(LARGE_BYTES).items():
            connection = Connection(command, environment)
            sent = sent or connection.call()
            before = processor_seconds(connection.process.pid)
            figures[f"{name}: MB/s of a {sent // 1_000_000} MB result"] = megabytes_per_second(connection, sent)
            spent = processor_seconds(connection.process.pid) - before
            if name == "proxy" and spent:
                figures["proxy: MB per second of its processor time"] = ROUNDS * sent / spent / 1e6
            connection.close()
    return figures


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--serve", type=int)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    if chosen.serve is not None:
        serve(chosen.serve)
        return
    figures = measure()
    if chosen.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{figure:12,.1f}  {name}")


if __name__ == "__main__":
    main()
