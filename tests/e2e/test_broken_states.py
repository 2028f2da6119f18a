"""The real clients while our files are broken: the model gets every original, and the user is shown nothing.

Each turn of one conversation breaks something else before it prints the document.
"""

import sys
from pathlib import Path

import pytest

from . import claude_code as claude
from . import codex as cdx
from . import opencode as oc
from .claude_code import ClaudeCode
from .codex import Codex
from .installed import Unpretty
from .mcp_server import COMPACT, PRETTY
from .opencode import OpenCode

# Shell commands, run in our data directory.
STATES = {
    "script missing": "rm hook.py",
    "script without permissions": "echo 'exit(2)' > hook.py; chmod 0 hook.py",
    "script is a directory": "rm hook.py; mkdir hook.py",
    "script is a link to itself": "rm hook.py; ln -s hook.py hook.py",
    "script was cut": "printf 'import sys\\ntry:\\n' > hook.py",
    "interpreter missing": "rm python",
    "interpreter not executable": "rm python; echo 'exit 2' > python",
    "interpreter is a directory": "rm python; mkdir python",
    "interpreter leads nowhere": "ln -sf /no-such-python python",
    "bad interpreter line": "rm python; printf '#!/no-such-python\\n' > python; chmod 755 python",
    "interpreter killed": "rm python; printf '#!/bin/sh\\nkill -9 $$\\n' > python; chmod 755 python",
    "interpreter complains": "rm python; printf '#!/bin/sh\\necho no >&2\\nexit 2\\n' > python; chmod 755 python",
    "package gone": "sed -i 's|__path__ = .*|__path__ = [\"/gone\"]|' hook.py",
    "directory gone": "rm -r python hook.py; cd ..; rmdir unpretty || rm -r unpretty",
}
BREAK = """\
cd "$HOME/.local/share" || exit 1
[ -d whole ] || cp -a unpretty whole
rm -rf unpretty
cp -a whole unpretty
cd unpretty || exit 1
eval "$1"
"""


def prepared(program: Path, client: ClaudeCode | Codex | OpenCode, agent: str, *options: str) -> Unpretty:
    """unpretty set up for ``agent``; the project has a program that prints and one that breaks."""
    (client.project / "pretty").write_text(PRETTY)
    (client.project / "report").write_text("exec cat pretty\n")
    (client.project / "break").write_text(BREAK)
    unpretty = Unpretty(program, client.home, client.project, client.program)
    unpretty.run("install", agent, *options, "--apply")
    return unpretty


def commands() -> list[str]:
    broken = [f'sh break "{state}" >/dev/null 2>&1; sh report'.replace("$$", "\\$\\$") for state in STATES.values()]
    return ["sh report", *broken, "sh break true; sh report"]


def check(texts: list[str]) -> None:
    """The first and the last result were replaced, none of those between."""
    assert len(texts) == len(STATES) + 2
    assert (texts[0], texts[-1]) == (COMPACT, COMPACT)
    assert dict(zip(STATES, texts[1:-1], strict=True)) == dict.fromkeys(STATES, PRETTY)


def test_claude_code(unpretty_program: Path, claude_code: ClaudeCode) -> None:
    prepared(unpretty_program, claude_code, "claude-code")
    run = claude_code.run([[claude.bash(command)] for command in commands()])
    assert run.client.exit_code == 0, run.client.stderr
    check(run.texts)
    [transcript] = (claude_code.home / ".claude" / "projects").glob("*/*.jsonl")
    assert "hook_non_blocking_error" not in transcript.read_text()
    assert "hook_blocking_error" not in transcript.read_text()


def test_codex(unpretty_program: Path, codex: Codex) -> None:
    prepared(unpretty_program, codex, "codex", "--trust")
    run = codex.run([[cdx.shell(command)] for command in commands()])
    assert run.client.exit_code == 0, run.client.stderr
    check([text.partition("Output:\n")[2] for text in run.texts])
    assert "ERROR" not in run.client.stderr


def test_codex_in_code_mode(unpretty_program: Path, codex: Codex) -> None:
    """A hook that blocks makes the model's own program fail."""
    prepared(unpretty_program, codex, "codex", "--trust")
    programs = [
        f"const r = await tools.exec_command({{cmd: {command!r}}}); text(r.output)".replace("\\\\", "\\")
        for command in ('sh break "rm hook.py"; sh report', 'sh break "rm python"; sh report')
    ]
    run = codex.run([[cdx.javascript(program)] for program in programs], model=cdx.CODE_MODE)
    assert [PRETTY in text for text in run.texts] == [True, True], run.texts


def test_opencode(unpretty_program: Path, opencode: OpenCode) -> None:
    """Its plugin starts the worker again with each result as long as it fails, at most three times in a row."""
    unpretty = prepared(unpretty_program, opencode, "opencode")
    states = ("rm hook.py; mkdir hook.py", "rm python", "rm -r ../unpretty")
    run = opencode.run([[oc.bash(f'sh break "{state}" >/dev/null 2>&1; sh report')] for state in states])
    assert run.client.exit_code == 0, run.client.stderr
    assert run.texts == [PRETTY] * 3
    unpretty.run("doctor", "opencode", "--fix")
    assert opencode.run([[oc.bash("sh report")]]).texts == [COMPACT]


@pytest.mark.skipif(sys.platform == "win32", reason="moves files of a POSIX installation")
def test_a_program_that_was_removed_without_uninstalling_leaves_no_trace_in_a_session(
    unpretty_program: Path, claude_code: ClaudeCode
) -> None:
    """As ``pipx uninstall unpretty`` alone: the environment is gone, the entry and our two files stay."""
    prepared(unpretty_program, claude_code, "claude-code")
    link = claude_code.home / ".local" / "share" / "unpretty" / "python"
    link.unlink()
    link.symlink_to(claude_code.home / "venvs" / "unpretty" / "bin" / "python")
    run = claude_code.run([[claude.bash("sh report")]])
    assert run.texts == [PRETTY]
    [transcript] = (claude_code.home / ".claude" / "projects").glob("*/*.jsonl")
    assert "hook_non_blocking_error" not in transcript.read_text()
