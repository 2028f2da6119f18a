"""Claude Code from plan to uninstall, with the hook itself run by the transaction's check."""

import json
import os
import sys
from pathlib import Path

import pytest

from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer import batch, claude_code
from unpretty_installer.claude_code import entry, places, plans
from unpretty_installer.core import files, launcher, receipt
from unpretty_installer.core.plan import Options, Plan

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")
USER = Options()


def install(options: Options = USER) -> batch.AgentResult:
    (result,) = batch.carry_out(batch.plan_install([claude_code.installer], options))
    return result


def uninstall() -> list[batch.AgentResult]:
    return batch.carry_out(batch.plan_uninstall([claude_code.installer], USER))


def codes(plan: Plan | None) -> set[str]:
    assert plan is not None
    return {note.code for note in (*plan.warnings, *plan.notices)} | {block.code for block in plan.blocks}


def groups(path: Path) -> list:
    return json.loads(path.read_bytes().decode("utf-8-sig"))["hooks"]["PostToolUse"]


LAYOUTS = {
    "missing": None,
    "empty": b"",
    "blank": b" \n",
    "only a BOM": b"\xef\xbb\xbf",
    "empty object": b"{}",
    "no final newline": b'{\n  "model": "opus"\n}',
    "BOM, CRLF, tabs": b'\xef\xbb\xbf{\r\n\t"model":\t"opus",\r\n\t"env": { }\r\n}\r\n',
    "one line": b'{"model":"opus","hooks":{"PreToolUse":[]}}',
    "four spaces": b'{\n    "hooks": {\n        "PostToolUse": []\n    }\n}\n',
    "odd spacing": b'{ "hooks"  :{"PostToolUse":[ { "matcher":"Edit",\n"hooks":[]}  ]} ,\n\n\n  "x":1}',
    "escapes and numbers": b'{"a": "\\u00e9\\/", "b": 1.0e+5, "c": 12345678901234567890123, "a": null}',
    "others": b'{\n "hooks": {\n  "PostToolUse": [\n   {"hooks": [{"type": "command", "command": "x"}]}\n  ]\n }\n}',
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_install_then_uninstall_gives_back_identical_bytes(settings_file, contents, home, layout):
    original = LAYOUTS[layout]
    if original is not None:
        settings_file.write_bytes(original)
    assert install().state == "applied"
    installed = settings_file.read_bytes()
    assert groups(settings_file)[0] == entry.group()
    assert installed.startswith(b"\xef\xbb\xbf") == (original or b"").startswith(b"\xef\xbb\xbf")
    assert (b"\r\n" in installed) == (b"\r\n" in (original or b""))
    assert [result.state for result in uninstall()] == ["applied", "applied"]
    assert files.read(settings_file) == original
    left = [name for name in contents(home) if "backups" not in name]
    assert left == [
        ".claude",
        *([".claude/settings.json"] if original is not None else []),
        ".local",
        ".local/share",
        ".local/state",
        ".local/state/unpretty",
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_that_was_edited_meanwhile_keeps_the_edits_and_loses_only_our_entry(settings_file, layout):
    original = LAYOUTS[layout]
    if original is not None:
        settings_file.write_bytes(original)
    install()
    before = json.loads((original or b"").decode("utf-8-sig").strip() or "{}")
    settings_file.write_bytes(
        settings_file.read_bytes().replace(b'"timeout": 10', b'"timeout": 11').rstrip() + b" \n\n"
    )
    uninstall()
    if original is None or not original.strip(b"\xef\xbb\xbf \n"):
        assert files.read(settings_file) == original
    else:
        assert settings_file.read_bytes() == original.rstrip() + b" \n\n"
        assert json.loads(settings_file.read_bytes().decode("utf-8-sig")) == before


def test_a_file_that_the_client_rewrote_keeps_what_the_client_added(settings_file):
    settings_file.write_bytes(b'{"model": "opus"}')
    install()
    value = json.loads(settings_file.read_bytes())
    value["permissions"] = {"allow": ["Bash(ls)"]}
    value["hooks"]["PostToolUse"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    settings_file.write_text(json.dumps(value, indent=4))
    uninstall()
    del value["hooks"]["PostToolUse"][0]
    assert settings_file.read_text() == json.dumps(value, indent=4)


def test_the_directory_that_we_created_goes_with_the_file(home):
    assert install().state == "applied"
    assert (home / ".claude" / "settings.json").exists()
    uninstall()
    assert not (home / ".claude").exists()


def test_the_directory_that_we_created_stays_when_the_client_moved_in(home):
    install()
    (home / ".claude" / "projects").mkdir()
    uninstall()
    assert os.listdir(home / ".claude") == ["projects"]


@posix
def test_installing_twice_changes_nothing_at_all(settings_file, home, snapshot):
    settings_file.write_bytes(b"{}")
    install()
    before = snapshot(home)
    result = install()
    assert result.state == "nothing_to_do"
    assert snapshot(home) == before


@posix
def test_planning_writes_nothing_even_where_nothing_can_be_written(settings_file, home, snapshot):
    settings_file.write_bytes(b"{}")
    settings_file.chmod(0o444)
    directories = [settings_file.parent, home]
    for directory in directories:
        directory.chmod(0o555)
    try:
        before = snapshot(home)
        plan = plans.plan_install(USER)
        assert len(plan.pending) == 4
        assert "read_only" in codes(plan)
        assert snapshot(home) == before
        assert install().state == "failed"
        assert snapshot(home) == before
    finally:
        for directory in directories:
            directory.chmod(0o755)


@posix
def test_a_read_only_file_is_refused_with_the_snippet_to_paste(settings_file, home, contents):
    settings_file.write_bytes(b"{}")
    settings_file.chmod(0o444)
    before = contents(home)
    plan = plans.plan_install(USER)
    (block,) = plan.blocks
    assert block.message == f"{settings_file} is read-only."
    assert "paste the snippet" in block.hint
    assert json.loads(block.snippet) == {"hooks": {"PostToolUse": [entry.group()]}}
    assert install().state == "failed"
    assert contents(home) == before


@posix
def test_a_link_into_the_nix_store_is_refused(settings_file, tmp_path, monkeypatch, home, contents):
    store = tmp_path / "nix" / "store"
    store.mkdir(parents=True)
    (store / "x-settings.json").write_bytes(b"{}")
    settings_file.symlink_to(store / "x-settings.json")
    monkeypatch.setattr(files, "NIX_STORE", f"{store}/")
    before = contents(home)
    result = install()
    assert result.error and result.error.code == "nix_store"
    assert "managed by Nix" in str(result.error)
    assert contents(home) == before
    assert (store / "x-settings.json").read_bytes() == b"{}"


@posix
def test_links_into_a_repository_stay_links_and_the_last_file_changes_and_comes_back(settings_file, tmp_path):
    repo = tmp_path / "dotfiles"
    repo.mkdir()
    real = repo / "claude.json"
    real.write_bytes(b'{\n  "x": 1\n}')
    real.chmod(0o600)
    (tmp_path / "middle").symlink_to(real)
    settings_file.symlink_to(tmp_path / "middle")
    install()
    assert settings_file.is_symlink()
    assert (tmp_path / "middle").is_symlink()
    assert groups(real)[0] == entry.group()
    assert real.stat().st_mode & 0o777 == 0o600
    assert os.listdir(repo) == ["claude.json"]
    uninstall()
    assert settings_file.is_symlink()
    assert real.read_bytes() == b'{\n  "x": 1\n}'


@posix
def test_a_link_that_leads_nowhere_gets_its_target_and_loses_it_again(settings_file, tmp_path):
    settings_file.symlink_to(tmp_path / "dotfiles" / "claude.json")
    install()
    assert groups(tmp_path / "dotfiles" / "claude.json")[0] == entry.group()
    uninstall()
    assert settings_file.is_symlink()
    assert not (tmp_path / "dotfiles").exists()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b'{\n  // note\n  "model": "opus"\n}', "line 2, column 3"),
        (b'{\n  "model": "opus",\n}', "line 2, column 18"),
        (b'{\n  "model": \n}', "line 3, column 1"),
        (b"{", "line 1, column 2"),
    ],
)
def test_a_file_that_the_client_cannot_read_is_refused_with_line_and_column(settings_file, home, snapshot, text, where):
    settings_file.write_bytes(text)
    before = snapshot(home)
    result = install()
    assert result.state == "failed"
    assert result.error is not None
    assert f"{settings_file}, {where}" in str(result.error)
    assert result.error.code == "invalid_json"
    assert "Claude Code ignores the whole file" in result.error.hint
    assert snapshot(home) == before


def test_a_file_that_is_not_utf8_or_has_another_shape_is_refused(settings_file, home, snapshot):
    for text in ('{"a": 1}'.encode("utf-16"), b"[]", b'{"hooks": 1}'):
        settings_file.write_bytes(text)
        before = snapshot(home)
        assert install().state == "failed"
        assert snapshot(home) == before


def test_a_change_between_plan_and_apply_is_noticed(settings_file):
    settings_file.write_bytes(b"{}")
    planned = batch.plan_install([claude_code.installer], USER)
    settings_file.write_bytes(b'{"model": "opus"}')
    (result,) = batch.carry_out(planned)
    assert result.error and result.error.code == "changed_meanwhile"
    assert settings_file.read_bytes() == b'{"model": "opus"}'
    assert not locations.data_dir().exists()


def test_a_command_that_does_not_work_is_never_left_registered(settings_file, home, contents, monkeypatch):
    settings_file.write_bytes(b"{}")
    monkeypatch.setattr(launcher, "hook_source", lambda: b"print('{}')\n")
    before = contents(home)
    result = install()
    assert result.error and result.error.code == "command_failed"
    assert "Everything is as it was before." in str(result.error)
    assert contents(home) == before


def test_the_check_leaves_no_trace_in_the_decision_log(settings_file, monkeypatch):
    monkeypatch.setenv("UNPRETTY", "off")
    assert install().state == "applied"
    assert not locations.decision_log_file().exists()


def test_copies_with_other_paths_and_timeouts_come_down_to_one_and_uninstall_finds_them_all(settings_file):
    def copy(command: str, **more) -> dict:
        return {"matcher": "Bash", "hooks": [{"type": "command", "command": command, **more}]}

    theirs = {"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}
    value = {
        "hooks": {
            "PostToolUse": [
                copy("python3 $HOME/.local/share/unpretty/hook.py claude-code"),
                theirs,
                copy("exec '/old/unpretty/python' '/old/unpretty/hook.py' claude-code", timeout=1),
                copy("/older/python /older/unpretty/hook.py claude-code"),
            ]
        }
    }
    settings_file.write_text(json.dumps(value))
    install()
    assert groups(settings_file) == [entry.group(), theirs]
    uninstall()
    assert groups(settings_file) == [theirs]


def test_a_foreign_handler_in_our_group_keeps_its_group_and_its_sibling_keys(settings_file):
    install()
    value = json.loads(settings_file.read_bytes())
    value["hooks"]["PostToolUse"][0]["hooks"].append({"type": "command", "command": "redact.sh"})
    value["hooks"]["PostToolUse"][0]["note"] = "mine"
    settings_file.write_text(json.dumps(value, indent=2))
    uninstall()
    assert groups(settings_file) == [
        {"matcher": places.CLIENT.row.matcher, "hooks": [{"type": "command", "command": "redact.sh"}], "note": "mine"}
    ]


def test_an_upgrade_rewrites_our_own_files_and_leaves_the_settings_alone(settings_file, monkeypatch, tmp_path):
    install()
    state = settings_file.stat()
    python = tmp_path / "other" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))
    result = install()
    assert result.state == "applied"
    assert result.plan and [change.path.name for change in result.plan.pending] == ["python"]
    assert (settings_file.stat().st_ino, settings_file.stat().st_mtime_ns) == (state.st_ino, state.st_mtime_ns)
    assert os.readlink(locations.data_dir() / "python") == str(python)


def test_uninstall_without_a_receipt_takes_the_entry_out_and_leaves_keys_that_may_not_be_ours(settings_file):
    settings_file.write_bytes(b'{\n  "model": "opus"\n}')
    install()
    for file in receipt.directory().iterdir():
        file.unlink()
    uninstall()
    assert json.loads(settings_file.read_bytes()) == {"model": "opus", "hooks": {"PostToolUse": []}}


def test_uninstall_of_a_file_that_is_gone_or_emptied_of_us_forgets_it(settings_file):
    settings_file.write_bytes(b'{"a": 1}')
    install()
    settings_file.write_bytes(b'{"a": 2}')
    uninstall()
    assert settings_file.read_bytes() == b'{"a": 2}'
    assert receipt.of_agent("claude-code") == []
    install()
    settings_file.unlink()
    uninstall()
    assert not settings_file.exists()
    assert receipt.of_agent("claude-code") == []


def test_uninstall_refuses_a_file_that_does_not_parse_and_says_where(settings_file):
    settings_file.write_bytes(b"{}")
    install()
    settings_file.write_bytes(settings_file.read_bytes() + b",")
    broken = settings_file.read_bytes()
    (result,) = uninstall()[:1]
    assert result.error and result.error.code == "invalid_json"
    assert settings_file.read_bytes() == broken
    assert (locations.data_dir() / "hook.py").exists()


def test_a_broken_file_that_has_nothing_of_ours_does_not_hinder_uninstall(settings_file, home):
    install()
    (Path.cwd() / ".claude").mkdir()
    (Path.cwd() / ".claude" / "settings.local.json").write_bytes(b"{ // theirs")
    assert [result.state for result in uninstall()] == ["applied", "applied"]


def test_a_project_gets_its_own_local_file_and_uninstall_finds_it_from_anywhere(home, tmp_path, contents):
    project = tmp_path / "my project"
    project.mkdir()
    result = install(Options(project=project))
    local = project / ".claude" / "settings.local.json"
    assert groups(local) == [entry.group()]
    assert not (home / ".claude").exists()
    assert "local_file" in codes(result.plan)
    uninstall()
    assert contents(project) == {}


def test_a_project_directory_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(UnprettyError, match="is not a directory"):
        plans.plan_install(Options(project=tmp_path / "missing"))


def test_every_place_that_the_environment_names_is_honoured_and_no_other_is_written(monkeypatch, home, tmp_path):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "with space"))
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    assert install().state == "applied"
    assert groups(tmp_path / "with space" / "settings.json") == [entry.group()]
    assert list(home.iterdir()) == []
    uninstall()
    assert not (tmp_path / "with space").exists()


def test_a_temporary_environment_is_refused_with_the_command_that_installs_properly(monkeypatch, home, contents):
    monkeypatch.setattr(sys, "prefix", "/home/u/.cache/uv/archive-v0/abc")
    result = install()
    assert result.error and result.error.code == "temporary_environment"
    assert "uv tool install unpretty" in result.error.hint
    assert contents(home) == {}


def test_the_plan_warns_of_what_keeps_the_hook_from_running_or_from_winning(settings_file, client, home):
    client("2.1.120 (Claude Code)")
    settings_file.write_text(
        json.dumps(
            {
                "disableAllHooks": True,
                "enabledPlugins": {"x@y": True},
                "hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "redact"}]}]},
            }
        )
    )
    local = Path.cwd() / ".claude" / "settings.local.json"
    local.parent.mkdir()
    local.write_text("{,}")
    plan = plans.plan_install(USER)
    assert [note.code for note in plan.warnings] == [
        "client_too_old",
        "unreadable_settings",
        "hooks_disabled",
        "redacting_hook",
    ]
    assert str(local) in plan.warnings[1].message
    assert {"plugins", "effect", "failures"} <= codes(plan)
    assert plan.version == "2.1.120"
    assert plan.blocks == ()


def test_an_unknown_version_and_a_missing_client_are_notices(home):
    assert "not_found" in codes(plans.plan_install(USER))
    (home / ".claude").mkdir()
    plan = plans.plan_install(USER)
    assert "version_unknown" in codes(plan)
    assert plan.warnings == ()


def test_a_deleted_current_directory_does_not_matter(tmp_path, monkeypatch, home):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert install().state == "applied"
    assert [result.state for result in uninstall()] == ["applied", "applied"]


def test_on_windows_the_entry_uses_the_exec_form(monkeypatch):
    monkeypatch.setattr(entry.sys, "platform", "win32")
    monkeypatch.setattr(entry.registered.sys, "platform", "win32")
    (handler,) = entry.group()["hooks"]  # type: ignore[misc]
    assert handler["args"][:2] == ["-I", "-S"]
    assert handler["args"][3] == "claude-code"
    assert handler["timeout"] == 10
    assert "exec" not in handler["command"]


def test_the_layers_that_count_are_those_of_the_project_named(tmp_path):
    project = tmp_path / "p"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    assert "hooks_disabled" in codes(plans.plan_install(Options(project=project)))
    assert "hooks_disabled" not in codes(plans.plan_install(USER))
    assert places.entry_file(project).parent == project / ".claude"
