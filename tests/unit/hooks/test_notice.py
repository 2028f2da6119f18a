"""The one line about an encoding: once in a session, whatever happens."""

from pathlib import Path

import pytest

from unpretty.engine.compaction import Compaction, Decision
from unpretty.engine.context import SHELL, Context
from unpretty_hooks import notice
from unpretty_hooks.call import Call, Field
from unpretty_hooks.state import Files


def call(session: str = "s/1", encoding: str = "toon", command: str = "gh api x") -> Call:
    made = Call("codex")
    made.session, made.command = session, command
    field = Field("output", "x" * 100, Context(SHELL))
    decision = Decision("converted", field.text)
    decision.encoding = encoding
    decision.bytes_out = decision.chars_out = 4
    field.compaction = Compaction("text", decision)
    made.fields.append(field)
    return made


def texts(made: Call) -> list[str]:
    return [field.compaction.text for field in made.fields if field.compaction is not None]


def test_the_first_text_of_a_session_begins_with_the_line(tmp_path: Path) -> None:
    log = str(tmp_path / "decisions.jsonl")
    first, second, other, elsewhere = call(), call(), call(encoding="ldf"), call(session="s2")
    for made in (first, second, other, elsewhere):
        notice.announce(made, Files(log, "", "").is_first, in_context=False)
    assert texts(first)[0].startswith("[unpretty: JSON tables are written as TOON here; the data is the same. For the")
    assert texts(first)[0].endswith("]\ntext")
    decision = first.fields[0].compaction.decision  # type: ignore[union-attr]
    assert decision.bytes_out == decision.chars_out == len(texts(first)[0])
    assert texts(second) == ["text"]
    assert "LDF" in texts(other)[0]
    assert texts(elsewhere)[0] == texts(first)[0]


def test_where_the_agent_shows_context_the_text_stays(tmp_path: Path) -> None:
    made = call(command="")
    notice.announce(made, Files(str(tmp_path / "log"), "", "").is_first, in_context=True)
    assert texts(made) == ["text"]
    assert made.notice == "unpretty: JSON tables are written as TOON here; the data is the same."


def test_json_is_never_announced(tmp_path: Path) -> None:
    made = call(encoding="json")
    notice.announce(made, Files(str(tmp_path / "log"), "", "").is_first, in_context=False)
    assert texts(made) == ["text"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("session", ["../../etc", "a\0b", "x" * 500, ""])
def test_no_session_id_leads_out_of_the_folder(tmp_path: Path, session: str) -> None:
    notice.announce(call(session=session), Files(str(tmp_path / "log"), "", "").is_first, in_context=False)
    assert len(list((tmp_path / "noticed").iterdir())) == 1


def test_what_cannot_be_remembered_is_not_said(tmp_path: Path) -> None:
    """Otherwise it would be said on every call."""
    (tmp_path / "noticed").touch()
    made = call()
    notice.announce(made, Files(str(tmp_path / "log"), "", "").is_first, in_context=False)
    assert texts(made) == ["text"]


def test_old_sessions_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notice, "_MAX_REMEMBERED", 10)
    for number in range(30):
        notice.announce(call(session=str(number)), Files(str(tmp_path / "log"), "", "").is_first, in_context=False)
    kept = {path.name for path in (tmp_path / "noticed").iterdir()}
    assert len(kept) <= 10
    assert "29.toon" in kept
