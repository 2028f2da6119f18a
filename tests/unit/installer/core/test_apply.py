"""All of a plan is carried out, or everything is as it was."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer.core import files, planning
from unpretty_installer.core.apply import apply
from unpretty_installer.core.plan import Block, Check, FileChange, Plan, Step


def change(path: Path, before: bytes | None, after: bytes | None, **more) -> FileChange:
    return FileChange(path, before, after, "Because.", **more)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Files and a link that are not ours."""
    return agent_directory(tmp_path / "agent")


def agent_directory(directory: Path) -> Path:
    directory.mkdir()
    (directory / "settings.json").write_bytes(b"{}")
    (directory / "settings.json").chmod(0o640)
    (directory / "old.json").write_bytes(b"old")
    (directory / "real.toml").write_bytes(b"a = 1")
    (directory / "config.toml").symlink_to("real.toml")
    return directory


def everything(directory: Path, *, steps: tuple[Step, ...] = (), checks: tuple[Check, ...] = ()) -> Plan:
    """A plan with each kind of operation."""
    own = locations.data_dir()
    return Plan(
        agent="claude-code",
        title="Claude Code",
        changes=(
            change(own / "python", None, b"/usr/bin/python3", kind="link", ours=True),
            change(own / "hook.py", None, b"pass", ours=True, mode=0o600),
            change(directory / "settings.json", b"{}", b'{"a": 1}'),
            change(directory / "config.toml", b"a = 1", b"a = 2"),
            change(directory / "new" / "deep" / "plugin.js", None, b"// ours"),
            change(directory / "kept.json", None, None),
            change(directory / "old.json", b"old", None),
        ),
        steps=steps,
        checks=checks,
    )


def test_a_plan_is_carried_out_whole(directory, home, contents):
    order = []
    steps = (Step("trust", "", lambda: order.append("step"), lambda: order.append("undone")),)
    backup = apply(everything(directory, steps=steps, checks=(Check("runs", lambda: order.append("check")),)))
    assert order == ["step", "check"]
    assert contents(directory) == {
        "settings.json": ("0o100640", b'{"a": 1}'),
        "real.toml": ("0o100644", b"a = 2"),
        "config.toml": ("0o120777", Path("real.toml")),
        "new": ("0o40755", None),
        "new/deep": ("0o40755", None),
        "new/deep/plugin.js": ("0o100644", b"// ours"),
    }
    own = locations.data_dir()
    assert own.stat().st_mode & 0o777 == 0o700
    assert (own / "hook.py").stat().st_mode & 0o777 == 0o600
    assert os.readlink(own / "python") == "/usr/bin/python3"
    assert backup is not None
    assert contents(backup) == {
        "1-settings.json": ("0o100600", b"{}"),
        "2-config.toml": ("0o100600", b"a = 1"),
        "3-old.json": ("0o100600", b"old"),
    }
    assert backup.stat().st_mode & 0o777 == 0o700


def test_a_plan_that_changes_nothing_writes_nothing(directory, home, snapshot):
    before = snapshot(home), snapshot(directory)
    assert apply(Plan("x", "X", changes=(change(directory / "settings.json", b"{}", b"{}"),))) is None
    assert (snapshot(home), snapshot(directory)) == before


def test_a_file_that_changed_since_the_plan_is_left_alone_and_so_is_everything_else(directory, home, snapshot):
    plan = everything(directory)
    (directory / "config.toml").write_bytes(b"a = 99")
    before = snapshot(home), snapshot(directory)
    with pytest.raises(UnprettyError, match=r"config\.toml has changed since the plan was made") as caught:
        apply(plan)
    assert caught.value.code == "changed_meanwhile"
    assert caught.value.hint == "Run the command again."
    assert (snapshot(home), snapshot(directory)) == before


def test_a_file_that_changes_while_the_plan_is_carried_out_is_left_alone(directory, home, monkeypatch, contents):
    real = files.replace

    def interfering(path, data, mode=None, **options):
        real(path, data, mode, **options)
        if path.name == "settings.json":
            (directory / "config.toml").write_bytes(b"a = 99")

    monkeypatch.setattr(files, "replace", interfering)
    with pytest.raises(UnprettyError, match=r"config\.toml has changed since the plan.*Everything is as it was before"):
        apply(everything(directory))
    assert (directory / "settings.json").read_bytes() == b"{}"
    assert (directory / "config.toml").read_bytes() == b"a = 99"
    assert contents(home) == {}


def test_a_file_that_already_is_as_planned_is_not_written_again(directory, home):
    (directory / "settings.json").write_bytes(b'{"a": 1}')
    inode = (directory / "settings.json").stat().st_ino
    apply(everything(directory))
    assert (directory / "settings.json").stat().st_ino == inode


def test_a_blocked_plan_is_refused_with_its_reason_before_anything_is_written(directory, home, snapshot):
    plan = everything(directory)
    blocked = Plan("x", "X", changes=plan.changes, blocks=(Block("read_only", "x is read-only.", "Make it writable."),))
    before = snapshot(home), snapshot(directory)
    with pytest.raises(UnprettyError, match="x is read-only") as caught:
        apply(blocked)
    assert (caught.value.code, caught.value.hint) == ("read_only", "Make it writable.")
    assert (snapshot(home), snapshot(directory)) == before


CALLS = [
    (Path, "replace"),
    (Path, "unlink"),
    (Path, "mkdir"),
    (Path, "chmod"),
    (Path, "symlink_to"),
    (os, "fsync"),
    (files.tempfile, "mkstemp"),
]


def failing_at(monkeypatch, target: object, name: str, number: int, error: BaseException) -> list[int]:
    """Make the ``number``-th call of a primitive fail, and no other; the list counts the calls."""
    real = getattr(target, name)
    calls: list[int] = []

    def call(*args, **kwargs):
        calls.append(1)
        if len(calls) == number:
            raise error
        return real(*args, **kwargs)

    monkeypatch.setattr(target, name, call)
    return calls


@pytest.mark.parametrize(("target", "name"), CALLS)
def test_a_failure_at_any_call_of_any_primitive_leaves_the_old_state(
    tmp_path, home, monkeypatch, contents, target, name
):
    """Syncing a directory is best effort: when only that fails, the plan is carried out."""
    failures = 0
    for number in range(1, 100):
        directory = agent_directory(tmp_path / str(number))
        monkeypatch.setenv("HOME", str(tmp_path / f"home {number}"))
        before = contents(directory)
        with monkeypatch.context() as patch:
            calls = failing_at(patch, target, name, number, OSError(errno.ENOSPC, "No space left on device"))
            try:
                apply(everything(directory))
            except UnprettyError as exc:
                assert "No space left on device" in str(exc)
                assert "Everything is as it was before." in str(exc)
                assert exc.code == "write_failed"
                failures += 1
                assert contents(directory) == before, (name, number)
                assert contents(tmp_path / f"home {number}") == {}, (name, number)
                continue
        assert (directory / "settings.json").read_bytes() == b'{"a": 1}'
        assert not (directory / "old.json").exists()
        if len(calls) < number:
            break
    assert failures > 0


@pytest.mark.parametrize("name", ["replace", "unlink", "mkdir", "symlink_to"])
def test_an_interrupt_puts_everything_back_and_goes_on_as_an_interrupt(directory, home, monkeypatch, name, contents):
    before = contents(directory)
    for number in range(1, 4):
        with monkeypatch.context() as patch:
            failing_at(patch, Path, name, number, KeyboardInterrupt())
            try:
                apply(everything(directory))
            except KeyboardInterrupt:
                assert contents(directory) == before
                assert contents(home) == {}
                continue
        break


def test_an_interrupt_right_after_a_rename_is_put_back_too(directory, home, monkeypatch, contents):
    before = contents(directory)
    real = Path.replace
    interrupts = iter([KeyboardInterrupt()])

    def replace(old, new):
        real(old, new)
        if Path(new).name == "settings.json":
            for interrupt in interrupts:
                raise interrupt

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        apply(everything(directory))
    assert contents(directory) == before
    assert contents(home) == {}


@pytest.mark.parametrize(
    "error", [UnprettyError("It said no.", code="refused", hint="Ask again."), KeyboardInterrupt()]
)
@pytest.mark.parametrize("where", ["step", "check"])
def test_a_failing_step_or_check_takes_back_files_and_earlier_steps_newest_first(
    directory, home, where, error, contents
):
    before, order = contents(directory), []

    def fail():
        order.append(where)
        raise error

    def first():
        order.append("first")

    def undo():
        assert (directory / "settings.json").read_bytes() == b'{"a": 1}'
        order.append("undo")

    def never():
        order.append("never")

    steps = (Step("a", "", first, undo), *((Step("b", "", fail, never),) if where == "step" else ()))
    checks = (Check("c", fail),) if where == "check" else (Check("c", never),)
    with pytest.raises(type(error)) as caught:
        apply(everything(directory, steps=steps, checks=checks))
    assert order == ["first", where, "undo"]
    assert contents(directory) == before
    assert contents(home) == {}
    if isinstance(error, UnprettyError):
        assert str(caught.value) == "It said no. Everything is as it was before."
        assert (caught.value.code, caught.value.hint) == ("refused", "Ask again.")


def test_a_file_that_another_program_changed_meanwhile_is_not_overwritten_when_putting_back(directory, home):
    def interfere():
        (directory / "settings.json").write_bytes(b"theirs")
        raise UnprettyError("It said no.")

    with pytest.raises(UnprettyError, match="Not everything could be put back") as caught:
        apply(everything(directory, checks=(Check("c", interfere),)))
    assert (directory / "settings.json").read_bytes() == b"theirs"
    assert (directory / "config.toml").read_bytes() == b"a = 1"
    copies = list((locations.state_dir() / "backups").glob("*/1-settings.json"))
    assert [copy.read_bytes() for copy in copies] == [b"{}"]
    assert str(copies[0].parent) in str(caught.value)


def test_a_step_that_cannot_be_undone_is_reported_and_the_rest_is_put_back(directory, home, contents):
    def fail():
        raise UnprettyError("It said no.")

    def stuck():
        raise UnprettyError("Codex does not answer.")

    before = contents(directory)
    with pytest.raises(UnprettyError, match="Not everything could be put back: Codex does not answer"):
        apply(everything(directory, steps=(Step("a", "", lambda: None, stuck),), checks=(Check("c", fail),)))
    assert contents(directory) == before


def test_an_own_file_that_stays_for_rollback_failure_without_backups_names_none(home):
    def fail():
        raise UnprettyError("It said no.")

    def stuck():
        raise OSError(errno.EIO, "Input/output error")

    plan = Plan("x", "X", steps=(Step("a", "", lambda: None, stuck),), checks=(Check("c", fail),))
    with pytest.raises(UnprettyError) as caught:
        apply(plan)
    assert str(caught.value) == "It said no. Not everything could be put back: [Errno 5] Input/output error"


def test_an_uninstall_removes_the_directories_that_it_leaves_empty_but_no_other(directory, home):
    apply(everything(directory))
    plugin = directory / "new" / "deep" / "plugin.js"
    gone = change(plugin, b"// ours", None, empty_dirs=(directory / "new" / "deep", directory / "new"))
    (directory / "new" / "theirs").write_bytes(b"")
    apply(Plan("x", "X", changes=(gone,)))
    assert os.listdir(directory / "new") == ["theirs"]


def test_removals_come_last_and_what_is_gone_already_does_not_matter(directory, home):
    one, two = directory / "settings.json", directory / "missing"
    apply(Plan("x", "X", removals=(one, two, directory)))
    assert not one.exists()
    assert directory.exists()


@pytest.mark.parametrize(
    ("kind", "leads_to"),
    [
        ("link", "a file"),
        ("link", "a directory"),
        ("link", "nothing"),
        ("link", "itself"),
        # Where a link is at the path of a file of ours and nothing can be read through it, no plan is made.
        ("file", "a file"),
        ("file", "nothing"),
    ],
)
def test_what_stands_in_the_place_of_ours_is_replaced_and_deleted_itself_never_what_it_leads_to(
    directory, home, contents, kind, leads_to
):
    """A link of our own may lead to an install that was removed, whose directories must not be created."""
    own = locations.data_dir() / "python"
    held = {
        "a file": directory / "old.json",
        "a directory": directory,
        "nothing": directory / "gone/bin/python",
        "itself": own,
    }
    own.parent.mkdir(parents=True)
    own.symlink_to(held[leads_to])
    theirs = contents(directory)
    before = files.read_link(own) if kind == "link" else files.read(own)
    for old, new in ((before, b"/usr/bin/python3"), (b"/usr/bin/python3", None)):
        planned = change(own, old, new, kind=kind, ours=True)
        assert planning.obstacles([planned]) == ()
        apply(Plan("x", "X", changes=(planned,)))
        assert contents(directory) == theirs
        assert (files.read_link(own) if kind == "link" else files.read(own)) == new
        assert own.is_symlink() == (kind == "link" and new is not None)
    assert not os.path.lexists(own)


def test_a_failure_gives_our_own_link_back_and_makes_nothing_where_it_led(directory, home, contents):
    own = locations.data_dir() / "python"
    own.parent.mkdir(parents=True)
    own.symlink_to(directory / "gone" / "bin" / "python")
    before = contents(directory), contents(home)

    def fail() -> None:
        raise UnprettyError("no")

    planned = change(
        own, os.fsencode(directory / "gone" / "bin" / "python"), b"/usr/bin/python3", kind="link", ours=True
    )
    with pytest.raises(UnprettyError, match=r"no Everything is as it was"):
        apply(Plan("x", "X", changes=(planned,), checks=(Check("x", fail),)))
    assert (contents(directory), contents(home)) == before


@pytest.mark.parametrize("number", range(1, 9))
def test_a_process_that_is_killed_leaves_whole_files_and_the_next_run_completes_the_work(directory, home, number):
    """Dies at the n-th rename or removal, as after SIGKILL or a power cut: no cleaning up happens."""
    script = f"""
import os, sys
from pathlib import Path
from tests.unit.installer.core.test_apply import everything
from unpretty_installer.core.apply import apply
count = 0
def dying(real):
    def call(*args, **kwargs):
        global count
        count += 1
        if count == {number}:
            os._exit(9)
        return real(*args, **kwargs)
    return call
plan = everything(Path({str(directory)!r}))
Path.replace, Path.unlink = dying(Path.replace), dying(Path.unlink)
apply(plan)
"""
    root = Path(__file__).parents[4]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 9, done.stderr
    possible = {"settings.json": (b"{}", b'{"a": 1}'), "real.toml": (b"a = 1", b"a = 2"), "old.json": (b"old", None)}
    for name, whole in possible.items():
        assert files.read(directory / name) in whole
    apply(everything(directory))
    assert {name: files.read(directory / name) for name in possible} == {
        name: whole[1] for name, whole in possible.items()
    }
