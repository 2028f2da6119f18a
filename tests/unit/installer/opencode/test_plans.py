"""OpenCode from plan to uninstall, with the worker itself run by the transaction's check."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer import agents, batch, opencode
from unpretty_installer.core import launcher, receipt, registered, selftest
from unpretty_installer.core.examination import Examination
from unpretty_installer.core.plan import Options, Plan
from unpretty_installer.core.report import AgentReport
from unpretty_installer.opencode import checkup, entry, places, plans

NODE = shutil.which("node")  # while this module is imported, PATH is the real one
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")
USER = Options()
FOREIGN = "export const Other = async () => ({ 'tool.execute.after': async () => {} })\n"


@pytest.fixture(autouse=True)
def nowhere(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory without any project above it that belongs to OpenCode, and no program on PATH."""
    places._answered_version.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    directory = tmp_path / "project"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


def plugin(home: Path) -> Path:
    return home / ".config" / "opencode" / "plugins" / "unpretty.js"


def install(options: Options = USER) -> batch.AgentResult:
    (result,) = batch.carry_out(batch.plan_install([opencode.installer], options))
    return result


def uninstall(options: Options = USER) -> list[batch.AgentResult]:
    return batch.carry_out(batch.plan_uninstall([opencode.installer], options))


def examine(options: Options = USER) -> AgentReport:
    return opencode.installer.examine(options)


def codes(plan: Plan) -> set[str]:
    return {note.code for note in (*plan.warnings, *plan.notices)} | {block.code for block in plan.blocks}


def files_below(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*")}


def client(directory: Path, source: str) -> Path:
    """A program named ``opencode`` on PATH."""
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / "opencode"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-I", "-c", source])} "$@"\n')
    program.chmod(0o755)
    return program


def test_the_agent_is_found_by_its_name() -> None:
    assert agents.get("opencode") is opencode.installer


def test_a_plan_writes_nothing(home: Path) -> None:
    plan = plans.plan_install(USER)
    assert not plan.is_empty
    assert files_below(home) == set()
    assert plan.undo.endswith("uninstall opencode --apply")


def test_the_plugin_file_holds_the_registered_command(home: Path) -> None:
    assert install().state == "applied"
    text = plugin(home).read_text()
    assert f'{{"worker": ["{launcher.python_link()}", "-I", "-S", "{launcher.hook_file()}", "opencode"], ' in text
    assert "__UNPRETTY" not in text


def test_the_plugin_file_gets_its_tools_and_limits_from_the_table_of_agents(home: Path) -> None:
    row = places.CLIENT.row
    facts = json.loads(places.plugin_source().decode().partition("limits } = ")[2].partition("\n")[0])
    assert facts == {"worker": registered.argv(row.name), "tools": ["bash", "shell", "grep", "execute"],
                     "limits": row.limits}  # fmt: skip


def test_installing_twice_changes_nothing_and_uninstalling_leaves_nothing(home: Path) -> None:
    install()
    assert plans.plan_install(USER).is_empty
    assert install().state == "nothing_to_do"
    uninstall()
    left = {path for path in files_below(home) if "backups" not in path}
    assert left == {".local", ".local/share", ".local/state", ".local/state/unpretty"}
    assert plans.plan_uninstall(USER).is_empty


def test_directories_that_were_there_stay(home: Path) -> None:
    plugin(home).parent.mkdir(parents=True)
    (plugin(home).parent / "mine.js").write_text(FOREIGN)
    install()
    uninstall()
    assert files_below(home / ".config") == {"opencode", "opencode/plugins", "opencode/plugins/mine.js"}


def test_an_older_file_of_ours_is_replaced(home: Path) -> None:
    install()
    plugin(home).write_bytes(places.MARKER + b" (an older one)\n")
    assert examine().status == "modified"
    assert install().state == "applied"
    assert plugin(home).read_bytes() == places.plugin_source()
    uninstall()
    assert not plugin(home).exists()


def test_a_file_of_that_name_that_is_not_ours_is_left_alone(home: Path) -> None:
    plugin(home).parent.mkdir(parents=True)
    plugin(home).write_text(FOREIGN)
    result = install()
    assert result.state == "failed"
    assert result.error is not None
    assert result.error.code == "not_ours"
    assert plugin(home).read_text() == FOREIGN
    assert plans.plan_uninstall(USER).is_empty


def test_other_copies_in_the_same_directory_go(home: Path) -> None:
    old = home / ".config" / "opencode" / "plugin" / "unpretty-old.js"
    old.parent.mkdir(parents=True)
    old.write_bytes(places.MARKER)
    install()
    assert not old.exists()
    assert plugin(home).exists()


def test_a_copy_in_another_directory_is_pointed_out(home: Path, nowhere: Path) -> None:
    install()
    install(Options(project=nowhere))
    assert "second_copy" in codes(plans.plan_install(USER))
    assert "second_copy" in {note.code for note in examine().notices}
    uninstall()
    assert not plugin(home).exists()
    assert not (nowhere / ".opencode").exists()


def test_xdg_config_home_and_opencode_config_dir_are_honoured(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "x dg"))
    assert places.entry_file(None) == home / "x dg" / "opencode" / "plugins" / "unpretty.js"
    monkeypatch.setenv("OPENCODE_CONFIG_DIR", "~/own")
    assert places.entry_file(None) == home / "own" / "plugins" / "unpretty.js"
    monkeypatch.setenv("XDG_CONFIG_HOME", " ")
    monkeypatch.setenv("OPENCODE_CONFIG_DIR", " ")
    assert places.entry_file(None) == plugin(home)


def test_a_project_gets_a_file_of_its_own_and_is_found_again(
    home: Path, nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Options(project=nowhere)
    assert {"local_file"} <= codes(plans.plan_install(options))
    install(options)
    own = nowhere / ".opencode" / "plugins" / "unpretty.js"
    assert own.exists()
    assert not plugin(home).exists()
    monkeypatch.chdir(tmp_path)
    report = examine()
    assert (report.status, report.config, report.repair) == ("active", str(own), (options,))
    uninstall()
    assert not (nowhere / ".opencode").exists()


def test_a_project_that_is_not_there_is_refused(absent: str) -> None:
    with pytest.raises(UnprettyError):
        plans.plan_install(Options(project=Path(absent)))


def test_the_wait_for_npm_is_pointed_out_until_there_is_nothing_to_wait_for(home: Path) -> None:
    [warning] = [note for note in plans.plan_install(USER).warnings if note.code == "start_up_wait"]
    assert str(home / ".config" / "opencode" / ".npmrc") in warning.message
    (home / ".config" / "opencode" / "node_modules" / "@opencode-ai" / "plugin").mkdir(parents=True)
    assert "start_up_wait" not in codes(plans.plan_install(USER))


@pytest.mark.parametrize("value", ["1", "true", "TRUE"])
def test_an_environment_without_plugins_is_pointed_out(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    install()
    monkeypatch.setenv("OPENCODE_PURE", value)
    monkeypatch.setenv("OPENCODE_DISABLE_PROJECT_CONFIG", value)
    assert "pure" in codes(plans.plan_install(USER))
    assert {"pure", "project_config_off"} <= codes(plans.plan_install(Options(project=nowhere)))
    report = examine()
    assert report.status == "disabled"
    assert report.problems == ()


def test_other_plugins_that_change_results_are_pointed_out(home: Path) -> None:
    install()
    directory = plugin(home).parent
    (directory / "other.ts").write_text(FOREIGN)
    (directory / "theme.js").write_text("export const Theme = async () => ({})\n")
    (directory / "notes.md").write_text(FOREIGN)
    notes = [note for note in examine().notices if note.code == "other_hook"]
    assert [str(directory / "other.ts") in note.message for note in notes] == [True]


@posix
def test_an_unreadable_plugin_of_somebody_else_is_no_problem(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install()
    other = plugin(home).parent / "other.js"
    other.write_text(FOREIGN)

    def unreadable(path: Path) -> bytes:
        raise UnprettyError("cannot be read")

    monkeypatch.setattr(places.files, "read", unreadable)
    assert not places.rewrites_results(other)


class TestTheClient:
    """Finding the program and its version without leaving a trace."""

    def test_no_program_and_no_directory_is_not_found(self) -> None:
        assert not opencode.installer.is_found()
        assert places.CLIENT.version() is None
        assert "not_found" in codes(plans.plan_install(USER))

    def test_a_config_directory_is_enough(self, home: Path) -> None:
        (home / ".config" / "opencode").mkdir(parents=True)
        assert opencode.installer.is_found()

    @posix
    def test_the_version_is_read_off_the_npm_package(self, tmp_path: Path) -> None:
        package = tmp_path / "node_modules" / "opencode-ai"
        client(package / "bin", "raise SystemExit('was started')")
        (package / "package.json").write_text('{"name": "opencode-ai", "version": "1.18.33"}')
        (package / "bin" / "package.json").write_text("not JSON")
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "opencode").symlink_to(package / "bin" / "opencode")
        assert places.CLIENT.version() == "1.18.33"

    @posix
    def test_otherwise_the_program_is_asked_in_a_home_that_is_thrown_away(self, tmp_path: Path, home: Path) -> None:
        client(
            tmp_path / "bin",
            "import os; open(os.environ['HOME'] + '/trace', 'w').close(); print('v1.2.20')",
        )
        assert places.CLIENT.version() == "1.2.20"
        assert files_below(home) == set()

    @posix
    def test_its_own_installers_place_is_looked_at(self, home: Path) -> None:
        client(home / ".opencode" / "bin", "print('1.3.0')")
        assert places.CLIENT.version() == "1.3.0"

    @posix
    @pytest.mark.parametrize(
        "source", ["raise SystemExit(1)", "print('soon')", "import sys; sys.stdout.buffer.write(b'\\xff')"]
    )
    def test_a_program_that_does_not_tell_has_no_version(self, tmp_path: Path, source: str) -> None:
        client(tmp_path / "bin", source)
        assert places.CLIENT.version() is None

    @posix
    def test_a_program_that_does_not_start_has_no_version(self, tmp_path: Path) -> None:
        client(tmp_path / "bin", "").write_bytes(b"\x7fELF nonsense")
        assert places.CLIENT.version() is None

    @posix
    def test_a_client_of_another_generation_is_pointed_out(self, tmp_path: Path) -> None:
        client(tmp_path / "bin", "print('2.0.3')")
        assert "untried_version" in codes(plans.plan_install(USER))


class TestDoctor:
    """What it says, and that ``--fix`` fixes what is ours."""

    def test_nothing_installed_is_no_problem(self, home: Path) -> None:
        report = examine()
        assert (report.status, report.problems, report.repair) == ("not_installed", (), ())
        assert report.config == str(plugin(home))

    def test_all_is_well_after_installing(self, home: Path) -> None:
        install()
        report = examine()
        assert (report.status, report.problems) == ("active", ())
        assert report.run_ms is not None
        assert report.run_ms > 0
        assert report.config == str(plugin(home))

    def test_a_file_that_was_deleted_is_missed(self, home: Path) -> None:
        install()
        plugin(home).unlink()
        report = examine()
        assert report.status == "not_installed"
        assert [problem.code for problem in report.problems] == ["entry_missing"]
        assert install().state == "applied"
        assert examine().status == "active"

    def test_a_project_that_was_deleted_is_not_missed(
        self, nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install(Options(project=nowhere))
        monkeypatch.chdir(tmp_path)
        (nowhere / ".opencode" / "plugins" / "unpretty.js").unlink()
        (nowhere / ".opencode" / "plugins").rmdir()
        (nowhere / ".opencode").rmdir()
        nowhere.rmdir()
        assert examine().problems == ()
        uninstall()
        assert receipt.of_agent("opencode") == []

    @posix
    def test_a_python_that_is_gone_is_found_and_mended(self, home: Path, absent: str) -> None:
        install()
        launcher.python_link().unlink()
        os.symlink(absent, launcher.python_link())
        report = examine()
        assert report.status == "broken"
        assert {"python_gone", "command_failed"} <= {problem.code for problem in report.problems}
        batch.repair(report)
        assert examine().status == "active"

    def test_a_modified_file_is_mended(self, home: Path) -> None:
        install()
        plugin(home).write_bytes(plugin(home).read_bytes() + b"// more\n")
        report = examine()
        assert (report.status, [problem.code for problem in report.problems]) == ("modified", ["entry_modified"])
        batch.repair(report)
        assert plugin(home).read_bytes() == places.plugin_source()

    def test_a_file_that_cannot_be_read_breaks_it(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        install()

        def unreadable(path: Path) -> bytes:
            raise UnprettyError("cannot be read", code="unreadable")

        monkeypatch.setattr(checkup.files, "read", unreadable)
        found = Examination(places.CLIENT)
        checkup._look_at(found, plugin(home))
        assert [problem.code for problem in found.problems] == ["unreadable"]


@pytest.mark.parametrize("output", [b"", b"{}", b'{"id": 1, "texts": {}}\n', b"\xff"])
def test_a_worker_that_gives_another_answer_is_not_taken_for_a_working_one(output: bytes) -> None:
    assert not selftest.is_reply(output, entry._is_right)


def test_an_install_whose_worker_does_not_run_is_rolled_back(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "hook_source", lambda: b"raise SystemExit(3)\n")
    result = install()
    assert result.state == "failed"
    assert files_below(home) == set()


def test_node_reads_the_file_as_a_module(home: Path) -> None:
    install()
    if NODE is None:
        pytest.skip("needs Node.js")
    done = subprocess.run(
        [NODE, "--check", "--input-type=module"], input=plugin(home).read_bytes(), capture_output=True
    )
    assert done.returncode == 0, done.stderr
