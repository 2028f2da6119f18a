"""OpenCode with unpretty installed: what the model received, what the log says, and what stays after uninstalling."""

import json
import os
import time
from pathlib import Path

import pytest

from .installed import Unpretty
from .mcp_server import COMPACT, PRETTY, rows
from .model import Call, Json
from .opencode import OpenCode, OpenCodeRun, bash

DENSE = json.dumps(json.loads(rows(700)), separators=(",", ":"))

# Two plugins, one before ours and one after it, that keep the original.
FIRST = """
export default {id: "first", server: async () => ({
  "tool.execute.after": async (input, output) => { (globalThis.kept ??= new Map()).set(input.callID, output.output) },
})}
"""
LAST = """
export default {id: "last", server: async () => ({
  "tool.execute.after": async (input, output) => { output.output = globalThis.kept.get(input.callID) },
})}
"""


@pytest.fixture
def unpretty(unpretty_program: Path, opencode: OpenCode) -> Unpretty:
    """The command, nothing set up yet; the project has programs that print."""
    project = opencode.project
    (project / "pretty").write_text(PRETTY)
    (project / "large").write_text(rows(700))
    (project / "line").write_text(json.dumps(json.loads(rows(1200)), separators=(",", ":")) + "\n")
    (project / "report").write_text('cat "${1:-pretty}"; exit "${2:-0}"\n')
    return Unpretty(unpretty_program, opencode.home, project, opencode.program)


@pytest.fixture
def ready(unpretty: Unpretty) -> Unpretty:
    """unpretty set up for OpenCode."""
    unpretty.run("install", "opencode", "--apply")
    return unpretty


@pytest.fixture
def server(shapes: list[str]) -> dict[str, Json]:
    """The MCP server of the tests."""
    return {"shapes": {"type": "local", "command": shapes}}


def converse(opencode: OpenCode, *turns: list[Call], **more: object) -> OpenCodeRun:
    run = opencode.run(turns, **more)  # type: ignore[arg-type]
    assert run.client.exit_code == 0, run.client.stderr
    assert run.client.survivors == ()
    return run


def verified(unpretty: Unpretty) -> tuple[int, int, int]:
    """Applied, rejected and unknown results in the figures."""
    totals = unpretty.json("stats", "--verify")["totals"]
    return totals["applied"], totals["rejected"], totals["unknown"]


def plugin(unpretty: Unpretty) -> Path:
    return unpretty.home / ".config" / "opencode" / "plugins" / "unpretty.js"


def test_a_plan_alone_writes_nothing(unpretty: Unpretty, opencode: OpenCode) -> None:
    plan = unpretty.run("install", "opencode").stdout
    assert str(plugin(unpretty)) in plan
    assert "npm" in plan
    assert list(opencode.home.rglob("*")) == []


def test_results_of_a_command_and_of_grep_and_a_read(ready: Unpretty, opencode: OpenCode) -> None:
    (opencode.project / "notes.txt").write_text("needle one\n" * 60)
    run = converse(
        opencode,
        [bash("sh report pretty 3")],
        [bash("cat pretty")],
        [Call("read", {"filePath": str(opencode.project / "pretty")})],
        [Call("grep", {"pattern": "needle", "path": str(opencode.project)})],
        [bash("echo small")],
    )
    command, view, read, grep, small = run.texts
    assert command == COMPACT
    assert view == PRETTY
    assert '"rows": [' in read
    assert grep.count("needle one") == 60
    assert small == "small\n"
    lines = ready.log_lines("decision")
    assert [(line["tool"], line["reason"]) for line in lines if line["tool"] == "bash"] == [
        ("bash", "converted"), ("bash", "file_view"), ("bash", "too_small"),
    ]  # fmt: skip
    assert {line["tool"] for line in lines} == {"bash", "grep"}
    first = lines[0]
    assert (first["agent"], first["agent_version"], first["model"], first["via"]) == (
        "opencode", "1.18.33", "scripted", "worker",
    )  # fmt: skip
    assert (first["bytes_in"], first["bytes_out"]) == (len(PRETTY.encode()), len(COMPACT.encode()))
    assert first["project"] == str(opencode.project)


def test_mcp_results_of_every_shape(ready: Unpretty, opencode: OpenCode, server: dict[str, Json]) -> None:
    tools = ("text", "multi", "both", "resource", "image", "error", "plain")
    run = converse(opencode, *[[Call(f"shapes_{tool}", {})] for tool in tools], mcp=server)
    text, multi, both, resource, image, error, plain = run.texts
    assert text == both == COMPACT
    assert multi == f"{COMPACT}\n\nsecond"
    assert COMPACT in resource
    assert COMPACT in image
    assert PRETTY in error
    assert "nothing to see" in plain
    fields = {(line["tool"], line["field"]): line["reason"] for line in ready.log_lines("decision")}
    assert fields == {
        ("shapes_text", "content.0.text"): "converted",
        ("shapes_multi", "content.0.text"): "converted",
        ("shapes_multi", "content.1.text"): "too_small",
        ("shapes_both", "content.0.text"): "converted",
        ("shapes_resource", "content.0.text"): "too_small",
        ("shapes_resource", "content.1.resource.text"): "converted",
        ("shapes_image", "content.0.text"): "converted",
        ("shapes_plain", "content.0.text"): "not_json",
    }


def test_results_over_the_limits_of_opencode(ready: Unpretty, opencode: OpenCode, server: dict[str, Json]) -> None:
    run = converse(
        opencode,
        [Call("shapes_big", {"rows": 700})],
        [Call("shapes_big", {"rows": 3000})],
        [Call("shapes_line", {"length": 60_000})],
        [bash("sh report large")],
        [bash("sh report line")],
        mcp=server,
    )
    whole, shortened, word, command, line = run.texts
    # 200 lines too many before, whole after.
    assert whole == command == DENSE
    first, *_, notice = shortened.split("\n")
    assert json.loads(first.removeprefix("[").rstrip(",")) == {"number": 0, "value": None, "text": "lorem ipsum"}
    assert '{"number":900,' in shortened
    assert "delegate to save context" in notice
    assert "truncated" in word
    assert "(no output)" not in line
    assert line.startswith("...output truncated...\n\nFull output saved to: ")
    assert line.endswith('{"number":1199,"value":null,"text":"lorem ipsum"}]')
    assert len(line.encode()) <= 51_200
    reasons = [entry["reason"] for entry in ready.log_lines("decision")]
    assert reasons == ["converted", "converted", "not_json", "converted", "converted"]
    for text in (whole, command, line):
        assert len(text.encode()) in {entry["bytes_out"] for entry in ready.log_lines("decision")}


def test_verify_tells_stored_texts_from_those_that_another_plugin_took_back(
    ready: Unpretty, opencode: OpenCode, server: dict[str, Json]
) -> None:
    calls = [
        [bash("sh report")],
        [bash("sh report large")],
        [Call("shapes_multi", {})],
        [Call("shapes_big", {"rows": 3000})],
    ]
    converse(opencode, *calls, mcp=server)
    assert verified(ready) == (4, 0, 0)
    # Our plugin is in the middle: the first one remembers the text, the last one puts it back.
    (opencode.folder / "opencode.json").write_text(json.dumps({"plugin": ["./first.js"]}))
    (opencode.folder / "first.js").write_text(FIRST)
    last = opencode.project / ".opencode" / "plugins" / "last.js"
    last.parent.mkdir(parents=True)
    last.write_text(LAST)
    opencode._spare_the_package_install(last.parent.parent)
    run = converse(opencode, [bash("sh report")])
    assert run.texts == [PRETTY]
    assert verified(ready) == (4, 1, 0)
    [report] = ready.json("doctor", "opencode")["agents"]
    assert "rewrites_rejected" in [note["code"] for note in report["notices"]]


def test_limits_of_the_users_config_are_kept(ready: Unpretty, opencode: OpenCode) -> None:
    (opencode.folder / "opencode.json").write_text(json.dumps({"tool_output": {"max_bytes": 20_000}}))
    run = converse(opencode, [bash("sh report large")])
    [text] = run.texts
    assert text.startswith("...output truncated...")
    [line] = ready.log_lines("decision")
    assert line["reason"] == "over_host_limit"


def test_parallel_calls_get_their_own_results(ready: Unpretty, opencode: OpenCode) -> None:
    for number in range(6):
        (opencode.project / f"p{number}").write_text(PRETTY.replace("Zo", f"N{number}"))
    run = converse(opencode, [bash(f"sh report p{number}") for number in range(6)])
    assert run.texts == [COMPACT.replace("Zo", f"N{number}") for number in range(6)]
    assert len(ready.decisions()) == 6


def test_a_result_of_a_program_in_code_mode(ready: Unpretty, opencode: OpenCode, server: dict[str, Json]) -> None:
    program = (
        'const text = await tools.shapes.big({rows: 40}); return JSON.parse(text).length + ":" + text.includes("  ")'
    )
    run = converse(
        opencode,
        [Call("execute", {"code": program})],
        [Call("execute", {"code": "return await tools.shapes.big({rows: 2000})"})],
        mcp=server,
        env={"OPENCODE_EXPERIMENTAL_CODE_MODE": "1"},
    )
    small, large = run.texts
    assert small.strip() == "40:false"
    assert large.count('"lorem ipsum"') > 500
    assert {line["tool"] for line in ready.log_lines("decision")} == {"shapes_big", "execute"}


# Run as a command of the agent: ends this very OpenCode or its worker, found among the processes above and their
# children.
KILL = """
import os, pathlib, signal, sys

def parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

above, pid = set(), os.getpid()
while pid > 1:
    pid = parent(pid)
    above.add(pid)
for entry in pathlib.Path("/proc").glob("[0-9]*"):
    try:
        words = (entry / "cmdline").read_bytes().split(b"\\0")
        ours = words[-2:-1] == [b"opencode"] and words[-3].endswith(b"/hook.py") and parent(entry.name) in above
    except OSError:
        continue
    if ours:
        os.kill(int(entry.name) if sys.argv[1] == "worker" else parent(entry.name), signal.SIGKILL)
        print("killed")
"""


def test_a_worker_that_is_killed_is_started_anew(ready: Unpretty, opencode: OpenCode) -> None:
    (opencode.project / "kill.py").write_text(KILL)
    run = converse(opencode, [bash("sh report")], [bash("python3 kill.py worker")], [bash("sh report")])
    assert run.texts == [COMPACT, "killed\n", COMPACT]


def test_nothing_is_left_behind_when_opencode_is_killed(ready: Unpretty, opencode: OpenCode) -> None:
    (opencode.project / "kill.py").write_text(KILL)
    run = opencode.run([[bash("sh report")], [bash("python3 kill.py opencode")]])
    assert run.client.exit_code == -9
    assert [command for command in run.client.survivors if "hook.py" in command] == []
    assert len(ready.log_lines("decision")) == 1


@pytest.mark.parametrize(
    "what", ["python is gone", "hook.py is gone", "hook.py hangs", "hook.py crashes", "hook.py babbles"]
)
def test_a_broken_worker_costs_no_result(ready: Unpretty, opencode: OpenCode, what: str) -> None:
    data = ready.home / ".local" / "share" / "unpretty"
    if what == "python is gone":
        (data / "python").unlink()
        os.symlink(data.parent / "does" / "not" / "exist", data / "python")
    elif what == "hook.py is gone":
        (data / "hook.py").unlink()
    else:
        (data / "hook.py").write_text(
            {
                "hook.py hangs": "import time\ntime.sleep(600)\n",
                "hook.py crashes": "raise SystemExit(1)\n",
                "hook.py babbles": "import sys\nfor line in sys.stdin: print('{nope', flush=True)\n",
            }[what]
        )
    start = time.monotonic()
    run = converse(opencode, *[[bash("sh report")] for _ in range(5)])
    assert run.texts == [PRETTY] * 5
    assert time.monotonic() - start < 60
    report = ready.json("doctor", "opencode", status=1)["agents"][0]
    assert report["status"] == "broken"
    ready.run("doctor", "opencode", "--fix")
    assert converse(opencode, [bash("sh report")]).texts == [COMPACT]


def test_a_second_start_and_a_changed_setting(ready: Unpretty, opencode: OpenCode) -> None:
    assert converse(opencode, [bash("sh report")]).texts == [COMPACT]
    ready.run("config", "set", "enabled", "false")
    assert converse(opencode, [bash("sh report")]).texts == [PRETTY]
    ready.run("config", "set", "enabled", "true")
    assert converse(opencode, [bash("sh report")]).texts == [COMPACT]
    assert [line["reason"] for line in ready.log_lines("decision")] == ["converted", "disabled", "converted"]


def test_two_copies_of_the_plugin_work_on_a_result_once(ready: Unpretty, opencode: OpenCode) -> None:
    ready.run("install", "opencode", "--project", "--apply")
    assert (opencode.project / ".opencode" / "plugins" / "unpretty.js").exists()
    opencode._spare_the_package_install(opencode.project / ".opencode")
    assert converse(opencode, [bash("sh report")]).texts == [COMPACT]
    assert len(ready.log_lines("decision")) == 1
    report = ready.json("doctor", "opencode")["agents"][0]
    assert "second_copy" in {note["code"] for note in report["notices"]}
    ready.run("uninstall", "opencode", "--apply")
    assert not plugin(ready).exists()
    assert not (opencode.project / ".opencode" / "plugins").exists()
    assert converse(opencode, [bash("sh report")]).texts == [PRETTY]


def test_folders_from_the_environment_are_honoured(unpretty: Unpretty, opencode: OpenCode) -> None:
    own = opencode.home / "own config"
    own.mkdir()
    opencode._spare_the_package_install(own)
    env = {"OPENCODE_CONFIG_DIR": str(own)}
    unpretty.run("install", "opencode", "--apply", env=env)
    assert (own / "plugins" / "unpretty.js").exists()
    assert not plugin(unpretty).exists()
    assert converse(opencode, [bash("sh report")], env=env).texts == [COMPACT]
    unpretty.run("uninstall", "opencode", "--apply", env=env)
    assert sorted(path.name for path in own.iterdir() if path.name == "plugins") == []


def test_installing_twice_changes_nothing_and_uninstalling_leaves_nothing(
    unpretty: Unpretty, opencode: OpenCode
) -> None:
    unpretty.run("install", "opencode", "--apply")
    before = plugin(unpretty).read_bytes()
    unpretty.run("install", "opencode", "--exit-code")
    assert plugin(unpretty).read_bytes() == before
    report = unpretty.json("doctor", "opencode")["agents"][0]
    assert (report["status"], report["faults"], report["version"]) == ("active", [], "1.18.33")
    unpretty.run("uninstall", "opencode", "--apply")
    assert not plugin(unpretty).parent.exists()
