"""Claude Code with unpretty installed: results that are large, still running, in other shapes, or many at once."""

import json
from pathlib import Path

import pytest

from .claude_code import ClaudeCode, bash
from .installed import Unpretty
from .mcp_server import COMPACT, PNG, PRETTY, rows
from .model import Call

# Over the 30,000 characters that the client shows inline, and under them when compact.
LARGE = rows(500)
LARGE_COMPACT = json.dumps(json.loads(LARGE), separators=(",", ":"))
assert len(LARGE) > 30_000 > len(LARGE_COMPACT)


@pytest.fixture
def unpretty(unpretty_program: Path, claude_code: ClaudeCode) -> Unpretty:
    """Installed in the client's home, with a program ``report`` in the project that prints one of its files."""
    unpretty = Unpretty(unpretty_program, claude_code.home, claude_code.project, claude_code.program)
    unpretty.run("install", "claude-code", "--apply")
    (unpretty.project / "pretty").write_text(PRETTY)
    (unpretty.project / "large").write_text(LARGE)
    (unpretty.project / "report").write_text('exec cat "$1"\n')
    return unpretty


def test_four_calls_at_once_are_four_lines_of_the_log(
    claude_code: ClaudeCode, unpretty: Unpretty, shapes: list[str]
) -> None:
    calls = [Call("mcp__t__slow", {"seconds": 0.5})] * 4
    run = claude_code.run([calls], mcp={"t": {"command": shapes[0], "args": shapes[1:]}})
    assert run.texts == [COMPACT] * 4
    assert set(unpretty.decisions()) == {(f"toolu_000_{place}", "[0].text") for place in range(4)}


def test_images_and_resources_beside_a_text_are_kept(
    claude_code: ClaudeCode, unpretty: Unpretty, shapes: list[str]
) -> None:
    script = [[Call("mcp__t__image", {})], [Call("mcp__t__resource", {})]]
    run = claude_code.run(script, mcp={"t": {"command": shapes[0], "args": shapes[1:]}})
    image, resource = run.tool_results
    assert isinstance(image.content, list)
    assert image.content[0] == {"type": "text", "text": COMPACT}
    assert image.content[1]["source"] == {"type": "base64", "media_type": "image/png", "data": PNG}
    assert resource.text == "see[Resource from t at test://1] " + COMPACT


def test_a_result_that_the_client_cut_is_left_alone(claude_code: ClaudeCode, unpretty: Unpretty) -> None:
    run = claude_code.run([[bash("sh report large")]])
    assert run.texts[0].startswith("<persisted-output>")
    [line] = unpretty.log_lines("decision")
    assert (line["reason"], line["bytes_out"]) == ("cut_by_host", line["bytes_in"])


def test_a_result_that_the_client_cut_is_shown_whole_on_request(claude_code: ClaudeCode, unpretty: Unpretty) -> None:
    unpretty.run("config", "set", "inline_persisted", "true")
    run = claude_code.run([[bash("sh report large")]])
    assert run.texts == [LARGE_COMPACT]
    [line] = unpretty.log_lines("decision")
    # The model would have got a preview of 2 KB, so this is more to read and no saving is claimed.
    assert (line["reason"], line["chars_in"], line["chars_out"]) == (
        "converted",
        len(LARGE_COMPACT),
        len(LARGE_COMPACT),
    )


def test_a_result_that_stays_too_long_keeps_the_clients_preview(claude_code: ClaudeCode, unpretty: Unpretty) -> None:
    unpretty.run("config", "set", "inline_persisted", "true")
    (unpretty.project / "larger").write_text(rows(2_000))
    run = claude_code.run([[bash("sh report larger")]])
    assert run.texts[0].startswith("<persisted-output>")
    [line] = unpretty.log_lines("decision")
    assert line["reason"] == "over_host_limit"


def test_a_command_in_the_background_keeps_its_notice(claude_code: ClaudeCode, unpretty: Unpretty) -> None:
    run = claude_code.run([[bash("sleep 0.1; sh report pretty", run_in_background=True)]])
    assert "running in background with ID" in run.texts[0]


def test_a_command_over_its_time_keeps_its_notice_behind_the_smaller_text(
    claude_code: ClaudeCode, unpretty: Unpretty
) -> None:
    """Such a result holds the last 2,000 characters only."""
    (unpretty.project / "short").write_text(rows(15))
    run = claude_code.run([[bash("sh report short; sleep 3", timeout=1_000)]])
    compact, _, notice = run.texts[0].partition("\n")
    assert compact == json.dumps(json.loads(rows(15)), separators=(",", ":"))
    assert notice.startswith("Command did not complete within its 1s timeout and was moved to the background (ID: ")


def test_the_environment_turns_it_off(claude_code: ClaudeCode, unpretty: Unpretty) -> None:
    run = claude_code.run([[bash("sh report pretty")]], env={"UNPRETTY": "off"})
    assert run.texts == [PRETTY]
    assert [line["reason"] for line in unpretty.log_lines("decision")] == ["disabled"]


def test_a_setting_takes_effect_on_the_next_call(claude_code: ClaudeCode, unpretty: Unpretty) -> None:
    unpretty.run("config", "set", "enabled", "false")
    assert claude_code.run([[bash("sh report pretty")]]).texts == [PRETTY]
    unpretty.run("config", "set", "enabled", "true")
    assert claude_code.run([[bash("sh report pretty")]]).texts == [COMPACT]
    assert [line["reason"] for line in unpretty.log_lines("decision")] == ["disabled", "converted"]


def test_thirty_conversions_leave_no_process_behind(
    claude_code: ClaudeCode, unpretty: Unpretty, shapes: list[str]
) -> None:
    run = claude_code.run([[Call("mcp__t__text", {})] * 30], mcp={"t": {"command": shapes[0], "args": shapes[1:]}})
    assert run.texts == [COMPACT] * 30
    assert len(unpretty.decisions()) == 30
    assert run.client.survivors == ()
