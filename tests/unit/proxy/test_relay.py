"""The proxy as a client and a server see it."""

import json
import os
import threading
import time

import pytest

from unpretty.proxy import relay as proxy_module

ROWS = [{"id": i, "name": f"name {i}", "price": i / 4} for i in range(60)]
PRETTY = json.dumps(ROWS, indent=2)


def text_result(*texts, **members):
    return {"content": [{"type": "text", "text": text} for text in texts], **members}


def test_every_line_that_is_no_tool_result_passes_byte_for_byte_in_both_directions(wire):
    made = wire()
    made.initialize()
    lines = [
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
        b'{ "id" : 5,"method":"tools/list" , "jsonrpc":"2.0" }\r\n',
        b'[{"jsonrpc":"2.0","id":6,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]\n',
        b'{"jsonrpc":"2.0","id":"s-1","result":{"roots":[]}}\n',
        b"not json at all\n",
        b'{"method": broken\n',
        b'\xff\xfe "method" \x00\n',
        b"\n",
        b'{"jsonrpc":"2.0","id":7,"method":"a","id":8}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[1,2]}\n',
    ]
    for line in lines:
        made.client.send(line)
        assert made.server.line() == line
    answers = [
        b'{"result": {"tools": []} ,"jsonrpc":"2.0","id":5}\n',
        b'[{"jsonrpc":"2.0","id":6,"result":{}}]\n',
        b'{"jsonrpc":"2.0","id":"s-1","method":"roots/list"}\n',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n',
        b"a stray word on standard output\n",
        b"\xff\n",
        b'{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"' + b"no " * 900 + b'"}}\n',
        b'{"jsonrpc":"2.0","id":77,"result":' + json.dumps(text_result(PRETTY)).encode() + b"}\n",
    ]
    for line in answers:
        made.server.send(line)
        assert made.client.line() == line


def test_the_text_of_a_tool_result_is_minified_and_nothing_else_in_its_line_changes(wire):
    made = wire()
    made.initialize()
    before = (
        b' { "result" : {"content":[{"text":%s , "type":"text","annotations":{"priority":1.0}} ],'
        b'"_meta": {"a":1e5}},"jsonrpc":"2.0", "id":1 } \r\n'
    )
    after = made.call(before % json.dumps(PRETTY).encode())
    assert after == before % json.dumps(json.dumps(ROWS, separators=(",", ":"))).encode()


def test_ids_of_any_kind_find_their_call_and_a_number_is_not_a_string(wire):
    made = wire()
    made.initialize()
    for identity in (2**70, "1", -3, "\u00e9\U0001f600", 1.5):
        shorter = made.call(text_result(PRETTY), identity)
        assert json.loads(shorter)["id"] == identity
        assert len(shorter) < len(PRETTY)
    made.client.send({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "rows"}})
    made.server.line()
    line = made.server.send({"jsonrpc": "2.0", "id": "5", "result": text_result(PRETTY)})
    assert made.client.line() == line


def test_a_request_of_the_server_with_the_id_of_a_call_is_not_its_answer(wire):
    made = wire()
    made.initialize()
    made.client.send({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "rows"}})
    made.server.line()
    question = made.server.send({"jsonrpc": "2.0", "id": 4, "method": "sampling/createMessage", "params": {}})
    assert made.client.line() == question
    made.server.send({"jsonrpc": "2.0", "id": 4, "result": text_result(PRETTY)})
    assert len(made.client.line()) < len(PRETTY)


def test_a_cancelled_call_is_forgotten_and_its_late_answer_passes_unchanged(wire):
    made = wire()
    made.initialize()
    made.client.send({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "rows"}})
    made.server.line()
    made.client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}})
    made.server.line()
    line = made.server.send({"jsonrpc": "2.0", "id": 4, "result": text_result(PRETTY)})
    assert made.client.line() == line


def test_each_result_of_a_batch_is_rewritten(wire):
    made = wire()
    made.initialize()
    calls = [{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "rows"}} for i in (1, 2)]
    sent = made.client.send([*calls, {"jsonrpc": "2.0", "id": 3, "method": "ping"}])
    assert made.server.line() == sent
    answers = [{"jsonrpc": "2.0", "id": i, "result": text_result(PRETTY)} for i in (2, 1)]
    made.server.send([*answers, {"jsonrpc": "2.0", "id": 3, "result": {}}])
    received = made.client.receive()
    assert [answer["id"] for answer in received] == [2, 1, 3]
    assert [answer["result"]["content"][0]["text"] for answer in received[:2]] == [
        json.dumps(ROWS, separators=(",", ":"))
    ] * 2


def test_messages_of_64_MB_pass_in_both_directions_at_once(wire):
    made = wire()
    made.initialize()
    size = 64_000_000
    arguments = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "text": "a" * size}}
    received = []
    writer = threading.Thread(target=made.client.send, args=(arguments,))
    reader = threading.Thread(target=lambda: received.append(made.server.line()))
    answering = threading.Thread(
        target=made.server.send, args=({"jsonrpc": "2.0", "method": "n", "params": "b" * size},)
    )
    for thread in (writer, reader, answering):
        thread.start()
    line = made.client.line()
    for thread in (writer, reader, answering):
        thread.join(30)
    assert len(line) > size
    assert len(received[0]) > size
    assert json.loads(received[0]) == arguments


def test_a_line_without_end_passes_when_the_server_hangs_up(wire):
    made = wire()
    made.initialize()
    made.server.send(b'{"jsonrpc":"2.0"')
    assert made.finish() == 0
    assert made.client.rest() == b'{"jsonrpc":"2.0"'


def test_the_status_of_the_server_is_the_status_of_the_proxy(wire):
    assert wire().finish(3) == 3


def test_answers_that_are_still_on_their_way_at_the_end_of_input_reach_the_client(wire):
    made = wire()
    made.initialize()
    made.client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rows"}})
    made.client.hang_up()
    made.server.line()
    assert made.server.line() == b""  # the server sees the end of input at once
    time.sleep(0.3)
    assert not made.process.asked_to_end.is_set()
    made.server.send({"jsonrpc": "2.0", "id": 1, "result": text_result(PRETTY)})
    made.finish()
    assert len(made.client.rest()) > 1000


def test_a_server_that_owes_nothing_and_does_not_end_after_the_end_of_input_is_ended(wire, monkeypatch):
    monkeypatch.setattr(proxy_module, "_GRACE", 0.2)
    made = wire()
    made.initialize()
    made.client.hang_up()
    assert made.process.asked_to_end.wait(10)


@pytest.mark.skipif(os.name != "posix", reason="only a failed write tells on Windows")
def test_a_server_that_owes_an_answer_to_a_client_that_is_gone_is_ended(wire):
    made = wire()
    made.initialize()
    made.client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rows"}})
    made.server.line()
    made.client.close()
    assert made.process.asked_to_end.wait(10)


def test_a_server_whose_client_no_longer_reads_is_ended(wire):
    made = wire()
    made.initialize()
    made.client.stop_reading()
    made.server.send({"jsonrpc": "2.0", "method": "notifications/message"})
    assert made.process.asked_to_end.wait(10)


def test_a_client_that_writes_to_a_server_that_no_longer_reads_learns_that(wire):
    made = wire()
    made.initialize()
    made.server.stop_reading()
    deadline = time.monotonic() + 10
    with pytest.raises(BrokenPipeError):
        while time.monotonic() < deadline:
            made.client.send({"jsonrpc": "2.0", "method": "notifications/message"})
            time.sleep(0.01)


def test_output_that_a_child_of_the_server_keeps_open_does_not_keep_the_proxy(wire, monkeypatch):
    monkeypatch.setattr(proxy_module, "_QUIET", 0.2)
    made = wire()
    made.initialize()
    made.process.ended.set()  # the server has ended, its pipe is still open
    made._thread.join(10)
    assert made.returned == [0]


def test_a_bug_in_the_rewriting_leaves_the_result_as_it_is_and_is_logged(wire, log, monkeypatch):
    made = wire()
    made.initialize()
    monkeypatch.setattr("unpretty.proxy.rewrite.Rewriter.rewrite", lambda *_: 1 / 0)
    assert json.loads(made.call(text_result(PRETTY)))["result"] == text_result(PRETTY)
    made.finish()
    assert [line["reason"] for line in log()] == ["error"]


def test_a_bug_in_learning_from_an_answer_leaves_it_as_it_is(wire, monkeypatch):
    made = wire()
    monkeypatch.setattr("unpretty.proxy.session.Session.note_answer", lambda *_: 1 / 0)
    assert made.initialize()["result"]["serverInfo"]["name"] == "my server"


def test_passthrough_changes_nothing_and_logs_what_would_have_been_saved(wire, log):
    made = wire(passthrough=True, max_result_bytes=2048)
    made.initialize()
    assert json.loads(made.call(text_result(PRETTY)))["result"] == text_result(PRETTY)
    made.finish()
    (line,) = log()
    assert line["kind"] == "observed"
    assert line["bytes_out"] < line["bytes_in"] == len(PRETTY)
    assert "rows_shown" not in line
    assert made.proxy.summary == (
        f"unpretty: 1 tool results were passed on unchanged; their {line['bytes_in']:,} bytes would have become "
        f"{line['bytes_out']:,}."
    )


def test_the_sum_counts_results_and_not_their_texts(wire):
    made = wire(passthrough=True)
    made.initialize()
    made.call(text_result(PRETTY, PRETTY))
    made.finish()
    assert made.proxy.summary.startswith("unpretty: 1 tool results")


def test_run_passes_messages_and_returns_the_sum_only_with_passthrough(monkeypatch):
    class Ended:
        summary = "the sum"

        def __init__(self, server, **options):
            assert (server, options["name"], options["max_result_bytes"]) == ("server", "n", 5)

        def run(self):
            return 3

    monkeypatch.setattr(proxy_module, "Proxy", Ended)
    monkeypatch.setattr(proxy_module.gc, "freeze", lambda: None)
    assert proxy_module.run("server", name="n", max_result_bytes=5, passthrough=False) == (3, "")
    assert proxy_module.run("server", name="n", max_result_bytes=5, passthrough=True) == (3, "the sum")


def test_ten_thousand_calls_come_back_in_order_while_notifications_go_both_ways(wire):
    made = wire()
    made.initialize()
    count = 10_000

    def serve():
        for _ in range(count):
            identity = json.loads(made.server.line())["id"]
            made.server.send(b'{"jsonrpc":"2.0","method":"notifications/progress"}\n')
            made.server.send({"jsonrpc": "2.0", "id": identity, "result": text_result("ok")})

    def ask():
        for i in range(count):
            made.client.send({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "echo"}})

    threads = [threading.Thread(target=work) for work in (serve, ask)]
    for thread in threads:
        thread.start()
    for i in range(count):
        assert made.client.receive()["method"] == "notifications/progress"
        assert made.client.receive()["id"] == i
    for thread in threads:
        thread.join()
