"""A decision log that tests write line by line, with the program's own writer."""

import itertools
from pathlib import Path

import pytest

from unpretty.decision_log.writer import append
from unpretty.report.period import Period
from unpretty.stats.report import StatsReport, build_report

START = 1_790_000_000_000  # 2026-09-21 14:13:20 UTC


class Log:
    """Appends lines to ``path``; what a line does not say is as of an ordinary Bash result that was converted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._numbers = itertools.count()

    def decision(self, **fields: object) -> str:
        """Append a decision and return its id."""
        number = next(self._numbers)
        converted = fields.get("reason", "converted") == "converted"
        record: dict[str, object] = {
            "v": 1, "kind": "decision", "id": f"{number:016x}", "ts": START + number, "via": "hook",
            "agent": "claude-code", "agent_version": "2.1.332", "session": "s1", "tool_use_id": f"toolu_{number}",
            "project": "/home/user/project", "model": "claude-opus-5-5", "tool": "Bash", "field": "stdout",
            "decision": "converted" if converted else "skipped", "reason": "converted",
            "encoding": "json" if converted else "", "bytes_in": 1000, "bytes_out": 600 if converted else 1000,
            "chars_in": 1000, "chars_out": 600 if converted else 1000, "docs": int(converted),
            "steps": {"json": 400} if converted else {}, "ms": 2.5,
        }  # fmt: skip
        record.update(fields)
        assert append(str(self.path), record)
        return str(record["id"])

    def tokens(self, identity: str, tokens_in: object, tokens_out: object, **fields: object) -> None:
        """Append the count for a decision."""
        record = {
            "v": 1, "kind": "tokens", "id": identity, "ts": START + next(self._numbers),
            "tokens_in": tokens_in, "tokens_out": tokens_out, **fields,
        }  # fmt: skip
        assert append(str(self.path), record)

    def report(self, *dimensions: str, period: Period | None = None, **options: object) -> StatsReport:
        """The report on everything."""
        return build_report(self.path, period or Period(), dimensions, **options)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path / "decisions.jsonl")
