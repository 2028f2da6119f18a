import json
import sys
from pathlib import Path

import pytest

from unpretty_installer.claude_code import places
from unpretty_installer.claude_code.places import SettingsLayer


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize("value", ["", "  ", "\t"])
def test_an_empty_or_blank_claude_config_dir_counts_as_unset(monkeypatch, home, value):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", value)
    assert places.entry_file(None) == home / ".claude" / "settings.json"


def test_claude_config_dir_is_honoured_with_tilde_spaces_and_relative_paths(monkeypatch, home):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "~/my settings")
    assert places.CLIENT.directory() == home / "my settings"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "relative")
    assert places.CLIENT.directory() == Path.cwd() / "relative"


def test_layers_come_strongest_first_and_missing_ones_are_left_out(home):
    here = Path.cwd()
    write(places.MANAGED[sys.platform], {"a": 1})
    write(here / ".claude" / "settings.local.json", {"a": 2})
    write(home / ".claude" / "settings.json", "{// x\n}")
    found = places.layers(here)
    assert [layer.scope for layer in found] == ["managed", "local", "user"]
    assert found[1].document and found[1].document.value() == {"a": 2}
    assert found[2].document is None
    assert "line 1, column 2" in found[2].error


def test_in_the_home_directory_one_file_is_not_read_twice(home):
    write(home / ".claude" / "settings.json", {})
    assert [layer.scope for layer in places.layers(home)] == ["project"]


def layer(scope: str, value: object) -> SettingsLayer:
    from unpretty_installer.edit.json_document import JsonDocument

    return SettingsLayer(scope, Path(f"/{scope}.json"), JsonDocument.read(json.dumps(value).encode()))


OFF, ON = {"disableAllHooks": True}, {"disableAllHooks": False}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], ""),
        ([layer("user", {})], ""),
        ([layer("user", OFF)], "`disableAllHooks` in /user.json switches all hooks off"),
        ([layer("local", ON), layer("user", OFF)], ""),
        ([layer("local", OFF), layer("user", ON)], "`disableAllHooks` in /local.json switches all hooks off"),
        ([layer("local", {}), layer("project", OFF)], "`disableAllHooks` in /project.json switches all hooks off"),
        ([layer("user", {"disableAllHooks": "yes"})], ""),
        ([layer("user", [])], ""),
        ([SettingsLayer("local", Path("/x"), None, "bad"), layer("user", {})], ""),
        ([layer("user", {"allowManagedHooksOnly": True})], ""),
        (
            [layer("managed", {"allowManagedHooksOnly": True})],
            "`allowManagedHooksOnly` in /managed.json lets only managed hooks run",
        ),
    ],
)
def test_what_switches_hooks_off_is_named_by_the_clients_order_of_files(found, said):
    assert places.disabled_by(found) == said


@pytest.mark.parametrize(
    ("known", "old"),
    [("2.1.118", True), ("2.1.120", True), ("2.1.121", False), ("2.1.332", False), ("3.0.0", False), ("1.9.999", True)],
)
def test_a_client_before_2_1_121_is_too_old(known, old):
    assert places.is_too_old(known) is old


def test_an_unknown_version_is_not_too_old():
    assert not places.is_too_old(None)


def test_windows_needs_the_exec_form_of_2_1_139(monkeypatch):
    monkeypatch.setattr(places.sys, "platform", "win32")
    assert places.is_too_old("2.1.138")
    assert not places.is_too_old("2.1.139")
    assert "2.1.139 or newer" in places.too_old("2.1.138")


def test_the_version_comes_from_the_client_itself(client):
    assert places.CLIENT.version() is None
    client("2.1.332 (Claude Code)")
    assert places.CLIENT.version() == "2.1.332"
    client("something else")
    assert places.CLIENT.version() is None


def test_the_client_is_found_by_its_program_or_by_its_directory(client, home):
    assert not places.CLIENT.is_found()
    (home / ".claude").mkdir()
    assert places.CLIENT.is_found()
    (home / ".claude").rmdir()
    client("2.1.332")
    assert places.CLIENT.is_found()


def test_a_client_outside_of_path_is_found_where_its_installers_put_it(home):
    program = home / ".local" / "bin" / "claude"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho '2.1.200 (Claude Code)'\n")
    program.chmod(0o755)
    assert places.CLIENT.version() == "2.1.200"
