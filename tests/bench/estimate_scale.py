"""Speed and memory of `unpretty estimate` on generated transcripts of any size, mixed as in real sessions.

    python tests/bench/estimate_scale.py [--megabytes N] [--json-share PERCENT] [--files N]

Goals (docs/estimate.md): 20 MB/s of transcript per core on sessions without much JSON, peak memory that does not grow
with the size. The mix is that of real sessions by tokens: file reads 53 %, shell output 35 %, searches 5 %, the rest
edits and MCP results. Texts are taken from Python's own standard library, so that tokens are those of code and prose.
"""

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_ID = "toolu_%022d"


def corpus() -> list[str]:
    """Lines of source text."""
    directory = Path(json.__file__).parents[1]
    files = sorted(directory.glob("*.py"))[:120]
    return [line for file in files for line in file.read_text("utf-8", "replace").splitlines()]


class Sessions:
    """Tool results in the wanted mix, each as a pair of call and result."""

    def __init__(self, json_share: float, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._lines = corpus()
        self._json_share = json_share
        self._number = 0

    def _some_lines(self, most: int = 400) -> list[str]:
        count = min(most, int(self._random.lognormvariate(3.2, 1.1)) + 1)
        start = self._random.randrange(len(self._lines) - count)
        return self._lines[start : start + count]

    def _rows(self) -> str:
        rows = [
            {"id": self._random.randrange(10**9), "name": line.strip()[:40], "ok": True, "tags": ["a", None]}
            for line in self._some_lines(60)
        ]
        return json.dumps(rows, indent=2 if self._random.random() < 0.5 else None)

    def _search(self) -> str:
        names = [f"src/package_{n}/module_{self._random.randrange(9)}.py" for n in range(5)]
        return "\n".join(f"{self._random.choice(names)}:{n}:{line}" for n, line in enumerate(self._some_lines(80)))

    def _coloured(self) -> str:
        return "\n".join(f"\x1b[32mPASSED\x1b[0m {line}" for line in self._some_lines(80))

    def _shell(self) -> tuple[str, str]:
        kind = self._random.random()
        if kind < self._json_share:
            return "gh api repos", self._rows()
        if kind < self._json_share + 0.05:
            return "grep -rn x src", self._search()
        if kind < self._json_share + 0.08:
            return "pytest -q", self._coloured()
        return "make test", "\n".join(self._some_lines())

    def pair(self) -> tuple[dict[str, object], dict[str, object]]:
        """The records of one call."""
        self._number += 1
        call_id = _ID % self._number
        kind = self._random.random()
        given: dict[str, object] = {}
        result: dict[str, object] = {}
        name = "Bash"
        if kind < 0.53:
            name, text = "Read", "\n".join(self._some_lines())
            given = {"file_path": "/home/user/project/a.py"}
            read = "\n".join(f"{n:6}\u2192{line}" for n, line in enumerate(text.split("\n"), 1))
            result = {"type": "text", "file": {"filePath": "/home/user/project/a.py", "content": text}}
        elif kind < 0.93:
            given["command"], read = self._shell()
            result = {"stdout": read, "stderr": "", "interrupted": False, "isImage": False}
        else:
            name = "Edit"
            read = "The file /home/user/project/a.py has been updated.\n" + "\n".join(self._some_lines(30))
            result = {"filePath": "/home/user/project/a.py", "originalFile": "\n".join(self._some_lines())}
        return self._records(call_id, name, given, read, result)

    def _records(
        self, call_id: str, name: str, given: dict[str, object], read: str, result: object
    ) -> tuple[dict[str, object], dict[str, object]]:
        common = {
            "parentUuid": f"{self._number:032x}", "isSidechain": False, "userType": "external", "version": "2.1.332",
            "cwd": "/home/user/project", "sessionId": f"session-{self._number // 500}", "gitBranch": "main",
            "timestamp": f"2026-11-30T02:39:{self._number % 60:02}.{self._number % 1000:03}Z",
        }  # fmt: skip
        call = {"type": "tool_use", "id": call_id, "name": name, "input": given}
        block = {"type": "tool_result", "tool_use_id": call_id, "content": read, "is_error": False}
        message = {"role": "assistant", "model": "claude", "content": [call], "usage": {"output_tokens": 10}}
        return (
            {**common, "type": "assistant", "message": message},
            {**common, "type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": result},
        )

    def lines(self) -> Iterator[bytes]:
        """Lines of a transcript without end."""
        while True:
            thought = {"type": "text", "text": "\n".join(self._some_lines(20))}
            prose = {"type": "assistant", "message": {"role": "assistant", "content": [thought]}}
            for record in (prose, *self.pair()):
                yield json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def write(directory: Path, size: int, files: int, json_share: float) -> int:
    """Write transcripts of about ``size`` bytes; one part is made and repeated with other ids. The bytes written."""
    part: list[bytes] = []
    made = 0
    for line in Sessions(json_share).lines():
        part.append(line)
        made += len(line)
        if made > min(size // files, 20_000_000):
            break
    text = b"".join(part)
    written = number = 0
    for file in range(files):
        with (directory / f"{file}.jsonl").open("wb") as out:
            while written < size * (file + 1) // files:
                number += 1
                written += out.write(re.sub(rb"toolu_0000", b"toolu_%04d" % number, text))
    return written


def main() -> None:
    """Make transcripts, estimate them in another process, print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--json-share", type=float, default=8.0, help="percent of the shell results that are JSON")
    parser.add_argument("--files", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        size = write(directory, options.megabytes * 1_000_000, options.files, options.json_share / 100)
        program = "from unpretty.cli.main import main; main()"
        command = [sys.executable, "-c", program, "estimate", name, "--json"]
        environment = {"HOME": name, "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
        start = time.perf_counter()
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
        seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    totals = report["totals"]
    core = used.ru_utime + used.ru_stime
    read = totals["bytes_read"]
    shares = f"JSON {100 * totals['json_bytes'] / read:.1f} %, made smaller {100 * totals['bytes_in'] / read:.1f} %"
    print(f"{size / 1e6:,.0f} MB, {totals['results']:,} results, {read / 1e6:,.0f} MB read by the model ({shares})")
    print(f"{seconds:.1f} s, {core:.1f} s of one core: {size / 1e6 / core:.0f} MB/s per core (goal 20)")
    saved = f"{totals['tokens_saved']:,} of {totals['tokens_read']:,} tokens ({100 * totals['share']:.2f} %)"
    print(f"peak memory {used.ru_maxrss / 1024:.0f} MB; saved {saved}")


if __name__ == "__main__":
    main()
