"""What every encoding has to provide, and what one line in the registry does for a new one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import unpretty
import unpretty_hooks
from unpretty import locations
from unpretty.encodings import registry
from unpretty.encodings.document import Document
from unpretty.encodings.verified import encode_verified
from unpretty.errors import UnprettyError
from unpretty.estimate.outcome import judge
from unpretty.explain import explain
from unpretty.servers.table_reply import TableReply
from unpretty.settings.config_file import explanation, read_config, set_config
from unpretty.settings.defaults import Settings
from unpretty.transcripts.result import ToolResult

DOCS = Path(__file__).parents[3] / "docs"
MAKE_REFERENCE = DOCS / "make_reference.py"
ROWS = [{"id": number, "name": f"row {number}", "open": True} for number in range(60)]
TABLE = json.dumps(ROWS, indent=2)
NOTICE = "unpretty: JSON tables are written as the demo form here; the data is the same."

# A new encoding: a module, and one line in the registry.
DEMO = """
import sys, types
from unpretty.encodings import registry

class Demo:
    name = "demo"
    def encode(self, document):
        return "demo " + registry.get("columnar").encode(document)
    def decode(self, text):
        return registry.get("columnar").decode(text.removeprefix("demo "))

sys.modules["unpretty.encodings.demo"] = types.ModuleType("unpretty.encodings.demo")
sys.modules["unpretty.encodings.demo"].DEMO = Demo()
registry.ENCODINGS["demo"] = registry.EncodingEntry("demo:DEMO", "the demo form")
"""


def bash(text: str, command: str = "") -> dict[str, object]:
    """A result of Claude Code's shell."""
    return {
        "session_id": "s1",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"stdout": text, "stderr": "", "interrupted": False},
        "tool_use_id": "toolu_1",
    }


class TestEveryEncoding:
    @pytest.fixture(params=registry.names())
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    def test_its_object_has_its_name_and_leads_back_to_the_document(self, name: str) -> None:
        encoding = registry.get(name)
        document = Document.from_text(TABLE)
        assert encoding.name == name
        assert encoding.decode(encode_verified(document, encoding)).value == document.value

    def test_its_title_fits_a_sentence(self, name: str) -> None:
        title = registry.ENCODINGS[name].title
        assert title == title.strip()
        assert title
        assert title[-1] not in ".,:"

    def test_it_has_a_section_in_the_documentation(self, name: str) -> None:
        page = (DOCS / "formats.md").read_text("utf-8")
        assert f"\n### {registry.ENCODINGS[name].section or name}\n" in page
        assert f"\n| `{name}` |" in page

    def test_the_settings_take_it_when_it_is_offered(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / "config.toml"
        if registry.ENCODINGS[name].offered:
            assert set_config(path, "encodings", name) == [name]
        else:
            with pytest.raises(UnprettyError, match="is not a list of json, "):
                set_config(path, "encodings", name)


class TestANewEncoding:
    """In this process: the functions that commands and servers call."""

    @pytest.fixture(autouse=True)
    def _registered(self) -> Iterator[None]:
        exec(DEMO, {})
        yield
        del registry.ENCODINGS["demo"], sys.modules["unpretty.encodings.demo"]

    def test_the_library_writes_and_reads_it(self) -> None:
        text = unpretty.encode(ROWS, "demo")
        assert text.startswith("demo {")
        assert json.loads(unpretty.decode(text, "demo")) == ROWS

    def test_the_settings_take_and_explain_it(self, tmp_path: Path) -> None:
        path = tmp_path / "config.toml"
        path.write_text('[[encodings_for]]\nagent = "codex"\nencodings = ["demo"]\n')
        set_config(path, "encodings", "json, demo")
        assert read_config(path)["encodings"] == ["json", "demo"]
        assert ", demo, or auto" in explanation("encodings")

    def test_explain_and_estimate_decide_for_it(self) -> None:
        settings = Settings({"encodings": ["demo"], "budget_ms": 60_000})
        (explained,) = explain(json.dumps(bash(TABLE)).encode(), settings)
        assert (explained.record["reason"], explained.record["encoding"]) == ("converted", "demo")
        assert explained.after.startswith("demo {")
        result = ToolResult(
            agent="claude-code", tool="Bash", session="s1", call_id="c", identity="c", when_ms=1, reason="", command="",
            texts=(TABLE,), payload=bash(TABLE),
        )  # fmt: skip
        (change,) = judge(result, settings).changes
        assert change.after == explained.after
        assert "tables" in change.steps

    @pytest.mark.usefixtures("home")
    def test_a_server_answers_in_it(self) -> None:
        assert TableReply("demo").encoded(json.dumps(ROWS, separators=(",", ":"))).startswith("demo {")


class TestANewEncodingInAProcess:
    """The programs that are started: the hook, the worker and the command line."""

    @pytest.fixture(autouse=True)
    def _configured(self, home: Path) -> None:
        locations.config_dir().mkdir(parents=True)
        locations.config_file().write_text('encodings = ["demo"]\ncount_tokens = "estimate"\n')

    def hook(self, agent: str, data: bytes) -> dict[str, Any]:
        """What the hook of ``agent``, started as an agent starts it, answers to ``data``."""
        roots = [str(Path(package.__file__).parents[1]) for package in (unpretty, unpretty_hooks)]
        paths = (locations.decision_log_file(), locations.resolved_settings_file(), locations.config_file())
        program = (
            f"import sys\nsys.path[:0] = {roots!r}\n{DEMO}\nfrom unpretty_hooks.entry import main\n"
            f"main({agent!r}, *{tuple(map(str, paths))!r})"
        )
        done = subprocess.run([sys.executable, "-I", "-S", "-c", program], input=data, capture_output=True, check=True)
        reply: dict[str, Any] = json.loads(done.stdout)
        return reply

    def unpretty(self, *arguments: str, data: str = "") -> str:
        """What the command line prints."""
        return self.python("from unpretty.cli.main import main; main()", *arguments, data=data)

    def python(self, program: str, *arguments: str, data: str = "") -> str:
        """What ``program`` prints."""
        command = [sys.executable, "-c", f"{DEMO}\n{program}", *arguments]
        return subprocess.run(command, input=data.encode(), capture_output=True, check=True).stdout.decode()

    def logged(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(locations.decision_log_file().read_text("utf-8"))
        return record

    def test_the_hook_sends_and_announces_it_and_stats_counts_it(self) -> None:
        answer = self.hook("claude-code", json.dumps(bash(TABLE)).encode())["hookSpecificOutput"]
        assert answer["updatedToolOutput"]["stdout"].startswith("demo {")
        assert answer["additionalContext"] == NOTICE
        assert (self.logged()["reason"], self.logged()["encoding"]) == ("converted", "demo")
        by_encoding = json.loads(self.unpretty("stats", "--by", "encoding", "--json"))["by"]["encoding"]
        assert [(row["key"], row["converted"]) for row in by_encoding] == [("demo", 1)]

    def test_the_worker_sends_and_announces_it(self) -> None:
        request = {"id": 1, "tool": "bash", "call": "c", "session": "s", "command": "", "fields": [["output", TABLE]]}
        answer = self.hook("opencode", json.dumps(request).encode() + b"\n")
        assert f"[{NOTICE}" in json.dumps(answer)
        assert self.logged()["encoding"] == "demo"

    def test_the_command_line_takes_it(self) -> None:
        assert 'encodings = ["json","demo"]' in self.unpretty("config", "set", "encodings", "json,demo")
        assert "ldf|demo]" in self.unpretty("serve", "files", "--help").replace("\n", "").replace(" ", "")
        encoded = self.unpretty("convert", "--to", "demo", data=TABLE)
        assert encoded.startswith("demo {")
        assert json.loads(self.unpretty("convert", "--to", "demo", "--decode", data=encoded)) == ROWS
        assert "\ndemo " in self.unpretty("convert", "--count", data=TABLE)

    def test_the_reference_lists_it(self) -> None:
        page = self.python("import runpy; print(runpy.run_path(sys.argv[1])['reference']())", str(MAKE_REFERENCE))
        assert "| [`demo`](formats.md#demo) | the demo form | yes |" in page
        assert "ldf, demo, or auto" in page
        assert "|ldf-inline|demo|auto]" in page
