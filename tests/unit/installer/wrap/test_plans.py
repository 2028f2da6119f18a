"""Plans that wrap and unwrap MCP servers: what prevents it, what is kept current, what the user reads."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer import batch, claude_code, opencode
from unpretty_installer.claude_code.servers import ClaudeCodeServers
from unpretty_installer.core import apply as transaction
from unpretty_installer.core import launcher, receipt
from unpretty_installer.core.plan import Block, Options, Plan
from unpretty_installer.wrap import launcher as wrap_launcher
from unpretty_installer.wrap import plans as wrap_plan
from unpretty_installer.wrap import wrapped

STATE = '{"mcpServers": {"db": {"command": "npx", "args": ["a b"]}}}\n'
ALL = Options(wrap_mcp=("all",))


@pytest.fixture
def state(home: Path) -> Path:
    path = home / ".claude.json"
    path.write_text(STATE)
    return path


def install(options: Options = ALL) -> Plan:
    plan = claude_code.installer.plan_install(options)
    transaction.apply(plan)
    return plan


def uninstall_plan() -> Plan:
    return claude_code.installer.plan_uninstall(Options())


def args_of(state: Path) -> list[str]:
    entry = json.loads(state.read_text())["mcpServers"]["db"]
    return [entry["command"], *entry["args"]]


def test_a_plan_alone_writes_nothing(state, home, snapshot):
    before = snapshot(home)
    assert not claude_code.installer.plan_install(ALL).is_empty
    assert snapshot(home) == before


def test_it_is_all_or_nothing(state, home, contents, monkeypatch):
    before = contents(home)

    def fail() -> None:
        raise UnprettyError("The proxy does not run.")

    monkeypatch.setattr(wrap_launcher, "try_out", fail)
    with pytest.raises(UnprettyError, match="The proxy does not run"):
        install()
    assert contents(home) == before


def test_a_launcher_in_an_old_place_is_replaced_and_the_users_options_stay(state):
    install()
    argv = args_of(state)
    old = ["/old/unpretty/proxy", "--name=db", "--max-result-bytes", "9000", *argv[2:]]
    state.write_text(json.dumps({"mcpServers": {"db": {"command": old[0], "args": old[1:]}}}))
    install(Options())
    assert args_of(state) == [argv[0], *old[1:]]


def test_our_files_are_kept_current_where_something_is_wrapped(state):
    install()
    wrap_launcher.program().write_text("old")
    wrap_launcher.script().unlink()
    install(Options())
    assert all(change.operation == "keep" for change in wrap_launcher.changes())


def test_a_file_that_must_not_be_written_is_refused_with_the_commands_to_paste(state):
    state.chmod(0o444)
    plan = claude_code.installer.plan_install(ALL)
    [block] = plan.blocks
    assert (block.code, block.snippet) == (
        "read_only",
        f"db: {shlex.quote(wrapped.front('db')[0])} --name=db -- npx 'a b'",
    )
    with pytest.raises(UnprettyError, match="is read-only"):
        transaction.apply(plan)
    assert state.read_text() == STATE


def test_a_temporary_environment_is_refused_once(state, monkeypatch):
    block = Block("temporary_environment", "It will vanish.")
    monkeypatch.setattr(launcher, "blocks", lambda: (block,))
    assert claude_code.installer.plan_install(ALL).blocks == (block,)
    monkeypatch.undo()


def test_an_edit_that_could_not_be_taken_back_is_not_made(state, monkeypatch):
    monkeypatch.setattr(ClaudeCodeServers, "unwrapped", lambda self, data, places, made, *, name: data + b" ")
    with pytest.raises(UnprettyError, match="cannot be edited safely"):
        claude_code.installer.plan_install(ALL)


def test_a_name_that_the_agent_does_not_know_is_said_to_be_unknown(state):
    plan = claude_code.installer.plan_install(Options(wrap_mcp=("db", "nope")))
    assert [note.message for note in plan.notices if note.code == "no_such_server"] == [
        "It has no MCP server called nope."
    ]
    with pytest.raises(UnprettyError, match="There is no MCP server called nope"):
        wrap_plan.require_known([plan, None], ("db", "nope"))
    other = claude_code.installer.plan_install(Options(wrap_mcp=("db",)))
    wrap_plan.require_known([plan, other], ("nope",))
    wrap_plan.require_known([None], ("nope",))
    wrap_plan.require_known([plan], ("all",))


def test_an_agent_without_servers_says_so(home):
    plan = claude_code.installer.plan_install(ALL)
    assert "no_servers" in [note.code for note in plan.notices]
    assert not any(change.path == wrap_launcher.program() for change in plan.changes)


def test_a_proxy_put_there_by_hand_stays_and_is_pointed_out(state):
    text = '{"mcpServers": {"db": {"command": "unpretty", "args": ["proxy", "--", "npx"]}}}'
    state.write_text(text)
    install()
    assert state.read_text() == text
    plan = uninstall_plan()
    assert "wrapped_by_hand" in [note.code for note in plan.notices]
    transaction.apply(plan)
    assert state.read_text() == text


def test_what_we_wrapped_goes_although_the_hook_is_gone_already(state, home):
    install()
    (home / ".claude" / "settings.json").unlink()
    for kept in receipt.of_agent("claude-code"):
        transaction.apply(Plan("x", "x", changes=(receipt.drop(kept),)))
    plan = uninstall_plan()
    assert "unwrap_effect" in [note.code for note in plan.notices]
    transaction.apply(plan)
    assert state.read_text() == STATE
    assert uninstall_plan().is_empty


def test_a_file_that_only_mentions_us_stays(state):
    text = '{"mcpServers": {"db": {"command": "npx", "args": ["/x/unpretty/proxy"]}}}'
    state.write_text(text)
    plan = uninstall_plan()
    assert plan.is_empty
    assert state.read_text() == text


def test_a_lost_receipt_keeps_nothing_wrapped(state):
    state.write_text('{"mcpServers": {"db": {"command": "npx"}}}')
    install()
    shutil.rmtree(receipt.directory())
    transaction.apply(uninstall_plan())
    assert json.loads(state.read_text()) == {"mcpServers": {"db": {"command": "npx", "args": []}}}


def test_a_file_that_is_gone_is_forgotten(state):
    install()
    state.unlink()
    transaction.apply(uninstall_plan())
    assert not state.exists()
    assert receipt.of_agent("wrap-claude-code") == []


def test_with_the_last_agent_the_launcher_goes(state, home):
    [result, *_] = batch.carry_out(batch.plan_install([claude_code.installer], ALL))
    assert result.state == "applied"
    results = batch.carry_out(batch.plan_uninstall([claude_code.installer], Options(), purge=True))
    assert [one.state for one in results] == ["applied", "applied"]
    assert state.read_text() == STATE
    assert list(home.rglob("proxy*")) == []


def test_servers_keep_the_launcher_while_they_are_wrapped(state, home):
    """Another agent is uninstalled first: the launcher stays for the servers of this one."""
    batch.carry_out(batch.plan_install([claude_code.installer, opencode.installer], ALL))
    results = batch.carry_out(batch.plan_uninstall([opencode.installer], Options()))
    assert [one.agent for one in results] == ["opencode"]
    assert wrap_launcher.program().exists()
