"""``unpretty serve files``: what is listed, described and read, and that there is no way out of the directory."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from mcp.server.mcpserver.exceptions import ToolError

from unpretty.errors import UnprettyError
from unpretty.servers.files.root import ServedDirectory
from unpretty.servers.files.row_filter import Condition
from unpretty.servers.files.server import FileServer
from unpretty.servers.files.tables import FileTables

CSV = 'id,zip,price,name,ok\n1,007,1.10,"a, b",true\n2,008,-2.00,,false\n3,,1e5,"x ""q"" \u00e9",TRUE\n'


@pytest.fixture
def root(tmp_path):
    directory = tmp_path / "root"
    (directory / "sub" / "deep").mkdir(parents=True)
    (directory / "orders.csv").write_text(CSV)
    (directory / "sub" / "orders.tsv").write_text(CSV.replace('"a, b"', "a b").replace(",", "\t"))
    (directory / "sub" / "deep" / "events.jsonl").write_text(
        '{"id": 12345678901234567890123, "v": 1.10, "a/b~c": {"x": [1, 2]}}\n'
        '{"id": 2, "v": "text"}\n\n{"id": 3, "id": 4}\n'
    )
    (directory / "list.json").write_text('[ {"id": 1, "v": 1.50},\n {"id": 2} , {"id": 3, "v": null} ]')
    duckdb.execute(
        f"COPY (SELECT 1 id, 1.10::DECIMAL(9,2) price, 'nan'::DOUBLE n, DATE '2026-01-02' AS day, [1, 2] l, "
        f"{{'a': 1, 'b': 'x'}} s, NULL::INT e UNION ALL SELECT 2, -5::DECIMAL(9,2), 0.1::DOUBLE, NULL, [], NULL, 7) "
        f"TO '{directory}/t.parquet' (FORMAT parquet)"
    )
    return directory


@pytest.fixture
def served(root):
    return FileServer(root, encoding="json")


def rows(answer):
    return json.loads(answer)["rows"]


def read(served, path, **question):
    question["where"] = [Condition(**condition) for condition in question.get("where", [])]
    return rows(served.read_rows(path, **question))


def test_data_files_are_listed_with_size_and_time_directory_by_directory(served, root):
    (root / "notes.txt").write_text("no data")
    (root / ".hidden.csv").write_text(CSV)
    (root / ".git").mkdir()
    (root / ".git" / "x.csv").write_text(CSV)
    os.utime(root / "orders.csv", (0, 0))
    listed = rows(served.list_files())
    assert [file["path"] for file in listed] == [
        "list.json", "orders.csv", "t.parquet", "sub/orders.tsv", "sub/deep/events.jsonl",
    ]  # fmt: skip
    assert listed[1] == {
        "path": "orders.csv", "format": "csv", "bytes": len(CSV.encode()), "changed": "1970-01-01T00:00:00Z",
    }  # fmt: skip
    assert [file["path"] for file in rows(served.list_files("sub/deep"))] == ["sub/deep/events.jsonl"]


def test_long_lists_come_in_pages(served, root):
    for number in range(510):
        (root / f"f{number:03}.csv").write_text("a\n1\n")
    first = json.loads(served.list_files())
    assert (len(first["rows"]), first["next_offset"]) == (500, 500)
    assert len(rows(served.list_files(offset=500))) == 15


@pytest.mark.parametrize(
    "name",
    [
        "../outside.csv", "sub/../../outside.csv", "sub/../orders.csv", "/etc/passwd", "//etc/passwd", "", ".", "..",
        "link.csv", "linked/outside.csv", ".hidden.csv", "a\0b.csv", "loop.csv", "~/x.csv/..",
    ],
)  # fmt: skip
def test_no_name_leads_out_of_the_directory(root, name):
    outside = root.parent / "outside.csv"
    outside.write_text(CSV)
    (root / ".hidden.csv").write_text(CSV)
    (root / "link.csv").symlink_to(outside)
    (root / "linked").symlink_to(root.parent, target_is_directory=True)
    (root / "loop.csv").symlink_to(root / "loop.csv")
    served = FileServer(root)
    for tool in (served.describe_file, served.read_rows):
        with pytest.raises(ToolError, match=r"is not a name below the served directory|There is no file"):
            tool(name)
    assert "outside.csv" not in served.list_files()
    assert "link" not in served.list_files()


def test_an_absolute_name_of_a_file_inside_is_refused_too(served, root):
    with pytest.raises(ToolError, match="not a name below"):
        served.read_rows(str(root / "orders.csv"))


def test_a_link_to_a_place_inside_is_followed(served, root):
    (root / "again.csv").symlink_to(root / "orders.csv")
    assert read(served, "again.csv") == read(served, "orders.csv")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("missing.csv", "There is no file 'missing.csv'. list_files shows what there is."),
        ("sub", "There is no file 'sub'."),
        ("notes.txt", "'notes.txt' is not a data file; their names end in .csv, .tsv,"),
    ],
)
def test_a_name_that_is_no_data_file_is_refused_with_what_to_do(served, root, name, why):
    (root / "notes.txt").write_text("no data")
    with pytest.raises(ToolError) as caught:
        served.read_rows(name)
    assert str(caught.value).startswith(why)


def test_a_directory_that_is_none_is_refused(served, root):
    with pytest.raises(ToolError, match="There is no directory"):
        served.list_files("orders.csv")
    with pytest.raises(UnprettyError, match="is not a directory that can be read"):
        ServedDirectory(root / "orders.csv")


def test_an_error_while_an_answer_is_encoded_names_type_and_line_only(served, monkeypatch):
    monkeypatch.setattr("unpretty.servers.table_reply.compact", lambda *_: {}["secret"])
    with pytest.raises(ToolError, match=r"^KeyError in test_server\.py, line \d+, which is a bug in unpretty\.$"):
        served.list_files()


def test_duckdb_itself_is_confined_to_the_directory(root):
    outside = root.parent / "outside.csv"
    outside.write_text(CSV)
    with pytest.raises(UnprettyError, match="Permission"):
        FileTables(root).columns(outside)


def test_files_are_described_by_columns_types_and_rows(served):
    def described(name):
        answer = json.loads(served.describe_file(name))
        return answer["row_count"], {column["column"]: column["type"] for column in answer["rows"]}

    csv = {"id": "BIGINT", "zip": "VARCHAR", "price": "DOUBLE", "name": "VARCHAR", "ok": "BOOLEAN"}
    assert described("orders.csv") == (3, csv)
    assert described("sub/orders.tsv") == (3, csv)
    assert described("list.json") == (3, {"id": "BIGINT", "v": "DOUBLE"})
    assert described("t.parquet")[1]["s"] == "STRUCT(a INTEGER, b VARCHAR)"


def test_cells_of_csv_come_as_they_are_spelled(served):
    assert served.read_rows("orders.csv") == (
        '{"rows":[{"id":1,"zip":"007","price":1.10,"name":"a, b","ok":true},'
        '{"id":2,"zip":"008","price":-2.00,"name":null,"ok":false},'
        '{"id":3,"zip":null,"price":1e5,"name":"x \\"q\\" \u00e9","ok":"TRUE"}]}'
    )


def test_records_of_json_come_as_they_are_spelled(served):
    assert served.read_rows("sub/deep/events.jsonl") == (
        '{"rows":[{"id":12345678901234567890123,"v":1.10,"a/b~c":{"x":[1,2]}},{"id":2,"v":"text"},{"id":3,"id":4}]}'
    )
    assert served.read_rows("list.json", columns=["v", "id"]) == (
        '{"rows":[{"v":1.50,"id":1},{"id":2},{"v":null,"id":3}]}'
    )
    assert served.read_rows("sub/deep/events.jsonl", columns=["id"], offset=2) == '{"rows":[{"id":3,"id":4}]}'


def test_values_of_parquet_come_by_their_types(served):
    assert served.read_rows("t.parquet") == (
        '{"rows":[{"id":1,"price":1.10,"n":"nan","day":"2026-01-02","l":[1,2],"s":{"a":1,"b":"x"},"e":null},'
        '{"id":2,"price":-5.00,"n":0.1,"day":null,"l":[],"s":null,"e":7}]}'
    )
    assert served.read_rows("t.parquet", columns=["e", "id"], limit=1, offset=1) == '{"rows":[{"e":7,"id":2}]}'


def test_numbers_that_json_does_not_have_are_strings_inside_lists_too(served, root):
    duckdb.execute(
        f"COPY (SELECT [1.5, 'inf'::DOUBLE] l, {{'big': 12345678901234567890123::HUGEINT}} s) TO '{root}/n.parquet'"
    )
    assert served.read_rows("n.parquet").startswith('{"rows":[{"l":[1.5,"Infinity"],"s":{"big":')


def test_records_that_are_no_objects_come_too(served, root):
    (root / "odd.json").write_text('[1, 2.50, "x", null, [1, 2]]')
    assert served.read_rows("odd.json") == '{"rows":[1,2.50,"x",null,[1,2]]}'


def test_rows_are_columnar_json_unless_another_encoding_is_asked_for(root):
    many = "id,name\n" + "".join(f"{n},name {n}\n" for n in range(30))
    (root / "many.csv").write_text(many)
    assert rows(FileServer(root).read_rows("many.csv")) == {
        "columns": ["id", "name"], "rows": [[n, f"name {n}"] for n in range(30)],
    }  # fmt: skip
    assert FileServer(root, encoding="toon").read_rows("many.csv").startswith("rows[30]{id,name}:")


@pytest.mark.parametrize("path", ["orders.csv", "sub/orders.tsv"])
@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ([{"column": "id", "op": "=", "value": 2}], [2]),
        ([{"column": "id", "op": "!=", "value": 2}], [1, 3]),
        ([{"column": "price", "op": ">", "value": 1.0}], [1, 3]),
        ([{"column": "price", "op": "<=", "value": 1.1}], [1, 2]),
        ([{"column": "zip", "op": "=", "value": "007"}], [1]),
        ([{"column": "zip", "op": "<", "value": "008"}], [1]),
        ([{"column": "zip", "op": "is_null"}], [3]),
        ([{"column": "zip", "op": "=", "value": None}], [3]),
        ([{"column": "zip", "op": "is_not_null"}], [1, 2]),
        ([{"column": "zip", "op": "!=", "value": None}], [1, 2]),
        ([{"column": "zip", "op": "in", "value": ["008", None]}], [2, 3]),
        ([{"column": "id", "op": "in", "value": [1, 3]}], [1, 3]),
        ([{"column": "name", "op": "contains", "value": "q"}], [3]),
        ([{"column": "name", "op": "starts_with", "value": "a"}], [1]),
        ([{"column": "ok", "op": "=", "value": True}], [1, 3]),
        ([{"column": "name", "op": ">", "value": 5}], []),
        ([{"column": "id", "op": ">", "value": 1}, {"column": "price", "op": "<", "value": 0}], [2]),
        ([{"column": "name", "op": "=", "value": "' OR 1=1 --"}], []),
    ],
)
def test_conditions_choose_rows(served, path, where, ids):
    assert [row["id"] for row in read(served, path, where=where, columns=["id"])] == ids


def test_conditions_work_on_json_and_parquet(served):
    assert read(served, "sub/deep/events.jsonl", where=[{"column": "v", "op": ">", "value": 1}])[0]["v"] == 1.1
    one = [{"column": "a/b~c", "op": "contains", "value": "[1,2]"}]
    assert len(read(served, "sub/deep/events.jsonl", where=one)) == 1
    assert [row["id"] for row in read(served, "list.json", where=[{"column": "v", "op": "is_null"}])] == [2, 3]
    assert [row["id"] for row in read(served, "t.parquet", where=[{"column": "price", "op": "<", "value": 0}])] == [2]
    late = [{"column": "day", "op": ">=", "value": "2026-01-01"}]
    assert [row["id"] for row in read(served, "t.parquet", where=late)] == [1]


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ({"column": "nope", "op": "=", "value": 1}, "There is no column 'nope'; there are: id, zip, price, name, ok."),
        ({"column": "id", "op": "in", "value": 1}, 'The operator "in" needs a list of values.'),
        ({"column": "id", "op": "in", "value": []}, 'The operator "in" needs a list of values.'),
        ({"column": "id", "op": "<"}, "The operator '<' needs one value."),
        ({"column": "id", "op": "contains", "value": ["a"]}, "The operator 'contains' needs one value."),
    ],
)
def test_a_condition_that_makes_no_sense_is_told(served, where, why):
    with pytest.raises(ToolError) as caught:
        read(served, "orders.csv", where=[where])
    assert str(caught.value) == why


def test_a_column_that_does_not_exist_is_told_with_some_of_those_that_do(served, root):
    (root / "wide.csv").write_text(",".join(f"c{n}" for n in range(60)) + "\n" + ",".join("1" * 60) + "\n")
    with pytest.raises(ToolError, match=r"no column 'x'; there are: c0, c1, .*c49, \.\.\.\.$"):
        served.read_rows("wide.csv", columns=["x"])


def test_pages_follow_one_another_and_miss_nothing(root):
    (root / "many.csv").write_text("id\n" + "".join(f"{n}\n" for n in range(1000)))
    served = FileServer(root, encoding="json", max_bytes=2000)
    seen, offset, pages = [], 0, 0
    while offset is not None:
        answer = json.loads(served.read_rows("many.csv", offset=offset, limit=400))
        assert len(json.dumps(answer["rows"], separators=(",", ":"))) <= 2010
        seen += [row["id"] for row in answer["rows"]]
        offset = answer.get("next_offset")
        pages += 1
    assert seen == list(range(1000))
    assert pages > 3


def test_one_row_comes_even_if_it_is_over_the_limit(root):
    (root / "wide.jsonl").write_text("".join(json.dumps({"text": "x" * 5000, "n": n}) + "\n" for n in range(3)))
    answer = json.loads(FileServer(root, max_bytes=1000).read_rows("wide.jsonl"))
    assert (len(answer["rows"]), answer["next_offset"]) == (1, 1)


def test_quotes_that_come_late_in_a_file_are_understood(served, root):
    rows_ = "".join(f"{n},plain\n" for n in range(30_000))
    (root / "late.csv").write_text(f'id,text\n{rows_}30000,"a, ""b"""\n')
    last = read(served, "late.csv", where=[{"column": "id", "op": "=", "value": 30000}])
    assert last == [{"id": 30000, "text": 'a, "b"'}]


def test_a_number_column_with_a_late_word_is_read_to_its_end(served, root):
    (root / "late.csv").write_text("id,n\n" + "".join(f"{n},{n}\n" for n in range(30_000)) + "30000,none\n")
    assert read(served, "late.csv", offset=29_999) == [{"id": 29999, "n": 29999}, {"id": 30000, "n": "none"}]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("bad.jsonl", b'{"a":1}\n{"a":\n', "Malformed JSON"),
        ("bad.json", b'[{"a":1},{"a"}]', "Malformed JSON"),
        ("cut.json", b' [{"a":1},\n', "ends in the middle"),
        ("bad.csv", b"a,b\n\xe9,1\n", "not utf-8"),
        ("bad.parquet", b"PAR1 nothing", "parquet"),
        ("empty.parquet", b"", "parquet"),
    ],
)
def test_a_broken_file_is_told_in_one_sentence(served, root, name, content, why):
    (root / name).write_bytes(content)
    with pytest.raises(ToolError) as caught:
        served.read_rows(name)
    said = str(caught.value)
    assert said.startswith(f"{name} cannot be read: ")
    assert why.lower() in said.lower()
    assert "\n" not in said
    assert len(said) < 400


def test_empty_files_have_no_rows(served, root):
    for name, content in (("e.csv", ""), ("h.csv", "a,b\n"), ("e.jsonl", ""), ("e.json", "[]")):
        (root / name).write_text(content)
        assert read(served, name) == []


@pytest.mark.parametrize(
    "name", ["b[1].csv", "a*.csv", "what?.csv", "it's.csv", '"q".csv', "\u00e9 \u4e2d.csv", "{a}.csv"]
)
def test_odd_names_name_one_file(served, root, name):
    (root / name).write_text("n\n1\n")
    (root / "b1.csv").write_text("n\n2\n")
    (root / "ab.csv").write_text("n\n2\n")
    assert read(served, name) == [{"n": 1}]


def test_a_question_that_takes_too_long_is_given_up(root):
    big = root / "big.csv"
    with big.open("w") as file:
        for start in range(0, 3_000_000, 100_000):
            file.write("".join(f"{n},{n},{n}\n" for n in range(start, start + 100_000)))
    served = FileServer(root, seconds=0.02)
    with pytest.raises(ToolError, match=r"took longer than 0\.02 seconds and was stopped"):
        served.read_rows("big.csv", where=[Condition(column="column0", op="contains", value="x")])


def test_memory_that_runs_out_is_told(root):
    (root / "big.jsonl").write_text(json.dumps({"a": "x" * 30_000_000}) + "\n")
    tables = FileTables(root, memory_mb=20)
    with pytest.raises(UnprettyError, match="needs more memory than is allowed"):
        tables.page(root / "big.jsonl", columns=None, where=[], offset=0, limit=5, max_bytes=10**9)


def test_nothing_in_the_directory_changes(served, root):
    def state():
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in root.rglob("*")}

    before = state()
    for name in ("orders.csv", "list.json", "t.parquet", "sub/deep/events.jsonl"):
        served.describe_file(name)
        served.read_rows(name)
    assert state() == before


def test_the_tools_are_read_only_and_have_no_structured_copy(served):
    import anyio
    from mcp import Client

    async def go():
        async with Client(served.server()) as client:
            tools = (await client.list_tools()).tools
            failed = await client.call_tool("read_rows", {"path": "../x.csv"})
            return tools, failed

    tools, failed = anyio.run(go)
    assert [tool.name for tool in tools] == ["list_files", "describe_file", "read_rows"]
    assert all(tool.annotations.read_only_hint and tool.output_schema is None for tool in tools)
    assert failed.is_error


NIGHTLY = bool(os.environ.get("UNPRETTY_NIGHTLY"))
SIZE_MB = 1000 if NIGHTLY else 400
MAX_RSS_MB = 700  # whatever the size: DuckDB may take 512 MB, and takes what it may

CHILD = """
import json, resource, sys
from pathlib import Path
from unpretty.servers.files.tables import FileTables
from unpretty.servers.files.row_filter import Condition
root = Path(sys.argv[1])
tables = FileTables(root, seconds=300)
seen = []
for name in ("big.csv", "big.parquet"):
    file = root / name
    rows = tables.count(file)
    for offset in (0, rows // 2, rows - 3):
        page = tables.page(file, columns=None, where=[], offset=offset, limit=100, max_bytes=40_000)
        seen.append([json.loads(page.rows[0])["id"], len(page.rows)])
    last = [Condition(column="id", op="=", value=rows - 1)]
    page = tables.page(file, columns=["id"], where=last, offset=0, limit=5, max_bytes=40_000)
    seen.append([json.loads(page.rows[0])["id"], len(page.rows)])
kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # on Linux at least that of the process that started us
if Path("/proc/self/status").exists():
    kilobytes = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
print(json.dumps({"rows": rows, "seen": seen, "mb": kilobytes / 1024}))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux tells it")
def test_large_files_are_paged_in_bounded_memory(tmp_path):
    """400 MB; 1 GB with UNPRETTY_NIGHTLY=1, CSV and Parquet."""
    row = f"'{'x' * 180}' || i AS text, i * 1.5 AS price, 'name ' || (i % 1000) AS name"
    count = SIZE_MB * 1_000_000 // 215
    source = f"(SELECT i AS id, {row} FROM range({count}) t(i))"
    duckdb.execute(f"COPY {source} TO '{tmp_path}/big.csv'")
    duckdb.execute(f"COPY {source} TO '{tmp_path}/big.parquet' (FORMAT parquet, COMPRESSION uncompressed)")
    assert (tmp_path / "big.csv").stat().st_size > SIZE_MB * 900_000
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", CHILD, str(tmp_path)], capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    expected = [[0, 100], [count // 2, 100], [count - 3, 3], [count - 1, 1]]
    assert found["seen"] == expected * 2
    assert found["mb"] < MAX_RSS_MB, (
        f"{found['mb']:.0f} MB for {SIZE_MB} MB files in {time.monotonic() - started:.0f} s"
    )
    for file in Path(tmp_path).glob("big.*"):
        file.unlink()
