"""An agent that nobody knows: what `add` puts into the table is all that has to be written for a new one.

Imported by the processes of test_agents.py, among them the hook, which sees no installed package.
"""

import sys

from unpretty import agents
from unpretty.engine import reason
from unpretty.engine.context import SHELL, Context
from unpretty.engine.json_text.writer import to_json
from unpretty_hooks.call import Call, Field

MARK = '{"demo_session":'


def _demo() -> agents.Agent:
    home = agents.Directory("DEMO_HOME", ".demo")
    return agents.Agent(
        "demo",
        "Demo",
        programs=("demo-agent",),
        config=home,
        data=home,
        sessions=("sessions",),
        tools={"run": agents.SHELL},
        mcp_client="demo-client",
    )


def _demo_worker() -> agents.Agent:
    row = _demo()
    row.name, row.title, row.mcp_client, row.worker = "demo-worker", "Demo with a worker", "demo-worker-client", True
    return row


def add() -> None:
    """Put both agents into the table, and this module where the modules of agents are looked for."""
    agents.ROWS["demo"], agents.ROWS["demo-worker"] = _demo, _demo_worker
    for module in ("demo", "demo_worker"):
        for package in ("unpretty_hooks", "unpretty.transcripts", "unpretty_installer"):
            sys.modules[f"{package}.{module}"] = sys.modules[__name__]


# The adapter.


def read(payload: "dict[str, object]", settings: object) -> Call:
    call = Call("demo-worker" if "id" in payload else "demo")
    call.session, call.tool_use_id, call.tool, call.command = "s", "c", "run", "gh api x"
    text = payload.get("demo")
    if isinstance(text, str):
        call.fields.append(Field("output", text, Context(SHELL, command=call.command)))
    else:
        call.reason = reason.BAD_PAYLOAD
    return call


def reply(payload: "dict[str, object]", call: Call) -> str:
    texts = {field.name: field.compaction.text for field in call.changed() if field.compaction}
    return to_json({"id": payload.get("id"), "texts": texts}) + "\n" if texts else ""


def model(payload: "dict[str, object]") -> str:
    return ""


def payload_of(value: "dict[str, object]") -> "dict[str, object] | None":
    return value if "demo" in value else None


# The records of its sessions.

SUFFIX = ".demo"


def session_files(directory, reading):
    return directory.glob(f"*{SUFFIX}")


def mark(path, head):
    return head.find(MARK.encode())


def read_results(path, reading, since_ms=None):
    import json

    from unpretty.transcripts.result import ToolResult

    text = json.loads(path.read_text("utf-8"))["demo_session"]
    yield ToolResult("demo", "run", "s", "c", "c 1", None, (text,), "gh api x", {"demo": text}, "")


def check(directories, since_ms, progress):
    from unpretty.transcripts.outcomes import APPLIED

    return lambda record: APPLIED


def __getattr__(name: str) -> object:
    """What the installer looks for; made only there, since it imports what the hook must not."""
    if name != "installer":
        raise AttributeError(name)
    from unpretty_installer.core.agent_installer import AgentInstaller
    from unpretty_installer.core.plan import Plan
    from unpretty_installer.core.report import AgentReport

    def plan(options):
        return Plan("demo", "Demo")

    def examine(options):
        return AgentReport("demo", "Demo", True, "1.0", "active", "")

    return AgentInstaller(agents.get("demo"), lambda: True, plan, plan, examine)
