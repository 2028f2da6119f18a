"""All agents in one go: one plan, one apply, one uninstall; a failure affects its agent only."""

import importlib
import sys
from pathlib import Path

import pytest

from unpretty import agents as table
from unpretty_installer import agents, batch
from unpretty_installer.core import launcher
from unpretty_installer.core.plan import Options

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")

FILES = {
    ".claude/settings.json": b'\xef\xbb\xbf{\r\n\t"model": "opus" }\r\n',
    ".codex/config.toml": b'# mine\nmodel = "gpt-5.5" # keep\n',
    ".codex/hooks.json": b'{"hooks":{"PostToolUse":[{"matcher":"apply_patch","hooks":[]}]}}',
    ".config/opencode/opencode.jsonc": b"{\n  // mine\n}\n",
}


@pytest.fixture
def configured(home: Path) -> Path:
    """A home with a configuration of each agent."""
    for name, data in FILES.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(data)
    return home


def agents_files(home: Path) -> dict[str, bytes]:
    """Every file of the agents, by its path."""
    roots = [home / name for name in (".claude", ".codex", ".config/opencode")]
    return {
        str(path.relative_to(home)): path.read_bytes() for root in roots for path in root.rglob("*") if path.is_file()
    }


def install() -> dict[str, str]:
    return {result.agent: result.state for result in batch.carry_out(batch.plan_install(agents.chosen(()), Options()))}


def uninstall() -> dict[str, str]:
    results = batch.carry_out(batch.plan_uninstall(agents.chosen(()), Options()))
    return {result.agent: result.state for result in results}


def test_every_agent_found_is_set_up_in_one_go_and_taken_back_byte_for_byte(configured: Path) -> None:
    assert install() == {"claude-code": "applied", "codex": "applied", "opencode": "applied"}
    assert set(agents_files(configured)) == {*FILES, ".config/opencode/plugins/unpretty.js"}
    assert install() == {"claude-code": "nothing_to_do", "codex": "nothing_to_do", "opencode": "nothing_to_do"}
    assert set(uninstall().values()) <= {"applied", "nothing_to_do"}
    assert agents_files(configured) == FILES
    assert not launcher.hook_file().exists()


@pytest.mark.parametrize(
    ("name", "data", "agent"),
    [
        (".claude/settings.json", b"{nope", "claude-code"),
        (".codex/hooks.json", b"{nope", "codex"),
        (".codex/config.toml", b"nope [", "codex"),
        (".config/opencode/plugins/unpretty.js", b"// mine\n", "opencode"),
    ],
)
def test_a_failure_in_one_leaves_it_as_it_was_and_sets_up_the_others(
    configured: Path, name: str, data: bytes, agent: str
) -> None:
    path = configured / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    before = agents_files(configured)
    states = install()
    assert states.pop(agent) == "failed"
    assert set(states.values()) == {"applied"}
    after = agents_files(configured)
    assert all(after[file] == before[file] for file in before if file.split("/")[0] == name.split("/")[0])
    uninstall()
    assert agents_files(configured) == before


def test_an_agent_that_is_not_there_is_not_planned(home: Path) -> None:
    (home / ".codex").mkdir()
    assert [agent.name for agent in agents.chosen(())] == ["codex"]
    assert [agent.name for agent in agents.chosen(("opencode",))] == ["opencode"]


@pytest.mark.parametrize("row", table.every(), ids=lambda row: row.name)
def test_every_agent_has_the_same_modules_with_the_same_functions(row: table.Agent) -> None:
    """What a new agent has to bring: a package with these modules; its `__init__` makes the `installer`."""
    functions = {
        "plans": ("plan_install", "plan_uninstall"),
        "entry": ("try_out",),
        "places": ("entry_file", "entry_files", "CLIENT"),
        "notes": ("others",),
        "checkup": ("examine",),
        "servers": ("servers",),
    }
    if row.name == "codex":  # two files of a directory can hold the entry
        functions["places"] = ("layer", "entry_files", "CLIENT")
    for module, names in functions.items():
        found = importlib.import_module(f"unpretty_installer.{row.module}.{module}")
        assert [name for name in names if not hasattr(found, name)] == []
    assert agents.get(row.name).row is row


def test_an_agent_that_is_not_in_the_table_is_an_error() -> None:
    with pytest.raises(KeyError):
        agents.get("gemini")
