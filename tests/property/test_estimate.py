"""Estimates: SQLite files are read as SQLite reads them, nothing in a record stops the reading, all sums add up."""

import io
import json
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from unpretty.estimate.commands import command_name
from unpretty.estimate.report import DIMENSIONS, build_report
from unpretty.estimate.tally import Tally, shared_out
from unpretty.settings.defaults import Settings
from unpretty.transcripts import claude_code, codex
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import FAILED, ToolResult
from unpretty.transcripts.sqlite_pages import DamagedDatabase
from unpretty.transcripts.sqlite_rows import Database

FIXTURES = Path(__file__).parents[1] / "fixtures"
TRANSCRIPT = (FIXTURES / "claude-code" / "session.jsonl").read_bytes()
ROLLOUT = (FIXTURES / "codex" / "rollout.jsonl").read_bytes()

fewer = settings(max_examples=max(50, settings().max_examples // 4))

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=50),
    st.binary(max_size=50),
    st.integers(0, 20_000).map(lambda size: "x" * size),
    st.integers(0, 20_000).map(bytes),
)


def database(path: Path, rows: list[list[Any]], size: int, wal: bool, delete: int) -> sqlite3.Connection:
    """A database with a table of three columns; every ``delete``-th row is deleted again."""
    opened = sqlite3.connect(path, isolation_level=None)
    opened.execute(f"PRAGMA page_size = {size}")
    if wal:
        opened.execute("PRAGMA journal_mode = wal")
    opened.execute("PRAGMA synchronous = off")
    opened.execute("CREATE TABLE other (x)")
    opened.execute("CREATE TABLE t (a, b, c)")
    opened.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    if delete:
        opened.execute("DELETE FROM t WHERE rowid % ? = 0", (delete,))
    return opened


@fewer
@given(
    st.lists(st.lists(VALUES, min_size=3, max_size=3), max_size=60),
    st.sampled_from([512, 1024, 4096, 65536]),
    st.booleans(),
    st.integers(0, 4),
)
def test_rows_are_those_that_sqlite_gives(rows: list[list[Any]], size: int, wal: bool, delete: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "a.db"
        opened = database(path, rows, size, wal, delete)
        expected = opened.execute("SELECT a, b, c FROM t ORDER BY rowid").fetchall()
        with Database(path) as ours:
            found = [tuple(row.value(name) for name in "abc") for row in ours.rows("t")]
            assert ours.damaged == 0
        opened.close()
    assert found == expected
    assert [list(map(type, row)) for row in found] == [list(map(type, row)) for row in expected]


@fewer
@given(
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=8)), min_size=1, max_size=20),
    st.booleans(),
)
def test_damage_of_a_database_costs_rows_and_nothing_else(damage: list[tuple[float, bytes]], wal: bool) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "a.db"
        opened = database(path, [[number, "x" * (number * 37 % 3000), None] for number in range(60)], 512, wal, 0)
        for file in (path, path.with_name("a.db-wal")):
            data = bytearray(file.read_bytes()) if file.exists() else bytearray()
            for place, piece in damage if data else []:
                start = int(place * len(data))
                data[start : start + len(piece)] = piece
            (Path(directory) / f"copy{file.name[1:]}").write_bytes(data)
        opened.close()
        try:
            with Database(Path(directory) / "copy.db") as ours:
                for row in ours.rows("t"):
                    try:
                        row.value("b")
                    except DamagedDatabase:
                        continue
        except DamagedDatabase:
            return


MUTATIONS = st.lists(
    st.tuples(
        st.floats(0, 1), st.integers(0, 40), st.sampled_from([b"", b"\n", b'"', b"{", b"}", b"[", b"\xff", b"null"])
    ),
    max_size=12,
)


@fewer
@given(st.sampled_from([(claude_code, TRANSCRIPT), (codex, ROLLOUT)]), MUTATIONS)
def test_nothing_in_a_record_stops_the_reading(
    kind: tuple[Any, bytes], mutations: list[tuple[float, int, bytes]]
) -> None:
    reader, text = kind
    for place, length, piece in mutations:
        start = int(place * len(text))
        text = text[:start] + piece + text[start + length :]
    read_bytes: list[int] = []
    found = list(reader.read_lines(io.BytesIO(text), Reading(progress=read_bytes.append)))
    assert sum(read_bytes) == len(text)
    tally = Tally(Settings(), len)
    for one in found:
        tally.add(one)
    assert sum(cell.results for cell in tally.cells.values()) + tally.copies + tally.replaced == len(found)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def short_lines(text: bytes) -> list[bytes]:
    return [line for line in text.splitlines() if len(line) < 3_000][:8]


SHORT = {claude_code: short_lines(TRANSCRIPT), codex: short_lines(ROLLOUT)}
PLACES = st.lists(st.tuples(st.integers(0, 7), st.lists(st.integers(0, 30), min_size=1, max_size=6), JSON), max_size=6)


@fewer
@given(st.sampled_from(list(SHORT)), PLACES)
def test_records_of_any_shape_are_survived(reader: Any, places: list[tuple[int, list[int], Any]]) -> None:
    """Known records in which any value is replaced by some other one."""
    records = [json.loads(line) for line in SHORT[reader]]
    for number, path, value in places:
        holder = records[number % len(records)]
        for step in path:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            key = keys[step % len(keys)]
            if not isinstance(holder[key], (dict, list)) or not holder[key] or step % 3 == 0:
                holder[key] = json.loads(json.dumps(value))
                break
            holder = holder[key]
    lines = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    tally = Tally(Settings(), len)
    for one in reader.read_lines(io.BytesIO(lines), Reading()):
        tally.add(one)


PRETTY = json.dumps([{"id": number, "name": "x"} for number in range(30)], indent=2)
TEXTS = st.sampled_from([PRETTY, "a\n" + PRETTY, "plain text\n" * 60, "", "small", json.dumps({"s": PRETTY}, indent=1)])
RESULTS = st.lists(
    st.tuples(
        st.sampled_from(["Bash", "mcp__t__x"]), TEXTS, st.sampled_from(["", FAILED]),
        st.sampled_from(["make", "a b", ""]), st.integers(0, 5), st.sampled_from(["s1", "s2"]),
    ),
    max_size=12,
)  # fmt: skip


@fewer
@given(RESULTS)
def test_every_breakdown_adds_up_to_the_total(rows: list[tuple[str, str, str, str, int, str]]) -> None:
    tally = Tally(Settings(), lambda text: len(text.split()), day_of=str)
    for number, (tool, text, why, command, when, session) in enumerate(rows):
        response: object = {"stdout": text} if tool == "Bash" else [{"type": "text", "text": text}]
        payload = {"tool_name": tool, "tool_response": response, "tool_input": {"command": command}}
        tally.add(
            ToolResult("claude-code", tool, session, str(number), str(number), when, (text,), command, payload, why)
        )
    report = build_report(tally, [], Reading(), lambda text: len(text.split()))
    total = report.totals.to_json()
    for dimension in DIMENSIONS:
        if dimension == "command" and not all(row[3] for row in rows):
            continue
        parts = [figures.to_json() for _, figures in report.by[dimension]]
        for name, value in total.items():
            if name not in ("share", "median_percent", "p90_percent"):
                assert sum(part[name] for part in parts) == value
    assert sum(step.tokens for step in report.steps.values()) == total["tokens_saved"]
    assert sum(step.bytes for step in report.steps.values()) == total["bytes_in"] - total["bytes_out"]


@given(st.integers(-10_000, 10_000), st.dictionaries(st.sampled_from("abcdefg"), st.integers(-500, 5_000)))
def test_shares_of_steps_add_up(tokens: int, steps: dict[str, int]) -> None:
    parts = shared_out(tokens, steps)
    assert sum(part for _, _, part in parts) == (tokens if steps else 0)
    assert {name: size for name, size, _ in parts} == steps


@given(st.text("abc='\"\\ /;&|\n$(){}-.0é", max_size=60))
def test_the_name_of_a_command_shows_at_most_one_word(command: str) -> None:
    name = command_name(command)
    assert name in ("", "(other)") or (name in command and not set(name) & set(" /;&|\n='\"$(){}"))
