"""The one list of what unpretty writes into its directories, and what ``uninstall --purge`` does with it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unpretty import locations
from unpretty.cli.main import cli
from unpretty.tokens import background, child
from unpretty.tokens.stop import stop_counting
from unpretty_installer.core import own_files, registered

from .everything_written import convert, everywhere, run, use_everything

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and process signals")
DIRECTORIES = ("state", "config", "data")


def directory_of(name: str) -> Path:
    return {"state": locations.state_dir(), "config": locations.config_dir(), "data": locations.data_dir()}[name]


def purge() -> str:
    result = CliRunner().invoke(cli, ["uninstall", "--purge", "--apply"])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def names(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in everywhere(directory)}


@posix
def test_purge_leaves_nothing_of_any_feature_and_everything_that_is_not_ours(home, tmp_path, contents):
    use_everything(home, tmp_path)
    written = {top: names(top) for top in own_files.directories()}
    assert own_files.inventory().foreign == (), "a feature writes a file that own_files.py does not list"
    assert {name.split("/")[0] for name in written[locations.state_dir()]} >= {
        "decisions.jsonl", "decisions.jsonl.1", "decisions.jsonl.lock", "decisions.jsonl.counting", "noticed", "claims",
        "receipts", "backups", "copies-codex",
    }  # fmt: skip
    assert [name for name in written[locations.state_dir()] if name.startswith("bug-")]
    assert {"python", "hook.py", "proxy", "proxy.py", "settings.json"} < written[locations.data_dir()]
    killed = [name for names in written.values() for name in names if Path(name).name.endswith((".unpretty", ".tmp"))]
    assert len(killed) == 8

    theirs = {}
    for top in own_files.directories():
        for place in (top, *(path for path in everywhere(top) if path.is_dir() and not path.is_symlink())):
            for name in ("notes.md", ".hidden", "decisions.jsonl.bak", "settings.json~", "x.json"):
                theirs[place / name] = "mine"
        theirs[top / "notes" / "decisions.jsonl"] = "mine"
    for path, text in theirs.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (locations.state_dir() / "bug-20260101-000000-1.txt").symlink_to(home / "page.html")
    (locations.state_dir() / "elsewhere").symlink_to(home / ".claude")
    before = {path: path.read_text() for path in (home / ".claude.json", home / "page.html")}

    output = purge()
    assert {path: path.read_text() for path in theirs} == theirs
    left = {path for top in own_files.directories() for path in everywhere(top) if path.is_symlink() or path.is_file()}
    links = {locations.state_dir() / "elsewhere", locations.state_dir() / "bug-20260101-000000-1.txt"}
    assert left == set(theirs) | links
    assert home.joinpath("page.html").read_text() == before[home / "page.html"]
    assert json.loads((home / ".claude.json").read_text()) == {"mcpServers": {"db": {"command": "npx", "args": ["x"]}}}
    assert "Left alone, since unpretty did not make it: " in output


@posix
def test_purge_of_everything_leaves_no_directory_of_ours(home, tmp_path):
    use_everything(home, tmp_path)
    output = purge()
    assert [path for path in everywhere(home) if "unpretty" in str(path.relative_to(home))] == []
    assert "Left alone" not in output
    assert "Copies of the files" not in output
    assert CliRunner().invoke(cli, ["uninstall", "--purge"]).output.endswith("Nothing to do.\n\n")


@posix
@pytest.mark.parametrize("linked", DIRECTORIES)
def test_a_directory_that_is_a_link_is_not_followed_and_named(home, tmp_path, linked):
    """``~/.config/unpretty -> ~/dotfiles/unpretty``: what is there belongs to the user's dotfiles."""
    dotfiles = home / "dotfiles" / "unpretty"
    dotfiles.mkdir(parents=True)
    (dotfiles / "notes.md").write_text("mine")
    top = directory_of(linked)
    top.parent.mkdir(parents=True)
    top.symlink_to(dotfiles)
    use_everything(home, tmp_path)
    before = names(dotfiles)
    output = purge()
    assert top.is_symlink()
    assert (dotfiles / "notes.md").read_text() == "mine"
    (line,) = [line for line in output.splitlines() if "Left alone" in line]
    assert line == (
        f"  Warning: Left alone, since unpretty did not make it: {top} -> {dotfiles}; a link is not followed,"
        " so what unpretty wrote in its target stays too."
    )
    launchers = {"python", "hook.py", "proxy", "proxy.py", "settings.json"} if linked == "data" else set()
    notes = ("receipts/", "copies-")
    receipts = {name for name in before if name.startswith(notes) and not Path(name).name.startswith(".")}
    gone = before - names(dotfiles)
    assert gone == launchers | receipts  # these were removed by their own plans, by name and content
    others = [directory_of(name) for name in DIRECTORIES if name != linked]
    assert not any(os.path.lexists(other) for other in others)


@posix
@pytest.mark.parametrize("name", ["hook.py", "settings.json", "proxy", "proxy.py", "python"])
def test_uninstall_without_purge_deletes_no_file_of_the_users_that_has_a_name_of_ours(home, name):
    run("install", "claude-code", "--apply")
    place = locations.data_dir() / name
    place.unlink(missing_ok=True)
    place.write_text('{"my": "settings"}')
    result = CliRunner().invoke(cli, ["uninstall", "--apply"])
    assert place.read_text() == '{"my": "settings"}'
    assert result.exit_code == 0
    assert {path.name for path in locations.data_dir().iterdir()} == {name}


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


@posix
@pytest.mark.parametrize("put", [Path.mkdir, os.mkfifo, _loop, lambda path: path.symlink_to("/")])
@pytest.mark.parametrize("name", ["hook.py", "settings.json", "proxy", "proxy.py", "python"])
def test_whatever_stands_in_the_place_of_a_file_of_ours_the_agents_lose_their_entry(settings_file, name, put):
    """When a file of ours cannot be read, users want to uninstall unpretty."""
    run("install", "claude-code", "--apply")
    place = locations.data_dir() / name
    place.unlink(missing_ok=True)
    put(place)
    result = CliRunner().invoke(cli, ["uninstall", "--apply"])
    assert result.exit_code == 0, result.output
    assert not settings_file.exists()
    kept = {path.name for path in everywhere(locations.data_dir())} if locations.data_dir().exists() else set()
    assert kept <= {name}


@posix
@pytest.mark.parametrize("put", [Path.touch, _loop])
def test_whatever_stands_in_the_place_of_our_directory_the_agents_lose_their_entry(settings_file, put):
    run("install", "claude-code", "--apply")
    shutil.rmtree(locations.data_dir())
    put(locations.data_dir())
    result = CliRunner().invoke(cli, ["uninstall", "--apply"])
    assert result.exit_code == 0, result.output
    assert not settings_file.exists()
    assert os.path.lexists(locations.data_dir())


@posix
@pytest.mark.parametrize("leads_to", ["hook.py", "/", "/nowhere"])
def test_a_link_in_the_place_of_our_script_that_leads_to_no_file_is_replaced(settings_file, leads_to):
    run("install", "claude-code", "--apply")
    script = locations.data_dir() / "hook.py"
    written = script.read_bytes()
    script.unlink()
    script.symlink_to(leads_to)
    assert CliRunner().invoke(cli, ["doctor"]).exit_code == 1
    result = CliRunner().invoke(cli, ["doctor", "--fix"])
    assert result.exit_code == 0, result.output
    assert script.read_bytes() == written
    assert not script.is_symlink()


@posix
def test_a_link_to_a_file_of_the_users_in_the_place_of_ours_costs_the_user_nothing(home, tmp_path):
    use_everything(home, tmp_path)
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    for path in (locations.config_file(), locations.data_dir() / "hook.py", locations.decision_log_file()):
        path.rename(dotfiles / path.name)
        path.symlink_to(dotfiles / path.name)
    before = {path: path.read_bytes() for path in everywhere(dotfiles)}
    output = purge()
    assert {path: path.read_bytes() for path in everywhere(dotfiles)} == before
    assert f"{locations.config_file()} -> {dotfiles / 'config.toml'}" in output
    assert locations.config_file().is_symlink()


_NAMES = "decisions.jsonl receipts noticed backups config.toml python hook.py settings.json bug-20260101-000000 x"
NAMES = st.sampled_from(tuple(_NAMES.split()))
TAILS = st.sampled_from(("", ".1", ".bak", "~", ".lock", "/a", "/x.json", ".tmp", " ", "\n", ".1.gz", "-1.txt", ".²"))


@posix
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=st.sampled_from(DIRECTORIES), name=NAMES, tail=TAILS, text=st.binary(max_size=30), link=st.booleans())
def test_what_is_deleted_has_a_name_of_ours_stands_in_our_directory_and_is_no_link(
    tmp_path, top, name, tail, text, link
):
    """Only files of these names are ever deleted, whatever they hold; the rest stays byte for byte."""
    locations._given.clear()
    locations.use(**{each: str(tmp_path / each / "unpretty") for each in DIRECTORIES})
    try:
        path = Path(f"{directory_of(top)}/{name}{tail}")
        path.parent.mkdir(parents=True, exist_ok=True)
        target = tmp_path / "target"
        target.write_bytes(text)
        path.symlink_to(target) if link else path.write_bytes(text)
        found = own_files.inventory()
        assert target not in found.ours
        if path in found.ours:
            assert link == (path.name == "python")
            assert (top, f"{name}{tail}") in {
                ("state", "decisions.jsonl"), ("state", "decisions.jsonl.1"), ("state", "decisions.jsonl.lock"),
                ("config", "config.toml"), ("data", "python"), ("data", "hook.py"), ("data", "settings.json"),
                ("state", "bug-20260101-000000-1.txt"),
            }  # fmt: skip
        else:
            assert set(found.foreign) & {path, *path.parents}
    finally:
        for each in DIRECTORIES:
            shutil.rmtree(tmp_path / each, ignore_errors=True)
        locations._given.clear()


def test_a_directory_of_another_name_in_which_files_have_our_names_is_not_looked_into(home):
    inner = locations.state_dir() / "old" / "decisions.jsonl"
    inner.parent.mkdir(parents=True)
    inner.write_text("")
    assert own_files.inventory() == own_files.Inventory((), (inner.parent,))


def test_many_foreign_files_are_counted(home):
    locations.config_dir().mkdir(parents=True)
    for number in range(8):
        (locations.config_dir() / f"{number}.md").write_text("")
    output = CliRunner().invoke(cli, ["uninstall", "--purge"]).output
    assert f"{locations.config_dir() / '4.md'} and 3 more." in output


def test_what_cannot_be_deleted_is_said(home, monkeypatch):
    locations.config_dir().mkdir(parents=True)
    locations.config_file().write_text("")

    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "unlink", refuse)
    result = CliRunner().invoke(cli, ["uninstall", "--purge", "--apply"])
    assert result.exit_code == 1
    assert f"{locations.config_file()}, {locations.config_dir()} could not be deleted." in result.output


class TestWhileTokensAreCounted:
    """Purge within seconds of a conversion, and while agents still run."""

    @posix
    def test_the_counting_process_is_ended_and_the_log_stays_gone(self, home):
        run("install", "claude-code", "--apply")
        log = locations.decision_log_file()
        convert()
        holder = _wait_for_holder(log)
        purge()
        assert not _is_running(holder)
        time.sleep(1.5)  # a process that had just been started would have ended by now
        assert [path for path in everywhere(home) if "unpretty" in str(path.relative_to(home))] == []

    @posix
    @pytest.mark.parametrize("delay", [0.0, 0.05, 0.2])
    def test_at_whatever_moment_of_the_counting_nothing_comes_back(self, home, delay):
        run("install", "claude-code", "--apply")
        (locations.state_dir() / "notes.md").write_text("mine")  # keeps the directory, so that it could be written into
        convert()
        time.sleep(delay)
        purge()
        time.sleep(1.5)
        assert names(locations.state_dir()) == {"notes.md"}

    @posix
    def test_those_that_wait_are_ended_too_and_nobody_else_is(self, home, tmp_path):
        log = locations.decision_log_file()
        log.parent.mkdir(parents=True)
        log.touch()
        texts = [("id", "some text " * 400_000, "short")]
        assert all(background.count_later(sys.executable, str(log), texts) for _ in range(3))
        children = list(background._started[-3:])
        other = subprocess.Popen(["sleep", "60"])
        until = time.monotonic() + 20
        while sum(map(_has_lock_open(log), children)) < 3 and time.monotonic() < until:
            time.sleep(0.02)
        stop_counting(log)
        assert [os.waitpid(pid, 0)[1] for pid in children] == [signal.SIGTERM] * 3
        assert other.poll() is None
        other.kill()
        other.wait()
        background._started.clear()

    @posix
    def test_a_process_that_is_not_ours_is_left_alone_though_it_holds_the_lock(self, home, tmp_path):
        log = tmp_path / "decisions.jsonl"
        lock = f"{log}.counting"
        program = (
            f"import fcntl,os,sys;h=os.open({lock!r},os.O_RDWR|os.O_CREAT);"
            "fcntl.lockf(h,fcntl.LOCK_EX,1,0);print(flush=True);sys.stdin.read()"
        )
        holder = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout is not None
        holder.stdout.readline()
        started = time.monotonic()
        stop_counting(log)
        assert time.monotonic() - started < 1
        assert holder.poll() is None
        holder.communicate(b"", timeout=10)

    def test_without_any_lock_there_is_nothing_to_end(self, tmp_path):
        stop_counting(tmp_path / "decisions.jsonl")
        (tmp_path / "decisions.jsonl.counting").touch()
        stop_counting(tmp_path / "decisions.jsonl")
        assert names(tmp_path) == {"decisions.jsonl.counting"}

    @posix
    @pytest.mark.parametrize("kept", [(), ("log",), ("log", "lock")])
    def test_a_count_is_added_only_to_a_log_that_is_there(self, tmp_path, kept):
        """As by a child that was waiting, or had only just been started, when the log was deleted."""
        log = tmp_path / "decisions.jsonl"
        for name in kept:
            {"log": log, "lock": tmp_path / "decisions.jsonl.counting"}[name].touch()
        child.count(str(log), iter(["id", "hello world", "hello"]), 1 << 20, 2)
        assert log.exists() == ("log" in kept)
        assert (not kept) == (names(tmp_path) == set())


@posix
def test_a_worker_that_outlives_uninstall_creates_nothing_but_goes_on(home):
    """OpenCode keeps its worker until it ends: log, settings and notices that the user deleted stay deleted."""
    run("install", "opencode", "--apply")
    run("config", "set", "encodings", "json,toon")
    (locations.state_dir() / "notes.md").write_text("mine")
    config = locations.config_file().read_bytes()
    worker = subprocess.Popen(registered.argv("opencode"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert worker.stdin is not None
    assert worker.stdout is not None
    rows = json.dumps([{"id": number, "name": f"user {number}"} for number in range(80)], indent=2)
    request = {"id": 1, "tool": "bash", "session": "s", "command": "gh api x", "fields": [["output", rows]]}
    for after_purge in (False, True):
        worker.stdin.write(json.dumps(request).encode() + b"\n")
        worker.stdin.flush()
        assert json.loads(worker.stdout.readline())["texts"]
        if not after_purge:
            until = time.monotonic() + 20
            while not locations.decision_log_file().exists():  # it is written after the reply
                assert time.monotonic() < until
                time.sleep(0.01)
            assert [path.suffix for path in (locations.state_dir() / "noticed").iterdir()] == [".toon"]
            purge()
            locations.config_dir().mkdir(parents=True)
            locations.config_file().write_bytes(config)  # a link to it would not have been followed
    worker.communicate(timeout=30)
    time.sleep(1)
    assert names(locations.state_dir()) == {"notes.md"}
    assert not locations.data_dir().exists()


def _wait_for_holder(log: Path) -> int:
    from unpretty.tokens.stop import _holder

    until = time.monotonic() + 20
    while not (pid := _holder(log)):
        assert time.monotonic() < until
        time.sleep(0.002)
    return pid


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")
    return "\nState:\tZ" not in status.read_text() if status.exists() else True


def _has_lock_open(log: Path):
    def check(pid: int) -> bool:
        try:
            return any(os.readlink(each) == f"{log}.counting" for each in Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            return False

    return check
