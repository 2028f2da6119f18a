"""OpenCode's plugin file, run by Node with stand-ins for OpenCode and for the worker."""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from unpretty_installer.opencode import places

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node.js")

SHIPPED = Path(places.unpretty_hooks.__file__).parent / "opencode_plugin.js"

# A worker that answers each request with its fields in upper case, and writes down what it was asked.
ECHO = """
import json, sys
log = open(sys.argv[1] + ".requests", "a")
for line in sys.stdin:
    request = json.loads(line)
    log.write(line); log.flush()
    texts = {name: text.upper() for name, text in request["fields"]}
    print(json.dumps({"id": request["id"], "texts": texts}), flush=True)
"""

# What every driver begins with: the plugin, one instance of it, and shorthands for calls of its hooks.
DRIVER = """
const plugin = (await import(process.argv[2])).default
const hooks = await plugin.server({ directory: "/project", client: globalThis.client ?? {} })
const after = (input, output) => hooks["tool.execute.after"](input, output)
const call = (tool, more) => ({ tool, sessionID: "s", callID: "call_1", args: { command: "x" }, ...more })
const bash = async (text) => {
  const output = { title: "", metadata: { output: text, truncated: false }, output: text }
  const answer = await after(call("bash"), output)
  return { text: output.output, answer: answer ?? null, metadata: output.metadata.output }
}
const say = (value) => console.log(JSON.stringify(value))
"""


class Bench:
    """A directory with the plugin, its worker and a driver."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.worker = directory / "worker.py"
        self.worker.write_text(ECHO)
        self.patches: dict[str, str] = {}
        self.limits: dict[str, int] = {}

    def run(self, body: str, *, before: str = "", command: list[str] | None = None, timeout: float = 60) -> list[Any]:
        """Run ``body`` in Node and return what it printed. The process has to end without a signal."""
        words = command or [sys.executable, "-I", "-S", str(self.worker), str(self.worker)]
        limits = {**places.CLIENT.row.limits, **self.limits}
        facts = {**places.plugin_facts(), "worker": words, "limits": limits}
        text = SHIPPED.read_text(encoding="utf-8").replace("__UNPRETTY__", json.dumps(facts))
        for old, new in self.patches.items():
            assert old in text
            text = text.replace(old, new)
        plugin, driver = self.directory / "plugin.mjs", self.directory / "driver.mjs"
        plugin.write_text(text, encoding="utf-8")
        driver.write_text(before + DRIVER + body, encoding="utf-8")
        assert NODE is not None
        done = subprocess.run(
            [NODE, driver, plugin],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.directory,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return [json.loads(line) for line in done.stdout.splitlines()]

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What the echoing worker was asked."""
        log = Path(f"{self.worker}.requests")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_file_begins_with_our_marker_and_needs_only_node() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    assert text.startswith(places.MARKER.decode())
    assert text.isascii()
    assert set(re.findall(r'from "([^"]+)"', text)) == {"node:child_process", "node:path"}
    assert "require(" not in text
    assert "Bun" not in re.sub(r"//.*", "", text)


def test_old_and_new_clients_find_what_they_load(bench: Bench) -> None:
    """OpenCode 1.2 takes every export for a plugin, 1.18 the default object, 2.x its ``setup``."""
    [names] = bench.run(
        "const module = await import(process.argv[2])\n"
        "say([Object.keys(module).sort(), typeof module.UnprettyPlugin, module.UnprettyPlugin === plugin.server,"
        " plugin.id, typeof plugin.setup])"
    )
    assert names == [["UnprettyPlugin", "default"], "function", True, "unpretty", "function"]


def test_the_output_of_a_command_is_replaced_in_place_and_nothing_is_returned(bench: Bench) -> None:
    assert bench.run('say(await bash("pretty"))') == [{"text": "PRETTY", "answer": None, "metadata": "pretty"}]


def test_what_the_worker_is_told(bench: Bench) -> None:
    bench.run(
        """
        await hooks.config({ tool_output: { max_bytes: 1000, max_lines: -1 } })
        await hooks["chat.params"]({ sessionID: "s", agent: "build", model: { id: "large" } })
        await hooks["chat.params"]({ sessionID: "s", agent: "title", model: { id: "small" } })
        await hooks["chat.params"]({})
        await new Promise((resolve) => setTimeout(resolve, 20))
        const cut = { title: "", metadata: { truncated: true, outputPath: "/saved" }, output: "t" }
        await after(call("bash"), cut)
        const other = { output: "g", metadata: { outputPath: "/no" } }
        await after(call("grep", { args: undefined, sessionID: "other" }), other)
        """,
        before="globalThis.client = { _client: { get: async () => ({ data: { version: '1.2.3' } }) } }\n",
    )
    first, second = bench.requests
    assert first == {
        "id": 1, "tool": "bash", "call": "call_1", "session": "s", "command": "x", "project": "/project",
        "model": "large", "version": "1.2.3", "inner": False, "mcp": False, "saved": "/saved", "max_lines": 2000,
        "max_bytes": 1000, "fields": [["output", "t"]],
    }  # fmt: skip
    assert second == {
        "id": 2, "tool": "grep", "call": "call_1", "session": "other", "project": "/project", "version": "1.2.3",
        "inner": False, "mcp": False, "max_lines": 2000, "max_bytes": 1000, "fields": [["output", "g"]],
    }  # fmt: skip


def test_models_of_many_sessions_are_forgotten_one_by_one(bench: Bench) -> None:
    bench.patches = {"const SESSIONS = 256": "const SESSIONS = 2"}
    bench.run(
        """
        for (const id of ["a", "b", "c"]) await hooks["chat.params"]({ sessionID: id, model: { id: "m" + id } })
        for (const id of ["a", "c"]) await after(call("bash", { sessionID: id }), { output: "t" })
        """
    )
    assert [request.get("model") for request in bench.requests] == [None, "mc"]


def test_texts_and_resources_of_an_mcp_result_are_replaced_and_the_rest_stays(bench: Bench) -> None:
    [output] = bench.run(
        """
        const output = { content: [
          { type: "text", text: "one" }, { type: "image", data: "x" },
          { type: "resource", resource: { uri: "u", text: "two" } },
          { type: "resource", resource: { uri: "u", blob: "b" } }, { type: "resource" }, null,
          { type: "text", text: 3 },
        ], structuredContent: { a: "b" } }
        await after(call("shop_list"), output)
        say(output)
        """
    )
    assert output["content"][:3] == [
        {"type": "text", "text": "ONE"}, {"type": "image", "data": "x"},
        {"type": "resource", "resource": {"uri": "u", "text": "TWO"}},
    ]  # fmt: skip
    assert output["content"][3:] == [
        {"type": "resource", "resource": {"uri": "u", "blob": "b"}}, {"type": "resource"}, None,
        {"type": "text", "text": 3},
    ]  # fmt: skip
    assert output["structuredContent"] == {"a": "b"}
    assert bench.requests[0]["fields"] == [["content.0.text", "one"], ["content.2.resource.text", "two"]]
    assert bench.requests[0]["mcp"] is True


def test_a_call_inside_code_mode_is_marked_and_left_alone_when_its_structured_part_counts(bench: Bench) -> None:
    said = bench.run(
        """
        for (const structuredContent of [undefined, null, { a: 1 }]) {
          const output = { content: [{ type: "text", text: "t" }], structuredContent }
          await after(call("shop_list", { callID: "call_1/1" }), output)
          say(output.content[0].text)
        }
        """
    )
    assert said == ["T", "T", "t"]
    assert [request["inner"] for request in bench.requests] == [True, True]


@pytest.mark.parametrize(
    "tool", ["read", "edit", "write", "glob", "task", "webfetch", "todowrite", "invalid", "custom"]
)
def test_other_tools_are_not_even_asked_about(bench: Bench, tool: str) -> None:
    said = bench.run(f'const output = {{ output: "t" }}; await after(call("{tool}"), output); say(output)')
    assert said == [{"output": "t"}]
    assert bench.requests == []


def test_results_of_odd_shapes_are_no_problem(bench: Bench) -> None:
    said = bench.run(
        """
        const odd = [undefined, null, 1, "text", {}, { output: 1 }, { output: "" }, { content: "x" }, { content: [] }]
        for (const output of odd)
          say(await after(call("bash"), output) ?? null)
        say(await after(undefined, { output: "t" }) ?? null)
        say(await after({}, { output: "t" }) ?? null)
        const frozen = Object.freeze({ output: "t" })
        await after(call("bash"), frozen)
        say(frozen)
        """
    )
    assert said == [None] * 11 + [{"output": "t"}]


def test_a_result_of_extreme_length_is_left_alone(bench: Bench) -> None:
    bench.limits = {"plugin_chars": 10}
    assert bench.run('say((await bash("x".repeat(11))).text); say((await bash("x".repeat(10))).text)') == [
        "x" * 11, "X" * 10,
    ]  # fmt: skip


def test_parallel_calls_get_the_reply_that_is_theirs(bench: Bench) -> None:
    """This worker answers in pairs and in reverse order."""
    bench.worker.write_text(
        "import json, sys\n"
        "held = []\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    [[name, text]] = request['fields']\n"
        "    held.insert(0, {'id': request['id'], 'texts': {name: text.upper()}})\n"
        "    if len(held) == 2:\n"
        "        print(*map(json.dumps, held), sep=chr(10), flush=True)\n"
        "        held.clear()\n"
    )
    [said] = bench.run('say(await Promise.all([..."abcdefgh"].map(async (text) => (await bash(text)).text)))')
    assert said == list("ABCDEFGH")


def test_long_and_many_byte_texts_come_through_whole(bench: Bench) -> None:
    [same] = bench.run(
        """
        const text = "\u00e9\u4e2d\U0001f600 x".repeat(300000)
        const { text: back } = await bash(text)
        say(back === text.toUpperCase())
        """
    )
    assert same is True


BROKEN = {
    "does not exist": None,
    "ends at once": "raise SystemExit(0)",
    "ends after reading": "import sys\nsys.stdin.readline()",
    "never answers": "import sys\nfor line in sys.stdin: pass",
    "never reads": "import time\ntime.sleep(600)",
    "says no JSON": "import sys\nfor line in sys.stdin: print('{nope', flush=True)",
    "says null": "import sys\nfor line in sys.stdin: print('null', flush=True)",
    "answers somebody else": "import sys\nfor line in sys.stdin: print('{\"id\": 99}', flush=True)",
    "closes its output": "import os, sys, time\nos.close(1)\ntime.sleep(600)",
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_worker_that_fails_costs_no_result(bench: Bench, how: str, absent: str) -> None:
    bench.limits = {"plugin_ms": 300}
    source = BROKEN[how]
    if source is not None:
        bench.worker.write_text(source)
    command = None if source is not None else [absent, "-I", "-S", f"{absent}/hook.py", "opencode"]
    said = bench.run(
        'for (let i = 0; i < 5; i++) say((await bash("t")).text)\nsay(await Promise.all([bash("u"), bash("v")]))',
        command=command,
    )
    assert said[:5] == ["t"] * 5
    assert [result["text"] for result in said[5]] == ["u", "v"]


@pytest.mark.parametrize(
    "texts", ["null", "[]", '{"output": null}', '{"output": 5}', '{"output": ""}', '{"other": "x"}']
)
def test_a_reply_without_a_text_leaves_the_original(bench: Bench, texts: str) -> None:
    bench.worker.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        f"    print(json.dumps({{'id': json.loads(line)['id'], 'texts': json.loads('{texts}')}}), flush=True)\n"
    )
    assert bench.run('say((await bash("t")).text)') == ["t"]


def test_after_three_failures_in_a_row_the_worker_is_left_alone_for_a_while(bench: Bench) -> None:
    bench.worker.write_text("import sys\nopen(sys.argv[1] + '.starts', 'a').write('x')\nsys.stdin.readline()")
    bench.patches = {"const PAUSE_MS = 300000": "const PAUSE_MS = 1500"}
    bench.run(
        """
        for (let i = 0; i < 6; i++) await bash("t")
        await new Promise((resolve) => setTimeout(resolve, 1700))
        await bash("t"); await bash("t")
        """
    )
    assert Path(f"{bench.worker}.starts").read_text() == "xxxx"


def test_a_success_forgets_earlier_failures(bench: Bench) -> None:
    """This worker answers once and then ends, over and over."""
    bench.worker.write_text(
        "import json, sys\n"
        "request = json.loads(sys.stdin.readline())\n"
        "print(json.dumps({'id': request['id'], 'texts': {'output': 'T'}}), flush=True)\n"
        "sys.stdin.readline()\n"
    )
    said = bench.run('for (let i = 0; i < 12; i++) say((await bash("t")).text)')
    assert said == ["T", "t"] * 6


def test_nothing_keeps_the_process_alive_and_the_worker_ends_with_it(bench: Bench) -> None:
    """The driver ends without ``dispose``; ``run`` waits for it, and for the worker's end of input here."""
    bench.worker.write_text(ECHO + "open(sys.argv[1] + '.ended', 'w').write('x')\n")
    bench.run('await bash("t")')
    ended = Path(f"{bench.worker}.ended")
    deadline = time.monotonic() + 30
    while not ended.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ended.exists(), "the worker did not end"


def test_dispose_of_the_last_instance_ends_the_worker_and_a_later_call_starts_another(bench: Bench) -> None:
    said = bench.run(
        """
        const second = await plugin.server({ directory: "/two" })
        await bash("t")
        await second.dispose()
        say((await bash("t")).text)
        await hooks.dispose()
        say((await bash("t")).text)
        """
    )
    assert said == ["T", "T"]
    assert [request["id"] for request in bench.requests] == [1, 2, 3]


def test_a_second_copy_of_the_plugin_leaves_a_result_alone_that_the_first_has_seen(bench: Bench) -> None:
    said = bench.run(
        """
        const { copyFileSync } = await import("node:fs")
        copyFileSync(process.argv[2], process.argv[2] + ".copy.mjs")
        const other = (await import(process.argv[2] + ".copy.mjs")).default
        const second = await other.server({ directory: "/project" })
        const output = { output: "t" }
        await after(call("bash"), output)
        await second["tool.execute.after"](call("bash"), output)
        say(output.output)
        """
    )
    assert said == ["T"]
    assert len(bench.requests) == 1


@pytest.mark.parametrize(
    "client", ["undefined", "{}", "{_client: {get: () => Promise.reject(1)}}", "{_client: {get: () => 5}}"]
)
def test_a_client_that_does_not_tell_its_version_is_no_problem(bench: Bench, client: str) -> None:
    bench.run(
        'await hooks["chat.params"]({ sessionID: "s" }); await hooks.config(undefined); await bash("t")',
        before=f"globalThis.client = {client}\n",
    )
    assert bench.requests[0].get("version", "") == ""


class TestOpenCode2:
    """Its hooks as documented; it was not available to be tested."""

    def test_setup_does_nothing_where_there_are_no_tool_hooks(self, bench: Bench) -> None:
        assert (
            bench.run("for (const c of [undefined, {}, { tool: {} }]) say((await plugin.setup(c)) ?? null)")
            == [None] * 3
        )

    def test_the_text_of_a_completed_command_is_replaced(self, bench: Bench) -> None:
        said = bench.run(
            """
            let hook
            await plugin.setup({ tool: { hook: async (name, run) => { if (name === "execute.after") hook = run } } })
            const event = (more) => ({
              tool: "shell", id: "c", sessionID: "s", input: { command: "x" }, status: "completed",
              result: { content: "t", metadata: { m: 1 } }, ...more })
            for (const e of [event(), event({ status: "error" }), event({ tool: "read" }), event({ result: undefined }),
                             event({ result: { content: [] } })]) {
              await hook(e)
              say(e.result ?? null)
            }
            await hook(undefined)
            """
        )
        assert said[0] == {"content": "T", "metadata": {"m": 1}}
        assert said[1:] == [{"content": "t", "metadata": {"m": 1}}] * 2 + [None, {"content": []}]
        assert len(bench.requests) == 1
