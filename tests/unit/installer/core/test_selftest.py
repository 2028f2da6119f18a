import json
import sys

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer.core import selftest


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_output_and_time_of_a_run_are_returned():
    outcome = selftest.run(python("import sys; print(sys.stdin.read().upper())"), b"payload")
    assert outcome.output.strip() == b"PAYLOAD"
    assert 0 < outcome.ms < 20_000


@pytest.mark.skipif(sys.platform == "win32", reason="needs /bin/sh")
def test_a_line_goes_through_the_shell_as_the_agents_do_it():
    assert selftest.run("printf '%s' \"$0\" | cat", b"").output == b"/bin/sh"


def test_what_would_switch_the_hook_off_is_taken_out_of_the_environment(monkeypatch):
    monkeypatch.setenv("UNPRETTY", "off")
    monkeypatch.setenv("UNPRETTY_ANYTHING", "1")
    monkeypatch.setenv("OTHER", "kept")
    seen = json.loads(selftest.run(python("import os, json; print(json.dumps(dict(os.environ)))"), b"").output)
    assert {name: value for name, value in seen.items() if name.startswith("UNPRETTY")} == {"UNPRETTY_SELFTEST": "1"}
    assert seen["OTHER"] == "kept"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (python("import sys; sys.exit(3)"), "ended with status 3"),
        (python("import sys; sys.stderr.write('a\\nbroken\\n')"), "ended with status 0: broken"),
        (["{absent}"], r"could not be started \("),
    ],
)
def test_a_command_that_fails_or_complains_is_an_error_that_says_so(command, problem, absent):
    with pytest.raises(UnprettyError, match=f"The registered command was tried on a sample and {problem}") as caught:
        selftest.run([word.replace("{absent}", absent) for word in command], b"x" * 100_000)
    assert caught.value.code == "command_failed"


def test_a_command_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(selftest, "_TIMEOUT_SECONDS", 0.2)
    with pytest.raises(UnprettyError, match="did not end within"):
        selftest.run(python("import time; time.sleep(60)"), b"")


def test_an_unexpected_reply_is_told_apart_from_none():
    selftest.expect(True, b"")
    with pytest.raises(UnprettyError, match="ran but said nothing"):
        selftest.expect(False, b" \n")
    with pytest.raises(UnprettyError, match="ran but did not give the expected reply"):
        selftest.expect(False, b"x")


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")
def test_a_program_tells_its_version_or_nothing(tmp_path):
    def program(text: str) -> str:
        path = tmp_path / "p"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)

    assert selftest.program_version(program('echo "1.2.3 (X) $1"; echo more')) == "1.2.3 (X) --version"
    assert selftest.program_version(program('echo "$1"'), "-v") == "-v"
    assert selftest.program_version(program("echo 1; exit 1")) is None
    assert selftest.program_version(program("true")) is None
    assert selftest.program_version(program("exec sleep 60"), timeout_seconds=0.2) is None
    assert selftest.program_version(tmp_path / "missing") is None


@pytest.mark.skipif(sys.platform == "win32", reason="needs /bin/sh")
def test_a_command_that_is_silent_by_design_is_run_without_its_guard_to_learn_why():
    silent = "trap 'exit 0' EXIT; exec 2>&-; exit 3"
    with pytest.raises(UnprettyError, match="ended with status 3: no such module"):
        selftest.run(silent, b"", bare=python("import sys; sys.stderr.write('no such module'); sys.exit(3)"))
    assert selftest.run("echo answer", b"", bare=["/does/not/exist"]).output == b"answer\n"
