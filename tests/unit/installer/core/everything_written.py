"""Runs every feature that writes a file into our directories, and leaves what a killed process leaves there."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from click.testing import CliRunner

from unpretty import locations
from unpretty.cli.bug_report import write_bug_report
from unpretty.cli.main import cli
from unpretty.decision_log.writer import append
from unpretty_installer.core import registered

USER = (12345, 23456)
_ROWS = [{"id": number, "name": f"user {number}", "score": number * 1.5} for number in range(60)]
_PAYLOAD = Path(__file__).parents[3] / "fixtures" / "claude-code" / "PostToolUse-Bash.json"
_CODEX = Path(__file__).parents[3] / "fixtures" / "codex" / "post_tool_use.mcp_content_only.direct.stdin.json"
# Each of these ends just before the finished file gets its name.
_KILLED = """
import os, sys
from pathlib import Path
from unpretty import locations
from unpretty.engine import system
from unpretty.decision_log import writer
from unpretty_installer.core import files, launcher, receipt
from unpretty_installer.wrap import launcher as wrap_launcher
from unpretty.settings import config_file, resolved
log, config, copy = locations.decision_log_file(), locations.config_file(), locations.resolved_settings_file()
receipts = sorted(receipt.directory().iterdir())
copies = sorted((locations.state_dir() / "backups").glob("*/*"))
work = [
    lambda: files.replace_link(launcher.python_link(), b"/nowhere"),
    lambda: config_file.set_config(config, "min_bytes", "300"),
    lambda: resolved.refresh(str(config), str(copy)),
    lambda: writer.append(str(log), {"n": 1}, 1),
]
for path in (launcher.hook_file(), wrap_launcher.program(), wrap_launcher.script(), receipts[0], copies[0]):
    work.append(lambda path=path: files.replace(path, b"half", own=True))
Path.replace = lambda *_: os._exit(9)
system.replace = lambda *_: os._exit(9)
for step in work:
    child = os.fork()
    if child == 0:
        step()
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9, step
"""


def everywhere(directory: Path) -> list[Path]:
    """All that is below ``directory``."""
    return sorted(directory.rglob("*"))


def run(*arguments: str) -> None:
    """A command of ours that has to succeed."""
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, (result.output, result.exception)


def convert(session: str = "s1") -> None:
    """A tool result that the registered hook converts."""
    payload = json.loads(_PAYLOAD.read_text("utf-8"))
    payload["session_id"] = session
    payload["tool_input"]["command"] = "gh api x"
    payload["tool_response"]["stdout"] = json.dumps(_ROWS, indent=2)
    assert b"updatedToolOutput" in _run_hook("claude-code", payload)


def _run_hook(agent: str, payload: object) -> bytes:
    """What the registered hook answers to ``payload``."""
    command = ["/bin/sh", "-c", registered.shell_command(agent)]
    return subprocess.run(command, input=json.dumps(payload).encode(), capture_output=True, check=True).stdout


def wait_for_tokens(seconds: float = 30) -> None:
    """Wait until the tokens of a conversion are in the log."""
    until = time.monotonic() + seconds
    while b'"kind":"tokens"' not in locations.decision_log_file().read_bytes():
        assert time.monotonic() < until
        time.sleep(0.05)


def use_everything(home: Path, directory: Path) -> None:
    """Install, wrap a server, convert, rotate, count, set, report, be killed; other files go to ``directory``."""
    _write(home / ".claude.json", json.dumps({"mcpServers": {"db": {"command": "npx", "args": ["x"]}}}))
    _write(home / ".claude" / "settings.json", '{"model": "opus"}')
    _write(home / ".codex" / "config.toml", 'model = "x"\n')
    run("install", "claude-code", "--wrap-mcp", "db", "--apply")
    run("install", "codex", "opencode", "--apply")
    (directory / "project").mkdir()
    run("install", "codex", "--project", str(directory / "project"), "--apply")
    _run_hook("codex", json.loads(_CODEX.read_text("utf-8")))
    run("config", "set", "encodings", "json,columnar,toon,tight-c,ldf")
    convert()
    wait_for_tokens()
    log = str(locations.decision_log_file())
    assert append(log, {"kind": "x"}, max_bytes=1)
    assert append(log, {"kind": "x"}, max_bytes=1)
    run("stats", "--html", str(home / "page.html"))
    with contextlib.suppress(ZeroDivisionError):
        _fail()
    subprocess.run([sys.executable, "-c", _KILLED], check=True, cwd=directory)


def _write(path: Path, text: str) -> None:
    """A file of the user's, with the owner of the directory that it is in."""
    for directory in reversed([path.parent, *path.parent.parents]):
        if not directory.exists():
            directory.mkdir()
            _like(directory)
    path.write_text(text)
    _like(path)


def _like(path: Path) -> None:
    above = path.parent.stat()
    if sys.platform != "win32" and os.geteuid() == 0:
        os.chown(path, above.st_uid, above.st_gid)


def _fail() -> None:
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError:
        write_bug_report()
        raise
