"""The official SDK's client talks through the proxy to a server built with the official SDK, and gets the same."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.stdio import stdio_client
from mcp_types import (
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    Implementation,
    ListRootsResult,
    LoggingMessageNotificationParams,
    Root,
    TextContent,
    TextResourceContents,
)
from pydantic import FileUrl

SERVER = str(Path(__file__).with_name("sdk_server.py"))
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("text_only", {"count": 60}),
    ("both", {"count": 60}),
    ("wrapped", {"count": 60}),
    ("items", {"count": 40}),
    ("prose", {}),
    ("picture", {}),
    ("fails", {"count": 60}),
    ("reported_error", {"count": 60}),
    ("echo", {"number": 7}),
    ("echo", {"number": "seven"}),
    ("no_such_tool", {}),
    ("talkative", {"steps": 5}),
]


def text_of(result: CallToolResult, index: int = 0) -> str:
    block = result.content[index]
    assert isinstance(block, TextContent)
    return block.text


async def sample(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
    text = TextContent(type="text", text=f"{params.max_tokens} words")
    return CreateMessageResult(role="assistant", content=text, model="none", stop_reason="endTurn")


async def elicit(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    return ElicitResult(action="accept", content={"sure": True})


async def roots(context: ClientRequestContext) -> ListRootsResult:
    return ListRootsResult(roots=[Root(uri=FileUrl("file:///project"))])


@asynccontextmanager
async def connect(
    *options: str, proxied: bool = True, mode: str = "legacy", name: str = "claude-code"
) -> AsyncIterator[Client]:
    """A client of the SDK server, with the proxy in front or not; the server's standard error is discarded."""
    proxy = ["-m", "unpretty", "proxy", *options, "--", sys.executable] if proxied else []
    parameters = StdioServerParameters(command=sys.executable, args=[*proxy, SERVER])
    logged: list[LoggingMessageNotificationParams] = []

    async def log(params: LoggingMessageNotificationParams) -> None:
        logged.append(params)

    with Path("/dev/null").open("w") as nowhere:
        client = Client(
            stdio_client(parameters, errlog=nowhere),
            client_info=Implementation(name=name, version="1"),
            mode=mode,
            sampling_callback=sample if mode == "legacy" else None,
            elicitation_callback=elicit,
            list_roots_callback=roots if mode == "legacy" else None,
            logging_callback=log,
        )
        async with client as connected:
            yield connected


async def conversation(client: Client) -> dict[str, Any]:
    """Everything that a client can ask of the server, and the answers."""
    said: dict[str, Any] = {}

    def note(what: str, answer: Any) -> None:
        said[what] = answer.model_dump(mode="json", by_alias=True, exclude_unset=True)

    said["revision"] = client.protocol_version
    note("server", client.server_info)
    note("capabilities", client.server_capabilities)
    note("tools", await client.list_tools())
    note("resources", await client.list_resources())
    note("templates", await client.list_resource_templates())
    note("memo", await client.read_resource("memo://today"))
    note("prompts", await client.list_prompts())
    note("prompt", await client.get_prompt("greeting", {"name": "Ada"}))
    steps: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))

    for number, (tool, arguments) in enumerate(CALLS):
        try:
            note(f"{number} {tool}", await client.call_tool(tool, arguments, progress_callback=on_progress))
        except Exception as fault:
            said[f"{number} {tool}"] = f"{type(fault).__name__}: {fault}"
    said["progress"] = steps
    return said


def meaning(value: Any) -> Any:
    """``value`` with strings that are JSON read as JSON, so that whitespace in them does not matter."""
    if isinstance(value, dict):
        return {key: meaning(item) for key, item in value.items()}
    if isinstance(value, list):
        return [meaning(item) for item in value]
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value


async def talk(**options: Any) -> dict[str, Any]:
    async with connect(**options) as client:
        return await conversation(client)


# "legacy" is revision 2025-11-25 with its handshake, "auto" is 2026-07-28 without.
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("name", ["claude-code", "opencode", "another client"])
def test_a_conversation_through_the_proxy_means_the_same_and_is_shorter(mode: str, name: str) -> None:
    direct = anyio.run(lambda: talk(proxied=False, mode=mode))
    proxied = anyio.run(lambda: talk(mode=mode, name=name))
    assert meaning(proxied) == meaning(direct)
    shorter = {what for what in direct if len(json.dumps(proxied[what])) < len(json.dumps(direct[what]))}
    assert shorter == {"0 text_only", "1 both", "2 wrapped"}


def test_passthrough_gives_exactly_the_same() -> None:
    async def passed() -> dict[str, Any]:
        async with connect("--passthrough") as client:
            return await conversation(client)

    assert anyio.run(passed) == anyio.run(lambda: talk(proxied=False))


def test_requests_of_the_server_to_the_client_come_back_answered() -> None:
    async def ask() -> list[str]:
        async with connect() as client:
            tools = ("asks_model", "asks_user", "asks_roots")
            return [text_of(await client.call_tool(tool, {})) for tool in tools]

    assert anyio.run(ask) == ["10 words", "accept True", "file:///project"]


def test_ten_thousand_calls_lose_nothing_and_mix_up_nothing_with_a_hundred_in_flight() -> None:
    async def ask() -> list[str]:
        answers = [""] * 10_000
        waiting = iter(range(10_000))

        async def worker(client: Client) -> None:
            for number in waiting:
                answers[number] = text_of(await client.call_tool("echo", {"number": number}))

        async with connect() as client, anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(worker, client)
        return answers

    assert anyio.run(ask) == [str(number) for number in range(10_000)]


def test_calls_one_after_the_other_come_back_in_order() -> None:
    async def ask() -> list[str]:
        async with connect() as client:
            return [text_of(await client.call_tool("echo", {"number": number})) for number in range(500)]

    assert anyio.run(ask) == [str(number) for number in range(500)]


def test_a_large_result_comes_through() -> None:
    async def ask() -> str:
        async with connect() as client:
            return text_of(await client.call_tool("large", {"size": 8_000_000}))

    text = anyio.run(ask)
    assert len(text) > 7_500_000
    assert set(map(len, (row["key"] for row in json.loads(text)))) == {90}


def test_a_cancelled_call_is_cancelled_and_the_next_one_answered() -> None:
    async def ask() -> tuple[bool, str]:
        async with connect() as client:
            with anyio.move_on_after(0.5) as scope:
                await client.call_tool("slow", {"seconds": 60})
            return scope.cancelled_caught, text_of(await client.call_tool("echo", {"number": 1}))

    assert anyio.run(ask) == (True, "1")


def test_a_server_that_crashes_in_the_middle_of_a_call_ends_the_call() -> None:
    async def ask() -> str:
        async with connect() as client:
            try:
                with anyio.fail_after(20):
                    await client.call_tool("crash", {})
            except Exception as fault:
                return str(fault)
        return "answered"

    assert anyio.run(ask) == "Connection closed"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_cut_result_is_valid_and_the_rest_can_be_read(mode: str) -> None:
    async def ask() -> None:
        async with connect("--max-result-bytes", "4000", mode=mode) as client:
            await client.list_tools()
            # The SDK's client checks structuredContent against the declared outputSchema.
            result = await client.call_tool("both", {"count": 500})
            rows, notice = result.structured_content["rows"], result.structured_content["unpretty"]
            assert f"{len(rows)} of 500 rows" in notice
            assert json.loads(text_of(result))["rows"] == rows
            assert text_of(result, 1) == notice
            rest = notice.split("resource ")[1].split(" ")[0]
            contents = (await client.read_resource(rest)).contents[0]
            assert isinstance(contents, TextResourceContents)
            assert [row["id"] for row in json.loads(contents.text)["rows"]] == list(range(len(rows), 500))
            listed = [str(resource.uri) for resource in (await client.list_resources(cache_mode="bypass")).resources]
            assert listed == ["unpretty://result/1", "memo://today"]

    anyio.run(ask)
