"""Several agents in one go."""

import os
import sys
from pathlib import Path

import pytest

from unpretty import agents as table
from unpretty import locations
from unpretty.errors import UnprettyError
from unpretty_installer import agents, batch
from unpretty_installer.core import launcher
from unpretty_installer.core.agent_installer import AgentInstaller
from unpretty_installer.core.plan import Check, FileChange, Options, Plan
from unpretty_installer.core.report import AgentReport, Problem


class FakeAgent:
    """Keeps one file; ``problem`` fails its check, ``broken`` its planning."""

    def __init__(self, name: str, file: Path) -> None:
        self.name, self.file = name, file
        self.problem: Exception | None = None
        self.broken: Exception | None = None
        self.options: list[Options] = []

    def agent(self) -> AgentInstaller:
        return AgentInstaller(table.get(self.name), lambda: True, self.install, self.uninstall, lambda _: None)  # type: ignore[arg-type,return-value]

    def _plan(self, options: Options, after: bytes | None) -> Plan:
        self.options.append(options)
        if self.broken:
            raise self.broken
        before = self.file.read_bytes() if self.file.exists() else None
        changes = (*launcher.changes(),) if after else ()
        return Plan(
            self.name,
            self.name.title(),
            changes=(*changes, FileChange(self.file, before, after, "Because.")),
            checks=(Check("works", self._check),) if after else (),
        )

    def _check(self) -> None:
        if self.problem:
            raise self.problem

    def install(self, options: Options) -> Plan:
        return self._plan(options, b"ours")

    def uninstall(self, options: Options) -> Plan:
        return self._plan(options, None)


@pytest.fixture
def two(tmp_path, monkeypatch) -> tuple[FakeAgent, FakeAgent]:
    one, other = FakeAgent("codex", tmp_path / "one"), FakeAgent("opencode", tmp_path / "other")
    monkeypatch.setattr(agents, "every", lambda: [one.agent(), other.agent()])
    monkeypatch.setattr(agents, "get", {"codex": one.agent(), "opencode": other.agent()}.__getitem__)
    return one, other


def install(*chosen: FakeAgent, options: Options | None = None) -> list[batch.AgentResult]:
    return batch.carry_out(batch.plan_install([fake.agent() for fake in chosen], options or Options()))


def uninstall(*chosen: FakeAgent, purge: bool = False) -> list[batch.AgentResult]:
    return batch.carry_out(batch.plan_uninstall([fake.agent() for fake in chosen], Options(), purge=purge))


def states(results: list[batch.AgentResult]) -> list[tuple[str, str]]:
    return [(result.agent, result.state) for result in results]


def test_all_agents_are_set_up_and_taken_back_together(two):
    assert states(install(*two)) == [("codex", "applied"), ("opencode", "applied")]
    assert states(install(*two)) == [("codex", "nothing_to_do"), ("opencode", "nothing_to_do")]
    assert launcher.hook_file().exists()
    results = uninstall(*two)
    assert states(results) == [("codex", "applied"), ("opencode", "applied"), ("unpretty", "applied")]
    assert not locations.data_dir().exists()
    assert states(uninstall(*two)) == [("codex", "nothing_to_do"), ("opencode", "nothing_to_do")]


def test_the_options_reach_every_planner(two):
    options = Options(trust=True, wrap_mcp=("all",))
    install(*two, options=options)
    assert [fake.options for fake in two] == [[options], [options]]


def test_a_failure_leaves_that_agent_as_it_was_and_the_others_go_on(two):
    one, other = two
    one.problem = UnprettyError("It said no.")
    results = install(*two)
    assert states(results) == [("codex", "failed"), ("opencode", "applied")]
    assert str(results[0].error) == "It said no. Everything is as it was before."
    assert not one.file.exists()
    assert other.file.read_bytes() == b"ours"
    assert launcher.hook_file().exists()


def test_a_failure_of_the_last_agent_leaves_what_the_first_one_needs(two):
    two[1].problem = UnprettyError("It said no.")
    assert states(install(*two)) == [("codex", "applied"), ("opencode", "failed")]
    assert launcher.hook_file().exists()


def test_when_all_fail_nothing_of_ours_stays(two, home):
    for fake in two:
        fake.problem = UnprettyError("It said no.")
    assert states(install(*two)) == [("codex", "failed"), ("opencode", "failed")]
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("error", [UnprettyError("x.json, line 1: bad.", code="invalid_json"), OSError(5, "I/O error")])
def test_an_agent_that_cannot_be_planned_is_reported_and_the_others_go_on(two, error):
    two[0].broken = error
    results = install(*two)
    assert states(results) == [("codex", "failed"), ("opencode", "applied")]
    assert results[0].plan is None
    assert results[0].error is not None


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are bytes on POSIX systems")
@pytest.mark.parametrize("agent", agents.every(), ids=lambda agent: agent.name)
def test_a_home_that_is_no_utf_8_text_is_told_in_a_sentence(agent, home, monkeypatch):
    monkeypatch.setenv("HOME", str(home / "x\udce9y"))
    (home / "x\udce9y").mkdir()
    (result,) = batch.plan_install([agent], Options())
    assert result.error is not None
    assert result.error.code == "bad_path"
    assert "x\\udce9y/.local/share/unpretty is no UTF-8 text" in str(result.error)
    assert "XDG_DATA_HOME" in result.error.hint
    assert list((home / "x\udce9y").iterdir()) == []


def test_our_own_files_stay_while_another_agent_needs_them_or_may_need_them(two):
    one, other = two
    install(*two)
    assert states(uninstall(one)) == [("codex", "applied")]
    assert launcher.hook_file().exists()
    one.broken = UnprettyError("cannot be read")
    assert states(uninstall(other)) == [("opencode", "applied")]
    assert launcher.hook_file().exists()
    one.broken = None
    assert states(uninstall(one)) == [("codex", "nothing_to_do"), ("unpretty", "applied")]
    assert not launcher.hook_file().exists()


def test_our_own_files_stay_when_taking_an_agent_back_fails(two, monkeypatch):
    install(*two)
    planned = batch.plan_uninstall([fake.agent() for fake in two], Options())
    two[0].file.write_bytes(b"changed meanwhile")
    assert states(batch.carry_out(planned)) == [("codex", "failed"), ("opencode", "applied")]
    assert launcher.hook_file().exists()


def own_files() -> list[Path]:
    paths = [
        locations.decision_log_file(),
        locations.state_dir() / "decisions.jsonl.1",
        # What the writer, the counting of tokens and the notice about another encoding leave next to the log.
        locations.state_dir() / "decisions.jsonl.lock",
        locations.state_dir() / "decisions.jsonl.counting",
        locations.state_dir() / "noticed" / "session-1.columnar",
        locations.config_file(),
        locations.state_dir() / "receipts" / "codex-0123456789abcdef.json",
        locations.state_dir() / "backups" / "20260101T000000.000000Z-codex-1" / "1-x",
    ]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if path.parent.name == "noticed" else "x")
    return paths


def test_uninstall_tells_what_it_leaves_and_purge_deletes_it(two, home):
    install(*two)
    paths = own_files()
    (result,) = [r for r in batch.plan_uninstall([fake.agent() for fake in two], Options()) if r.agent == "unpretty"]
    assert result.plan is not None
    (note,) = result.plan.notices
    assert note.code == "left_over"
    assert str(locations.state_dir()) in note.message
    assert str(locations.config_dir()) in note.message
    assert str(locations.data_dir()) not in note.message
    assert all(path.exists() for path in paths)
    results = uninstall(*two, purge=True)
    assert results[-1].agent == "unpretty"
    assert not any(path.exists() for path in paths)
    assert list(home.rglob("*unpretty*")) == []


def test_purge_is_refused_while_another_agent_is_set_up(two, home, contents):
    install(*two)
    paths = own_files()
    with pytest.raises(UnprettyError, match="OpenCode still needs the files") as caught:
        uninstall(two[0], purge=True)
    assert caught.value.code == "purge_in_use"
    assert all(path.exists() for path in paths)
    assert two[0].file.exists()


def test_repair_plans_and_applies_in_every_place(two, tmp_path):
    places = (Options(), Options(project=tmp_path))
    problem = Problem("launcher_missing", "", "")
    report = AgentReport("codex", "Codex", True, None, "broken", "", problems=(problem,), repair=places)
    assert states(batch.repair(report)) == [("codex", "applied"), ("codex", "nothing_to_do")]
    assert two[0].options == list(places)


def test_chosen_agents_come_in_one_order_and_without_names_only_those_found(two, monkeypatch):
    one, _ = two
    assert [agent.name for agent in agents.chosen(("opencode", "codex"))] == ["codex", "opencode"]
    assert [agent.name for agent in agents.chosen(())] == ["codex", "opencode"]
    monkeypatch.setattr(
        agents,
        "every",
        lambda: [AgentInstaller(table.get("codex"), lambda: False, one.install, one.uninstall, lambda _: None)],  # type: ignore[arg-type,return-value]
    )
    assert agents.chosen(()) == []


def test_every_registered_agent_has_its_name_and_plans_without_writing(home):
    for agent in agents.every():
        assert agent is agents.get(agent.name)
        plan = agent.plan_install(Options())
        assert plan.agent == agent.name
        assert not plan.is_empty
        assert not plan.blocks
        assert plan.checks
        assert plan.undo.endswith(f"uninstall {agent.name} --apply")
        assert agent.plan_uninstall(Options()).is_empty
    assert os.listdir(home) == []
