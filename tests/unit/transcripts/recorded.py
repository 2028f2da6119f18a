"""Sessions that the real clients recorded, and what their hooks were given in them (tests/fixtures/README.md)."""

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from unpretty.engine.json_text.scanner import loads
from unpretty.settings.defaults import Settings
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import ToolResult
from unpretty_hooks import serving
from unpretty_hooks.call import Call

FIXTURES = Path(__file__).parents[2] / "fixtures"
Decided = list[tuple[str, str, int, int]]
Reader = Callable[[BinaryIO, Reading], Iterator[ToolResult]]


def path_of(name: str) -> Path:
    """A recorded file."""
    return FIXTURES / name


def records(name: str) -> list[dict[str, Any]]:
    """The lines of a recorded file."""
    return [json.loads(line) for line in path_of(name).read_text("utf-8").splitlines()]


def results(reader: Reader, name: str, reading: Reading | None = None) -> list[ToolResult]:
    """The tool results that ``reader`` finds in a recorded file."""
    with path_of(name).open("rb") as file:
        return list(reader(file, reading or Reading()))


def read(reader: Reader, *lines: object, reading: Reading | None = None) -> list[ToolResult]:
    """The tool results in records made up here; bytes are taken as they are."""
    text = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    return list(reader(io.BytesIO(text), reading or Reading()))


def decide(adapter: Any, payload: dict[str, Any]) -> Decided:
    """What the hook decides on each text of a payload: field, reason, bytes before and after."""
    settings = Settings()
    call: Call = adapter.read(payload, settings)
    serving.decide(call, settings)
    adapter.reply(payload, call)
    decisions = [(field.name, field.compaction.decision) for field in call.fields if field.compaction is not None]
    return [(name, one.reason, one.bytes_in, one.bytes_out) for name, one in decisions] or [("", call.reason, 0, 0)]


def payloads(name: str) -> dict[str, dict[str, Any]]:
    """Recorded payloads by the id of their call, parsed as hooks parse them."""
    found = [loads(line) for line in path_of(name).read_text("utf-8").splitlines()]
    return {str(payload["tool_use_id"]): payload for payload in found if isinstance(payload, dict)}


def opencode_database(path: Path) -> sqlite3.Connection:
    """A database as OpenCode makes it, with the recorded session in it; to be closed."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = wal")
    database.executescript(path_of("opencode/schema.sql").read_text("utf-8"))
    [session] = records("opencode/sessions.jsonl")
    add_row(database, "session", session)
    for row in records("opencode/parts.jsonl"):
        add_part(database, row["id"], row["data"], session=row["session_id"], updated=row["time_updated"])
    return database


def add_part(database: sqlite3.Connection, name: str, data: str, session: str = "ses_1", updated: int = 0) -> None:
    """Add a row to the table ``part``."""
    row = {"id": name, "message_id": "msg_1", "session_id": session, "time_created": 0, "time_updated": updated}
    add_row(database, "part", {**row, "data": data})


def add_row(database: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    """Add a row to a table."""
    columns, marks = ", ".join(f"`{name}`" for name in row), ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))
