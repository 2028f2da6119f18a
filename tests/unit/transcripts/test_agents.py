"""Every agent of the table is read by a module of its own, found from its row; nothing else here names an agent."""

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import unpretty.transcripts
from unpretty import agents
from unpretty.transcripts import outcomes, sources
from unpretty.transcripts.outcomes import APPLIED, UNKNOWN, checks
from unpretty.transcripts.reading import Reading
from unpretty.transcripts.result import ToolResult
from unpretty.transcripts.sources import AgentRecords, own_sources, read_results, records_of, sources_at

PARTS = [name for name in vars(AgentRecords) if not name.startswith("_")] + ["SUFFIX"]


@pytest.mark.parametrize("row", agents.every(), ids=lambda row: row.name)
def test_each_agents_module_has_the_same_names(row: agents.Agent) -> None:
    records = records_of(row)
    for name in PARTS:
        assert hasattr(records, name)
    for name in ("mark", "read_results", "check"):
        wanted = [one for one in inspect.signature(getattr(AgentRecords, name)).parameters if one != "self"]
        assert list(inspect.signature(getattr(records, name)).parameters) == wanted


@pytest.mark.parametrize("module", [outcomes, sources])
def test_no_agent_is_named_where_all_are_read(module: ModuleType) -> None:
    text = inspect.getsource(module).lower()
    for row in agents.every():
        assert not re.search(rf"\b({row.name}|{row.module}|{row.title.lower()})\b", text)


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch, home: Path) -> Path:
    """An agent that is one row and one module; the directory of its sessions."""

    def row() -> agents.Agent:
        where = agents.Directory("DEMO_HOME", ".demo")
        return agents.Agent(
            "demo", "Demo", programs=("demo",), config=where, data=where, sessions=("",), tools={}, mcp_client="demo"
        )

    def read(path: Path, reading: Reading, since_ms: int | None = None) -> Iterator[ToolResult]:
        yield ToolResult("demo", "Bash", "s", "c", path.read_text(), None, ("text",), "", {}, "")

    module = ModuleType("unpretty.transcripts.demo")
    module.__dict__.update(
        SUFFIX=".demo",
        session_files=lambda directory, reading: directory.glob("*.demo"),
        mark=lambda path, head: head.find(b"demo"),
        read_results=read,
        check=lambda directories, since_ms, progress: lambda record: APPLIED if directories[0].exists() else UNKNOWN,
    )
    monkeypatch.setitem(agents.ROWS, "demo", row)
    monkeypatch.setattr(agents, "_made", {})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(unpretty.transcripts, "demo", module, raising=False)
    (home / ".demo").mkdir()
    (home / ".demo" / "one.demo").write_text("a demo")
    return home / ".demo"


def test_an_agent_that_is_added_is_found_read_and_verified(demo: Path) -> None:
    reading = Reading()
    [source] = own_sources("demo", reading)
    assert sources_at(demo, reading) == [source]
    assert [one.identity for one in read_results(source, reading)] == ["a demo"]
    assert checks()["demo"]({}) == APPLIED
