"""Codex with unpretty installed: what the model received, what the log says, and what became of the user's files."""

import json
import os
from pathlib import Path

import pytest
import tomlkit

from .codex import CODE_MODE, Codex, CodexRun, javascript, mcp, shell
from .installed import Unpretty
from .mcp_server import COMPACT, PRETTY, STRUCTURED, rows
from .model import Call, Json

CONFIG = """\
# The user's own words.
approval_policy = "never"   # keep

[tui]
notifications = true

# a comment at the end
"""
FOREIGN = """\
{
  "hooks": {
    "PostToolUse": [
      { "matcher": "apply_patch", "hooks": [ { "type": "command", "command": "touch foreign-ran" } ] }
    ]
  }
}
"""


@pytest.fixture
def unpretty(unpretty_program: Path, codex: Codex) -> Unpretty:
    """The command, nothing set up yet; the project has programs that print."""
    project = codex.project
    (project / "pretty").write_text(PRETTY)
    (project / "large").write_text(rows(300))
    (project / "report").write_text('cat "${1:-pretty}"; exit "${2:-0}"\n')
    return Unpretty(unpretty_program, codex.home, project, codex.program)


@pytest.fixture
def trusted(unpretty: Unpretty) -> Unpretty:
    """unpretty set up for Codex, and trusted."""
    unpretty.run("install", "codex", "--trust", "--apply")
    return unpretty


def converse(
    codex: Codex, *turns: list[Call], model: str = "gpt-5.5", servers: dict[str, Json] | None = None
) -> CodexRun:
    run = codex.run(turns, model=model, mcp=servers)
    assert run.client.exit_code == 0, run.client.stderr
    return run


def status(unpretty: Unpretty, exit_status: int) -> tuple[str, list[str]]:
    """The doctor's status of Codex and the codes of its problems."""
    [report] = unpretty.json("doctor", "codex", status=exit_status)["agents"]
    return report["status"], [fault["code"] for fault in report["faults"]]


def verified(unpretty: Unpretty) -> tuple[int, int, int]:
    """Applied, rejected and unknown results in the figures."""
    totals = unpretty.json("stats", "--verify")["totals"]
    return totals["applied"], totals["rejected"], totals["unknown"]


def body(text: str) -> str:
    """A shell result after its header."""
    return text.partition("Output:\n")[2]


def hooks_of(codex: Codex) -> list[Json]:
    """Every hook as Codex lists it."""
    [answer] = codex.app_server([("hooks/list", {"cwds": [str(codex.project)]})])
    hooks: list[Json] = answer["result"]["data"][0]["hooks"]
    return hooks


def trust_of(codex: Codex) -> dict[str, str]:
    """What Codex says of every hook, by its command."""
    return {hook["command"]: hook["trustStatus"] for hook in hooks_of(codex)}


def trust(codex: Codex, command: str = "") -> Json:
    """Trust the one hook that there is, or the one with ``command``, as a user does on Codex's own screen."""
    [hook] = [hook for hook in hooks_of(codex) if command in ("", hook["command"])]
    value = {hook["key"]: {"trusted_hash": hook["currentHash"]}}
    edit = {"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}
    codex.app_server([("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})])
    return hook


def test_a_plan_alone_writes_nothing(unpretty: Unpretty, codex: Codex) -> None:
    plan = unpretty.run("install", "codex", "--trust").stdout
    assert str(codex.folder / "hooks.json") in plan
    assert list(codex.home.rglob("*")) == []


def test_an_untrusted_hook_is_not_run_and_the_plan_and_the_doctor_say_so(unpretty: Unpretty, codex: Codex) -> None:
    assert "trust the hook" in unpretty.run("install", "codex", "--apply").stdout
    run = converse(codex, [shell("sh report")])
    assert [body(text) for text in run.texts] == [PRETTY]
    assert unpretty.decisions() == {}
    assert status(unpretty, 1) == ("not_trusted", ["not_trusted"])


@pytest.mark.parametrize("code", [0, 3])
def test_a_trusted_hook_replaces_the_result_and_keeps_the_exit_status(
    trusted: Unpretty, codex: Codex, code: int
) -> None:
    assert status(trusted, 0) == ("active", [])
    run = converse(codex, [shell(f"sh report pretty {code}")])
    [text] = run.texts
    header, _, output = text.partition("Output:\n")
    assert output == COMPACT
    assert header.startswith("Wall time: ")
    assert header.endswith(f" seconds\nProcess exited with code {code}\n")
    [line] = trusted.log_lines("decision")
    assert (line["agent"], line["agent_version"], line["model"], line["via"]) == ("codex", "0.171.0", "gpt-5.5", "hook")
    assert (line["tool"], line["reason"]) == ("Bash", "converted")
    assert (line["bytes_in"], line["bytes_out"]) == (len(PRETTY.encode()), len(COMPACT.encode()))


def test_parallel_calls_get_their_own_results_and_exit_statuses(trusted: Unpretty, codex: Codex) -> None:
    run = converse(codex, [shell(f"sh report pretty {code}") for code in (0, 4, 7)])
    assert [body(text) for text in run.texts] == [COMPACT] * 3
    for code, text in zip((0, 4, 7), run.texts, strict=True):
        assert f"Process exited with code {code}\n" in text
    assert len(trusted.decisions()) == 3


def test_verify_tells_replaced_results_from_those_where_codex_kept_its_own(
    trusted: Unpretty, codex: Codex, shapes: list[str]
) -> None:
    server: Json = {"command": shapes[0], "args": shapes[1:]}
    calls = [shell("sh report"), mcp("shapes", "multi"), mcp("shapes", "both")]
    converse(codex, calls, servers={"shapes": server})
    assert verified(trusted) == (3, 0, 0)
    # A key that Codex does not know voids the answer; the log still says that it was offered.
    file = codex.folder / "hooks.json"
    before = file.read_bytes()
    value = json.loads(before)
    handler = value["hooks"]["PostToolUse"][0]["hooks"][0]
    handler["command"] += " | sed 's/^{/{\"unknown\":1,/'"
    file.write_text(json.dumps(value))
    trust(codex)
    run = converse(codex, calls, servers={"shapes": server})
    assert body(run.texts[0]) == PRETTY
    assert verified(trusted) == (3, 3, 0)
    file.write_bytes(before)
    trusted.run("install", "codex", "--trust", "--apply")
    [report] = trusted.json("doctor", "codex")["agents"]
    assert "rewrites_rejected" in [note["code"] for note in report["notices"]]


def test_a_result_that_codex_would_cut_again_stays_as_it_is(trusted: Unpretty, codex: Codex) -> None:
    """Minified it would still be over the 10,000 bytes that Codex shows of a replacement."""
    run = converse(codex, [shell("sh report large")])
    assert body(run.texts[0]) == rows(300)
    [line] = trusted.log_lines("decision")
    assert (line["reason"], line["bytes_in"]) == ("over_host_limit", len(rows(300)))


def test_mcp_results_are_replaced_by_what_is_smaller_than_the_model_would_have_read(
    trusted: Unpretty, codex: Codex, shapes: list[str]
) -> None:
    server: Json = {"command": shapes[0], "args": shapes[1:]}
    calls = [mcp("shapes", tool) for tool in ("text", "multi", "both", "image", "plain", "structured")]
    run = converse(codex, *[[call] for call in calls], servers={"shapes": server})
    text, multi, both, image, plain, structured = run.texts
    assert body(text) == COMPACT
    assert body(multi) == f"{COMPACT}\nsecond"
    shorter = {**STRUCTURED, "stdout": json.dumps(json.loads(str(STRUCTURED["stdout"])), separators=(",", ":"))}
    assert json.loads(body(both)) == json.loads(body(structured)) == shorter
    assert PRETTY in image
    assert "nothing to see" in plain
    lines = {line["tool"].removeprefix("mcp__shapes__"): line for line in trusted.log_lines("decision")}
    assert {tool: line["reason"] for tool, line in lines.items()} == {
        "text": "converted", "multi": "converted", "both": "converted", "image": "unsupported_tool",
        "plain": "not_json", "structured": "converted",
    }  # fmt: skip
    for line in lines.values():
        assert line["bytes_out"] <= line["bytes_in"]


def test_the_structured_part_is_measured_as_codex_would_have_shown_it(
    unpretty: Unpretty, codex: Codex, shapes: list[str]
) -> None:
    server: Json = {"command": shapes[0], "args": shapes[1:]}
    without = converse(codex, [mcp("shapes", "both")], servers={"shapes": server})
    unpretty.run("install", "codex", "--trust", "--apply")
    converse(codex, [mcp("shapes", "both")], servers={"shapes": server})
    [line] = unpretty.log_lines("decision")
    assert line["bytes_in"] == len(body(without.texts[0]).encode())


def test_code_mode_is_left_alone_and_the_log_says_why(trusted: Unpretty, codex: Codex) -> None:
    program = 'const r = await tools.exec_command({cmd: "sh report pretty 3"}); text(r.output); text(r.exit_code)'
    run = converse(codex, [javascript(program)], model=CODE_MODE)
    [text] = run.texts
    assert PRETTY in text
    [line] = trusted.log_lines("decision")
    assert (line["reason"], line["bytes_in"]) == ("host_cannot_replace", len(PRETTY.encode()))
    [report] = trusted.json("doctor", "codex")["agents"]
    [note] = [note for note in report["notices"] if note["code"] == "code_mode"]
    assert "gpt-5.5" in note["message"]
    assert "unpretty proxy" in note["message"]


def test_a_foreign_hook_keeps_its_trust_and_its_bytes(unpretty: Unpretty, codex: Codex) -> None:
    codex.folder.mkdir()
    (codex.folder / "hooks.json").write_text(FOREIGN)
    trust(codex)
    config = (codex.folder / "config.toml").read_bytes()
    assert trust_of(codex) == {"touch foreign-ran": "trusted"}
    unpretty.run("install", "codex", "--trust", "--apply")
    assert set(trust_of(codex).values()) == {"trusted"}
    assert len(trust_of(codex)) == 2
    unpretty.run("uninstall", "codex", "--apply")
    assert trust_of(codex) == {"touch foreign-ran": "trusted"}
    assert (codex.folder / "hooks.json").read_text() == FOREIGN
    assert (codex.folder / "config.toml").read_bytes() == config


def test_a_hook_that_came_after_ours_keeps_its_trust_when_we_go(trusted: Unpretty, codex: Codex) -> None:
    file = codex.folder / "hooks.json"
    value = json.loads(file.read_text())
    group = {"hooks": [{"type": "command", "command": "touch later-ran"}]}
    value["hooks"]["PostToolUse"].append(group)
    file.write_text(json.dumps(value))
    later = trust(codex, "touch later-ran")
    trusted.run("uninstall", "codex", "--apply")
    assert trust_of(codex) == {"touch later-ran": "trusted"}
    # Our group stays, empty: Codex stores the trust of a hook by the position of its group.
    assert json.loads(file.read_text()) == {"hooks": {"PostToolUse": [{"hooks": []}, group]}}
    [(_, kept)] = tomlkit.parse((codex.folder / "config.toml").read_text()).unwrap()["hooks"]["state"].items()
    assert kept == {"trusted_hash": later["currentHash"]}


def test_config_toml_is_unchanged_but_for_our_lines(unpretty: Unpretty, codex: Codex) -> None:
    codex.folder.mkdir()
    file = codex.folder / "config.toml"
    hooks = '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n'
    file.write_text(CONFIG + hooks)
    unpretty.run("install", "codex", "--trust", "--apply")
    assert file.read_text().startswith(CONFIG + hooks)
    assert not (codex.folder / "hooks.json").exists()
    assert [body(text) for text in converse(codex, [shell("sh report")]).texts] == [COMPACT]
    unpretty.run("uninstall", "codex", "--apply")
    assert file.read_text() == CONFIG + hooks
    assert not (codex.folder / "hooks.json").exists()


def test_uninstalling_keeps_what_codex_wrote_meanwhile(unpretty: Unpretty, codex: Codex) -> None:
    codex.folder.mkdir()
    file = codex.folder / "config.toml"
    file.write_text(CONFIG)
    unpretty.run("install", "codex", "--trust", "--apply")
    edit = {"keyPath": "tui.theme", "value": "dark", "mergeStrategy": "upsert"}
    codex.app_server([("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})])
    unpretty.run("uninstall", "codex", "--apply")
    assert file.read_text() == CONFIG.replace("notifications = true\n", 'notifications = true\ntheme = "dark"\n')


def test_installing_twice_changes_nothing(trusted: Unpretty, codex: Codex) -> None:
    before = {path.name: path.read_bytes() for path in (codex.folder / "hooks.json", codex.folder / "config.toml")}
    trusted.run("install", "codex", "--trust", "--exit-code")
    trusted.run("install", "codex", "--trust", "--apply")
    assert {
        path.name: path.read_bytes() for path in (codex.folder / "hooks.json", codex.folder / "config.toml")
    } == before


def test_a_hook_that_was_changed_by_hand_is_found_and_mended(trusted: Unpretty, codex: Codex) -> None:
    file = codex.folder / "hooks.json"
    file.write_text(file.read_text().replace('"timeout": 10', '"timeout": 600'))
    state, faults = status(trusted, 1)
    assert state == "modified"
    assert {"modified", "entry_modified"} <= set(faults)
    trusted.run("doctor", "codex", "--fix")
    assert status(trusted, 0) == ("active", [])
    assert [body(text) for text in converse(codex, [shell("sh report")]).texts] == [COMPACT]


def test_hooks_that_are_switched_off_are_said_to_be(unpretty: Unpretty, codex: Codex) -> None:
    codex.folder.mkdir()
    (codex.folder / "config.toml").write_text("[features]\nhooks = false\n")
    assert "switches hooks off" in unpretty.run("install", "codex", "--apply").stdout
    state, faults = status(unpretty, 1)
    assert state == "disabled"
    assert "hooks_disabled" in faults


def test_trust_that_codex_refuses_takes_everything_back(unpretty: Unpretty, codex: Codex) -> None:
    codex.folder.mkdir()
    (codex.folder / "config.toml").write_text("[features]\nhooks = false\n")
    said = unpretty.run("install", "codex", "--trust", "--apply", status=1)
    assert "does not see our hook" in said.stdout + said.stderr
    assert not (codex.folder / "hooks.json").exists()
    assert (codex.folder / "config.toml").read_text() == "[features]\nhooks = false\n"


def test_codex_home_is_honoured_also_through_a_link(unpretty: Unpretty, codex: Codex) -> None:
    real = codex.home / "real"
    real.mkdir()
    link = codex.home / "link"
    link.symlink_to(real)
    env = {"CODEX_HOME": str(link)}
    unpretty.run("install", "codex", "--trust", "--apply", env=env)
    run = codex.run([[shell("sh report")]], env=env)
    assert [body(text) for text in run.texts] == [COMPACT]
    assert not (codex.folder / "hooks.json").exists()
    unpretty.run("uninstall", "codex", "--apply", env=env)
    assert not (real / "hooks.json").exists()
    assert not (real / "config.toml").exists()


def test_a_hook_of_one_project_runs_there_and_nowhere_else(unpretty: Unpretty, codex: Codex) -> None:
    codex.folder.mkdir()
    (codex.folder / "config.toml").write_text(f'[projects."{codex.project}"]\ntrust_level = "trusted"\n')
    unpretty.run("install", "codex", "--project", "--trust", "--apply")
    assert (codex.project / ".codex" / "hooks.json").exists()
    assert not (codex.folder / "hooks.json").exists()
    assert [body(text) for text in converse(codex, [shell("sh report")]).texts] == [COMPACT]
    assert status(unpretty, 0) == ("active", [])
    unpretty.run("uninstall", "codex", "--apply")
    assert not (codex.project / ".codex").exists()


def test_a_python_that_is_gone_costs_the_call_nothing(trusted: Unpretty, codex: Codex) -> None:
    link = trusted.home / ".local" / "share" / "unpretty" / "python"
    link.unlink()
    os.symlink(codex.home / "does" / "not" / "exist", link)
    assert [body(text) for text in converse(codex, [shell("sh report")]).texts] == [PRETTY]
    assert status(trusted, 1)[0] == "broken"
    trusted.run("doctor", "codex", "--fix")
    assert [body(text) for text in converse(codex, [shell("sh report")]).texts] == [COMPACT]


def test_a_call_that_two_copies_run_on_is_answered_once(unpretty: Unpretty, codex: Codex) -> None:
    codex.folder.mkdir()
    (codex.folder / "config.toml").write_text(f'[projects."{codex.project}"]\ntrust_level = "trusted"\n')
    unpretty.run("install", "codex", "--trust", "--apply")
    plan = unpretty.run("install", "codex", "--project", "--trust", "--apply").stdout
    assert str(codex.folder / "hooks.json") in plan
    assert "second_copy" in [note["code"] for note in unpretty.json("doctor", "codex")["agents"][0]["notices"]]
    run = converse(codex, [shell("sh report")], [shell(f"sh report pretty {code}") for code in (0, 4, 7)])
    assert [body(text) for text in run.texts] == [COMPACT] * 4
    assert len(unpretty.log_lines("decision")) == 4
    unpretty.run("uninstall", "codex", "--apply")
    assert not (codex.project / ".codex").exists()
    assert [body(text) for text in converse(codex, [shell("sh report")]).texts] == [PRETTY]


def test_an_entry_of_the_first_form_still_works_and_is_replaced_with_its_trust(trusted: Unpretty, codex: Codex) -> None:
    """0.1.0 registered ``exec`` without the guard."""
    file = codex.folder / "hooks.json"
    value = json.loads(file.read_text())
    handler = value["hooks"]["PostToolUse"][0]["hooks"][0]
    folder = codex.home / ".local" / "share" / "unpretty"
    handler["command"] = f"exec {folder}/python -I -S {folder}/hook.py codex"
    file.write_text(json.dumps(value))
    trust(codex)
    assert [body(text) for text in converse(codex, [shell("sh report")]).texts] == [COMPACT]
    assert status(trusted, 1) == ("modified", ["entry_modified"])
    trusted.run("doctor", "codex", "--fix")
    assert status(trusted, 0) == ("active", [])
    assert "trap" in file.read_text()
    assert [body(text) for text in converse(codex, [shell("sh report")]).texts] == [COMPACT]
