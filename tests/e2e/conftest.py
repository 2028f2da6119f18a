"""Fixtures of the end-to-end tests: the clients, each with an empty home, and unpretty installed from its wheel."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from . import clients, installed, mcp_server
from .claude_code import ClaudeCode
from .codex import Codex
from .opencode import OpenCode

clients.supply()  # while this module is imported, the environment is the real one


@pytest.fixture(autouse=True)
def _the_cache_may_be_filled(home_guard: Any, home: Path) -> None:
    """Any test may be the first to need a client."""
    home_guard.free += (str(clients.supply().cache),)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def unpretty_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``unpretty`` command of a fresh install, from a wheel of the checkout.

    UNPRETTY_WHEEL names a wheel that is built already; UNPRETTY_PROGRAM, for developing, a command that is installed
    already.
    """
    if os.environ.get("UNPRETTY_PROGRAM"):
        return Path(os.environ["UNPRETTY_PROGRAM"]).absolute()
    folder = tmp_path_factory.mktemp("unpretty")
    named = os.environ.get("UNPRETTY_WHEEL")
    wheel = Path(named).absolute() if named else installed.build_wheel(folder)
    return installed.install_wheel(wheel, folder / "venv")


@pytest.fixture(scope="session")
def claude_code_program() -> Path:
    """The newest Claude Code that is tested."""
    return clients.supply().program(clients.CLAUDE_CODE)


@pytest.fixture(scope="session")
def codex_program() -> Path:
    """The Codex that is tested."""
    return clients.supply().program(clients.CODEX)


@pytest.fixture(scope="session")
def opencode_program() -> Path:
    """The OpenCode that is tested."""
    return clients.supply().program(clients.OPENCODE)


@pytest.fixture
def claude_code(claude_code_program: Path, home: Path, project: Path) -> ClaudeCode:
    """The newest Claude Code that is tested, in an empty home."""
    return ClaudeCode(claude_code_program, home, project)


@pytest.fixture
def codex(codex_program: Path, home: Path, project: Path) -> Codex:
    """Codex in an empty home."""
    return Codex(codex_program, home, project)


@pytest.fixture
def opencode(opencode_program: Path, codex_program: Path, home: Path, project: Path) -> OpenCode:
    """OpenCode in an empty home. It would download ripgrep for its search tools; Codex brings one along."""
    ripgrep = codex_program.parent.parent / "codex-path" / "rg"
    return OpenCode(opencode_program, home, project, ripgrep if ripgrep.exists() else None)


@pytest.fixture(scope="session")
def shapes() -> list[str]:
    """The command that starts the MCP server of the tests."""
    return [sys.executable, "-I", str(Path(mcp_server.__file__))]
