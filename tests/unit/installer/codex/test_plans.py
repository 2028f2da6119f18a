"""Codex from plan to uninstall, against a stand-in for its program; the transaction's check runs the hook itself."""

import json
import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer import agents, batch, codex
from unpretty_installer.codex import entry, models, places, plans, trust, trust_step
from unpretty_installer.codex import notes as codex_notes
from unpretty_installer.codex.config import Config
from unpretty_installer.core import client as clients
from unpretty_installer.core import launcher, receipt, selftest
from unpretty_installer.core.plan import Options, Plan
from unpretty_installer.core.report import AgentReport

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
USER, TRUST = Options(), Options(trust=True)
FIXTURES = Path(__file__).parents[3] / "fixtures" / "codex"
STAND_IN = Path(__file__).parent / "codex_program.py"
FOREIGN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo foreign"}]}
CONFIG = '# mine\nmodel = "old" # keep\n\n[tui]\na = 1\n'


@pytest.fixture(autouse=True)
def no_system_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that replaces /etc/codex."""
    monkeypatch.setattr(places, "SYSTEM_DIRECTORY", tmp_path / "etc")
    clients._answer.cache_clear()
    models.bundled.cache_clear()
    return tmp_path / "etc"


@pytest.fixture
def program(machine: Path) -> Callable[..., None]:
    """Puts the stand-in on PATH, with problems."""

    def put(*problems: str) -> None:
        path = machine / "codex"
        words = shlex.join([sys.executable, str(STAND_IN)])
        path.write_text(f'#!/bin/sh\nexec {words} "$@" {shlex.join(problems)}\n')
        path.chmod(0o755)
        models.bundled.cache_clear()

    return put


@pytest.fixture
def directory(home: Path) -> Path:
    """Codex's directory, empty."""
    path = home / ".codex"
    path.mkdir()
    return path


def install(options: Options = USER) -> batch.AgentResult:
    (result,) = batch.carry_out(batch.plan_install([codex.installer], options))
    return result


def uninstall(options: Options = USER) -> None:
    for result in batch.carry_out(batch.plan_uninstall([codex.installer], options)):
        assert result.state in ("applied", "nothing_to_do"), result.error


def examine(options: Options = USER) -> AgentReport:
    return codex.installer.examine(options)


def fault_codes(report: AgentReport) -> list[str]:
    return [problem.code for problem in report.problems]


def codes(plan: Plan) -> set[str]:
    return {note.code for note in (*plan.warnings, *plan.notices)} | {block.code for block in plan.blocks}


def groups(directory: Path) -> list:
    return json.loads((directory / "hooks.json").read_text())["hooks"]["PostToolUse"]


def put_hooks(directory: Path, *found: dict, **more: object) -> str:
    text = json.dumps({"hooks": {"PostToolUse": list(found)}, **more}, indent=1)
    (directory / "hooks.json").write_text(text)
    return text


def test_the_agent_is_found_by_its_name() -> None:
    assert agents.get("codex") is codex.installer


def test_a_plan_writes_nothing_and_starts_no_server(home: Path, program: Callable[..., None]) -> None:
    program("hangs")
    plan = plans.plan_install(TRUST)
    assert not plan.is_empty
    assert list(home.rglob("*")) == []


class TestHooksJson:
    """The file of users who have no hooks yet, or have them there."""

    def test_the_group_is_the_last_one(self, directory: Path) -> None:
        put_hooks(directory, FOREIGN)
        assert install().state == "applied"
        assert groups(directory) == [FOREIGN, entry.group()]

    @pytest.mark.parametrize(
        "text",
        [
            None,
            "",
            "{}",
            '{"description": "d"}\n',
            '{"hooks": {}}',
            '{\n\t"hooks": {"PostToolUse": []}\n}\n',
            '{"hooks":{"PostToolUse":[{"hooks":[]}]}}',
        ],
    )
    def test_uninstalling_gives_back_identical_bytes(self, directory: Path, text: str | None) -> None:
        path = directory / "hooks.json"
        if text is not None:
            path.write_text(text)
        install()
        assert entry.group() in groups(directory)
        uninstall()
        assert (path.read_text() if path.exists() else None) == text
        assert receipt.of_agent("codex") == []

    def test_installing_twice_changes_nothing(self, directory: Path) -> None:
        install()
        assert plans.plan_install(USER).is_empty
        assert install().state == "nothing_to_do"

    def test_a_group_that_came_after_ours_keeps_its_place_when_we_go(self, directory: Path) -> None:
        install()
        value = json.loads((directory / "hooks.json").read_text())
        value["hooks"]["PostToolUse"].append(FOREIGN)
        (directory / "hooks.json").write_text(json.dumps(value))
        uninstall()
        assert groups(directory) == [{"hooks": []}, FOREIGN]

    def test_several_copies_become_one_and_others_keep_their_places(self, directory: Path) -> None:
        old = {"matcher": "Bash", "hooks": [{"type": "command", "command": "/old/unpretty/hook.py codex"}]}
        put_hooks(directory, old, FOREIGN, old, FOREIGN)
        install()
        assert groups(directory) == [entry.group(), FOREIGN, {"hooks": []}, FOREIGN]

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("{nope", "invalid_json"),
            ('{"hooks": {},}', "invalid_json"),
            ('{"hooks": {}, "PostToolUse": []}', "unexpected_shape"),
            ("\ufeff{}", "byte_order_mark"),
            ("[]", "unexpected_shape"),
        ],
    )
    def test_a_file_that_codex_ignores_is_left_alone(self, directory: Path, text: str, code: str) -> None:
        (directory / "hooks.json").write_text(text, "utf-8")
        result = install()
        assert result.state == "failed"
        assert result.error is not None
        assert result.error.code == code
        assert (directory / "hooks.json").read_text("utf-8") == text


class TestConfigToml:
    """The file of users who have their hooks there."""

    TEXT = CONFIG + '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n'

    def test_the_entry_goes_where_the_users_hooks_are(self, directory: Path) -> None:
        path = directory / "config.toml"
        path.write_text(self.TEXT)
        assert install().state == "applied"
        assert path.read_text().startswith(self.TEXT)
        assert Config.read(path.read_bytes(), "c").holds(entry.group())
        assert not (directory / "hooks.json").exists()
        assert plans.plan_install(USER).is_empty
        uninstall()
        assert path.read_text() == self.TEXT

    def test_what_somebody_wrote_meanwhile_stays(self, directory: Path) -> None:
        path = directory / "config.toml"
        path.write_text(self.TEXT)
        install()
        path.write_text(path.read_text() + '\n[projects."/p"]\ntrust_level = "trusted"\n')
        uninstall()
        assert path.read_text() == self.TEXT + '\n[projects."/p"]\ntrust_level = "trusted"\n'

    def test_an_entry_of_ours_in_the_other_form_goes(self, directory: Path) -> None:
        (directory / "config.toml").write_text(self.TEXT)
        install()
        put_hooks(directory, {**entry.group(), "matcher": "Bash"})
        assert install().state == "applied"
        assert groups(directory) == [entry.group()]
        assert (directory / "config.toml").read_text() == self.TEXT

    def test_an_outdated_entry_is_written_anew(self, directory: Path) -> None:
        path = directory / "config.toml"
        path.write_text(self.TEXT)
        install()
        path.write_text(path.read_text().replace("timeout = 10", "timeout = 600"))
        assert install().state == "applied"
        assert Config.read(path.read_bytes(), "c").holds(entry.group())
        uninstall()
        assert path.read_text() == self.TEXT

    def test_a_file_that_is_no_toml_is_left_alone(self, directory: Path) -> None:
        (directory / "config.toml").write_text("a = [")
        result = install()
        assert result.error is not None
        assert result.error.code == "invalid_toml"
        assert (directory / "config.toml").read_text() == "a = ["


class TestTrust:
    """Codex is asked for exactly our entry; what it writes can be undone."""

    def test_without_it_the_steps_are_named(self, directory: Path) -> None:
        [step] = plans.plan_install(USER).manual_steps
        assert "/hooks" in step
        assert "--trust" in step

    def test_our_entry_is_trusted_and_nothing_else(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        put_hooks(directory, FOREIGN)
        (directory / "config.toml").write_text(CONFIG)
        assert install(TRUST).state == "applied"
        config = Config.read((directory / "config.toml").read_bytes(), "c")
        assert config.text.startswith(CONFIG)
        assert list(config.hooks()["state"]) == [f"{directory}/hooks.json:post_tool_use:1:0"]
        assert plans.plan_install(TRUST).is_empty
        assert plans.plan_install(USER).manual_steps == ()
        assert examine().status == "active"

    @pytest.mark.parametrize("text", [None, CONFIG, CONFIG.replace("\n", "\r\n"), CONFIG + "[hooks.state]\n"])
    def test_uninstalling_gives_back_identical_bytes(
        self, directory: Path, program: Callable[..., None], text: str | None
    ) -> None:
        program()
        path = directory / "config.toml"
        if text is not None:
            path.write_bytes(text.encode())
        install(TRUST)
        assert b"trusted_hash" in path.read_bytes()
        if text and "\r\n" in text:
            assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")
        uninstall()
        assert (path.read_bytes().decode() if path.exists() else None) == text

    def test_uninstalling_keeps_what_somebody_wrote_meanwhile(
        self, directory: Path, program: Callable[..., None]
    ) -> None:
        program()
        path = directory / "config.toml"
        path.write_text(CONFIG)
        install(TRUST)
        path.write_text(path.read_text().replace("a = 1", "a = 2"))
        uninstall()
        assert path.read_text() == CONFIG.replace("a = 1", "a = 2")

    def test_trust_in_an_entry_in_config_toml_goes_with_it(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        path = directory / "config.toml"
        path.write_text(TestConfigToml.TEXT)
        install(TRUST)
        assert examine().status == "active"
        uninstall()
        assert path.read_text() == TestConfigToml.TEXT

    def test_an_entry_that_is_trusted_already_is_not_asked_for_again(
        self, directory: Path, program: Callable[..., None]
    ) -> None:
        program()
        install()
        layer = places.user_layer()
        key = f"{layer.name_of(layer.hooks_json)}:post_tool_use:0:0"
        noted = entry.trusted_hash(places.CLIENT.row.matcher, entry.group()["hooks"][0])
        (directory / "config.toml").write_text(f'[hooks.state."{key}"]\ntrusted_hash = "{noted}"\n')
        assert plans.plan_install(TRUST).is_empty
        program("refuses config/batchWrite")
        trust_step.trust_step(layer, layer.hooks_json).run()
        uninstall()
        assert "trusted_hash" in (directory / "config.toml").read_text()  # the user's own decision

    @pytest.mark.parametrize(
        ("problems", "code"),
        [
            (["refuses config/batchWrite"], "codex_no_answer"),
            (["refuses hooks/list"], "codex_no_answer"),
            (["ends after initialize"], "codex_no_answer"),
            (["forgets"], "not_trusted"),
        ],
    )
    def test_when_codex_does_not_trust_everything_is_as_before(
        self, directory: Path, program: Callable[..., None], problems: list[str], code: str
    ) -> None:
        program(*problems)
        put_hooks(directory, FOREIGN)
        (directory / "config.toml").write_text(CONFIG)
        result = install(TRUST)
        assert result.state == "failed"
        assert result.error is not None
        assert result.error.code == code
        assert groups(directory) == [FOREIGN]
        assert (directory / "config.toml").read_text() == CONFIG
        assert receipt.of_agent("codex") == []
        assert not launcher.hook_file().exists()

    def test_when_a_later_check_fails_the_trust_goes_too(
        self, directory: Path, program: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program()

        def fail() -> float:
            raise UnprettyError("does not run")

        monkeypatch.setattr(plans, "try_out", fail)
        assert install(TRUST).state == "failed"
        assert not (directory / "config.toml").exists()
        (directory / "config.toml").write_text(CONFIG)
        assert install(TRUST).state == "failed"
        assert (directory / "config.toml").read_text() == CONFIG

    def test_what_another_program_wrote_meanwhile_is_not_taken_back(
        self, directory: Path, program: Callable[..., None]
    ) -> None:
        program()
        install()
        layer = places.user_layer()
        step = trust_step.trust_step(layer, layer.hooks_json)
        step.run()
        (directory / "config.toml").write_text("a = 1\n")
        with pytest.raises(UnprettyError) as caught:
            step.undo()
        assert caught.value.code == "changed_meanwhile"

    def test_hooks_that_codex_does_not_list_are_not_trusted(
        self, directory: Path, program: Callable[..., None]
    ) -> None:
        program("complains")
        (directory / "config.toml").write_text("[features]\nhooks = false\n")
        result = install(TRUST)
        assert result.error is not None
        assert result.error.code == "not_listed"
        assert "odd" in str(result.error)

    def test_without_codex_there_is_nobody_to_ask(self, directory: Path) -> None:
        assert "codex_not_found" in codes(plans.plan_install(TRUST))
        assert install(TRUST).state == "failed"
        layer = places.user_layer()
        with pytest.raises(UnprettyError) as caught:
            trust_step.trust_step(layer, layer.hooks_json).run()
        assert caught.value.code == "codex_not_found"

    def test_the_hash_is_that_of_codex(self) -> None:
        """Recorded with Codex 0.171 for two handlers."""
        for command, noted in (
            ("echo foreign", "56c4f06458fd51664a7893dfe8b07c6fca972fa066159783c86c58c2d9b46b9d"),
            (
                "exec '/data dir/python' -I -S '/data dir/unpretty/hook.py' codex",
                "8d7731a07e771282b71260deddaf864dd42d823d6e139cf433ba2f7a96ffc4ee",
            ),
        ):
            handler = {"command": command, "timeout": 10}
            assert entry.trusted_hash("Bash|mcp__.*", handler) == f"sha256:{noted}"
        assert entry.trusted_hash(None, {"command": "x", "statusMessage": "s"}) != entry.trusted_hash(
            None, {"command": "x"}
        )


class TestPlaces:
    """CODEX_HOME, links, projects."""

    def test_codex_home_is_honoured(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert places.CLIENT.directory() == home / ".codex"
        monkeypatch.setenv("CODEX_HOME", "~/own place")
        assert places.CLIENT.directory() == home / "own place"
        monkeypatch.setenv("CODEX_HOME", "  ")
        assert places.CLIENT.directory() == home / ".codex"

    def test_trust_goes_by_the_real_path_of_the_directory(
        self, home: Path, program: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program()
        (home / "real").mkdir()
        (home / "link").symlink_to(home / "real")
        monkeypatch.setenv("CODEX_HOME", str(home / "link"))
        assert install(TRUST).state == "applied"
        assert f'"{home}/real/hooks.json:post_tool_use:0:0"' in (home / "real" / "config.toml").read_text()
        uninstall()
        assert list((home / "real").iterdir()) == []

    def test_a_project_gets_an_entry_of_its_own_and_is_found_again(
        self, directory: Path, program: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program()
        project = Path.cwd()
        options = Options(project=project, trust=True)
        assert {"project_not_trusted", "local_file"} <= codes(plans.plan_install(options))
        (directory / "config.toml").write_text(f'[projects."{project}"]\ntrust_level = "trusted"\n')
        assert "project_not_trusted" not in codes(plans.plan_install(options))
        assert install(options).state == "applied"
        assert not (directory / "hooks.json").exists()
        monkeypatch.chdir(tmp_path)
        report = examine()
        assert (report.status, report.config) == ("active", str(project / ".codex" / "hooks.json"))
        assert report.repair == (options,)
        uninstall()
        assert not (project / ".codex").exists()
        assert (directory / "config.toml").read_text() == f'[projects."{project}"]\ntrust_level = "trusted"\n'

    def test_a_project_that_is_not_there_is_refused(self, absent: str) -> None:
        with pytest.raises(UnprettyError):
            plans.plan_install(Options(project=Path(absent)))

    def test_the_client(self, home: Path, program: Callable[..., None]) -> None:
        assert not codex.installer.is_found()
        assert "not_found" in codes(plans.plan_install(USER))
        assert places.CLIENT.version() is None
        program()
        assert codex.installer.is_found()
        assert places.CLIENT.version() == "0.171.0"


class TestWarnings:
    """What prevents the hook from running or from being the only one."""

    @pytest.mark.parametrize("name", ["hooks", "codex_hooks"])
    def test_hooks_that_are_switched_off(self, directory: Path, name: str, program: Callable[..., None]) -> None:
        program()
        install()
        (directory / "config.toml").write_text(f"[features]\n{name} = false\n")
        assert "hooks_disabled" in codes(plans.plan_install(USER))
        report = examine()
        assert (report.status, fault_codes(report)) == ("disabled", ["hooks_disabled"])

    def test_an_administrator_who_allows_only_managed_hooks(
        self, directory: Path, no_system_files: Path, program: Callable[..., None]
    ) -> None:
        program()
        install()
        no_system_files.mkdir()
        (no_system_files / "requirements.toml").write_text("allow_managed_hooks_only = true\n")
        assert "managed_only" in codes(plans.plan_install(USER))
        assert examine().status == "disabled"
        (no_system_files / "requirements.toml").write_text("not [toml")
        assert "managed_only" not in codes(plans.plan_install(USER))

    def test_both_forms_hold_hooks(self, directory: Path) -> None:
        put_hooks(directory, FOREIGN)
        (directory / "config.toml").write_text(TestConfigToml.TEXT)
        assert "both_forms" in codes(plans.plan_install(USER))
        (directory / "config.toml").write_text(CONFIG)
        assert "both_forms" not in codes(plans.plan_install(USER))

    def test_other_hooks_on_the_same_results(self, directory: Path) -> None:
        long = {"hooks": [{"type": "command", "command": "x" * 200}, {"type": "prompt"}]}
        put_hooks(directory, FOREIGN, {**FOREIGN, "matcher": "apply_patch"}, long)
        (directory / "config.toml").write_text(
            '[[hooks.PostToolUse]]\nmatcher = "^mcp__"\n'
            '[[hooks.PostToolUse.hooks]]\ntype = "command"\ncommand = "in toml"\n'
        )
        project = Path.cwd() / ".codex"
        project.mkdir()
        put_hooks(project, FOREIGN)
        notes = [note.message for note in plans.plan_install(USER).warnings if note.code == "other_hook"]
        assert [text.count("echo foreign") for text in notes] == [1, 0, 0, 0]
        assert "x" * 97 + "..." in notes[1]
        assert "in toml" in notes[3]
        layer = places.layer(Path.cwd())
        assert len(codex_notes.others(layer)) == len(notes) + 1

    @pytest.mark.parametrize(
        ("matcher", "hit"),
        [
            (None, True), ("", True), ("*", True), ("Bash", True), ("bash", False), ("Ba", False), ("mcp__a__b", True),
            ("^Ba", True), ("Bash|Edit", True), ("Edit|Write", False), ("mcp__x__.*", True), ("(", False), (3, False),
        ],
    )  # fmt: skip
    def test_which_hooks_may_run_on_the_same_results(self, matcher: object, hit: bool) -> None:
        assert codex_notes.may_hit(matcher) is hit

    def test_a_broken_hooks_json_says_nothing_here(self, directory: Path) -> None:
        (directory / "hooks.json").write_text("{nope")
        assert codex_notes.others(places.user_layer()) == []


class TestModels:
    """Which models let a hook replace a result."""

    def note(self, text: str) -> str:
        [note] = models.notes(Config.read(text.encode(), "c"))
        return f"{note.code}: {note.message}"

    def test_the_default_uses_code_mode(self, program: Callable[..., None]) -> None:
        program()
        text = self.note("")
        assert text.startswith("code_mode: With default ")
        assert "old, models that are not in its list" in text
        assert "unpretty proxy" in text

    def test_the_model_that_is_set_counts(self, program: Callable[..., None]) -> None:
        program()
        assert self.note('model = "large"').startswith("code_mode: With large ")
        assert self.note('model = "old"').startswith("models: ")
        assert self.note('model = "somebody else\'s"').startswith("models: ")

    @pytest.mark.parametrize("problems", [["no models"], None])
    def test_a_codex_that_does_not_tell_says_nothing(
        self, program: Callable[..., None], problems: list[str] | None
    ) -> None:
        if problems:
            program(*problems)
        assert models.notes(Config.read(b"", "c")) == []


class TestDoctor:
    """Codex itself says whether the hook runs."""

    def test_nothing_installed_is_no_problem(self, home: Path) -> None:
        report = examine()
        assert (report.status, report.problems, report.repair) == ("not_installed", (), ())
        assert report.config == str(home / ".codex" / "hooks.json")

    def test_an_entry_that_nobody_trusts(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        install()
        report = examine()
        assert (report.status, fault_codes(report)) == ("not_trusted", ["not_trusted"])
        assert report.problems[0].fix == "unpretty install codex --trust --apply"
        assert report.run_ms is not None
        assert report.repair == (USER,)

    def test_an_entry_that_was_changed_after_it_was_trusted(
        self, directory: Path, program: Callable[..., None]
    ) -> None:
        program()
        install(TRUST)
        path = directory / "hooks.json"
        path.write_text(path.read_text().replace('"timeout": 10', '"timeout": 11'))
        report = examine()
        assert (report.status, fault_codes(report)) == ("modified", ["entry_modified", "modified"])
        batch.repair(report)
        assert examine().status == "active"

    def test_an_entry_that_is_switched_off(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        install(TRUST)
        path = directory / "config.toml"
        path.write_text(path.read_text() + "enabled = false\n")
        report = examine()
        assert (report.status, fault_codes(report)) == ("disabled", ["hook_disabled"])

    def test_two_copies(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        install(TRUST)
        put_hooks(directory, entry.group(), entry.group())
        report = examine()
        assert (report.status, fault_codes(report)) == ("modified", ["entry_repeated"])
        batch.repair(report)
        assert [group for group in groups(directory) if group["hooks"]] == [entry.group()]

    def test_an_entry_that_was_deleted(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        install(TRUST)
        (directory / "hooks.json").unlink()
        report = examine()
        assert (report.status, fault_codes(report)) == ("broken", ["entry_missing"])

    def test_a_file_that_codex_cannot_read(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        install(TRUST)
        (directory / "hooks.json").write_text("{nope unpretty/hook.py codex")
        report = examine()
        assert "unreadable_settings" in fault_codes(report)
        assert report.status == "broken"

    def test_a_broken_file_that_is_not_ours_is_not_our_business(self, directory: Path) -> None:
        (directory / "hooks.json").write_text("{nope")
        (directory / "config.toml").write_text("nope [")
        assert examine().problems == ()

    def test_a_config_toml_that_broke_after_installing(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        install(TRUST)
        (directory / "config.toml").write_text("hook.py nope [")
        report = examine()
        assert report.status == "broken"
        assert "unreadable_settings" in fault_codes(report)

    def test_an_entry_that_codex_does_not_list(
        self, directory: Path, program: Callable[..., None], tmp_path: Path
    ) -> None:
        program()
        install(TRUST)
        program("complains")
        assert [note.message for note in examine().notices if note.code == "codex_says"] == ["Codex says: odd"]
        path = directory / "hooks.json"
        text = path.read_text()
        path.write_text(text.replace('"hooks"', '"hoo\\u006bs"'))
        assert examine().status == "active"

    def test_a_codex_that_does_not_answer(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        install(TRUST)
        program("refuses hooks/list")
        report = examine()
        assert (report.status, fault_codes(report)) == ("broken", ["codex_no_answer"])

    def test_a_codex_that_sees_no_hook_of_ours(
        self, directory: Path, program: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program()
        install(TRUST)
        for said, status in (((), "not_trusted"), (("cannot parse",), "broken")):
            monkeypatch.setattr(trust, "list_hooks", lambda *a, said=said: trust.HookListing((), said, ()))
            report = examine()
            assert (report.status, fault_codes(report)) == (status, ["not_listed"])

    def test_without_codex_config_toml_is_believed(
        self, directory: Path, program: Callable[..., None], machine: Path
    ) -> None:
        program()
        install(TRUST)
        (machine / "codex").unlink()
        report = examine()
        assert report.status == "active"
        assert "not_asked" in {note.code for note in report.notices}
        (directory / "config.toml").unlink()
        assert examine().status == "not_trusted"

    def test_a_python_that_is_gone(self, directory: Path, program: Callable[..., None], absent: str) -> None:
        program()
        install(TRUST)
        launcher.python_link().unlink()
        os.symlink(absent, launcher.python_link())
        report = examine()
        assert report.status == "broken"
        assert {"python_gone", "command_failed"} <= set(fault_codes(report))
        batch.repair(report)
        assert examine().status == "active"

    def test_an_entry_in_config_toml(self, directory: Path, program: Callable[..., None]) -> None:
        program()
        (directory / "config.toml").write_text(TestConfigToml.TEXT)
        install(TRUST)
        report = examine()
        assert (report.status, report.config, report.problems) == ("active", str(directory / "config.toml"), ())


class TestAppServer:
    """The conversation itself."""

    def test_a_server_that_hangs_is_ended(
        self, directory: Path, program: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program("hangs")
        monkeypatch.setattr(trust, "TIMEOUT_SECONDS", 1.0)
        start = time.monotonic()
        with pytest.raises(UnprettyError) as caught:
            trust.list_hooks(str(places.CLIENT.program()), directory, directory)
        assert caught.value.code == "codex_no_answer"
        assert time.monotonic() - start < 15

    def test_a_server_that_lingers_is_ended(
        self, directory: Path, program: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program("lingers")
        monkeypatch.setattr(trust, "CLOSING_SECONDS", 0.5)
        start = time.monotonic()
        assert trust.list_hooks(str(places.CLIENT.program()), directory, directory).hooks == ()
        assert time.monotonic() - start < 15

    def test_a_program_that_does_not_start(self, directory: Path, absent: str) -> None:
        with pytest.raises(UnprettyError):
            trust.list_hooks(absent, directory, directory)

    def test_a_program_that_ends_at_once(self, directory: Path) -> None:
        with pytest.raises(UnprettyError):
            trust.list_hooks("/bin/false", directory, directory)

    @pytest.mark.parametrize("answer", [None, [], {"data": 1}, {"data": [1, {"hooks": [1], "errors": ["e"]}]}])
    def test_answers_of_odd_shapes_hold_no_hooks(self, answer: object) -> None:
        assert trust._hook_list(answer).hooks == ()


@pytest.mark.parametrize(
    "output", [b"", b"{}", b"[]", b'{"continue":true,"reason":"x"}', b'{"continue":false,"reason":3}']
)
def test_a_command_that_gives_another_answer_is_not_taken_for_a_working_one(output: bytes) -> None:
    assert not selftest.is_reply(output, entry._is_right)


def test_the_recorded_trust_of_a_real_client_is_understood() -> None:
    data = (FIXTURES / "config.trusted.example.toml").read_bytes()
    config = Config.read(data, "c")
    [key] = config.hooks()["state"]
    assert str(config.trust(key)["trusted_hash"]).startswith("sha256:")
    assert config.model() == "gpt-5.5"


def test_the_log_is_not_touched_by_trials(directory: Path) -> None:
    install()
    assert not locations.decision_log_file().exists()
