"""``unpretty stats`` on a log of a million lines: at most 5 s and 200 MB on the machine that the goal was set for.

    python tests/bench/stats_scale.py [--lines N] [--keep DIRECTORY]

Also: the last day of the same log, which must not read all of it. Times are processor time, so that other work on the
machine does not count, and the best of three runs; memory is the largest of them. Next to it is what orjson
alone takes for the same lines, since machines differ.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

START = 1_790_000_000_000
TOOLS = ("Bash", "Grep", "mcp__github__list_issues", "mcp__db__query", "Read")
WEIGHTS = (70, 8, 10, 8, 4)
SKIPPED = ("not_json", "not_json", "too_small", "too_small", "no_paths", "already_compact", "file_view")
GOAL_SECONDS, GOAL_MB = 5.0, 200


def lines(number: int) -> Iterator[bytes]:
    """``number`` lines of forty interleaved sessions: decisions, and after them the counts of conversions."""
    draw = random.Random(1)
    sessions = [f"{draw.getrandbits(128):032x}" for _ in range(40)]
    when, written, waiting = START, 0, list[tuple[str, int, int]]()
    while written < number:
        when += draw.choice((20, 400, 3000, 9000))
        if draw.random() < 0.003:
            sessions[draw.randrange(40)] = f"{draw.getrandbits(128):032x}"
        record, converted = decision(draw, when, draw.choice(sessions))
        yield orjson.dumps(record) + b"\n"
        written += 1
        if converted:
            waiting.append((str(record["id"]), int(str(record["bytes_in"])), int(str(record["bytes_out"]))))
        if len(waiting) > 3 and written < number:
            identity, before, after = waiting.pop(0)
            counts = {"tokens_in": before * 37 // 100, "tokens_out": after * 42 // 100}
            yield orjson.dumps({"v": 1, "kind": "tokens", "id": identity, "ts": when + 700, **counts}) + b"\n"
            written += 1


def decision(draw: random.Random, when: int, session: str) -> tuple[dict[str, object], bool]:
    """A decision line, and whether it converted."""
    [tool] = draw.choices(TOOLS, WEIGHTS)
    converted = draw.random() < (0.6 if tool.startswith("mcp") else 0.1)
    before = int(draw.lognormvariate(7.5, 1.5)) + 20
    after = int(before * draw.uniform(0.4, 0.95)) if converted else before
    return {
        "v": 1, "kind": "decision", "id": f"{draw.getrandbits(64):016x}", "ts": when, "via": "hook",
        "agent": "claude-code", "agent_version": "2.1.332", "session": session,
        "tool_use_id": f"toolu_{draw.getrandbits(96):024x}", "project": f"/home/user/src/project{draw.randrange(12)}",
        "model": "claude-opus-5-5", "tool": tool, "field": "stdout",
        "decision": "converted" if converted else "skipped",
        "reason": "converted" if converted else draw.choice(SKIPPED), "encoding": "json" if converted else "",
        "bytes_in": before, "bytes_out": after, "chars_in": before, "chars_out": after, "docs": int(converted),
        "steps": {"json": before - after} if converted else {}, "ms": round(draw.lognormvariate(0.7, 0.6), 3),
    }, converted  # fmt: skip


def measured(state: Path, *options: str) -> tuple[float, float]:
    """Seconds (best of three) and megabytes (largest) of ``unpretty stats`` with ``options``."""
    command = [sys.executable, "-m", "unpretty", "stats", "--json", *options]
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    best, largest = float("inf"), 0.0
    for _ in range(3):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, f"unpretty stats {' '.join(options)} failed"
        best = min(best, usage.ru_utime + usage.ru_stime)
        largest = max(largest, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20))
    return best, largest


def parsed_alone(log: Path) -> float:
    """Seconds that orjson takes for the lines of ``log``, best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        with log.open("rb") as source:
            for line in source:
                orjson.loads(line)
        best = min(best, time.process_time() - started)
    return best


def main() -> None:
    """Write the log, measure, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lines", type=int, default=1_000_000)
    options.add_argument("--keep", type=Path, help="directory to keep the log in, and to find it again")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        state = chosen.keep or Path(directory)
        log = state / "unpretty" / "decisions.jsonl"
        if not log.exists():
            log.parent.mkdir(parents=True)
            with log.open("wb") as file:
                file.writelines(lines(chosen.lines))
        alone = parsed_alone(log)
        print(f"{chosen.lines:,} lines, {log.stat().st_size / 1e6:.0f} MB; orjson alone {alone:.2f} s")
        last = time.strftime("%Y-%m-%d", time.localtime(last_ts(log) / 1000))
        for name, more in (
            ("agent, tool, reason", ()),
            ("all dimensions but session", ("--by", "agent,tool,reason,encoding,project,model,day")),
            ("session", ("--by", "session")),
            (f"the last day, {last}", ("--since", last)),
        ):
            seconds, megabytes = measured(state, *more)
            verdict = "" if seconds <= GOAL_SECONDS and megabytes <= GOAL_MB else "  OVER THE GOAL"
            print(f"{name:32} {seconds:6.2f} s  {seconds / alone:5.2f} x orjson  {megabytes:6.0f} MB{verdict}")


def last_ts(log: Path) -> int:
    """The time of the last line."""
    with log.open("rb") as source:
        source.seek(-4096, 2)
        return int(orjson.loads(source.read().splitlines()[-1])["ts"])


if __name__ == "__main__":
    main()
