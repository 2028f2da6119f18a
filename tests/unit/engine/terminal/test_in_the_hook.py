"""Results whose carriage returns or colours are data, through the hook: no reply, or all of the data."""

import json
from typing import Any

import pytest

from unpretty.engine.json_text.scanner import loads
from unpretty.settings.defaults import Settings
from unpretty_hooks import claude_code, serving

from .progress_samples import git_fetch
from .test_colour import coloured_log, diff_of_colours, indented_diff, word_diff
from .test_progress import csv_with_returns, json_with_returns, mails, retries

PRETTY = json.dumps({"users": [{"id": n, "name": f"user {n}"} for n in range(20)]}, indent=2) + "\n"
LONG_LINE = "processing " + "/very/long/path" * 8 + "\rdone\n" + "plain line of text\n" * 30


def stdout_after(command: str, stdout: str) -> str:
    """What Claude Code shows its model after the hook has seen ``stdout``."""
    response = {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False}
    payload = {
        "session_id": "s",
        "cwd": "/home/user/project",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": response,
        "tool_use_id": "t",
    }
    as_read: Any = loads(json.dumps(payload))
    settings = Settings({})
    call = claude_code.read(as_read, settings)
    serving.decide(call, settings)
    if not call.changed():
        return stdout
    reply = json.loads(claude_code.reply(as_read, call))
    return str(reply["hookSpecificOutput"]["updatedToolOutput"]["stdout"])


@pytest.mark.parametrize(
    ("command", "stdout"),
    [
        ("curl -s https://example.test/report.csv; date", csv_with_returns()),
        ("sqlite3 mail.db 'select * from mail'", mails()),
        ("./run", retries()),
        ("./run", LONG_LINE),
        ("diff exp.txt act.txt", diff_of_colours()),
        ("go test ./color/... | tail -80", indented_diff()),
        ("git diff --color=always --color-words | sed 1,5d", word_diff()),
        ('UNPRETTY_RAW="1" gh api users', PRETTY),
        ("UNPRETTY_RAW='1' gh api users", PRETTY),
        ("env UNPRETTY_RAW=1 gh api users", PRETTY),
    ],
)
def test_the_agent_gets_the_original(command: str, stdout: str) -> None:
    assert stdout_after(command, stdout) == stdout


@pytest.mark.parametrize(
    ("command", "stdout"),
    [("./run", json_with_returns()), ("./run", json_with_returns().replace(": ", ":" + " " * 40))],
)
def test_the_agent_gets_all_of_a_document_whose_whitespace_is_carriage_returns(command: str, stdout: str) -> None:
    assert json.loads(stdout_after(command, stdout)) == json.loads(stdout)


def test_the_agent_gets_the_last_state_of_progress_and_no_plain_colours() -> None:
    text, shown = git_fetch()
    assert stdout_after("git fetch --progress", text) == shown
    log = stdout_after("docker compose logs", coloured_log())
    assert log == "".join(f"12:00:{i:02} INFO request {i} done\n" for i in range(40))
    assert len(stdout_after("gh api users", PRETTY)) < len(PRETTY)
