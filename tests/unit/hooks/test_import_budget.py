"""What the hook may load: each module costs the agent's user time at every tool call."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import unpretty
import unpretty_hooks

STANDARD = {"_json", "time", "gc", "sys", "builtins", "posix", "nt"}
OURS = {
    "unpretty",
    *(f"unpretty.{name}" for name in ("agents", "decision_log", "decision_log.writer")),
    *(f"unpretty.settings{name}" for name in ("", ".defaults", ".resolved")),
    *(
        f"unpretty.engine{name}"
        for name in ("", ".commands", ".compaction", ".context", ".reason", ".system", ".views")
    ),
    *(f"unpretty.engine.json_text{name}" for name in ("", ".scanner", ".documents", ".writer")),
    *(f"unpretty_hooks{name}" for name in ("", ".call", ".claude_code", ".entry", ".serving", ".state")),
}
ON_CONVERSION = {
    "unpretty.engine.json_text.minify",
    "unpretty.engine.json_text.verify",
    "unpretty.tokens",
    "unpretty.tokens.background",
}
READING_A_COMMAND = {"unpretty.engine.shell_words"}
FOLDING = {f"unpretty.engine.{name}" for name in ("paths", "paths.grep", "paths.lines", "paths.lists", "paths.unfold")}
TEXTS = {
    "plain": "a line of text without anything to find in it\n" * 700,
    "log": "[INFO] a line of a log\n" * 1000,
    "json": json.dumps([{"id": n, "name": f"user {n}"} for n in range(400)], indent=2),
}


def loaded(text: str, log: Path) -> set[str]:
    """The modules that serving ``text`` adds to those of a bare interpreter; the decision is written to ``log``."""
    payload = json.loads((Path(__file__).parents[2] / "fixtures/claude-code/PostToolUse-Bash.json").read_text("utf-8"))
    payload["tool_input"]["command"] = "gh api x"
    payload["tool_response"]["stdout"] = text
    packages = {package.__name__: str(Path(package.__file__).parent) for package in (unpretty, unpretty_hooks)}
    program = textwrap.dedent(
        f"""
        import sys
        before = set(sys.modules)
        for name, directory in {packages!r}.items():
            m = sys.modules[name] = type(sys)(name); m.__path__ = [directory]
        from unpretty_hooks import entry
        entry.system.exit_now = lambda status: sys.stderr.write(' '.join(set(sys.modules) - before))
        entry.main('claude-code', {str(log)!r}, {str(log.with_name("settings"))!r}, {str(log.with_name("config"))!r})
        """
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, input=json.dumps(payload).encode(), capture_output=True, check=True)
    names = set(done.stderr.decode().split())
    assert names, "the hook broke off"
    assert log.read_bytes().count(b"\n") == 1
    return names


@pytest.mark.parametrize("kind", ["plain", "log"])
def test_passing_over_a_result_loads_only_what_it_needs(kind: str, tmp_path: Path) -> None:
    assert loaded(TEXTS[kind], tmp_path / "log") <= STANDARD | OURS


def test_converting_adds_the_conversion_and_nothing_else(tmp_path: Path) -> None:
    assert loaded(TEXTS["json"], tmp_path / "log") <= STANDARD | OURS | ON_CONVERSION


def test_no_module_of_the_hook_path_imports_anything_heavy() -> None:
    """Read from the source, so that a rarely taken branch counts too, save for imports inside functions."""
    heavy = {"re", "typing", "enum", "dataclasses", "pathlib", "json", "os", "subprocess", "logging", "datetime"}
    for name in OURS | ON_CONVERSION | READING_A_COMMAND | FOLDING:
        __import__(name)
        path = sys.modules[name].__file__
        assert path is not None
        for line in Path(path).read_text("utf-8").splitlines():
            words = line.split()
            if line[:1] not in (" ", "") and words[0] in ("import", "from"):
                assert words[1].split(".")[0] not in heavy, f"{name}: {line}"
                assert words[1] != "__future__", name
