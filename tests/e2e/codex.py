"""Codex with a scripted model: the Responses API, ``codex exec``, its app-server, and what the model was given.

Models of the ``gpt-5.5`` kind call tools directly; those of the ``gpt-6.2-sol`` kind write JavaScript that calls them
("code mode").
"""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .model import Call, Json, Received, Reply, Script, ScriptedModel, event_stream, json_reply
from .sandbox import PATH, Finished, isolated, run_to_end

DIRECT = "gpt-5.5"
CODE_MODE = "gpt-6.2-sol"

_UNATTENDED = ("--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox")


def shell(command: str, **more: object) -> Call:
    """A direct call of the shell tool."""
    return Call("exec_command", {"cmd": command, **more})


def mcp(server: str, tool: str, **arguments: object) -> Call:
    """A direct call of an MCP tool."""
    return Call(f"mcp__{server}.{tool}", arguments)


def javascript(program: str) -> Call:
    """A program of code mode."""
    return Call("exec", program)


@dataclass(frozen=True)
class CodexRun:
    """One conversation: how the client ended, and every request that its model received."""

    client: Finished
    received: tuple[Received, ...]

    @property
    def conversation(self) -> list[Received]:
        """The requests of the conversation itself."""
        return [request for request in self.received if request.path == "/v1/responses"]

    @property
    def outputs(self) -> dict[str, str | list[Json]]:
        """Every tool result that the model received by call id: a text, or the list of its parts."""
        found: dict[str, str | list[Json]] = {}
        for request in self.conversation:
            for item in request.body["input"]:
                if item["type"].endswith("_output"):
                    found.setdefault(item["call_id"], item["output"])
        return found

    @property
    def texts(self) -> list[str]:
        """The texts of ``outputs``; the parts of one are joined."""
        return [
            output if isinstance(output, str) else "".join(part.get("text", f"<{part['type']}>") for part in output)
            for output in self.outputs.values()
        ]


class ResponsesModel(ScriptedModel):
    """The Responses API, as far as Codex uses it."""

    def reply(self, request: Received) -> Reply:
        """Answer a request of the conversation with the script's step."""
        if request.path != "/v1/responses":
            return json_reply({"models": [], "data": [], "object": "list"}, 200 if request.method == "GET" else 404)
        # A turn of several calls sends several items: count the turns that differ by id.
        turns = len({item["call_id"].rpartition("_")[0] for item in request.body["input"] if "call_id" in item})
        items = [_item(call, f"call_{turns:03d}_{place}") for place, call in enumerate(self.step(turns))]
        if not items:
            text = [{"type": "output_text", "text": "done"}]
            items = [{"type": "message", "role": "assistant", "id": f"msg_{turns}", "content": text}]
        number = f"resp_{len(self.received)}"
        usage = {
            "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 110,
        }  # fmt: skip
        events: list[Json] = [{"type": "response.created", "response": {"id": number}}]
        for index, item in enumerate(items):
            for change in ("added", "done"):
                events.append({"type": f"response.output_item.{change}", "output_index": index, "item": item})
        events.append({"type": "response.completed", "response": {"id": number, "output": [], "usage": usage}})
        return event_stream((event["type"], event) for event in events)


def _item(call: Call, call_id: str) -> Json:
    """The output item of a call: free-form for a text, a function with its MCP server as namespace otherwise."""
    item: Json = {"id": f"item_{call_id}", "call_id": call_id}
    if isinstance(call.input, str):
        return {**item, "type": "custom_tool_call", "name": call.tool, "input": call.input}
    namespace, _, name = call.tool.rpartition(".")
    item |= {"type": "function_call", "name": name, "arguments": json.dumps(call.input)}
    return {**item, "namespace": namespace} if namespace else item


@dataclass(frozen=True)
class Codex:
    """The client with a home directory and project; its files there stay from run to run."""

    program: Path
    home: Path
    project: Path

    @property
    def folder(self) -> Path:
        """The client's own directory, with config.toml and hooks.json."""
        return self.home / ".codex"

    def run(
        self,
        script: Script,
        *,
        model: str = DIRECT,
        env: Mapping[str, str] | None = None,
        mcp: Mapping[str, Json] | None = None,
        args: Sequence[str] = (),
        timeout: float = 120,
    ) -> CodexRun:
        """Let the model play ``script`` in one ``codex exec``.

        All settings of the run are on its command line, so that config.toml is the test's alone.

        Args:
            model: ``DIRECT`` or ``CODE_MODE``.
            env: added to an otherwise empty environment.
            mcp: MCP servers by name, as in config.toml.
            args: added to the client's command line.
            timeout: seconds after which the client is killed.
        """
        self.folder.mkdir(exist_ok=True)
        settings = {"model": model, "mcp_servers": dict(mcp or {})}

        def converse() -> CodexRun:
            served = ResponsesModel(script)
            with served.serving():
                overrides = _overrides({**settings, **_provider(served.port)})
                command = [str(self.program), "exec", *_UNATTENDED, *overrides, *args, "go"]
                environment = {**self.environment(), **(env or {})}
                client = run_to_end(command, folder=self.project, env=environment, timeout=timeout)
            return CodexRun(client, tuple(served.received))

        return isolated(converse)

    def app_server(self, requests: Sequence[tuple[str, Json]], *, timeout: float = 30) -> list[Json]:
        """Ask ``codex app-server`` one request after the other, each a method with parameters; return the answers."""
        self.folder.mkdir(exist_ok=True)
        return isolated(lambda: self._ask([("initialize", _CLIENT), *requests], timeout)[1:])

    def _ask(self, requests: Sequence[tuple[str, Json]], timeout: float) -> list[Json]:
        pipe = subprocess.PIPE
        command = ["timeout", "--signal=KILL", str(timeout), str(self.program), "app-server"]
        answers = []
        with subprocess.Popen(
            command,
            cwd=self.project,
            env=self.environment(),
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            for number, (method, parameters) in enumerate(requests):
                message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
                print(json.dumps(message), file=server.stdin, flush=True)
                answers.append(_answer_to(number, server.stdout))
                if method == "initialize":
                    print(json.dumps({"jsonrpc": "2.0", "method": "initialized"}), file=server.stdin, flush=True)
        return answers

    def environment(self) -> dict[str, str]:
        """The whole environment of a run."""
        temporary = self.project.parent / "tmp"
        temporary.mkdir(exist_ok=True)
        path = os.pathsep.join((str(self.program.parent), PATH))
        return {
            "HOME": str(self.home),
            "PATH": path,
            "LANG": "C.UTF-8",
            "TMPDIR": str(temporary),
            "SCRIPTED_KEY": "none",
        }


_CLIENT: Json = {
    "clientInfo": {"name": "tests", "title": "tests", "version": "1"},
    "capabilities": {"experimentalApi": True},
}


def _answer_to(number: int, said: Iterable[str]) -> Json:
    """Read on to the answer with this number; notifications and the server's own requests come in between."""
    for line in said:
        message: Json = json.loads(line)
        if message.get("id") == number and "method" not in message:
            return message
    raise RuntimeError("codex app-server ended without an answer")


def _provider(port: int) -> Json:
    """Settings that make the scripted model the one to talk to."""
    provider = {
        "name": "scripted", "base_url": f"http://127.0.0.1:{port}/v1", "wire_api": "responses",
        "env_key": "SCRIPTED_KEY", "request_max_retries": 0, "stream_max_retries": 0, "supports_websockets": False,
    }  # fmt: skip
    return {
        "model_provider": "scripted",
        "model_providers": {"scripted": provider},
        "check_for_update_on_startup": False,
        "analytics": {"enabled": False},
        "feedback": {"enabled": False},
    }


def _overrides(settings: Json, prefix: str = "") -> list[str]:
    """Command line arguments that set ``settings``; JSON scalars and arrays are TOML too, tables become dotted keys."""
    words = []
    for name, value in settings.items():
        if isinstance(value, dict):
            words += _overrides(value, f"{prefix}{name}.")
        else:
            words += ["-c", f"{prefix}{name}={json.dumps(value)}"]
    return words
