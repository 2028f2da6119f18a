"""What agents start instead of an MCP server's own program: with unpretty, without it, and with an incomplete one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer.core import files, launcher
from unpretty_installer.wrap import launcher as wrap_launcher

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shell part is for POSIX systems")

# Says what it was started with, then answers every line with a pretty document.
SERVER = """\
import json, os, sys
print(json.dumps([sys.argv[1:], sorted(os.environ)]), file=sys.stderr)
for line in sys.stdin:
    request = json.loads(line)
    text = json.dumps([{"a": n, "b": "c"} for n in range(99)], indent=2)
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"content": [{"type": "text", "text": text}]}}))
sys.exit(7)
"""
CALL = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}\n'


@pytest.fixture(autouse=True)
def installed(home: Path) -> Path:
    """The launcher, installed."""
    put()
    return home


def put() -> None:
    for change in wrap_launcher.changes():
        if change.operation != "keep":
            files.make_directories(change.path, 0o700)
            files.replace(change.path, change.after or b"", change.mode)


def start(*argv: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[bytes]":
    command = [*wrap_launcher.argv(), "--name=db", "--", *(argv or (sys.executable, "-c", SERVER, "a b", "--", "$x"))]
    environment = {"PATH": os.environ["PATH"], "HOME": str(Path.home()), **(env or {})}
    return subprocess.run(command, input=CALL, capture_output=True, env=environment, timeout=60, check=False)


def decisions() -> list[dict[str, object]]:
    log = locations.decision_log_file()
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return [line for line in lines if line["kind"] == "decision"]


def text_of(output: bytes) -> str:
    return json.loads(output)["result"]["content"][0]["text"]


def test_the_server_runs_behind_the_proxy_with_its_own_words_status_and_environment():
    done = start(env={"KEPT": "1"})
    assert "\n" not in text_of(done.stdout)
    assert done.returncode == 7
    arguments, environment = json.loads(done.stderr)
    assert arguments == ["a b", "--", "$x"]
    assert {"PATH", "HOME", "KEPT"} <= set(environment)
    assert set(environment) <= {"PATH", "HOME", "KEPT", "LC_CTYPE", "PWD", "OLDPWD", "SHLVL", "_"}
    [line] = decisions()
    assert (line["tool"], line["via"], line["reason"]) == ("mcp__db__t", "proxy", "converted")


def test_the_python_that_runs_it_decides_where_packages_are_found():
    text = wrap_launcher.script().read_text("ascii")
    assert f"python{sys.version_info[0]}.{sys.version_info[1]}/site-packages" not in text
    assert "sys.version_info" in text


def test_a_directory_in_the_place_of_the_script_leaves_the_server_by_itself():
    wrap_launcher.script().unlink()
    wrap_launcher.script().mkdir()
    done = start()
    assert "\n" in text_of(done.stdout)
    assert done.returncode == 7


def test_log_and_settings_are_found_without_the_variables_that_decide_where_they_are(tmp_path, monkeypatch):
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    put()
    locations.config_dir().mkdir(parents=True)
    locations.config_file().write_text('exclude_tools = ["mcp__db__t"]\n')
    assert "\n" in text_of(start().stdout)
    [line] = decisions()
    assert line["reason"] == "excluded"
    assert not (Path.home() / ".local" / "state").exists()


@pytest.mark.parametrize("lost", ["python", "proxy.py", "package"])
def test_the_server_runs_by_itself_when_a_part_of_us_is_gone(lost, monkeypatch, tmp_path):
    if lost == "python":
        monkeypatch.setattr(launcher, "interpreter", lambda: str(tmp_path / "gone"))
    if lost == "package":
        monkeypatch.setattr(wrap_launcher, "_package_directories", lambda: [str(tmp_path)])
    put()
    if lost == "proxy.py":
        wrap_launcher.script().unlink()
    done = start()
    assert "\n" in text_of(done.stdout)
    assert done.returncode == 7
    said = done.stderr.splitlines()
    assert json.loads(said[-1])[0] == ["a b", "--", "$x"]
    assert [b"runs without the proxy" in line for line in said[:-1]] == ([True] if lost == "package" else [])
    assert decisions() == []


def test_a_program_that_is_not_there_gets_the_status_of_a_shell(installed, absent):
    done = start(absent)
    assert done.returncode == 127
    assert f"{absent} was not found".encode() in done.stderr


def test_names_of_directories_are_only_names(tmp_path, monkeypatch):
    odd = tmp_path / 'it\'s a "$HOME" `x` \\ ü'
    monkeypatch.setenv("XDG_DATA_HOME", str(odd))
    put()
    assert str(odd) in wrap_launcher.argv()[0]
    assert "\n" not in text_of(start().stdout)
    monkeypatch.setattr(wrap_launcher, "_package_directories", list)
    put()
    assert "\n" in text_of(start().stdout)


def test_both_files_are_private_and_written_only_when_they_change(installed):
    assert wrap_launcher.program().stat().st_mode & 0o777 == 0o700
    assert wrap_launcher.script().stat().st_mode & 0o777 == 0o600
    assert [change.operation for change in wrap_launcher.changes()] == ["keep", "keep"]
    assert [(change.path, change.after) for change in wrap_launcher.removal()] == [
        (wrap_launcher.program(), None),
        (wrap_launcher.script(), None),
    ]


def test_there_is_nothing_to_remove_where_nothing_is(installed):
    for change in wrap_launcher.removal():
        change.path.unlink()
    assert wrap_launcher.removal() == ()


def test_the_trial_leaves_no_trace_and_takes_no_settings(installed, snapshot):
    locations.config_dir().mkdir(parents=True)
    locations.config_file().write_text("enabled = false\n")
    before = snapshot(installed)
    wrap_launcher.try_out()
    assert snapshot(installed) == before


def test_a_trial_in_a_directory_that_was_deleted(tmp_path, monkeypatch):
    directory = tmp_path / "gone"
    directory.mkdir()
    monkeypatch.chdir(directory)
    directory.rmdir()
    wrap_launcher.try_out()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("#!/bin/sh\necho broken >&2\nexit 3\n", "did not hand on a result as it should: broken"),
        ("#!/bin/sh\nshift 2\nexec \"$@\"\n", "did not hand on a result as it should"),
        ("#!{absent}\n", "could not be started"),
        ("#!/bin/sh\nexec sleep 60\n", "did not end within"),
    ],
)  # fmt: skip
def test_a_trial_that_goes_wrong_says_how(source, said, absent, monkeypatch):
    monkeypatch.setattr(wrap_launcher, "_TIMEOUT_SECONDS", 3.0 if "sleep" in source else 20.0)
    wrap_launcher.program().write_text(source.replace("{absent}", absent))
    with pytest.raises(UnprettyError, match=said) as problem:
        wrap_launcher.try_out()
    assert problem.value.code == "proxy_failed"


def test_on_windows_there_is_the_script_alone(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert [change.path.name for change in wrap_launcher.changes()] == ["proxy.py"]
    assert wrap_launcher.argv()[1:] == ["-I", "-S", str(wrap_launcher.script())]
    monkeypatch.undo()
