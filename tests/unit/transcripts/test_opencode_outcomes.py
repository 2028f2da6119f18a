"""What became of the plugin's texts in OpenCode: the recorded session, and parts as they are when a text was taken."""

import json
from pathlib import Path
from typing import Any

import pytest

from unpretty.decision_log.reader import Record
from unpretty.settings.defaults import Settings
from unpretty.stats.applied import Verifier, time_limit
from unpretty.transcripts.opencode import read_results
from unpretty.transcripts.outcomes import APPLIED, REJECTED, UNKNOWN, checks
from unpretty.transcripts.reading import Reading
from unpretty_hooks import opencode, serving

from .recorded import add_part, opencode_database

BEFORE, AFTER = "b" * 2281, "a" * 1477
NOTICE = "\n\n...9 lines truncated...\n\nThe tool call succeeded but the output was truncated. Full output saved to: x"


@pytest.fixture
def directory(home: Path) -> Path:
    """OpenCode's data directory."""
    path = home / ".local" / "share" / "opencode"
    path.mkdir(parents=True)
    return path


def decision(call: str = "call_1", session: str = "ses_1", before: int = 2281, after: int = 1477) -> Record:
    return {"agent": "opencode", "session": session, "tool_use_id": call, "chars_in": before, "chars_out": after}


def store(directory: Path, text: str, tool: str = "bash", updated: int = 5, **more: Any) -> None:
    """A database with the recorded session and one part more."""
    state = {"status": "completed", "input": {}, "output": text, "metadata": {}, "time": {"end": 5}, **more}
    part = {"type": "tool", "tool": tool, "callID": "call_1", "state": state}
    database = opencode_database(directory / "opencode.db")
    add_part(database, "prt_one", json.dumps(part, separators=(",", ":")), updated=updated)
    database.close()


def conversions(path: Path) -> list[tuple[Record, str]]:
    """What the worker logs of the recorded session's results, and the text that it sends in place of each."""
    found = []
    settings = Settings()
    for one in read_results(path, Reading()):
        if one.reason:
            continue
        asked = opencode.read(one.payload, settings)
        serving.decide(asked, settings)
        texts = json.loads(opencode.reply(one.payload, asked))["texts"]
        for field in asked.changed():
            assert field.compaction is not None
            made = field.compaction.decision
            line = decision(one.call_id, one.session, before=made.chars_in, after=made.chars_out)
            found.append((line, texts[field.name]))
    assert len(found) > 3
    return found


def test_where_the_original_is_stored_the_text_was_rejected_else_applied(directory: Path) -> None:
    path = directory / "opencode.db"
    database = opencode_database(path)
    try:
        made = conversions(path)
        assert [checks()["opencode"](line) for line, _ in made] == [REJECTED] * len(made)
        for line, text in made:
            database.execute(
                "UPDATE part SET data = json_set(data, '$.state.output', ?) WHERE data ->> '$.callID' = ?",
                (text, line["tool_use_id"]),
            )
        assert [checks()["opencode"](line) for line, _ in made] == [APPLIED] * len(made)
    finally:
        database.close()


@pytest.mark.parametrize(
    ("tool", "text", "outcome"),
    [
        ("bash", AFTER, APPLIED),
        ("bash", BEFORE, REJECTED),
        ("bash", f"{AFTER}\n\nmore", UNKNOWN),
        ("t_multi", f"{AFTER}\n\nsecond", APPLIED),
        ("t_multi", f"first\n\n{BEFORE}", REJECTED),
        ("t_big", f"{AFTER[:700]}\n\n{AFTER[702:]}{NOTICE}", APPLIED),
        ("t_many", "\n\n".join([AFTER, *"abcdefghijklmnop"]), UNKNOWN),
        ("t_text", "", UNKNOWN),
    ],
)
def test_what_is_stored_decides(directory: Path, tool: str, text: str, outcome: str) -> None:
    store(directory, text, tool)
    assert checks()["opencode"](decision()) == outcome


def test_calls_are_told_apart_by_their_session(directory: Path) -> None:
    store(directory, AFTER)
    assert checks()["opencode"](decision(session="ses_2")) == UNKNOWN
    assert checks()["opencode"](decision("call_2")) == UNKNOWN


def test_parts_from_before_the_period_are_not_read(directory: Path) -> None:
    store(directory, AFTER, updated=5)
    assert checks(since_ms=5)["opencode"](decision()) == APPLIED
    assert checks(since_ms=6)["opencode"](decision()) == UNKNOWN


def test_without_a_valid_database_nothing_is_known(directory: Path) -> None:
    assert checks()["opencode"](decision()) == UNKNOWN
    (directory / "opencode.db").write_bytes(b"SQLite format 3\0")
    assert checks()["opencode"](decision()) == UNKNOWN


def test_reading_ends_when_its_time_is_over(directory: Path) -> None:
    store(directory, AFTER)
    assert Verifier(checks())(decision()) == APPLIED
    assert Verifier(checks(progress=time_limit(-1)))(decision()) == UNKNOWN
