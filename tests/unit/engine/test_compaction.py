"""Each gate of the engine, in the order in which they come, and what a decision records."""

import itertools
import json
import time

import pytest

from unpretty.engine import reason
from unpretty.engine.compaction import Compaction, compact
from unpretty.engine.context import FILE, MCP, SEARCH, SHELL, Context

ROWS = [{"id": n, "name": f"user {n}", "tags": ["a", None]} for n in range(30)]
PRETTY = json.dumps(ROWS, indent=2)
COMPACT = json.dumps(ROWS, separators=(",", ":"))


def outcome(text: str, context: Context | None = None) -> str:
    return compact(text, context).decision.reason


@pytest.mark.parametrize(
    ("text", "context", "why"),
    [
        (PRETTY, Context(SHELL, command="UNPRETTY_RAW=1 gh api x"), reason.BYPASSED),
        (PRETTY, Context(SHELL, command="cat rows.json"), reason.FILE_VIEW),
        (PRETTY, Context(FILE), reason.FILE_VIEW),
        (PRETTY, Context(MCP, command="cat rows.json"), reason.FILE_VIEW),
        (PRETTY, Context(SEARCH, paths=True), reason.FILE_VIEW),
        (PRETTY, Context(SHELL, command="grep -h -A999 '[' rows.json"), reason.FILE_VIEW),
        ("{ }", Context(MCP), reason.TOO_SMALL),
        ("--- a/x.json\n+++ b/x.json\n@@ -1 +1 @@\n" + PRETTY, Context(SHELL), reason.DIFF),
        (
            "\n".join(f"{n:6}\u2192{line}" for n, line in enumerate(PRETTY.split("\n"), 1)),
            Context(MCP),
            reason.LINE_NUMBERED,
        ),
        ("\x1b[1m--- a/x\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n" + PRETTY, Context(SHELL, noise=True), reason.DIFF),
        ("\n".join(f"\x1b[32m{n}\x1b[m:line" for n in range(1, 99)), Context(SHELL, noise=True), reason.LINE_NUMBERED),
        (PRETTY, Context(SHELL, cut=True), reason.CUT_BY_HOST),
        (PRETTY, Context(MCP, max_input_bytes=1000), reason.TOO_LARGE),
        ("plain text " * 100, Context(MCP), reason.NOT_JSON),
        ("plain text " * 100, Context(SEARCH, paths=True), reason.NO_PATHS),
        (PRETTY[:-9], Context(MCP), reason.INVALID_JSON),
        ("[" * 100_000, Context(MCP), reason.TOO_DEEP),
        (COMPACT, Context(MCP), reason.ALREADY_COMPACT),
        (json.dumps([*ROWS[:1], "x" * 3000]), Context(MCP), reason.GAIN_TOO_SMALL),
        (PRETTY, Context(MCP, budget_seconds=-1), reason.OVER_BUDGET),
        (PRETTY, Context(MCP, max_chars=100), reason.OVER_HOST_LIMIT),
        (PRETTY, Context(MCP, max_bytes=100), reason.OVER_HOST_LIMIT),
        (PRETTY, Context(MCP, max_line_bytes=100), reason.OVER_HOST_LIMIT),
        (PRETTY, Context(MCP), reason.CONVERTED),
    ],
    ids=lambda value: value if isinstance(value, str) and value in reason.TABLE else "",
)
def test_the_first_gate_that_ends_it_is_the_reason(text: str, context: Context, why: str) -> None:
    compaction = compact(text, context)
    assert compaction.decision.reason == why
    if why != reason.CONVERTED:
        assert compaction.text is text
        assert compaction.decision.bytes_out == compaction.decision.bytes_in
        assert (compaction.decision.docs, compaction.decision.encoding, compaction.decision.steps) == (0, "", {})


def test_a_decision_records_sizes_documents_and_what_each_step_saved() -> None:
    envelope = json.dumps({"ok": True, "é": "é", "stdout": PRETTY}, indent=2, ensure_ascii=False)
    compaction = compact(f"=== é ===\n{envelope}\n{PRETTY}\n")
    decision = compaction.decision
    smaller = json.dumps({"ok": True, "é": "é", "stdout": COMPACT}, separators=(",", ":"), ensure_ascii=False)
    assert compaction.text == f"=== é ===\n{smaller}\n{COMPACT}\n"
    assert decision.docs == 2
    assert decision.encoding == "json"
    assert decision.bytes_in == len(f"=== é ===\n{envelope}\n{PRETTY}\n".encode())
    assert decision.bytes_out == len(compaction.text.encode())
    assert decision.chars_out == len(compaction.text) < decision.bytes_out
    assert set(decision.steps) == {"json", "nested"}
    assert sum(decision.steps.values()) == decision.bytes_in - decision.bytes_out


def test_compact_documents_before_the_time_ran_out_are_not_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = itertools.count()  # each look at the clock comes a second later
    monkeypatch.setattr(time, "monotonic", lambda: float(next(looks)))
    assert outcome((COMPACT + "\n") * 9, Context(MCP, budget_seconds=3)) == reason.OVER_BUDGET


def test_the_share_that_must_be_saved_is_one_of_bytes() -> None:
    text = json.dumps(["漢" * 3000] + [1] * 100, ensure_ascii=False)
    saved = len(text) - len(compact(text, Context(MCP, min_gain=0)).text)
    assert 0.02 * len(text) < saved < 0.02 * len(text.encode())
    assert outcome(text, Context(MCP)) == reason.GAIN_TOO_SMALL


def test_paths_beside_a_converted_document_stay_as_they_are() -> None:
    lines = "".join(f"src/shop/cart.py:{n}:text\n" for n in range(40))
    context = Context(SHELL, paths=True)
    assert compact(lines, context).decision.steps.keys() == {"paths"}
    assert compact(f"{lines}{PRETTY}\n", context).text == f"{lines}{COMPACT}\n"


def test_without_a_context_documents_are_minified_and_nothing_else() -> None:
    assert compact(PRETTY).text == COMPACT
    assert outcome("\x1b[31m" + "red " * 200 + "\x1b[0m") == reason.NOT_JSON


def test_a_failed_proof_keeps_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unpretty.engine.json_text.verify.is_same", lambda *_: False)
    compaction = compact(PRETTY)
    assert compaction.text is PRETTY
    assert compaction.decision.reason == reason.NOT_VERIFIED


@pytest.mark.parametrize(
    ("error", "why"), [(RecursionError, reason.TOO_DEEP), (MemoryError, reason.TOO_LARGE), (ValueError, reason.ERROR)]
)
def test_a_bug_or_an_exhausted_machine_keeps_the_original(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], why: str
) -> None:
    def break_down(_: str) -> Compaction:
        raise error

    monkeypatch.setattr("unpretty.engine.json_text.minify.minify", break_down)
    compaction = compact(PRETTY)
    assert compaction.text is PRETTY
    assert compaction.decision.reason == why


def test_every_reason_has_its_sentence_and_no_sentence_stands_alone() -> None:
    codes = {value for name, value in vars(reason).items() if name.isupper() and isinstance(value, str)}
    assert codes == set(reason.TABLE)
    assert all(known.sentence.endswith(".") for known in reason.TABLE.values())


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"a": json.loads("[" * 300 + "1" + "]" * 300)}, indent=1),
        "[ " + "9" * 100_000 + ", 1 ]" + " " * 5000,
        '{ "a": "\\ud800", "b": [ 1, 2 ] }' + "\n" * 600,
        "{\r\n" + '  "a": 1,\r\n' * 200 + '  "b": 2\r\n}',
    ],
    ids=["300 deep", "100,000 digits", "lone surrogate", "CRLF and 200 times the same key"],
)
def test_odd_documents_are_converted_verbatim(text: str) -> None:
    compaction = compact(text, Context(min_gain=0))
    assert compaction.decision.reason == reason.CONVERTED
    assert compaction.text.split() == ["".join(text.split())]


def test_ten_thousand_levels_are_converted_or_left_alone_with_a_reason() -> None:
    text = '{"a": ' * 10_000 + "1" + " }" * 10_000
    compaction = compact(text)
    assert compaction.decision.reason in (reason.TOO_DEEP, reason.CONVERTED)


def test_a_ten_megabyte_document_is_converted() -> None:
    text = json.dumps([{"id": n, "name": f"user {n}"} for n in range(200_000)], indent=2)
    assert len(text) > 10_000_000
    started = time.process_time()
    compaction = compact(text, Context(budget_seconds=600))
    assert compaction.decision.reason == reason.CONVERTED
    assert time.process_time() - started < 30


def test_the_garbage_collector_is_left_as_it_was() -> None:
    import gc

    assert gc.isenabled()
    compact(PRETTY)
    assert gc.isenabled()
    gc.disable()
    try:
        compact(PRETTY)
        assert not gc.isenabled()
    finally:
        gc.enable()
