import os
import subprocess
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

import unpretty
import unpretty_hooks
from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer.core import launcher, registered, report
from unpretty_installer.core.apply import apply
from unpretty_installer.core.plan import Plan

# A hook that tells what it was given.
FAKE_ENTRY = """
import sys
def main(agent, log, resolved, config):
    print("|".join([agent, log, resolved, config, sys.stdin.read(), str("site" in sys.modules)]))
"""


@pytest.fixture
def fake_package(tmp_path, monkeypatch):
    """Replaces the real package by one in the wheel's layout, or in that of an editable install."""

    def put(entry: str, hooks: str = "unpretty_hooks", name: str = "env é 'q'") -> Path:
        root = tmp_path / name
        package, hooks_directory = root / "unpretty", root / hooks
        for directory in (package, package / "engine", hooks_directory):
            directory.mkdir(parents=True, exist_ok=True)
            (directory / "__init__.py").write_text("")
        (hooks_directory / "entry.py").write_text(entry)
        monkeypatch.setattr(unpretty, "__file__", str(package / "__init__.py"))
        monkeypatch.setattr(unpretty_hooks, "__file__", str(hooks_directory / "__init__.py"))
        return root

    return put


def install() -> None:
    apply(Plan("unpretty", "x", changes=launcher.changes()))


def run(payload: str = "payload") -> subprocess.CompletedProcess:
    return subprocess.run(
        ["/bin/sh", "-c", registered.shell_command("codex")], input=payload, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("hooks", ["unpretty_hooks", "../hooks/unpretty_hooks"])
def test_the_registered_command_runs_the_hook_of_a_wheel_and_of_an_editable_install(fake_package, hooks):
    fake_package(FAKE_ENTRY, hooks)
    install()
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    expected = [
        "codex",
        str(locations.decision_log_file()),
        str(locations.resolved_settings_file()),
        str(locations.config_file()),
        "payload",
        "False",
    ]
    assert done.stdout.strip().split("|") == expected


@pytest.mark.parametrize(
    "entry",
    [
        "raise SystemExit(3)",
        "raise KeyboardInterrupt",
        "syntax error",
        "def main(*_): 1/0",
        "def main(*_): raise MemoryError",
        "",
    ],
)
def test_whatever_is_wrong_with_the_package_the_agent_sees_status_0_and_no_output(fake_package, entry):
    fake_package(entry)
    install()
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_package_that_is_gone_gives_status_0_and_no_output(fake_package):
    root = fake_package(FAKE_ENTRY)
    install()
    root.rename(root.with_name("gone"))
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.mark.parametrize("packages", ["site-packages", "dist-packages"])
def test_an_environment_that_moved_to_another_python_in_place_is_still_found(fake_package, packages):
    """``uv tool upgrade --python`` and ``pipx reinstall`` leave the link and move the packages."""
    root = fake_package(FAKE_ENTRY, name=f"env 'é' %s/lib/{VERSION}/{packages}")
    install()
    assert run().stdout.startswith("codex|")
    source = launcher.hook_file().read_text("ascii")
    assert VERSION not in source
    moved = root.parent.parent / "python9.87t" / packages
    root.rename(moved.parent.with_name("parked"))
    moved.parent.mkdir(parents=True)
    moved.parent.with_name("parked").rename(moved)
    assert (run().returncode, run().stdout) == (0, "")
    as_another = "import sys\nsys.version_info, sys.abiflags = (9, 87, 0), 't'\n"
    launcher.hook_file().write_text(as_another + source)
    assert run().stdout.startswith("codex|")


def test_where_no_package_fits_the_python_that_runs_it_the_doctor_says_so(fake_package, tmp_path):
    root = fake_package(FAKE_ENTRY, name=f"env/lib/{VERSION}/site-packages")
    assert launcher.package_problem() is None
    install()
    assert launcher.package_problem() is None
    root.rename(tmp_path / "gone")
    found = (
        f"{launcher.hook_file()} finds no unpretty for its Python {VERSION.removeprefix('python')} in {root}/unpretty"
    )
    assert launcher.package_problem() == f"The hook does nothing: {found}."
    assert report.shared_problems()[0] == report.Problem("package_not_found", launcher.package_problem(), report.FIX)
    launcher.hook_file().write_text("no list of directories")
    assert launcher.package_problem() is None
    install()
    launcher.python_link().unlink()
    assert launcher.package_problem() is None
    launcher.python_link().symlink_to("/bin/true")  # a program that answers nothing
    assert launcher.package_problem() is None


def test_the_hooks_python_is_asked_once_for_all_agents(fake_package, monkeypatch):
    fake_package(FAKE_ENTRY, name=f"env/lib/{VERSION}/site-packages")
    install()
    started, run_program = [], subprocess.run

    def count(command, **options):
        started.append(command)
        return run_program(command, **options)

    monkeypatch.setattr(launcher.subprocess, "run", count)
    assert [launcher.package_problem() for _ in range(3)] == [None] * 3
    assert len(started) == 1


def test_an_editable_install_is_found_by_every_python(fake_package):
    root = fake_package(FAKE_ENTRY, "hooks/unpretty_hooks", name=f"{VERSION}/site-packages.of.a.checkout")
    install()
    assert str(root) in launcher.hook_file().read_text("ascii")
    assert run().stdout.startswith("codex|")


def test_paths_of_any_kind_are_baked_in_as_ascii(fake_package, monkeypatch, tmp_path):
    fake_package(FAKE_ENTRY, name='漢 \\ " {x} %s')
    monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}/\udce9'\n")
    source = launcher.hook_source()
    source.decode("ascii")
    monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}/é'")
    install()
    assert run().stdout.split("|")[1] == f"{tmp_path}/é'/unpretty/decisions.jsonl"


def test_the_link_leads_to_this_interpreter_by_the_name_that_stays(fake_package, monkeypatch, tmp_path):
    directory = tmp_path / "bin"
    directory.mkdir()
    (directory / "python3.11").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(directory / "python3.11"))
    assert launcher.changes()[1].after == os.fsencode(directory / "python3.11")
    (directory / "python").symlink_to("python3.11")
    assert launcher.changes()[1].after == os.fsencode(directory / "python")
    (directory / "python").unlink()
    (directory / "python").symlink_to("/bin/sh")
    assert launcher.changes()[1].after == os.fsencode(directory / "python3.11")
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(UnprettyError, match="does not say where it is"):
        launcher.changes()


def test_once_in_place_there_is_nothing_to_do_and_another_install_rewrites_both(fake_package, tmp_path, monkeypatch):
    fake_package(FAKE_ENTRY)
    assert [change.operation for change in launcher.changes()] == ["create", "create"]
    install()
    assert [change.operation for change in launcher.changes()] == ["keep", "keep"]
    fake_package(FAKE_ENTRY, name="elsewhere")
    other = tmp_path / "python"
    other.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(other))
    assert [change.operation for change in launcher.changes()] == ["change", "change"]
    install()
    assert run().stdout.startswith("codex|")


def test_removal_takes_our_files_and_an_empty_directory_and_leaves_what_is_not_ours(fake_package):
    assert launcher.removal() == ()
    fake_package(FAKE_ENTRY)
    install()
    locations.resolved_settings_file().write_text('{"source":[]}')
    # The script goes after the interpreter: without a script an older entry would show Python's error message.
    assert [change.path.name for change in launcher.removal()] == ["python", "hook.py", "settings.json"]
    other = locations.data_dir() / "other"
    other.write_text("")
    apply(Plan("unpretty", "x", changes=launcher.removal()))
    assert os.listdir(locations.data_dir()) == ["other"]
    other.unlink()
    install()
    apply(Plan("unpretty", "x", changes=launcher.removal()))
    assert not locations.data_dir().exists()


def test_on_windows_there_is_no_link(monkeypatch):
    monkeypatch.setattr(launcher.sys, "platform", "win32")
    assert [change.path.name for change in launcher.changes()] == ["hook.py"]
    assert launcher.removal() == ()


@pytest.mark.parametrize(
    ("prefix", "temporary"),
    [
        (PurePosixPath("/home/u/.cache/uv/archive-v0/-ZM0c5y6Au0B5IRk"), True),
        (PurePosixPath("/scratch/ca/archive-v0/fTm1Z3AhJK9PnF34"), True),
        (PurePosixPath("/home/u/.cache/uv/environments-v2/abc"), True),
        (PurePosixPath("/home/u/.cache/uv/builds-v0/.tmpX"), True),
        (PureWindowsPath(r"C:\Users\u\AppData\Local\uv\cache\archive-v0\abc"), True),
        (PurePosixPath("/home/u/.cache/pipx/c539b568024c72c"), True),
        (PurePosixPath("/opt/ph/.cache/c539b568024c72c"), True),
        (PurePosixPath("/Users/u/Library/Caches/pipx/c539b568024c72c"), True),
        (PureWindowsPath(r"C:\Users\u\AppData\Local\pipx\pipx\Cache\c539b568024c72c"), True),
        (PurePosixPath("/home/u/.local/share/uv/tools/unpretty"), False),
        (PurePosixPath("/home/u/.local/share/pipx/venvs/unpretty"), False),
        (PurePosixPath("/home/u/pipx/venvs/deadbeef00"), False),
        (PurePosixPath("/home/u/.cache/pypoetry/virtualenvs/project-py3.11"), False),
        (PurePosixPath("/home/u/project/.venv"), False),
        (PurePosixPath("/usr"), False),
        (PurePosixPath("/tmp/venv"), False),
    ],
)
def test_only_the_caches_of_uvx_and_pipx_run_are_temporary(monkeypatch, prefix, temporary):
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(launcher, "PurePath", type(prefix))
    blocks = launcher.blocks()
    assert [block.code for block in blocks] == (["temporary_environment"] if temporary else [])
    if temporary:
        assert "uv tool install unpretty" in blocks[0].hint
        assert "pipx install unpretty" in blocks[0].hint
        assert str(prefix) in blocks[0].message
