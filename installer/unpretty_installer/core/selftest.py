"""Runs the registered command once, as the agent would, and looks at its reply."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unpretty.errors import UnprettyError
from unpretty_installer.core.home_owner import ANYWHERE, answer

_TIMEOUT_SECONDS = 20.0


# A text that is long enough to be worth converting, and what a hook with default settings makes of it.
_ITEMS = [{"id": number, "name": f"item {number}", "ok": True} for number in range(20)]
PRETTY = json.dumps(_ITEMS, indent=2)
MINIFIED = json.dumps(_ITEMS, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one run: its standard output, and how long it took in milliseconds."""

    output: bytes
    ms: float


def run(command: str | Sequence[str], payload: bytes, *, bare: Sequence[str] = ()) -> Trial:
    """Run ``command`` with ``payload`` on standard input.

    Args:
        command: one line for ``/bin/sh``, which is what Claude Code and Codex use, or a list of arguments.
        payload: the bytes for standard input.
        bare: the arguments of ``command`` without the guard that keeps its failures silent: they tell why it said
            nothing.

    Raises:
        UnprettyError: it could not be started, took too long, failed, or wrote to standard error.
    """
    trial = _run(command, payload)
    if bare and not trial.output:
        _run(bare, payload)
    return trial


def reply_ms(
    command: str | Sequence[str],
    payload: object,
    is_right: Callable[[dict[str, Any]], bool],
    *,
    bare: Sequence[str] = (),
) -> float:
    """How long ``command`` took to reply to ``payload``, in milliseconds; both are JSON.

    Args:
        command: see ``run``.
        payload: the value to send, on one line.
        is_right: whether a reply puts ``MINIFIED`` in place of ``PRETTY``; it may fail on a reply of another shape.
        bare: see ``run``.

    Raises:
        UnprettyError: as for ``run``, or the reply is not right.
    """
    trial = run(command, json.dumps(payload).encode("utf-8") + b"\n", bare=bare)
    expect(is_reply(trial.output, is_right), trial.output)
    return trial.ms


def is_reply(output: bytes, is_right: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether ``output`` is JSON that ``is_right`` accepts."""
    try:
        return is_right(json.loads(output))
    except (ValueError, TypeError, KeyError, AttributeError):
        return False


def _run(command: str | Sequence[str], payload: bytes) -> Trial:
    argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    started = time.perf_counter()
    try:
        done = subprocess.run(
            argv,
            input=payload,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
            env=_environment(),
            cwd=ANYWHERE,
        )
    except subprocess.TimeoutExpired:
        raise _failed(f"did not end within {_TIMEOUT_SECONDS:.0f} seconds") from None
    except OSError as exc:
        raise _failed(f"could not be started ({exc.strerror or exc})") from None
    ms = (time.perf_counter() - started) * 1000
    if done.returncode != 0 or done.stderr.strip():
        detail = done.stderr.decode("utf-8", "replace").strip().splitlines()
        said = f": {detail[-1][:200]}" if detail else ""
        raise _failed(f"ended with status {done.returncode}{said}")
    return Trial(done.stdout, ms)


def expect(condition: bool, output: bytes) -> None:
    """Raise UnprettyError unless ``condition``, the adapter's verdict on ``output``, is true."""
    if not condition:
        said = "said nothing" if not output.strip() else "did not give the expected reply"
        raise _failed(f"ran but {said}")


def _failed(what: str) -> UnprettyError:
    return UnprettyError(
        f"The registered command was tried on a sample and {what}.",
        code="command_failed",
        hint="Run `unpretty doctor` for details, or reinstall unpretty.",
    )


def _environment() -> dict[str, str]:
    """The user's environment without our own variables, and with the mark of a trial: no log line, no counting."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("UNPRETTY")}
    return {**kept, "UNPRETTY_SELFTEST": "1"}


def program_version(program: str | Path, *arguments: str, timeout_seconds: float = 5.0) -> str | None:
    """The first line that a program prints about its version; None when it does not answer in time."""
    said = answer([str(program), *(arguments or ("--version",))], timeout_seconds)
    lines = (said or b"").decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else None
