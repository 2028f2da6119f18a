"""The client of ClickHouse's HTTP interface against a fake server that misbehaves; tests/e2e has the real one."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from unpretty.errors import UnprettyError
from unpretty.servers.clickhouse.http_client import ClickHouse, identifier, string

SETTINGS = {
    "readonly": "0",
    "max_execution_time": "0",
    "max_result_rows": "0",
    "result_overflow_mode": "throw",
    "output_format_json_quote_64bit_integers": "1",
}


class Played:
    """What the server answers, and what it was asked."""

    def __init__(self) -> None:
        self.settings = dict(SETTINGS)
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body = b'{"n":1}\n'
        self.pause = 0.0
        self.instead = b""
        self.asked: list[tuple[dict[str, str], dict[str, str], str]] = []
        self.port = 0


@pytest.fixture
def played() -> Iterator[Played]:
    plan = Played()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sql = self.rfile.read(int(self.headers["Content-Length"])).decode()
            query = {name: value[0] for name, value in parse_qs(urlsplit(self.path).query).items()}
            plan.asked.append((query, dict(self.headers), sql))
            status, headers, body = plan.status, plan.headers, plan.body
            if "system.settings" in sql and status == 200:
                rows = [{"name": name, "value": value} for name, value in plan.settings.items()]
                headers, body = {}, plan.instead or "".join(json.dumps(row) + "\n" for row in rows).encode()
            else:
                time.sleep(plan.pause)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    plan.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield plan
    server.shutdown()
    server.server_close()
    thread.join()


def client(played: Played, address: str = "", **limits) -> ClickHouse:
    return ClickHouse(address or f"http://127.0.0.1:{played.port}", **limits)


def test_limits_and_readonly_go_along_with_each_question_and_readonly_comes_last(played):
    client(played, seconds=7, max_rows=5).ask("SELECT 1")
    query, _, sql = played.asked[-1]
    assert sql == "SELECT 1"
    assert list(query)[-1] == "readonly"
    assert query == {
        "default_format": "JSONEachRow",
        "max_execution_time": "7",
        "max_result_rows": "6",
        "result_overflow_mode": "break",
        "output_format_json_quote_64bit_integers": "0",
        "readonly": "1",
    }


@pytest.mark.parametrize(
    ("level", "sent"), [("1", {"default_format"}), ("2", {"default_format", *SETTINGS} - {"readonly"})]
)
def test_a_user_that_is_read_only_already_is_sent_only_what_it_may_set(played, level, sent):
    played.settings["readonly"] = level
    client(played).ask("SELECT 1")
    assert set(played.asked[-1][0]) == sent


def test_the_settings_are_looked_up_once(played):
    asked = client(played)
    for _ in range(3):
        asked.ask("SELECT 1")
    assert len(played.asked) == 4


def test_name_password_and_database_of_the_address_are_sent_and_not_in_the_query(played):
    client(played, f"http://a%20b:p%2Fw@127.0.0.1:{played.port}/my%20db").ask("SELECT 1")
    query, headers, _ = played.asked[-1]
    assert query["database"] == "my db"
    assert basic(headers) == b"a b:p/w"
    assert "p/w" not in json.dumps(query)
    client(played, user="u", password="p").ask("SELECT 1")
    assert basic(played.asked[-1][1]) == b"u:p"
    client(played, password="p").ask("SELECT 1")
    assert basic(played.asked[-1][1]) == b"default:p"
    client(played).ask("SELECT 1")
    assert "Authorization" not in played.asked[-1][1]


def basic(headers):
    """What HTTP basic authentication says."""
    kind, encoded = headers["Authorization"].split(" ")
    assert kind == "Basic"
    return base64.b64decode(encoded, validate=True)


@pytest.mark.parametrize(
    "text", ["a\nX-Injected: 1", "end\r\n", "n\0l", "p\u00e4ss \u4e2d", " x ", "\x7f\x1b[0m", "\udcfc"]
)
def test_name_and_password_arrive_with_every_character(played, text):
    """The last is a byte of the environment that is no UTF-8."""
    client(played, user=text.replace(":", ""), password=text).ask("SELECT 1")
    _, headers, _ = played.asked[-1]
    expected = text.encode("utf-8", "surrogateescape")
    assert basic(headers) == expected.replace(b":", b"") + b":" + expected
    assert "X-Injected" not in headers


def test_a_user_with_a_colon_goes_in_a_header_of_its_own(played):
    client(played, user="a:b \u00e4", password="p:\u00e4").ask("SELECT 1")
    _, headers, _ = played.asked[-1]
    sent = [headers[name].encode("latin-1").decode() for name in ("X-ClickHouse-User", "X-ClickHouse-Key")]
    assert sent == ["a:b \u00e4", "p:\u00e4"]
    assert "Authorization" not in headers


@pytest.mark.parametrize(
    ("user", "password"),
    [("a:b", "secret\n"), ("a:b", " secret"), ("secret:\r\nX: 1", ""), ("a:b", "\udcfcsecret"), ("a", "\ud800secret")],
)
def test_what_no_header_can_carry_is_told_without_quoting_it(user, password):
    with pytest.raises(UnprettyError) as caught:
        ClickHouse("http://127.0.0.1:1", user=user, password=password)
    assert "secret" not in f"{caught.value} {caught.value.hint} {caught.value.__cause__}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "address",
    [
        "http://u:12/secret@host", "http://u:12?secret@host", "http://u:12#secret@host", "http://u:secret/x@host",
        "http://u:sec ret@host", "http://u:secret\n@host", "http://u:secret\r\nX: 1@host", "http://u:secret\0@host",
        "http://u:secret%FF@host", "http://u:secret\udcfc@host", "http://u:secret[@host", "http://u:secret\u2100@host",
        "http://host/secret\r\nX: 1", "http://host:8123/?password=secret", "http://host/#secret", "http://host/?",
        "http://u:secret@" + "x" * 64 + ".example", "http://u:secret@host:99999",
    ],
)  # fmt: skip
def test_an_address_whose_parts_are_in_doubt_is_refused_without_quoting_it(address):
    """A password cut at a / would be a port and a database, and half of it part of an error."""
    with pytest.raises(UnprettyError, match=r"looks like http://host:8123") as caught:
        ClickHouse(address)
    assert "secret" not in f"{caught.value} {caught.value.hint}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("database", "arrives"),
    [
        ("my%20db", "my db"),
        ("%C3%A4", "\u00e4"),
        ("\u00e4", "\u00e4"),
        ("a%0D%0AX:%201", "a\r\nX: 1"),
        ("a&b=%40", "a&b=@"),
    ],
)
def test_the_database_arrives_with_every_character(played, database, arrives):
    client(played, f"http://127.0.0.1:{played.port}/{database}").ask("SELECT 1")
    query, headers, _ = played.asked[-1]
    assert query["database"] == arrives
    assert "b" not in query
    assert "X" not in headers


def test_what_answers_but_is_no_clickhouse_is_told(played):
    played.instead = b"<html>Welcome</html>"
    with pytest.raises(UnprettyError, match=r"What answers at 127\.0\.0\.1 is not a ClickHouse server"):
        client(played).ask("SELECT 1")


@pytest.mark.parametrize(
    "address", ["localhost:8123", "ftp://host", "http://", "", "http://host:port", "http://[bad", "file:///etc/passwd"]
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(UnprettyError, match=r"looks like http://host:8123"):
        ClickHouse(address)


def test_rows_are_cut_at_the_number_and_at_the_bytes(played):
    played.body = b"".join(b'{"n":%d}\n' % n for n in range(1000))
    answer = client(played, max_rows=10).ask("SELECT 1")
    assert (len(answer.rows), answer.more, answer.is_json) == (10, True, True)
    answer = client(played, max_bytes=100).ask("SELECT 1")
    assert (sum(len(row) + 1 for row in answer.rows) <= 100, answer.more) == (True, True)
    answer = client(played, max_rows=1000).ask("SELECT 1", 3)
    assert answer.rows == ['{"n":0}', '{"n":1}', '{"n":2}']


@pytest.mark.parametrize(
    "late",
    [
        b"Code: 395, e.displayText() = DB::Exception: No, e.what() = DB::Exception\n",
        b"Code: 395. DB::Exception: No. (FUNCTION_THROW_IF) (version 26.9.2.1 (official build))\n",
        b"__exception__\r\nabc\r\nCode: 395. DB::Exception: No\r\n",
        b'{"exception":"Code: 395. DB::Exception: No"}\n',
    ],
)
def test_an_error_behind_the_first_rows_is_an_error(played, late):
    played.body = b'{"n":1}\n' + late
    with pytest.raises(UnprettyError, match=r"^ClickHouse says: .*Code: 395.*No") as caught:
        client(played).ask("SELECT 1")
    assert "version" not in str(caught.value)
    assert "e.what" not in str(caught.value)


def test_a_refusal_comes_with_the_words_of_the_server_on_one_line(played):
    played.status, played.body = 404, b"Code: 60. DB::Exception:\nno such\n table. Stack trace:\n0. x\n1. y"
    with pytest.raises(UnprettyError) as caught:
        client(played).ask("SELECT 1")
    assert str(caught.value) == "ClickHouse says: Code: 60. DB::Exception: no such table."


def test_a_refusal_without_words_tells_its_status(played):
    played.status, played.body = 503, b""
    with pytest.raises(UnprettyError, match="ClickHouse says: HTTP status 503 Service Unavailable"):
        client(played).ask("SELECT 1")


def test_an_answer_in_another_format_is_lines_of_text(played):
    played.body = b"a,b\n\n1,2\n"
    answer = client(played).ask("SELECT 1 FORMAT CSV")
    assert (answer.rows, answer.is_json) == (["a,b", "", "1,2"], False)
    played.headers = {"X-ClickHouse-Format": "JSONLines"}
    played.body = b'{"a":1}\n'
    assert not client(played).ask("SELECT 1 FORMAT JSONLines").is_json


def test_a_row_over_all_measure_is_refused(played, monkeypatch):
    monkeypatch.setattr("unpretty.servers.clickhouse.http_client._MAX_ROW_BYTES", 1000)
    played.body = b'{"a":"' + b"x" * 2000 + b'"}\n'
    with pytest.raises(UnprettyError, match=r"A row has more than 1,000 bytes"):
        client(played).ask("SELECT 1")


def test_a_server_that_does_not_answer_in_time_is_given_up(played, monkeypatch):
    monkeypatch.setattr("unpretty.servers.clickhouse.http_client._EXTRA_SECONDS", 0.1)
    played.pause = 2
    with pytest.raises(UnprettyError, match=r"took longer than 0\.1 seconds"):
        client(played, seconds=0.1).ask("SELECT 1")


def test_an_answer_that_breaks_off_is_an_error(played):
    played.body = b'{"n":1}\n{"n":'
    with pytest.raises(UnprettyError, match=r"The answer of ClickHouse broke off"):
        client(played).ask("SELECT 1")


def test_a_server_that_talks_no_http_is_told():
    import socket

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def answer() -> None:
            talking, _ = listening.accept()
            talking.sendall(b"no http\r\n")
            talking.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(UnprettyError, match=r"cannot be reached: (no http|Connection reset|Broken pipe)"):
            ClickHouse(f"http://127.0.0.1:{listening.getsockname()[1]}").ask("SELECT 1")
        thread.join()


def test_https_is_spoken_where_it_is_asked_for(played):
    with pytest.raises(UnprettyError, match="cannot be reached"):
        ClickHouse(f"https://127.0.0.1:{played.port}").ask("SELECT 1")
    assert played.asked == []


def test_strings_and_names_are_quoted():
    assert string("a'b\\c") == "'a\\'b\\\\c'"
    assert identifier("a`b\\c") == "`a\\`b\\\\c`"
