"""``unpretty stats``: options in, text, JSON or a page out."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from unpretty import locations
from unpretty.cli.stats import command
from unpretty.decision_log.writer import append
from unpretty.errors import UnprettyError

START = 1_790_000_000_000  # 2026-09-21 14:13:20 UTC


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


@pytest.fixture
def log() -> Path:
    """Two days, three tools, one conversion in each."""
    path = locations.decision_log_file()
    for number, tool in enumerate(("Bash", "Bash", "Grep", "mcp__db__query")):
        converted = number != 1
        record: dict[str, object] = {
            "v": 1, "kind": "decision", "id": f"{number}", "ts": START + number * 43_200_000, "via": "hook",
            "agent": "claude-code", "session": "s", "tool_use_id": f"toolu_{number}", "project": "/p", "model": "",
            "tool": tool, "reason": "converted" if converted else "not_json", "encoding": "", "bytes_in": 1000,
            "bytes_out": 600 if converted else 1000, "chars_in": 1000, "chars_out": 600, "steps": {}, "ms": 2.0,
        }  # fmt: skip
        assert append(str(path), record)
    return path


def test_without_options_there_is_one_screen(log: Path) -> None:
    output = run().output
    assert "Tool results seen" in output
    assert "By tool" in output
    assert "Left alone because" in output
    assert "Largest savings" not in output
    assert str(log) in output


def test_an_empty_log_explains_itself_and_is_no_error() -> None:
    done = run()
    assert done.exit_code == 0
    assert str(locations.decision_log_file()) in done.output
    assert "unpretty install" in done.output
    assert not locations.state_dir().exists()


def test_json_without_by_has_agent_tool_and_reason(log: Path) -> None:
    document = json.loads(run("--json").output)
    assert document["schema"] == 1
    assert set(document["by"]) == {"agent", "tool", "reason"}
    assert document["totals"]["results"] == 4
    assert json.loads(run("--json", "--since", "2030-01-01").output)["totals"]["results"] == 0


@pytest.mark.parametrize("options", [("--by", "day", "--by", "tool"), ("--by", "day,tool"), ("--by", "day, tool,day")])
def test_several_breakdowns_may_be_asked_for(log: Path, options: tuple[str, ...]) -> None:
    assert list(json.loads(run("--json", *options).output)["by"]) == ["day", "tool"]
    output = run(*options).output
    assert output.index("By day") < output.index("By tool")


@pytest.mark.parametrize(
    "options", [("--by", "colour"), ("--by", "day,colour"), ("--top", "0"), ("--price", "-1"), ("--price", "much")]
)
def test_wrong_usage_exits_2(options: tuple[str, ...]) -> None:
    assert run(*options).exit_code == 2


def test_a_wrong_time_is_an_error_with_a_hint(log: Path) -> None:
    with pytest.raises(UnprettyError) as exc:
        run("--since", "sometime")
    assert "7d" in exc.value.hint


def test_the_period_is_of_local_days(log: Path) -> None:
    assert json.loads(run("--json", "--since", "2026-09-22", "--until", "2026-09-22").output)["totals"]["results"] == 2


def test_top_lists_the_largest_savings(log: Path) -> None:
    assert run("--top", "2").output.split("Largest savings")[1].count("2026-09-2") == 2
    assert len(json.loads(run("--top", "2", "--json").output)["largest"]) == 2


def test_money_needs_a_price(log: Path) -> None:
    assert "USD" not in run().output
    assert "none cached" in run("--price", "3").output


def test_verify_asks_the_transcripts(log: Path, home: Path) -> None:
    transcript = home / ".claude" / "projects" / "-p" / "s.jsonl"
    transcript.parent.mkdir(parents=True)
    results = [("toolu_0", "a" * 600), ("toolu_2", "b" * 1000)]
    lines = [
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": name, "content": text}]}}
        for name, text in results
    ]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    totals = json.loads(run("--verify", "--json").output)["totals"]
    assert (totals["applied"], totals["rejected"], totals["unknown"]) == (1, 1, 1)
    totals = json.loads(run("--json").output)["totals"]
    assert (totals["applied"], totals["rejected"], totals["unknown"]) == (0, 0, 3)


def test_a_page_is_written_and_can_be_written_again(log: Path, tmp_path: Path) -> None:
    page = tmp_path / "stats.html"
    for _ in range(2):
        done = run("--html", str(page))
        assert done.exit_code == 0
        assert str(page) in done.output
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "Saved per day" in text
    assert run("--html", "-").output.startswith("<!doctype html>")


def test_page_and_json_together_keep_standard_output_json(log: Path, tmp_path: Path) -> None:
    done = run("--json", "--html", str(tmp_path / "stats.html"))
    assert json.loads(done.stdout)["schema"] == 1
    assert (tmp_path / "stats.html").exists()


def test_a_page_that_cannot_be_written_is_an_error(log: Path, tmp_path: Path) -> None:
    with pytest.raises(UnprettyError, match="Cannot write"):
        run("--html", str(tmp_path / "missing" / "stats.html"))


def test_a_log_that_cannot_be_read_is_an_error(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *args: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnprettyError, match="Permission denied"):
        run()
