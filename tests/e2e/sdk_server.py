"""A server built with the official SDK that makes use of every kind of MCP message."""

import base64
import json
import os
import sys
import time

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.utilities.types import Image
from mcp_types import CallToolResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("sdk-server", instructions="A server for tests.", version="1.2.3")
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


class Row(BaseModel):
    id: int
    name: str
    price: float | None = None


class Table(BaseModel):
    rows: list[Row]
    total: int


class Confirmation(BaseModel):
    sure: bool


def table(count: int) -> list[Row]:
    return [Row(id=i, name=f"name {i} \u00e9\U0001f600", price=i / 4) for i in range(count)]


def rows(count: int) -> list[dict[str, object]]:
    return [row.model_dump() for row in table(count)]


@server.tool(structured_output=False)
def text_only(count: int) -> str:
    return json.dumps({"rows": rows(count), "total": count}, indent=2)


@server.tool()
def both(count: int) -> Table:
    return Table(rows=table(count), total=count)


@server.tool()
def wrapped(count: int) -> str:
    return json.dumps(rows(count), indent=2)


@server.tool()
def items(count: int) -> list[Row]:
    return table(count)


@server.tool()
def prose() -> str:
    return "Plain words.\n" * 200


@server.tool()
def picture() -> Image:
    return Image(data=PIXEL, format="png")


@server.tool(structured_output=False)
def fails(count: int) -> str:
    raise ValueError(json.dumps(rows(count), indent=2))


@server.tool(structured_output=False)
def reported_error(count: int) -> CallToolResult:
    text = json.dumps(rows(count), indent=2)
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


@server.tool(structured_output=False)
def large(size: int) -> str:
    line = json.dumps({"key": "x" * 90}, indent=2)
    return "[\n" + ",\n".join([line] * (size // len(line))) + "\n]"


@server.tool(structured_output=False)
def echo(number: int) -> str:
    return str(number)


@server.tool(structured_output=False)
async def slow(seconds: float) -> str:
    import anyio

    await anyio.sleep(seconds)
    return "awake"


@server.tool(structured_output=False)
async def talkative(steps: int, ctx: Context) -> str:
    for step in range(steps):
        await ctx.report_progress(step, steps, f"step {step}")
    return "done"


@server.tool(structured_output=False)
async def asks_model(ctx: Context) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Say a word."))
    answer = await ctx.session.create_message(messages=[message], max_tokens=10)
    assert isinstance(answer.content, TextContent)
    return answer.content.text


@server.tool(structured_output=False)
async def asks_user(ctx: Context) -> str:
    answer = await ctx.elicit("Sure?", Confirmation)
    assert answer.action == "accept"
    return f"{answer.action} {answer.data.sure}"


@server.tool(structured_output=False)
async def asks_roots(ctx: Context) -> str:
    return str((await ctx.session.list_roots()).roots[0].uri)


@server.tool(structured_output=False)
def crash() -> str:
    os._exit(7)


@server.tool(structured_output=False)
def complains() -> str:
    print("words on standard error", file=sys.stderr, flush=True)
    return "complained"


@server.resource("memo://today")
def memo() -> str:
    return "Nothing today."


@server.prompt()
def greeting(name: str) -> str:
    return f"Greet {name}."


if __name__ == "__main__":
    server.run()
    time.sleep(float(os.environ.get("LINGER", "0")))
