"""Which modules the hook loads when: each costs time at every tool call.

What a module of the hook path may import is a rule of the linter (TID253 in pyproject.toml).
"""

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
TEXTS = {
    "plain": "a line of text without anything to find in it\n" * 700,
    "log": "[INFO] a line of a log\n" * 1000,
    "numbers": "[12 34 56] a line that fails to parse as JSON\n" * 1000,
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


@pytest.mark.parametrize("kind", ["plain", "log", "numbers"])
def test_passing_over_a_result_loads_only_what_it_needs(kind: str, tmp_path: Path) -> None:
    assert loaded(TEXTS[kind], tmp_path / "log") <= STANDARD | OURS


def test_converting_adds_the_conversion_and_nothing_else(tmp_path: Path) -> None:
    assert loaded(TEXTS["json"], tmp_path / "log") <= STANDARD | OURS | ON_CONVERSION
