import json
from pathlib import Path

import pytest

from unpretty_installer.claude_code import notes as claude_hooks
from unpretty_installer.claude_code.places import SettingsLayer
from unpretty_installer.edit.json_document import JsonDocument


@pytest.mark.parametrize(
    ("matcher", "hit"),
    [
        (None, True),
        ("", True),
        ("*", True),
        ("Bash", True),
        ("Bash, Read", True),
        ("Edit|Grep", True),
        ("mcp__srv__tool", True),
        ("mcp__.*", True),
        ("mcp__my-srv__.*", True),
        ("^Bash$", True),
        ("[Bb]ash", True),
        ("B.*", True),
        (".*", True),
        ("bash", False),
        ("Bas", False),
        ("mcp__t", False),
        ("mcp__t__", False),
        ("Edit|Write", False),
        ("^Edit", False),
        ("re[", False),
        (7, False),
        ([], False),
    ],
)
def test_matchers_hit_by_the_clients_own_rules(matcher, hit):
    """As measured with client 2.1.332: plain names match exactly, everything else is a regular expression."""
    assert claude_hooks.may_hit(matcher) is hit


def notes(*groups: dict, event: str = "PostToolUse"):
    document = JsonDocument.read(json.dumps({"hooks": {event: list(groups)}}).encode())
    return claude_hooks.others(
        [SettingsLayer("user", Path("/s.json"), document), SettingsLayer("local", Path("/l"), None)]
    )


def group(command: str, matcher: str = "Bash") -> dict:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}


def test_a_hook_on_the_same_tools_is_named_with_its_file():
    (note,) = notes(group("/opt/compress.sh"))
    assert note.code == "other_hook"
    assert note.message.startswith("Another hook in /s.json may run on the same results: /opt/compress.sh. ")
    assert "only one rewrite wins" in note.message


@pytest.mark.parametrize("command", ["redact.sh", "python mask_secrets.py", "/x/Sanitize", "pii-filter", "dlp"])
def test_a_hook_that_looks_as_if_it_removes_secrets_gets_the_stronger_warning(command):
    (note,) = notes(group(command))
    assert note.code == "redacting_hook"
    assert "Do not use both" in note.message


def test_our_own_hook_hooks_on_other_tools_and_hooks_of_other_events_are_not_named():
    assert notes(group("exec /d/unpretty/python /d/unpretty/hook.py claude-code"), group("x", "Edit")) == []
    assert notes(group("x"), event="PreToolUse") == []


def test_hooks_of_other_types_and_very_long_commands_are_named_shortly():
    (one,) = notes({"hooks": [{"type": "http", "url": "http://127.0.0.1"}]})
    assert "a hook of type 'http'" in one.message
    (two,) = notes(group("x" * 5000))
    assert len(two.message) < 400
