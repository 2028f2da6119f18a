"""OpenCode with a scripted model: the Chat Completions API, a run of ``opencode run``, and what the model was given."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .model import Call, Json, Received, Reply, Script, ScriptedModel, event_stream, json_reply
from .sandbox import PATH, Finished, isolated, run_to_end


def bash(command: str, **more: object) -> Call:
    """A call of the client's shell tool."""
    return Call("bash", {"command": command, "description": "run", **more})


@dataclass(frozen=True)
class OpenCodeRun:
    """One conversation: how the client ended, and every request that its model received."""

    client: Finished
    received: tuple[Received, ...]

    @property
    def conversation(self) -> list[Received]:
        """The requests of the conversation itself, without the one for a title."""
        return [request for request in self.received if request.body.get("tools")]

    @property
    def texts(self) -> list[str]:
        """Every tool result that the model received, in the order in which they were first sent."""
        found: dict[str, str] = {}
        for request in self.conversation:
            for message in request.body["messages"]:
                if message["role"] == "tool":
                    found.setdefault(message["tool_call_id"], message["content"])
        return list(found.values())


class ChatModel(ScriptedModel):
    """The Chat Completions API, as far as OpenCode uses it."""

    def reply(self, request: Received) -> Reply:
        """Answer a request of the conversation with the script's step, any other request with a short text."""
        if not request.path.endswith("/chat/completions"):
            return json_reply({"error": {"message": "not here"}}, 404)
        turns = sum(message["role"] == "assistant" for message in request.body["messages"])
        calls = self.step(turns) if request.body.get("tools") else ()
        delta: Json = {"role": "assistant"}
        if calls:
            delta["tool_calls"] = [_tool_call(call, turns, place) for place, call in enumerate(calls)]
        else:
            delta["content"] = "done"
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        chunk = {
            "id": f"chat_{len(self.received)}",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
        }
        end = "tool_calls" if calls else "stop"
        chunks = [
            {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage},
        ]
        return event_stream([*(("", chunk) for chunk in chunks), ("", "[DONE]")])


def _tool_call(call: Call, turns: int, place: int) -> Json:
    function = {"name": call.tool, "arguments": json.dumps(call.input)}
    return {"index": place, "id": f"call_{turns:03d}_{place}", "type": "function", "function": function}


@dataclass(frozen=True)
class OpenCode:
    """The client with a home directory and project; its files there stay from run to run."""

    program: Path
    home: Path
    project: Path
    ripgrep: Path | None = None

    @property
    def folder(self) -> Path:
        """The client's config directory, with opencode.json and plugins/."""
        return self.home / ".config" / "opencode"

    def run(
        self,
        script: Script,
        *,
        env: Mapping[str, str] | None = None,
        mcp: Mapping[str, Json] | None = None,
        args: Sequence[str] = (),
        timeout: float = 120,
    ) -> OpenCodeRun:
        """Let the model play ``script`` in one ``opencode run``.

        All settings of the run are in its environment, so that opencode.json is the test's alone.

        Args:
            env: added to an otherwise empty environment.
            mcp: MCP servers by name, as in opencode.json.
            args: added to the client's command line.
            timeout: seconds after which the client is killed.
        """
        self._spare_the_package_install(self.folder)

        def converse() -> OpenCodeRun:
            model = ChatModel(script)
            with model.serving():
                settings = json.dumps(_settings(model.port, mcp or {}))
                environment = {**self.environment(), "OPENCODE_CONFIG_CONTENT": settings, **(env or {})}
                command = [str(self.program), "run", *args, "go"]
                client = run_to_end(command, folder=self.project, env=environment, timeout=timeout)
            return OpenCodeRun(client, tuple(model.received))

        return isolated(converse)

    def environment(self) -> dict[str, str]:
        """The whole environment of a run, except for the settings."""
        temporary = self.project.parent / "tmp"
        temporary.mkdir(exist_ok=True)
        folders = [self.program.parent, *([self.ripgrep.parent] if self.ripgrep else []), PATH]
        return {
            "HOME": str(self.home), "PATH": os.pathsep.join(map(str, folders)), "LANG": "C.UTF-8", "TERM": "dumb",
            "TMPDIR": str(temporary), "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_SHARE": "1",
        }  # fmt: skip

    @staticmethod
    def _spare_the_package_install(folder: Path) -> None:
        """Make ``folder`` look as if ``@opencode-ai/plugin`` were installed there.

        Otherwise a start with any plugin waits over a minute for npm, which cannot answer without a network.
        """
        (folder / "node_modules").mkdir(parents=True, exist_ok=True)
        root = {"dependencies": {"@opencode-ai/plugin": "*"}}
        (folder / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": {"": root}}))


def _settings(port: int, mcp: Mapping[str, Json]) -> Json:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 200_000, "output": 8_192}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"},
        "models": {"scripted": model},
    }
    return {
        "model": "scripted/scripted", "small_model": "scripted/scripted", "provider": {"scripted": provider},
        "autoupdate": False, "share": "disabled", "permission": "allow", "mcp": dict(mcp),
    }  # fmt: skip
