"""``unpretty serve clickhouse`` in front of a real server, asked through the official SDK's client."""

import base64
import contextlib
import http.client
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from unpretty.servers.clickhouse.http_client import ClickHouse
from unpretty.servers.clickhouse.server import ClickHouseServer

PROGRAM = shutil.which("clickhouse-server") or shutil.which("clickhouse-server", path="/usr/sbin:/usr/bin")
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="clickhouse-server is not installed (Debian: clickhouse-server)"
)

CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>fatal</level><console>1</console></logger>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>10000000</mark_cache_size>
</yandex>
"""
USER = (
    "<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks>"
    "<profile>{profile}</profile><quota>default</quota></{name}>"
)
USERS = (
    '<?xml version="1.0"?><yandex>'
    "<profiles><default/><reader><readonly>1</readonly></reader><analyst><readonly>2</readonly></analyst></profiles>"
    "<users>"
    + USER.format(name="default", password="", profile="default")
    + USER.format(name="guarded", password="open sesame", profile="default")
    + USER.format(name="umlaut", password="p\u00e4ss w\u00f6rt \u4e2d", profile="default")
    + USER.format(name="j\u00fcrgen", password="x", profile="default")
    + USER.format(name="lines", password="open\nsesame ", profile="default")
    + USER.format(name="reader", password="", profile="reader")
    + USER.format(name="analyst", password="", profile="analyst")
    + "</users><quotas><default/></quotas></yandex>"
)
TABLE = (
    "CREATE TABLE shop.orders (id UInt64, day Date, price Decimal(10, 2), rate Float64, name Nullable(String), "
    "tags Array(String)) ENGINE = MergeTree(day, id, 8192)"
)
ROWS = (
    "INSERT INTO shop.orders FORMAT Values (18446744073709551615, '2026-01-01', '1.10', 1e100, 'a', ['x', 'y']), "
    "(2, '2026-01-02', '-2.00', nan, NULL, []), (3, '2026-01-03', '3.50', 0.1, 'quote '' and \\\\ and \\n', ['\u00e9'])"
)


PASSWORD_URL = "http://guarded:open%%20sesame@127.0.0.1:%d"


class Server:
    """A ClickHouse server for the test."""

    def __init__(self, folder: Path) -> None:
        self.port, tcp = free_port(), free_port()
        for name in ("data", "tmp"):
            (folder / name).mkdir()
        (folder / "config.xml").write_text(CONFIG.format(http=self.port, tcp=tcp, folder=folder))
        (folder / "users.xml").write_text(USERS, encoding="utf-8")
        self._output = (folder / "output.txt").open("w")
        self._process = subprocess.Popen(
            [str(PROGRAM), f"--config-file={folder}/config.xml"], cwd=folder, stdout=self._output, stderr=self._output
        )
        deadline = time.monotonic() + 60
        while not self._answers():
            assert self._process.poll() is None, (folder / "output.txt").read_text()
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.1)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self, sql: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", "/", sql.encode())
        response = connection.getresponse()
        said = response.read()
        connection.close()
        assert response.status == 200, said
        return said

    def _answers(self) -> bool:
        with contextlib.suppress(OSError):
            return self.run("SELECT 1") == b"1\n"
        return False

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()


def text_of(result: CallToolResult, index: int = 0) -> str:
    block = result.content[index]
    assert isinstance(block, TextContent)
    return block.text


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("clickhouse"))
    try:
        server.run("CREATE DATABASE shop")
        server.run(TABLE)
        server.run(ROWS)
        server.run("CREATE TABLE shop.`odd ``name``` (`a b` UInt8) ENGINE = Memory")
        yield server
    finally:
        server.stop()


@asynccontextmanager
async def connect(url: str, *options: str, environment: dict[str, str] | None = None) -> AsyncIterator[Client]:
    arguments = ["-m", "unpretty", "serve", "clickhouse", "--url", url, *options]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    with Path("/dev/null").open("w") as nowhere:
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            yield client


async def ask_program(tool: str, arguments: dict[str, Any], url: str, *options: str, **environment: str) -> Any:
    """The same through the program."""
    async with connect(url, *options, environment=environment) as client:
        result = await client.call_tool(tool, arguments)
        return bool(result.is_error), text_of(result)


Ask = Callable[..., tuple[bool, str]]


@pytest.fixture
def ask(clickhouse: Server) -> Ask:
    """Call one tool; whether it was an error, and the text."""

    def call(
        tool: str, url: str = "", encoding: str = "json", limits: dict[str, Any] | None = None, **arguments: Any
    ) -> tuple[bool, str]:
        async def go() -> tuple[bool, str]:
            served = ClickHouseServer(ClickHouse(url or clickhouse.url, **(limits or {})), encoding=encoding)
            async with Client(served.server()) as client:
                result = await client.call_tool(tool, arguments)
                return bool(result.is_error), text_of(result)

        return anyio.run(go)

    return call


def rows_of(answer: tuple[bool, str]) -> Any:
    assert not answer[0], answer[1]
    return json.loads(answer[1])["rows"]


def test_databases_tables_and_columns_are_listed(ask: Ask) -> None:
    assert {"name": "shop"} in rows_of(ask("list_databases"))
    tables = rows_of(ask("list_tables", database="shop"))
    assert [(table["name"], table["engine"]) for table in tables] == [("odd `name`", "Memory"), ("orders", "MergeTree")]
    columns = rows_of(ask("describe_table", database="shop", table="orders"))
    assert columns[0] == {"name": "id", "type": "UInt64"}
    assert [column["name"] for column in columns] == ["id", "day", "price", "rate", "name", "tags"]
    assert rows_of(ask("describe_table", database="shop", table="odd `name`")) == [{"name": "a b", "type": "UInt8"}]


def test_a_name_cannot_become_sql(ask: Ask) -> None:
    assert rows_of(ask("list_tables", database="x' OR '1'='1")) == []
    assert rows_of(ask("list_tables", database="x\\' OR 1=1 --")) == []
    failed, said = ask("describe_table", database="shop", table="orders` UNION ALL SELECT 1 --")
    assert failed
    assert "Table" in said


def test_rows_come_as_the_server_spells_them(ask: Ask) -> None:
    _, said = ask("query", sql="SELECT * FROM shop.orders ORDER BY day")
    first, second, third = (line.rstrip(",]}") for line in said.split('{"id":')[1:])
    assert first.startswith('18446744073709551615,"day":"2026-01-01","price":1.10,"rate":1e100,"name":"a"')
    assert '"price":-2.00,"rate":"nan","name":null,"tags":[' in second
    assert json.loads(said)["rows"][2]["name"] == "quote ' and \\ and \n"
    assert "\u00e9" in third


def test_the_default_encoding_writes_column_names_once(ask: Ask) -> None:
    rows = rows_of(
        ask("query", encoding="", sql="SELECT number AS n, toString(number) AS s FROM system.numbers LIMIT 50")
    )
    assert rows == {"columns": ["n", "s"], "rows": [[n, str(n)] for n in range(50)]}


@pytest.mark.parametrize("user", ["default", "analyst", "reader"])
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO shop.orders (id) VALUES (9)",
        "DROP TABLE shop.orders",
        "CREATE TABLE shop.more (a UInt8) ENGINE = Memory",
        "ALTER TABLE shop.orders DELETE WHERE 1",
        "SET readonly = 0",
        "TRUNCATE TABLE shop.orders",
    ],
)
def test_no_statement_writes_whoever_asks(ask: Ask, clickhouse: Server, user: str, sql: str) -> None:
    failed, said = ask("query", limits={"user": user}, sql=sql)
    assert failed, said
    assert "ClickHouse says: Code: " in said
    assert "\n" not in said
    assert clickhouse.run("SELECT count() FROM shop.orders") == b"3\n"


@pytest.mark.parametrize("user", ["default", "analyst", "reader"])
def test_ten_million_rows_are_cut_at_the_limit(ask: Ask, user: str) -> None:
    started = time.monotonic()
    sql = "SELECT number, number * 2 AS double FROM system.numbers LIMIT 10000000"
    answer = json.loads(ask("query", encoding="", limits={"user": user, "max_rows": 500}, sql=sql)[1])
    assert time.monotonic() - started < 20
    assert answer["note"] == "cut after 500 rows; there are more"
    # A user that is read-only already cannot ask for bare 64-bit integers either.
    spell = str if user == "reader" else int
    assert answer["rows"]["rows"] == [[spell(n), spell(2 * n)] for n in range(500)]


def test_an_answer_is_cut_at_its_bytes_too_and_one_row_always_comes(ask: Ask) -> None:
    sql = "SELECT replicate('x', range(1000)) AS wide FROM system.numbers LIMIT 100"
    answer = json.loads(ask("query", limits={"max_bytes": 20_000}, sql=sql)[1])
    assert len(answer["rows"]) == 4
    assert answer["note"] == "cut after 4 rows; there are more"
    answer = json.loads(ask("query", limits={"max_bytes": 1000}, sql=sql)[1])
    assert len(answer["rows"]) == 1


def test_a_question_may_ask_for_fewer_rows(ask: Ask) -> None:
    answer = json.loads(ask("query", sql="SELECT number FROM system.numbers", max_rows=2)[1])
    assert answer["note"] == "cut after 2 rows; there are more"


def test_an_exact_number_of_rows_is_not_called_cut(ask: Ask) -> None:
    assert "note" not in json.loads(
        ask("query", limits={"max_rows": 5}, sql="SELECT number FROM system.numbers LIMIT 5")[1]
    )


def test_no_rows_are_no_error(ask: Ask) -> None:
    assert rows_of(ask("query", sql="SELECT 1 WHERE 0")) == []


def test_a_question_that_takes_too_long_is_given_up(ask: Ask) -> None:
    started = time.monotonic()
    failed, said = ask("query", limits={"seconds": 1}, sql="SELECT sum(sipHash64(number)) FROM system.numbers")
    assert failed
    assert "Timeout exceeded" in said or "took longer" in said
    assert time.monotonic() - started < 20


def test_wrong_sql_comes_back_with_the_words_of_the_server(ask: Ask) -> None:
    failed, said = ask("query", sql="SELEC 1")
    assert failed
    assert "ClickHouse says: Code: 62" in said
    assert "Syntax error" in said
    assert len(said) < 1000


def test_an_error_in_the_middle_of_an_answer_is_an_error(ask: Ask) -> None:
    sql = "SELECT throwIf(number = 200000) AS x, number FROM system.numbers LIMIT 300000"
    failed, said = ask("query", limits={"max_rows": 300_000, "max_bytes": 100_000_000}, sql=sql)
    assert failed
    assert "ClickHouse says: Code: 395" in said or "Value passed to 'throwIf'" in said


def test_another_format_comes_as_the_server_writes_it(ask: Ask) -> None:
    failed, said = ask("query", limits={"max_rows": 3}, sql="SELECT number FROM system.numbers LIMIT 9 FORMAT CSV")
    assert not failed
    assert said == "0\n1\n2\n(cut after 3 rows; there are more)"


def test_the_program_takes_limits_and_the_password_from_where_they_are_given(clickhouse: Server) -> None:
    sql = {"sql": "SELECT number AS n FROM system.numbers LIMIT 10"}
    url = f"http://guarded@127.0.0.1:{clickhouse.port}"
    options = ("--max-rows", "2", "--encoding", "json")
    for address, environment in ((url, {"CLICKHOUSE_PASSWORD": "open sesame"}), (PASSWORD_URL % clickhouse.port, {})):
        failed, said = anyio.run(lambda: ask_program("query", sql, address, *options, **environment))  # noqa: B023
        assert not failed
        assert json.loads(said) == {"note": "cut after 2 rows; there are more", "rows": [{"n": 0}, {"n": 1}]}


@pytest.mark.parametrize(
    ("user", "password"),
    [
        ("umlaut", "p\u00e4ss w\u00f6rt \u4e2d"),
        ("j\u00fcrgen", "x"),
        ("lines", "open\nsesame "),
        ("guarded", "open sesame"),
    ],
)
def test_a_password_arrives_with_every_character(clickhouse: Server, user: str, password: str) -> None:
    """From the environment and from the address."""
    sql = {"sql": "SELECT 1 AS n"}
    environment = {"CLICKHOUSE_USER": user, "CLICKHOUSE_PASSWORD": password}
    address = f"http://{quote(user)}:{quote(password)}@127.0.0.1:{clickhouse.port}"
    for url, variables in ((clickhouse.url, environment), (address, {})):
        failed, said = anyio.run(lambda: ask_program("query", sql, url, "--encoding", "json", **variables))  # noqa: B023
        assert (failed, said) == (False, '{"rows":[{"n":1}]}')


@pytest.mark.parametrize(
    "secret", ["sEcReT\n", "sEcReT\r\nX-Injected: 1", "sEcReT \u00e4\u4e2d", "\x1bsEcReT", "a:sEcReT\n"]
)
@pytest.mark.parametrize("variable", ["CLICKHOUSE_PASSWORD", "CLICKHOUSE_USER"])
def test_no_secret_is_on_standard_output_or_error(
    clickhouse: Server, tmp_path: Path, variable: str, secret: str
) -> None:
    """The server names the user that it does not know, so a name may occur in its message, but nowhere else."""
    environment = {"CLICKHOUSE_USER": "guarded", "HOME": str(tmp_path), variable: secret}
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "query", "arguments": {"sql": "SELECT 1"}},
    }
    with subprocess.Popen(
        [sys.executable, "-m", "unpretty", "serve", "clickhouse", "--url", clickhouse.url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, bufsize=0,
    ) as program:  # fmt: skip
        assert program.stdin and program.stdout and program.stderr
        said = b""
        with contextlib.suppress(BrokenPipeError):
            for message in (hello, ready, call):
                program.stdin.write(json.dumps(message).encode() + b"\n")
                said += program.stdout.readline() if "id" in message else b""
            program.stdin.close()
        said, errors = said + program.stdout.read(), program.stderr.read()
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"isError" in said or b"unpretty: " in errors
    for place in (errors, written) if variable == "CLICKHOUSE_USER" else (errors, written, said):
        assert b"sEcReT" not in place
        assert base64.b64encode(f"guarded:{secret}".encode()) not in place
    assert b"Traceback" not in errors


def test_long_integers_are_compared_exactly(ask: Ask) -> None:
    sql = "SELECT id FROM shop.orders WHERE id = %d"
    assert rows_of(ask("query", sql=sql % (2**64 - 1))) == [{"id": 2**64 - 1}]
    assert rows_of(ask("query", sql=sql % (2**64 - 2))) == []


def test_a_wrong_password_is_told_and_not_repeated(ask: Ask, clickhouse: Server) -> None:
    failed, said = ask("query", url=f"http://guarded:wrong-secret@127.0.0.1:{clickhouse.port}", sql="SELECT 1")
    assert failed
    assert "password" in said.lower()
    assert "wrong-secret" not in said


def test_the_database_of_the_address_is_the_default(ask: Ask, clickhouse: Server) -> None:
    answer = ask("query", url=clickhouse.url + "/shop", sql="SELECT count() AS n FROM orders")
    assert rows_of(answer) == [{"n": 3}]


def test_a_server_that_is_not_there_is_told(ask: Ask) -> None:
    port = free_port()
    failed, said = ask("query", url=f"http://127.0.0.1:{port}", sql="SELECT 1")
    assert failed
    assert f"ClickHouse at 127.0.0.1:{port} cannot be reached: Connection refused." in said


def test_a_server_that_goes_away_is_told_and_one_that_comes_back_is_asked_again(tmp_path: Path) -> None:
    server = Server(tmp_path)

    async def go() -> list[bool]:
        async with connect(server.url) as client:
            errors = [bool((await client.call_tool("query", {"sql": "SELECT 1"})).is_error)]
            await anyio.to_thread.run_sync(server.stop)
            errors.append(bool((await client.call_tool("query", {"sql": "SELECT 1"})).is_error))
            return errors

    try:
        assert anyio.run(go) == [False, True]
    finally:
        server.stop()


def test_an_address_that_is_none_is_refused_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "unpretty", "serve", "clickhouse", "--url", "localhost:8123"],
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("unpretty: The address of ClickHouse looks like http://host:8123")
