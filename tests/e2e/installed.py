"""unpretty as a user gets it: built as a wheel, installed into an empty virtual environment, called by its command."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .model import Json
from .sandbox import PATH

CHECKOUT = Path(__file__).resolve().parents[2]
_NOT_SOURCE = shutil.ignore_patterns(".*", "tests", "docs", "build", "dist", "*.egg-info", "__pycache__")


def build_wheel(folder: Path) -> Path:
    """Build the wheel of the checkout as it is, in a copy: building leaves files next to the sources."""
    sources = folder / "sources"
    shutil.copytree(CHECKOUT, sources, ignore=_NOT_SOURCE)
    _run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, sources])
    [wheel] = folder.glob("unpretty-*.whl")
    return wheel


def install_wheel(wheel: Path, folder: Path) -> Path:
    """Install ``wheel`` into a new virtual environment in ``folder``; return the ``unpretty`` program in it."""
    _run([sys.executable, "-m", "venv", folder])
    _run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", wheel])
    return folder / "bin" / "unpretty"


def _run(command: list[str | Path]) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")


@dataclass(frozen=True)
class Unpretty:
    """The command in one home and project, with one agent's program on its PATH."""

    program: Path
    home: Path
    project: Path
    agent_program: Path

    @property
    def log(self) -> Path:
        """The decision log."""
        return self.home / ".local" / "state" / "unpretty" / "decisions.jsonl"

    def run(
        self, *words: str, stdin: str = "", status: int = 0, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run ``unpretty`` with the arguments ``words`` and check its exit status."""
        path = os.pathsep.join((str(self.agent_program.parent), PATH))
        environment = {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", **(env or {})}
        done = subprocess.run(
            [self.program, *words],
            cwd=self.project, env=environment, input=stdin, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == status, f"unpretty {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def json(self, *words: str, status: int = 0) -> Json:
        """Run ``unpretty`` with ``words`` and ``--json`` and decode what it prints."""
        value: Json = json.loads(self.run(*words, "--json", status=status).stdout)
        return value

    def log_lines(self, kind: str) -> list[Json]:
        """The lines of the decision log of one kind, in the order in which they were written."""
        if not self.log.exists():
            return []
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in lines if line["kind"] == kind]

    def decisions(self) -> dict[tuple[str, str], Json]:
        """The decisions by tool use id and field; each was taken once."""
        lines = self.log_lines("decision")
        found = {(line["tool_use_id"], line["field"]): line for line in lines}
        assert len(found) == len(lines), "a decision is logged twice"
        return found
