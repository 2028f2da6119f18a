"""Codex runs our hook of the user and that of a project on the same call: plan, doctor and hook know of both."""

import json
from pathlib import Path

import pytest

from unpretty import locations
from unpretty_installer import batch, codex
from unpretty_installer.codex import copies, places, plans
from unpretty_installer.codex import entry as codex_entry
from unpretty_installer.core import launcher
from unpretty_installer.core.plan import Options, Plan
from unpretty_installer.core.report import AgentReport
from unpretty_installer.edit import hook_entries


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "a project"
    directory.mkdir()
    return directory


@pytest.fixture
def user_file(home: Path) -> Path:
    return home / ".codex" / "hooks.json"


def install(project: Path | None = None) -> Plan:
    (result,) = batch.carry_out(batch.plan_install([codex.installer], Options(project=project)))
    assert result.state in ("applied", "nothing_to_do"), result.error
    assert result.plan is not None
    return result.plan


def uninstall() -> None:
    for result in batch.carry_out(batch.plan_uninstall([codex.installer], Options())):
        assert result.state in ("applied", "nothing_to_do"), result.error


def second_copies(found: Plan | AgentReport) -> list[str]:
    notes = [*found.notices, *(found.warnings if isinstance(found, Plan) else ())]
    return [note.message for note in notes if note.code == "second_copy"]


def mark() -> Path:
    return locations.copies_file("codex")


@pytest.mark.parametrize("user_first", [True, False])
def test_the_second_install_names_the_first_and_leaves_the_mark(
    project: Path, user_file: Path, user_first: bool
) -> None:
    first, second = (None, project) if user_first else (project, None)
    assert second_copies(install(first)) == []
    assert not mark().exists()
    [message] = second_copies(install(second))
    assert str(user_file if user_first else project / ".codex" / "hooks.json") in message
    assert mark().read_text().splitlines() == sorted([str(user_file.parent), str(project / ".codex")])
    assert mark().stat().st_mode & 0o777 == 0o600
    assert plans.plan_install(Options(project=second)).is_empty


def test_an_entry_of_an_older_form_elsewhere_is_a_copy_too(project: Path, user_file: Path) -> None:
    install(project)
    path = project / ".codex" / "hooks.json"
    value = json.loads(path.read_text())
    value["hooks"]["PostToolUse"][0]["hooks"][0]["command"] = f"exec python3 -I -S {launcher.hook_file()} codex"
    path.write_text(json.dumps(value))
    install()
    assert mark().exists()


def test_a_form_beside_the_other_in_one_directory_is_no_second_copy(home: Path, user_file: Path) -> None:
    """Codex reads hooks.json and config.toml of a layer; the plan removes the copy."""
    user_file.parent.mkdir()
    entry = json.dumps(codex_entry.command())
    (user_file.parent / "config.toml").write_text(
        f'[[hooks.PostToolUse]]\n[[hooks.PostToolUse.hooks]]\ntype = "command"\ncommand = {entry}\n'
    )
    user_file.write_text(hook_entries.snippet(codex_entry.group()))
    assert second_copies(install()) == []
    assert not mark().exists()


def test_uninstalling_takes_the_mark_away(project: Path, user_file: Path) -> None:
    install()
    install(project)
    uninstall()
    assert not mark().exists()
    assert not user_file.exists()


def test_the_mark_goes_with_a_copy_that_was_taken_out_by_hand(project: Path) -> None:
    install()
    install(project)
    (project / ".codex" / "hooks.json").unlink()
    install()
    assert not mark().exists()


def test_the_doctor_names_the_other_copy_and_puts_a_missing_mark_back(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install()
    install(project)
    report = codex.installer.examine(Options())
    [message] = second_copies(report)
    assert str(project / ".codex" / "hooks.json") in message
    assert "copies_not_marked" not in {problem.code for problem in report.problems}
    mark().unlink()
    report = codex.installer.examine(Options())
    assert "copies_not_marked" in {problem.code for problem in report.problems}
    batch.repair(report)
    assert mark().exists()


@pytest.mark.parametrize("data", [b"", b"{nope", b'{"hooks": 3}', None])
def test_a_file_that_cannot_be_read_holds_no_copy(project: Path, data: bytes | None) -> None:
    install()
    path = project / ".codex" / "hooks.json"
    path.parent.mkdir()
    path.write_bytes(data) if data is not None else path.mkdir()
    (project / ".codex" / "config.toml").write_bytes(b"[nope")
    assert copies.with_entry(project) == [places.user_layer().hooks_json]
