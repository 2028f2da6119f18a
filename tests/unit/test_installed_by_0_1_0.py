"""Files that 0.1.0 installed keep working: they name modules as 0.1.0 did."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import unpretty
import unpretty_hooks

FIXTURES = Path(__file__).parents[1] / "fixtures"
ROWS = [{"id": number, "name": f"user {number}"} for number in range(60)]
LIBRARY, HOOKS = Path(unpretty.__file__).parent, Path(unpretty_hooks.__file__).parent


def written(name: str, home: Path, paths: list[str]) -> Path:
    """The file that 0.1.0 wrote, with the paths of this test in it."""
    text = (FIXTURES / "installed-by-0.1.0" / f"{name}.txt").read_text("ascii")
    places = {place: repr(str(home / place)) for place in ("log", "resolved", "config", "data", "state")}
    path = home / name
    path.write_text(text.format(paths=paths, **places), "ascii")
    return path


def run(command: list[str], given: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: os.environ[name] for name in ("HOME", "PATH")}
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True, env=environment)


def payload() -> str:
    value = json.loads((FIXTURES / "claude-code" / "PostToolUse-Bash.json").read_text("utf-8"))
    value["tool_input"]["command"] = "gh api x"
    value["tool_response"]["stdout"] = json.dumps(ROWS, indent=2)
    return json.dumps(value)


@pytest.mark.parametrize("more", [[], [str(HOOKS.parent.parent)]], ids=["wheel", "editable"])
def test_hook_py_still_converts(home: Path, more: list[str]) -> None:
    script = written("hook.py", home, [str(LIBRARY), *more])
    done = run([sys.executable, "-I", "-S", str(script), "claude-code"], payload())
    output = json.loads(done.stdout)["hookSpecificOutput"]["updatedToolOutput"]
    assert output["stdout"] == json.dumps(ROWS, separators=(",", ":"))
    assert json.loads((home / "log").read_text("utf-8").splitlines()[0])["reason"] == "converted"


def test_hook_py_still_serves_the_plugin_of_opencode(home: Path) -> None:
    script = written("hook.py", home, [str(LIBRARY)])
    fields = [["output", json.dumps(ROWS, indent=2)]]
    request = {"id": 7, "tool": "bash", "call": "c", "session": "s", "command": "gh api x", "fields": fields}
    done = run([sys.executable, "-I", "-S", str(script), "opencode"], json.dumps(request) + "\n")
    assert json.loads(done.stdout) == {"id": 7, "texts": {"output": json.dumps(ROWS, separators=(",", ":"))}}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_plugin_of_opencode_still_talks_to_the_worker(home: Path) -> None:
    worker = [sys.executable, "-I", "-S", str(written("hook.py", home, [str(LIBRARY)])), "opencode"]
    source = (FIXTURES / "installed-by-0.1.0" / "unpretty.js.txt").read_text("utf-8")
    (home / "unpretty.mjs").write_text(source.replace("__UNPRETTY_WORKER__", json.dumps(worker), 1), "utf-8")
    driver = (
        f"const plugin = (await import({json.dumps(str(home / 'unpretty.mjs'))})).default\n"
        "const hooks = await plugin.server({ directory: '/project' })\n"
        f"const output = {{ title: '', metadata: {{}}, output: {json.dumps(json.dumps(ROWS, indent=2))} }}\n"
        "const call = { tool: 'bash', sessionID: 's', callID: 'c', args: { command: 'gh api x' } }\n"
        "await hooks['tool.execute.after'](call, output)\n"
        "console.log(output.output)\n"
    )
    done = run(["node", "--input-type=module", "-"], driver)
    assert done.stdout == json.dumps(ROWS, separators=(",", ":")) + "\n"


def test_proxy_py_still_starts_a_server_with_the_proxy_in_front(home: Path) -> None:
    found = [path for path in sys.path if Path(path).name == "site-packages"]
    script = written("proxy.py", home, [str(LIBRARY.parent), *found])
    text = json.dumps(ROWS, indent=2)
    answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}})
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t", "arguments": {}}}
    server = f"import sys\nfor _ in sys.stdin:\n print({answer!r}, flush=True)"
    words = ["--name=db", "--", sys.executable, "-I", "-S", "-c", server]
    done = run([sys.executable, "-I", "-S", str(script), *words], json.dumps(call) + "\n")
    assert done.stderr == ""
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == json.dumps(ROWS, separators=(",", ":"))
