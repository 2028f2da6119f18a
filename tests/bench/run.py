"""Speed of the hook and of the engine, as ratios measured in one run (goals: docs/how-it-works.md, "What it costs").

    python tests/bench/run.py [--rounds N] [--python PATH]

Process figures are ratios to ``python -I -S -c pass`` of the same interpreter, started in alternation, so that a slow
moment of the machine affects both. Nothing fails because of noise: the numbers are printed, and so is a missed goal.
"""

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import unpretty
from unpretty.engine.compaction import compact
from unpretty.engine.context import MCP, SHELL, Context

PLAIN = "\n".join(f"step {n}: the quick brown fox jumps over the lazy dog, and so on" for n in range(480))[:30_000]
LOG = "\n".join(f"[INFO] 12:{n % 60:02}:01 request {n} took {n % 7} ms" for n in range(800))[:30_000]
ROWS = [
    {"id": n, "name": f"user {n}", "email": f"user{n}@example.com", "score": n * 1.5, "tags": ["a", None], "ok": True}
    for n in range(155)
]
PRETTY = json.dumps(ROWS, indent=2)[:-1] + "]"
HOSTILE = {
    "open brackets": "[" * 4_000_000,
    'lines of {"a":': '{"a":\n' * 700_000,
    'lines of {"a" x': '{"a" x\n' * 60_000,
    "quotes and backslashes": '{"' + '\\"' * 2_000_000,
}


def payload(stdout: str) -> bytes:
    """A PostToolUse payload of Claude Code's Bash tool."""
    response = {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    return json.dumps(
        {
            "session_id": "s", "transcript_path": "/nonexistent/t.jsonl", "cwd": "/home/user/project",
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"},
            "tool_response": response, "tool_use_id": "toolu_1", "duration_ms": 27,
        }
    ).encode()  # fmt: skip


def hook_script(folder: Path) -> Path:
    """``hook.py`` as the installer writes it, with a log of its own and no counting of tokens after the reply."""
    from unpretty_installer.core import launcher

    config, script = folder / "config.toml", folder / "hook.py"
    config.write_text('count_tokens = "estimate"\n', "utf-8")
    script.write_bytes(launcher.source_with(folder / "decisions.jsonl", folder / "settings.json", config))
    return script


def seconds(command: list[str], data: bytes) -> float:
    """Wall time of one process, from its start to its end."""
    started = time.perf_counter()
    subprocess.run(command, input=data, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def processes(python: str, rounds: int) -> None:
    """The hook as a process, against an interpreter that does nothing."""
    with tempfile.TemporaryDirectory() as name:
        script = str(hook_script(Path(name)))
        isolated = [python, "-I", "-S"]
        jobs: dict[str, tuple[list[str], bytes, float]] = {
            "python -I -S -c pass": ([*isolated, "-c", "pass"], b"", 0),
            "hook, 30 KB without JSON": ([*isolated, script, "claude-code"], payload(PLAIN), 1.3),
            "hook, 30 KB of log lines": ([*isolated, script, "claude-code"], payload(LOG), 1.3),
            f"hook, {len(PRETTY) // 1000} KB of pretty JSON": (
                [*isolated, script, "claude-code"],
                payload(PRETTY),
                1.5,
            ),
        }
        times: dict[str, list[float]] = {job: [] for job in jobs}
        for _ in range(rounds + 1):
            for job, (command, data, _) in jobs.items():
                times[job].append(seconds(command, data))
        base = next(iter(times.values()))[1:]
        print(f"\nProcess, {rounds} rounds ({Path(python).name}); ratio of the best, median of the pairs' ratios")
        for job, (_, _, goal) in jobs.items():
            taken = times[job][1:]
            best, middle = min(taken) / min(base), median(a / b for a, b in zip(taken, base, strict=True))
            print(f"  {job:32} {min(taken) * 1000:7.1f} ms  {best:5.2f} x {middle:5.2f} x  {verdict(best, goal)}")


def verdict(ratio: float, goal: float) -> str:
    """Whether a ratio reaches its goal."""
    if not goal:
        return ""
    return f"goal {goal} x" + (" reached" if ratio <= goal else f", missed by {(ratio / goal - 1):.0%}")


def throughput(name: str, size: int, work: Callable[[], object], goal: float = 0) -> None:
    """Print megabytes per second, best of several runs."""
    best = 1e9
    for _ in range(7):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    rate = size / best / 1e6
    note = (
        f"goal {goal:.0f} MB/s" + (" reached" if rate >= goal else f", missed by {1 - rate / goal:.0%}") if goal else ""
    )
    print(f"  {name:32} {rate:8.1f} MB/s  {note}")


def engine() -> None:
    """The engine inside one process."""
    print("\nEngine")
    # A copy of ``json`` for comparison: what a plain decode and encode of the same text takes.
    small, large = PRETTY, json.dumps(ROWS * 60, indent=2)
    throughput("json.loads + json.dumps", len(large), lambda: json.dumps(json.loads(large)))
    for text in (small, large):
        context = Context(MCP)
        assert compact(text, context).decision.converted
        throughput(
            f"compact, {len(text) / 1e6:.2f} MB of pretty JSON", len(text), lambda t=text, c=context: compact(t, c), 40
        )
    text = PLAIN * 100
    shell = Context(SHELL, command="make", noise=True, paths=True)
    throughput(f"pass over {len(text) / 1e6:.0f} MB of plain text", len(text), lambda: compact(text, shell), 300)


def hostile() -> None:
    """Texts made to be slow: twice the text may take twice the time, not four times."""
    print("\nHostile text: time for all of it against time for its first half (2.0 = linear)")
    for name, text in HOSTILE.items():
        taken = []
        for part in (text[: len(text) // 2], text):
            started = time.perf_counter()
            compact(part, Context(MCP, budget_seconds=600))
            taken.append(time.perf_counter() - started)
        print(f"  {name:32} {taken[1] * 1000:8.1f} ms  {taken[1] / taken[0]:5.1f}")


def main() -> None:
    """Run all parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--python", default=str(Path(sys.executable).resolve()), help="the interpreter of the hook")
    options = parser.parse_args()
    print(f"unpretty {unpretty.__version__}, Python {sys.version.split()[0]}")
    processes(options.python, options.rounds)
    gc.disable()
    engine()
    hostile()


if __name__ == "__main__":
    main()
