"""Finding, adding and removing our entry in a ``hooks`` tree."""

import json

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument

AGENT = "claude-code"
COMMAND = "exec /d/unpretty/python -I -S /d/unpretty/hook.py claude-code"
OLD = "python3 '/old place/unpretty/hook.py' claude-code"
HOME = "python3 $HOME/.local/share/unpretty/hook.py claude-code"


def handler(command: str, **more) -> dict:
    return {"type": "command", "command": command, **more}


def group(*handlers: dict, matcher: str = "Bash|Grep|mcp__.*", **more) -> dict:
    return {"matcher": matcher, "hooks": list(handlers), **more}


OURS = group(handler(COMMAND, timeout=10))
THEIRS = group(handler("lint.sh"), matcher="Edit")


def document(value: object) -> JsonDocument:
    return JsonDocument.read(json.dumps(value, indent=2).encode(), name="settings.json")


def hooks(*groups: object, **events) -> dict:
    return {"hooks": {"PostToolUse": list(groups), **events}}


def installed(value: object, front: bool = True) -> object:
    return hook_entries.with_ours(document(value), AGENT, OURS, front=front)[0].value()


@pytest.mark.parametrize(
    ("before", "after", "added"),
    [
        ({}, hooks(OURS), ("hooks", "hooks.PostToolUse")),
        ({"model": "opus"}, {"model": "opus", **hooks(OURS)}, ("hooks", "hooks.PostToolUse")),
        ({"hooks": {}}, hooks(OURS), ("hooks.PostToolUse",)),
        ({"hooks": {"Stop": []}}, {"hooks": {"Stop": [], "PostToolUse": [OURS]}}, ("hooks.PostToolUse",)),
        (hooks(), hooks(OURS), ()),
        (hooks(THEIRS), hooks(OURS, THEIRS), ()),
        (hooks(5, None, {"hooks": 7}, {"hooks": [8]}), hooks(OURS, 5, None, {"hooks": 7}, {"hooks": [8]}), ()),
    ],
)
def test_our_group_goes_in_front_and_what_had_to_be_made_is_told(before, after, added):
    changed, made = hook_entries.with_ours(document(before), AGENT, OURS, front=True)
    assert changed.value() == after
    assert list(changed.value()) == list(after)
    assert made == added


def test_an_agent_whose_trust_goes_by_position_gets_our_group_behind_the_others():
    assert installed(hooks(THEIRS), front=False) == hooks(THEIRS, OURS)


@pytest.mark.parametrize(
    "value", [hooks(OURS), hooks(THEIRS, OURS), {"hooks": {"PostToolUse": [OURS], "Stop": [THEIRS]}}]
)
def test_a_current_entry_stays_where_it_is(value):
    before = document(value)
    changed, made = hook_entries.with_ours(before, AGENT, OURS, front=True)
    assert changed is before
    assert made == ()
    assert hook_entries.is_current(before, AGENT, OURS)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (hooks(group(handler(OLD, timeout=10))), hooks(OURS)),
        (hooks(group(handler(HOME))), hooks(OURS)),
        (hooks(group(handler(COMMAND, timeout=600))), hooks(OURS)),
        (hooks(group(handler(COMMAND, timeout=10), matcher="Bash")), hooks(OURS)),
        (hooks(THEIRS, group(handler(OLD))), hooks(THEIRS, OURS)),
        (hooks(group(handler(OLD)), THEIRS, group(handler(HOME)), OURS), hooks(OURS, THEIRS)),
        (hooks(OURS, OURS, OURS), hooks(OURS)),
        (hooks(group(handler(COMMAND), handler(OLD))), hooks(OURS)),
        (hooks(group(handler(OLD), handler("redact.sh"))), hooks(OURS, group(handler("redact.sh")))),
        (hooks(group(handler("a"), handler(OLD), handler("b"))), hooks(OURS, group(handler("a"), handler("b")))),
        (hooks(group(handler("a"), handler(OLD)), group(handler(HOME))), hooks(group(handler("a")), OURS)),
        ({"hooks": {"PreToolUse": [OURS]}}, {"hooks": {"PreToolUse": [], "PostToolUse": [OURS]}}),
        (hooks(OURS, PreToolUse=[OURS, THEIRS]), hooks(OURS, PreToolUse=[THEIRS])),
        (
            hooks(group(handler(OLD), name="mine")),
            hooks(OURS, group(name="mine")),
        ),
        (
            hooks({"hooks": [handler("C:/py.exe", args=["-S", "C:/unpretty/hook.py", AGENT])]}),
            hooks(OURS),
        ),
    ],
)
def test_copies_old_paths_and_hand_edits_come_down_to_one_entry_and_foreign_ones_stay(before, after):
    assert not hook_entries.is_current(document(before), AGENT, OURS)
    assert installed(before) == after
    assert installed(installed(before)) == after


def test_entries_of_another_agent_or_program_are_foreign():
    value = hooks(group(handler("x /d/unpretty/hook.py codex")), group({"type": "http", "url": "http://127.0.0.1"}))
    assert hook_entries.ours(document(value), AGENT) == []
    assert installed(value) == hooks(OURS, *value["hooks"]["PostToolUse"])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "the whole file should be an object"),
        (7, "the whole file should be an object"),
        ({"hooks": []}, "`hooks` should be an object"),
        ({"hooks": None}, "`hooks` should be an object"),
        ({"hooks": {"PostToolUse": {}}}, "`hooks.PostToolUse` should be an array"),
    ],
)
def test_a_tree_of_another_shape_is_refused(value, message):
    with pytest.raises(UnprettyError, match=message) as caught:
        hook_entries.with_ours(document(value), AGENT, OURS, front=True)
    assert caught.value.code == "unexpected_shape"
    assert "settings.json" in str(caught.value)


BOTH = ("hooks", "hooks.PostToolUse")


@pytest.mark.parametrize(
    ("value", "added", "after"),
    [
        (hooks(OURS), BOTH, {}),
        (hooks(OURS), (), hooks()),
        (hooks(OURS), ("hooks.PostToolUse",), {"hooks": {}}),
        (hooks(OURS, THEIRS), BOTH, hooks(THEIRS)),
        (hooks(OURS, Stop=[THEIRS]), BOTH, {"hooks": {"Stop": [THEIRS]}}),
        (hooks(group(handler("a"), handler(OLD))), BOTH, hooks(group(handler("a")))),
        (hooks(group(handler(OLD), name="mine")), BOTH, hooks({**group(), "name": "mine"})),
        (hooks(group(handler(OLD)), group(handler(HOME)), Stop=[OURS]), BOTH, {"hooks": {"Stop": []}}),
        (hooks(group()), BOTH, hooks(group())),
        ({"hooks": {}}, BOTH, {}),
        ({}, BOTH, {}),
    ],
)
def test_removing_takes_the_handler_then_its_empty_group_then_the_keys_that_we_made(value, added, after):
    assert hook_entries.without_ours(document(value), AGENT, added).value() == after


@pytest.mark.parametrize(
    ("value", "after"),
    [
        (hooks(OURS, THEIRS), hooks({"hooks": []}, THEIRS)),
        (hooks(THEIRS, OURS), hooks(THEIRS)),
        (hooks(OURS, THEIRS, OURS), hooks({"hooks": []}, THEIRS)),
    ],
)
def test_where_trust_goes_by_position_an_empty_group_stays_before_others(value, after):
    assert hook_entries.without_ours(document(value), AGENT, (), keep_positions=True).value() == after
