"""Claude Code with a scripted model: the Messages API, a run of ``claude -p``, and what the model was given."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .model import Call, Json, Received, Reply, Script, ScriptedModel, event_stream, json_reply
from .sandbox import PATH, Finished, isolated, run_to_end


def bash(command: str, **more: object) -> Call:
    """A call of the client's shell tool; ``more`` are further inputs, such as ``timeout`` in milliseconds."""
    return Call("Bash", {"command": command, "description": "run", **more})


@dataclass(frozen=True)
class ToolResult:
    """One tool result as the model received it; ``content`` is a text or a list of blocks."""

    tool_use_id: str
    is_error: bool
    content: str | list[Json]

    @property
    def text(self) -> str:
        """The text of the result; a block of another kind becomes ``<kind>``."""
        if isinstance(self.content, str):
            return self.content
        return "".join(block.get("text", f"<{block['type']}>") for block in self.content)


@dataclass(frozen=True)
class ClaudeRun:
    """One conversation: how the client ended, and every request that its model received."""

    client: Finished
    received: tuple[Received, ...]

    @property
    def conversation(self) -> list[Received]:
        """The requests of the conversation itself, without titles, token counts and the like."""
        return [request for request in self.received if request.path == "/v1/messages" and request.body.get("tools")]

    @property
    def tool_results(self) -> list[ToolResult]:
        """Every tool result of the conversation, each once, in the order in which they were first sent."""
        results: dict[str, ToolResult] = {}
        for request in self.conversation:
            for block in _user_blocks(request.body["messages"]):
                if block["type"] == "tool_result":
                    result = ToolResult(block["tool_use_id"], block.get("is_error", False), block.get("content", ""))
                    results.setdefault(result.tool_use_id, result)
        return list(results.values())

    @property
    def texts(self) -> list[str]:
        """The texts of ``tool_results``."""
        return [result.text for result in self.tool_results]


def _user_blocks(messages: Sequence[Json]) -> Iterator[Json]:
    for message in messages:
        if message["role"] == "user" and isinstance(message["content"], list):
            yield from message["content"]


class MessagesModel(ScriptedModel):
    """The Messages API, as far as Claude Code uses it."""

    def reply(self, request: Received) -> Reply:
        """Answer a request of the conversation with the script's step, any other request with a short text."""
        if request.path == "/v1/messages/count_tokens":
            return json_reply({"input_tokens": len(json.dumps(request.body)) // 4})
        if request.path != "/v1/messages":
            return json_reply({"type": "error", "error": {"type": "not_found_error", "message": "not here"}}, 404)
        turns = sum(message["role"] == "assistant" for message in request.body["messages"])
        calls = self.step(turns) if request.body.get("tools") else ()
        content: list[Json] = [
            {"type": "tool_use", "id": f"toolu_{turns:03d}_{place}", "name": call.tool, "input": call.input}
            for place, call in enumerate(calls)
        ]
        message = {
            "id": f"msg_{len(self.received)}", "type": "message", "role": "assistant", "model": request.body["model"],
            "content": content or [{"type": "text", "text": "done"}],
            "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 10},
        }  # fmt: skip
        return event_stream(_message_events(message)) if request.body.get("stream") else json_reply(message)


def _message_events(message: Json) -> Iterator[tuple[str, object]]:
    def event(name: str, **fields: object) -> tuple[str, object]:
        return name, {"type": name, **fields}

    yield event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            begin = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            begin = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        yield event("content_block_start", index=index, content_block=begin)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=stop, usage=message["usage"])
    yield event("message_stop")


@dataclass(frozen=True)
class ClaudeCode:
    """The client with a home directory and project; its files there stay from run to run."""

    program: Path
    home: Path
    project: Path

    def run(
        self,
        script: Script,
        *,
        env: Mapping[str, str] | None = None,
        mcp: Mapping[str, Json] | None = None,
        args: Sequence[str] = (),
        timeout: float = 120,
    ) -> ClaudeRun:
        """Let the model play ``script`` in one ``claude -p``.

        Args:
            env: added to an otherwise empty environment.
            mcp: MCP servers by name, as in ``.mcp.json``.
            args: added to the client's command line.
            timeout: seconds after which the client is killed.
        """
        self._skip_first_questions()
        command = [str(self.program), "-p", "go", "--dangerously-skip-permissions", *args]
        if mcp:
            command += ["--mcp-config", json.dumps({"mcpServers": mcp})]

        def converse() -> ClaudeRun:
            model = MessagesModel(script)
            with model.serving():
                environment = {
                    **self.environment(),
                    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.port}",
                    **(env or {}),
                }
                client = run_to_end(command, folder=self.project, env=environment, timeout=timeout)
            return ClaudeRun(client, tuple(model.received))

        return isolated(converse)

    def environment(self) -> dict[str, str]:
        """The whole environment of a run, except for the address of the model."""
        temporary = self.project.parent / "tmp"
        temporary.mkdir(exist_ok=True)
        return {
            "HOME": str(self.home), "PATH": os.pathsep.join((str(self.program.parent), PATH)), "LANG": "C.UTF-8",
            "SHELL": "/bin/bash", "TMPDIR": str(temporary), "CLAUDE_CODE_TMPDIR": str(temporary),
            "ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1",  # the latter lets root skip permissions
            "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }  # fmt: skip

    def _skip_first_questions(self) -> None:
        """Be a client that was started before: theme, onboarding and the key are settled."""
        state = self.home / ".claude.json"
        if not state.exists():
            known: dict[str, Any] = {
                "hasCompletedOnboarding": True,
                "numStartups": 5,
                "customApiKeyResponses": {"approved": ["none"], "rejected": []},
                "projects": {str(self.project): {"hasTrustDialogAccepted": True}},
            }
            state.write_text(json.dumps(known))
