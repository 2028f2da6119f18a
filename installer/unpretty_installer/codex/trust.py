"""Asking Codex about its hooks: a short conversation with ``codex app-server`` (JSON-RPC, one message per line).

These are the calls that Codex's own screens make (``hooks/list``, ``config/batchWrite``; Codex 0.171), so the answer is
what Codex will do and not what we believe about it. No login and no network are needed. The server keeps its usual
files in ``CODEX_HOME``, so a plan, which writes nothing, never asks it.
"""

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from unpretty import __version__
from unpretty.errors import UnprettyError
from unpretty_installer.core.home_owner import run_as

TIMEOUT_SECONDS = 20.0
CLOSING_SECONDS = 5.0


@dataclass(frozen=True)
class Hook:
    """One hook as Codex sees it.

    Attributes:
        key: what Codex stores trust under: ``<source file>:<event>:<group>:<handler>``.
        command: the shell command.
        source: the file that it is in.
        hash: what trust has to name for the hook to run as it is now.
        trust: ``trusted``, ``untrusted``, ``modified`` or ``managed``.
        enabled: False when the user switched it off.
    """

    key: str
    command: str
    source: Path
    hash: str
    trust: str
    enabled: bool


@dataclass(frozen=True)
class HookListing:
    """All hooks that Codex knows for a directory, with what it says about files that it could not use."""

    hooks: tuple[Hook, ...]
    warnings: tuple[str, ...]
    errors: tuple[str, ...]


def list_hooks(codex: str, home: Path, cwd: Path) -> HookListing:
    """The hooks that Codex would consider for a session in ``cwd``.

    Raises UnprettyError (``codex_no_answer``) when Codex does not answer.
    """
    with _app_server(codex, home, cwd) as server:
        return _hook_list(server.call("hooks/list", {"cwds": [str(cwd)]}))


def trust(codex: str, home: Path, cwd: Path, hook: Hook) -> HookListing:
    """Ask Codex to trust exactly ``hook``, as if the user had said so on its screen; the hooks as they are afterwards.

    Raises UnprettyError (``codex_no_answer``) when Codex does not answer or refuses.
    """
    edit = {
        "keyPath": "hooks.state",
        "value": {hook.key: {"trusted_hash": hook.hash}},
        "mergeStrategy": "upsert",  # what is beside it stays
    }
    with _app_server(codex, home, cwd) as server:
        server.call("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})
        return _hook_list(server.call("hooks/list", {"cwds": [str(cwd)]}))


def _hook_list(answer: object) -> HookListing:
    hooks: list[Hook] = []
    warnings: list[str] = []
    errors: list[str] = []
    for directory in _items(answer, "data"):
        hooks += [_hook(item) for item in _items(directory, "hooks") if isinstance(item, dict)]
        warnings += [str(item) for item in _items(directory, "warnings")]
        errors += [
            str(item.get("message", item)) if isinstance(item, dict) else str(item)
            for item in _items(directory, "errors")
        ]
    return HookListing(tuple(hooks), tuple(warnings), tuple(errors))


def _items(holder: object, name: str) -> list[object]:
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []


def _hook(item: dict[str, object]) -> Hook:
    return Hook(
        key=str(item.get("key", "")),
        command=str(item.get("command") or ""),
        source=Path(str(item.get("sourcePath", ""))),
        hash=str(item.get("currentHash", "")),
        trust=str(item.get("trustStatus", "")),
        enabled=item.get("enabled") is True,
    )


class _AppServer:
    """The running server; one call at a time."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._id = 0

    def call(self, method: str, params: object) -> object:
        """The result of ``method``; UnprettyError when the server ends, is stopped by the timer or reports an error."""
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict) or message.get("id") != self._id or "method" in message:
                continue  # a notification, or a question that nobody here can answer
            if "error" in message:
                error = message["error"]
                raise _no_answer(method, str(error.get("message", error)) if isinstance(error, dict) else str(error))
            return message.get("result")
        raise _no_answer(method, f"no answer within {TIMEOUT_SECONDS:.0f} seconds")

    def notify(self, method: str) -> None:
        self._send({"jsonrpc": "2.0", "method": method})

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as exc:
            raise _no_answer("app-server", "it ended at once") from exc


@contextmanager
def _app_server(codex: str, home: Path, cwd: Path) -> Iterator[_AppServer]:
    """Run ``codex app-server`` for the length of the block; it is gone afterwards, whatever happens."""
    try:
        process = subprocess.Popen(
            [codex, "app-server"],
            cwd=cwd,
            env={**os.environ, "CODEX_HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **run_as(),
            start_new_session=True,  # the npm package starts the real program through node: both have to be ended
        )
    except OSError as exc:
        raise _no_answer("app-server", exc.strerror or str(exc)) from exc
    timer = threading.Timer(TIMEOUT_SECONDS, _end, [process])
    timer.daemon = True
    timer.start()
    try:
        server = _AppServer(process)
        server.call("initialize", {"clientInfo": {"name": "unpretty", "title": "unpretty", "version": __version__}})
        server.notify("initialized")
        yield server
    finally:
        timer.cancel()
        _close(process)


def _close(process: "subprocess.Popen[bytes]") -> None:
    """Let the server end by itself, which it does at the end of its input; end it when it does not."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(CLOSING_SECONDS)
    except subprocess.TimeoutExpired:
        _end(process)
        process.wait()
    process.stdout.close()


def _end(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _no_answer(what: str, why: str) -> UnprettyError:
    return UnprettyError(
        f"Codex did not answer ({what}: {why}).",
        code="codex_no_answer",
        hint="Start Codex once by hand, then choose to trust the hook on its screen or with /hooks.",
    )
