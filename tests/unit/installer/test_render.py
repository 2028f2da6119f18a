from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer import render
from unpretty_installer.batch import AgentResult
from unpretty_installer.core.plan import Block, Check, FileChange, Note, Plan, Step

FILE = Path("/home/u/.claude/settings.json")


def nothing() -> None:
    return None


PLAN = Plan(
    agent="claude-code",
    title="Claude Code",
    version="2.1.332",
    changes=(
        FileChange(Path("/d/python"), None, b"/usr/bin/python3", "Leads there.", kind="link", ours=True),
        FileChange(Path("/d/hook.py"), b"old", b"new", "Runs.", ours=True),
        FileChange(FILE, b'{\n  "a": 1\n}', b'{\n  "a": 1,\n  "b": 2\n}', "Adds our hook."),
        FileChange(Path("/same"), b"x", b"x", "Never shown."),
    ),
    steps=(Step("ask Codex", "It has to trust us.", nothing, nothing),),
    checks=(Check("The command is run.", nothing),),
    warnings=(Note("other_hook", "Another hook is there."),),
    manual_steps=("restart the agent.",),
    notices=(Note("effect", "At once."),),
    undo="unpretty uninstall claude-code --apply",
    blocks=(Block("read_only", "It is read-only.", "Paste this.", '{\n  "x": 1\n}'),),
    removals=(Path("/s/decisions.jsonl"),),
)


def text(lines) -> str:
    return "\n".join(line for _, line in lines)


def result(plan: Plan | None = PLAN, state: str = "pending", error: UnprettyError | None = None, **more) -> AgentResult:
    return AgentResult("claude-code", "Claude Code", plan, error, state, **more)


def test_the_text_of_a_plan_says_what_where_why_and_how_to_undo_it():
    assert (
        text(render.plan_lines([result()]))
        == """\
Claude Code 2.1.332
  create  /d/python -> /usr/bin/python3
          Leads there.
  change  /d/hook.py
          Runs.
  change  /home/u/.claude/settings.json
          Adds our hook.
    --- /home/u/.claude/settings.json
    +++ /home/u/.claude/settings.json
    @@ -1,3 +1,4 @@
     {
    -  "a": 1
    +  "a": 1,
    +  "b": 2
     }
    \\ No newline at end of file
  delete  /s/decisions.jsonl
  then    ask Codex
          It has to trust us.
  Cannot be written: It is read-only. Paste this.
    {
      "x": 1
    }
  Warning: Another hook is there.
  You have to: restart the agent.
  Note: At once.
  Undo: unpretty uninstall claude-code --apply
"""
    )


def test_our_own_files_are_shown_once_though_every_agents_plan_lists_them():
    lines = text(render.plan_lines([result(), result()]))
    assert lines.count("/d/hook.py") == 1
    assert lines.count(f"  change  {FILE}") == 2


def test_diff_lines_and_warnings_carry_a_style():
    styles = {line.strip()[:1]: style for style, line in render.plan_lines([result()]) if line.startswith("    ")}
    assert (styles["+"], styles["-"], styles["@"]) == ("green", "red", "cyan")


def test_an_empty_plan_says_so_and_still_warns():
    plan = Plan("x", "X", warnings=(Note("w", "Mind this."),), notices=(Note("n", "Not now."),), undo="undo")
    assert text(render.plan_lines([result(plan)])) == "Claude Code\n  Warning: Mind this.\n  Nothing to do.\n"


def test_a_plan_that_could_not_be_made_says_why():
    error = UnprettyError("x.json, line 1: bad.", code="invalid_json", hint="Fix it.")
    lines = text(render.plan_lines([result(None, "failed", error)]))
    assert lines == "Claude Code\n  Failed: x.json, line 1: bad. Fix it.\n"


def test_outcomes_are_one_line_each():
    error = UnprettyError("It said no.", hint="Ask again.")
    results = [result(state="applied", backup=Path("/b")), result(state="applied"), result(None, "failed", error)]
    assert text(render.outcome_lines([*results, result(state="nothing_to_do")])).splitlines() == [
        "Claude Code: done. Copies of the files as they were are in /b.",
        "Claude Code: done.",
        "Claude Code: failed. It said no. Ask again.",
    ]


@pytest.mark.parametrize(
    ("before", "after", "diff"),
    [
        (None, b"a\n", ["--- /dev/null", f"+++ {FILE}", "@@ -0,0 +1 @@", "+a"]),
        (b"a\n", None, [f"--- {FILE}", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"]),
        (b"a\r\nb\r\n", b"a\r\nc\r\n", [f"--- {FILE}", f"+++ {FILE}", "@@ -1,2 +1,2 @@", " a", "-b", "+c"]),
        (
            b"a",
            b"a\n",
            [f"--- {FILE}", f"+++ {FILE}", "@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+a"],
        ),
        (b"\xff\n", b"x\n", [f"--- {FILE}", f"+++ {FILE}", "@@ -1 +1 @@", "-\ufffd", "+x"]),
    ],
)
def test_diffs_show_created_deleted_and_changed_lines(before, after, diff):
    assert render.diff(FileChange(FILE, before, after, "")) == diff


def test_the_json_form_has_schema_1_and_these_keys():
    """The contract of ``install --json`` and ``uninstall --json``: keys may be added, never renamed or removed."""
    error = UnprettyError("It said no.", code="refused", hint="Ask again.")
    value = render.as_json([result(error=error, state="failed", backup=Path("/b"))], "install", applied=True)
    assert value == {
        "schema": 1,
        "command": "install",
        "apply": True,
        "agents": [
            {
                "agent": "claude-code",
                "title": "Claude Code",
                "state": "failed",
                "found": True,
                "version": "2.1.332",
                "changes": [
                    {
                        "path": "/d/python",
                        "kind": "link",
                        "operation": "create",
                        "why": "Leads there.",
                        "ours": True,
                        "diff": [],
                    },
                    {
                        "path": "/d/hook.py",
                        "kind": "file",
                        "operation": "change",
                        "why": "Runs.",
                        "ours": True,
                        "diff": [],
                    },
                    {
                        "path": str(FILE),
                        "kind": "file",
                        "operation": "change",
                        "why": "Adds our hook.",
                        "ours": False,
                        "diff": render.diff(PLAN.changes[2]),
                    },
                ],
                "removals": ["/s/decisions.jsonl"],
                "steps": [{"title": "ask Codex", "why": "It has to trust us."}],
                "checks": ["The command is run."],
                "warnings": [{"code": "other_hook", "message": "Another hook is there."}],
                "manual_steps": ["restart the agent."],
                "notices": [{"code": "effect", "message": "At once."}],
                "blocks": [
                    {
                        "code": "read_only",
                        "message": "It is read-only.",
                        "hint": "Paste this.",
                        "snippet": '{\n  "x": 1\n}',
                    }
                ],
                "undo": "unpretty uninstall claude-code --apply",
                "backup": "/b",
                "error": {"code": "refused", "message": "It said no.", "hint": "Ask again."},
            }
        ],
    }


def test_a_plan_that_could_not_be_made_has_the_same_keys_in_json():
    error = UnprettyError("bad")
    whole = render.as_json([result()], "install", applied=False)["agents"]
    broken = render.as_json([result(None, "failed", error)], "install", applied=False)["agents"]
    assert isinstance(whole, list)
    assert isinstance(broken, list)
    assert list(whole[0]) == list(broken[0])
