"""unpretty convert: any input, any encoding, and back; what goes to which stream; errors."""

import io
import json
import sys

import click
import pytest

from unpretty.cli import convert as module
from unpretty.cli.convert import command
from unpretty.convert import blocks as blocks_module
from unpretty.encodings import names
from unpretty.errors import UnprettyError

ROWS = [{"id": n, "city": f"City {n % 3}", "share": 0.5} for n in range(12)]


@pytest.fixture
def run(monkeypatch, capsysbinary):
    """Run the command as the entry point does; return standard output and standard error."""

    def go(*arguments, data=b"", terminal=False):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        if terminal:
            monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
        command.main(list(arguments), standalone_mode=False)
        sys.stdout.flush()
        out, err = capsysbinary.readouterr()
        return out.decode(), err.decode()

    return go


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(ROWS, indent=2), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("encoding", names())
def test_there_and_back_gives_the_same_document(run, table, tmp_path, encoding):
    encoded, _ = run(table, "--to", encoding)
    (tmp_path / "encoded").write_text(encoded, encoding="utf-8")
    back, _ = run(str(tmp_path / "encoded"), "--to", encoding, "--decode")
    assert back == json.dumps(ROWS, separators=(",", ":")) + "\n"


def test_without_options_json_is_minified_and_spelled_as_it_was(run):
    data = b'{ "price": 1.10, "name": "\\u00e9", "name": "b" }'
    assert run(data=data) == ('{"price":1.10,"name":"\\u00e9","name":"b"}\n', "")
    assert run("-", data=data)[0] == run(data=data)[0]


def test_records_of_any_format_become_one_array(run, tmp_path):
    (tmp_path / "a.csv").write_text("id,name\n1,a\n2,007\n")
    (tmp_path / "a.tsv").write_text("id\tname\n1\ta\n2\t007\n")
    (tmp_path / "a.jsonl").write_text('{"id":1,"name":"a"}\n{"id":2,"name":"007"}\n')
    for name in ("a.csv", "a.tsv", "a.jsonl"):
        assert run(str(tmp_path / name))[0] == '[{"id":1,"name":"a"},{"id":2,"name":"007"}]\n'
    assert run("--from", "csv", "--to", "ldf", data=b"a,b\n1,x\n")[0] == "@records a:i,b:s\n1,x\n"


def test_long_inputs_become_blocks_that_lead_back_to_one_array(run, monkeypatch):
    monkeypatch.setattr(blocks_module.blocks, "__defaults__", (2, 1 << 20))
    data = b"".join(b'{"a":%d}\n' % n for n in range(5))
    encoded, _ = run("--from", "jsonl", "--to", "tight-c", data=data)
    assert encoded == "[2]a\n0\n1\n\n[2]a\n2\n3\n\n[1]a\n4\n"
    assert run("--to", "tight-c", "--decode", data=encoded.encode())[0] == '[{"a":0},{"a":1},{"a":2},{"a":3},{"a":4}]\n'
    assert run("--from", "jsonl", data=data)[0] == '[{"a":0},{"a":1},{"a":2},{"a":3},{"a":4}]\n'


def test_auto_takes_the_fewest_tokens_and_says_why_not_the_others(run, table):
    out, err = run(table, "--to", "auto")
    assert out.startswith("[12]id,city,share\n")
    assert err.startswith("auto: tight-c, ")
    assert " fewer than json\n" in err
    assert "  toon: " in err


def test_auto_for_a_model_uses_what_the_evidence_allows(run, table):
    out, err = run(table, "--to", "auto", "--model", "claude-opus-5-5")
    assert out.startswith("@records ")
    assert "  tight-c: No study shows" in err
    out, err = run(table, "--to", "auto", "--model", "claude-haiku-5-5")
    assert out.startswith("[{")
    assert err.startswith("auto: json, ")


def test_auto_decides_once_for_all_blocks(run, monkeypatch):
    monkeypatch.setattr(blocks_module.blocks, "__defaults__", (3, 1 << 20))
    data = b"".join(b'{"name":"x%d","size":%d}\n' % (n, n) for n in range(6))
    out, err = run("--from", "jsonl", "--to", "auto", data=data)
    assert out.count("[3]name,size\n") == 2
    assert err.count("auto:") == 1


def test_count_prints_bytes_and_tokens_of_every_encoding_side_by_side(run, table):
    out, err = run(table, "--count")
    lines = out.splitlines()
    assert lines[0].split() == ["encoding", "bytes", "o200k", "tokens", "vs", "json"]
    assert [line.split()[0] for line in lines[1:]] == list(names())
    size = len(json.dumps(ROWS, separators=(",", ":")))
    assert lines[1].split()[1] == str(size)
    assert lines[1].split()[3] == "+0.0%"
    assert err == ""


def test_count_says_why_an_encoding_declines(run):
    out, _ = run("--count", data=b'{"a": 1.10}')
    assert "ldf                     -              -         -  The document is not an array of objects" in out
    assert "A number is spelled in a way" in out


def test_count_adds_up_blocks_and_keeps_a_reason_to_decline(run, monkeypatch):
    monkeypatch.setattr(blocks_module.blocks, "__defaults__", (1, 1 << 20))
    out, _ = run("--from", "jsonl", "--count", data=b'{"a":1}\n{"a":1.0}\n{"a":2}\n')
    rows = {line.split()[0]: line.split() for line in out.splitlines()[1:]}
    assert rows["json"][1] == str(len('[{"a":1}]') * 2 + len('[{"a":1.0}]'))
    assert rows["toon"][1] == "-"


def test_count_draws_a_table_on_a_terminal(run, table):
    out, _ = run(table, "--count", terminal=True)
    assert "o200k tokens" in out
    assert "tight-c" in out


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        ((), b'{"a": 1,}', r"^standard input: line 1, column \d+: "),
        ((), b'{"a":1}\n{"a":2}\n', r"^standard input: line 2, column 1: .*more text follows"),
        ((), b"\xff", r"^standard input: line 1, column 1: the text is not UTF-8\.$"),
        ((), b"[" * 100_000 + b"]" * 100_000, r"^standard input: The document is nested too deeply\.$"),
        (("--from", "csv"), b"a,b\n1\n", r"^standard input: line 2: cell 2 \(b\) is missing\.$"),
        (("--to", "ldf", "--decode"), b"@records a:i\nx", r"^standard input: line 2, column 1: the cell does not fit"),
        (("--to", "toon"), b"1.10", r"^toon cannot carry this data\. A number is spelled"),
        (("nowhere.json",), b"", r"^Cannot read nowhere\.json: No such file or directory\.$"),
    ],
)
def test_errors_name_the_file_and_the_place(run, arguments, data, message):
    with pytest.raises(UnprettyError, match=message):
        run(*arguments, data=data)


def test_several_documents_in_one_file_are_pointed_to_json_lines(run):
    with pytest.raises(UnprettyError) as error:
        run(data=b'{"a":1}\n{"a":2}\n')
    assert "--from jsonl" in error.value.hint


@pytest.mark.parametrize(
    "arguments", [("--decode", "--to", "auto"), ("--decode", "--count"), ("--decode", "--from", "csv")]
)
def test_decode_goes_with_one_encoding_only(run, arguments):
    with pytest.raises(click.UsageError):
        run(*arguments)


def test_the_command_is_one_of_the_command_line():
    from unpretty.cli.main import cli

    assert cli.get_command(click.Context(cli), "convert") is module.command
