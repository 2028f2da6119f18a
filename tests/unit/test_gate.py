"""The gate's own programs: what it says of a step, where it works, what it leaves, and paths with spaces."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

GATE = Path(__file__).parents[2] / ".ci"
_START = 'source "$0/steps"; work=$1; exits() { return "$1"; }'
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the gate is for Linux")


def bash(program: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run ``program`` with the gate's functions; ``folder`` is its working directory."""
    return subprocess.run(
        ["bash", "-u", "-c", f"{_START}; {program}", str(GATE), str(folder)],
        env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def test_the_summary_tells_a_skipped_step_from_one_that_passed_and_from_one_that_failed(tmp_path: Path) -> None:
    done = bash("step one true; step two exits $SKIPPED; step three exits 3; print_summary", tmp_path)
    assert done.returncode == 1
    shown = [line.split(maxsplit=2)[2] for line in done.stdout.partition("=== summary")[2].splitlines()[1:4]]
    assert [" ".join(line.split()) for line in shown] == ["one ok", "two SKIPPED", "three FAILED (3)"]
    assert done.stdout.endswith("\nsteps: 1 ok, 1 SKIPPED, 1 FAILED; tests: 0 SKIPPED\n")


def test_a_skipped_step_alone_is_no_failure(tmp_path: Path) -> None:
    done = bash("step one exits $SKIPPED; print_summary", tmp_path)
    assert done.returncode == 0
    assert done.stdout.endswith("\nsteps: 0 ok, 1 SKIPPED, 0 FAILED; tests: 0 SKIPPED\n")


def test_the_tests_that_a_step_skipped_are_counted_for_this_step_alone(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_a(): pass\n"
        "@pytest.mark.parametrize('n', [1, 2])\n"
        "@pytest.mark.skipif(True, reason='skipped=\"9\"')\n"
        "def test_b(n): pass\n"
    )
    run = f"'{sys.executable}' -m pytest -q -c /dev/null --rootdir \"$work\" -p no:cacheprovider"
    program = f'tests() {{ {run} --junit-xml "$work/results.xml" "$work/test_it.py"; }}'
    done = bash(f"{program}; step one tests; step two true; print_summary", tmp_path, PYTEST_ADDOPTS="")
    assert [line for line in done.stdout.splitlines() if line.startswith("---")] == [
        f"--- one: ok (2 SKIPPED), {seconds_of(done.stdout, 'one')} s",
        f"--- two: ok, {seconds_of(done.stdout, 'two')} s",
    ]
    assert done.stdout.endswith("\nsteps: 2 ok, 0 SKIPPED, 0 FAILED; tests: 2 SKIPPED\n")


def seconds_of(output: str, step: str) -> str:
    """How long a step took, as the line says that ends it."""
    [line] = [line for line in output.splitlines() if line.startswith(f"--- {step}: ")]
    return line.split()[-2]


def test_the_gate_removes_its_directory_also_when_tests_made_it_read_only(tmp_path: Path) -> None:
    """Root may remove everything; an ordinary user has to change the permission first."""
    work = tmp_path / "a work"
    (work / "closed" / "inner").mkdir(parents=True)
    (work / "closed" / "inner" / "file").touch()
    (work / "closed" / "inner").chmod(0o500)
    (work / "closed").chmod(0)
    (tmp_path / "kept").mkdir(mode=0o500)
    (work / "link").symlink_to(tmp_path / "kept")
    bash("trap clean_up EXIT", work)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o500


def test_the_gate_works_in_the_users_directory_for_temporary_files_unless_that_lies_below_home() -> None:
    def base(**variables: str) -> str:
        return bash("temporary_base", Path("/"), **variables).stdout.strip()

    assert base(TMPDIR="/var/tmp", HOME="/root") == "/var/tmp"
    assert base(TMPDIR="/var/tmp", HOME="/") == "/var/tmp"
    assert base(TMPDIR="/var/tmp", HOME="/var/tm") == "/var/tmp"
    assert base(TMPDIR="/var/tmp", HOME="/var") == "/tmp"
    assert base(TMPDIR="/var/tmp", HOME="/var/tmp") == "/tmp"
    assert base(TMPDIR="", HOME="/root") == base(TMPDIR="/no-such-directory", HOME="/root") == "/tmp"


def test_a_home_that_is_a_link_and_a_name_that_is_too_long_for_sockets_are_seen(tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to("/var")
    assert bash("temporary_base", tmp_path, TMPDIR="/var/tmp", HOME=str(tmp_path / "home")).stdout == "/tmp\n"
    long = tmp_path / ("long" * 12)
    long.mkdir()
    assert bash("temporary_base", tmp_path, TMPDIR=str(long), HOME="/root").stdout == "/tmp\n"


def test_pythons_are_found_by_paths_with_blanks_and_odd_entries_of_path_do_no_harm(tmp_path: Path) -> None:
    programs = tmp_path / "my programs"
    programs.mkdir()
    (programs / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python3").chmod(0o755)
    (tmp_path / "python3").mkdir()
    (tmp_path / "ensurepip.py").write_text("raise SystemExit('taken from the current directory')\n")
    path = os.pathsep.join(("", ".", "/no-such-directory", str(tmp_path), str(programs), os.defpath))
    environment = {"PATH": path, "HOME": str(tmp_path)}
    done = subprocess.run(["/bin/sh", GATE / "pythons"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == sys.executable
