"""CSV and TSV files: every record is read, or the line is named at which the file does not match its first line."""

import csv
import io
import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.server.mcpserver.exceptions import ToolError

from unpretty.servers.files.csv_lines import Dialect, count_records, quick_count
from unpretty.servers.files.server import FileServer

ROWS = "1,2,3\n" * 20
TABLE = "a,b,c\n" + ROWS
FOREVER = float("inf")


@pytest.fixture
def served(tmp_path):
    return FileServer(tmp_path, encoding="json")


def told(served, tmp_path, content, name="x.csv"):
    """What every tool that reads says about a file that cannot be read."""
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    said = set()
    for tool in (served.read_rows, served.describe_file):
        with pytest.raises(ToolError) as caught:
            tool(name)
        said.add(str(caught.value))
    assert len(said) == 1
    return said.pop().removeprefix(f"{name} cannot be read: ")


def rows(served, tmp_path, content, name="x.csv"):
    """All rows, counted by describe_file too."""
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    found = json.loads(served.read_rows(name, limit=10_000))["rows"]
    assert json.loads(served.describe_file(name))["row_count"] == len(found)
    return found


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (TABLE + "7,8,9,10\n", "line 22 has 4 fields where the first line has 3."),
        (TABLE + "7,8\n", "line 22 has 2 fields where the first line has 3."),
        (TABLE + "7,8,9,10\n" + ROWS, "line 22 has 4 fields where the first line has 3."),
        ("a,b\n" + "1,x\n" * 50 + "1,x, y\n" + "1,x\n" * 49, "line 52 has 3 fields where the first line has 2."),
        ("a,b\n" + "1,2\n" * 30_000 + "1,2,3\n", "line 30002 has 3 fields where the first line has 2."),
        ("a,b\n1,2,3\n4,5,6\n", "line 2 has 3 fields where the first line has 2."),
        ("a,b,c,d\n1,2,3\n4,5,6\n", "line 2 has 3 fields where the first line has 4."),
        ("text\nhello, world\nx\nbye, world\n", "line 2 has 2 fields where the first line has 1."),
        ("a\n" + "1\n" * 30_000 + "1,2\n", "line 30002 has 2 fields where the first line has 1."),
        ("a,b\n1,2\n3,4,\n5,6,,\n", "line 3 has 3 fields where the first line has 2."),
        ("a,b\n1,'tis\n2,x,y'\n", "line 3 has 3 fields where the first line has 2."),
        ("a\n1,2\n3,4\n", "line 2 has 2 fields where the first line has 1."),
        ("a;b\n1;2\n3;4;5\n", "line 3 has 3 fields where the first line has 2."),
        ("a|b\n1|2\n3\n", "line 3 has 1 field where the first line has 2."),
        ("a\tb\n1\t2\n3\t4\t5\n", "line 3 has 3 fields where the first line has 2."),
        (TABLE.replace("\n", "\r\n") + "7,8\r\n", "line 22 has 2 fields where the first line has 3."),
        (b"\xef\xbb\xbf" + TABLE.encode() + b"7,8\n", "line 22 has 2 fields where the first line has 3."),
        ("\n\n" + TABLE + "\n7,8\n", "line 25 has 2 fields where the first line has 3."),
        ('a,b\n"x\n\ny",2\n1\n', "line 5 has 1 field where the first line has 2."),
        ("a,b\n1,2\n   \n3,4\n", "line 3 has 1 field where the first line has 2."),
        ("# made by x\n" + TABLE, "line 2 has 3 fields where the first line has 1."),
        (TABLE + "# half\n" + ROWS, "line 22 has 1 field where the first line has 3."),
        ("Report of 2020\n\n" + TABLE, "line 3 has 3 fields where the first line has 1."),
        ("a,b\r\n1,2\n3,4\r\n", r"line 2 ends with '\n' where the lines before end with '\r\n'."),
        ("a,b\n1,x\ry\n3,4\n", r"line 2 ends with '\r' where the lines before end with '\n'."),
    ],
)  # fmt: skip
def test_a_file_that_is_not_what_its_first_line_says_is_told_with_the_line(served, tmp_path, content, why):
    assert told(served, tmp_path, content).startswith(why)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('a,b\n1,"x\n2,y\n3,z\n', 2),
        ("a,b\n" + "1,2\n" * 30_000 + '1,"x\n2,y\n3,z\n', 30_002),
        ('a,b\n1,2\n3,"x"y\n', 3),
        ('a,b\n1,5" x\n2,"y\n', 3),
        ('"a,b\n1,2\n', 1),
    ],
)
def test_a_quote_that_is_not_closed_is_told_with_its_line(served, tmp_path, content, line):
    said = told(served, tmp_path, content)
    assert said.startswith(f"a quote in the record that begins in line {line} is not closed, or more text follows it.")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a,b\n\xe9,1\n", "line 2 is not UTF-8 text."),
        (b"a,b\n" + b"1,2\n" * 30_000 + b"\xe9,2\n", "line 30002 is not UTF-8 text."),
        ("a,b\n1,2\n".encode("utf-16"), "line 1 is not UTF-8 text."),
        ("a,b\n1,2\n".encode("utf-16-le"), "line 1 has NUL characters."),
        (b"a,b\n1," + b"x" * 2_000_100 + b"\n", "line 2 has more than 2,000,000 characters."),
    ],
)
def test_what_is_no_utf_8_text_or_has_lines_without_end_is_told_with_the_line(served, tmp_path, content, why):
    said = told(served, tmp_path, content)
    assert said.startswith(why)
    assert len(said) < 300


def test_a_tsv_file_has_tabs_whatever_else_its_lines_have(served, tmp_path):
    assert rows(served, tmp_path, "a,b\n1,2\n3\n", "x.tsv") == [{"a,b": "1,2"}, {"a,b": "3"}]
    assert told(served, tmp_path, "a\tb\n1\t2\n3\n", "x.tsv").startswith(
        "line 3 has 1 field where the first line has 2"
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("a,b\n1,2\n\n\n3,4\n\n", [{"a": 1, "b": 2}, {"a": 3, "b": 4}]),
        ("\n\na,b\n1,2\n", [{"a": 1, "b": 2}]),
        ("a\n1\n\n3\n", [{"a": 1}, {"a": None}, {"a": 3}]),
        ("a,b\n1,2", [{"a": 1, "b": 2}]),
        ("a,b\r1,2\r3,4\r", [{"a": 1, "b": 2}, {"a": 3, "b": 4}]),
        ('a,b\r\n"x\ny",2\r\n3,4\r\n', [{"a": "x\ny", "b": 2}, {"a": "3", "b": 4}]),
        (b"\xef\xbb\xbfa;b\n1;2\n", [{"a": 1, "b": 2}]),
        (b"\xef\xbb\xbf1,2\n3,4\n", [{"column0": 1, "column1": 2}, {"column0": 3, "column1": 4}]),
        ("1,2\n3,4\n", [{"column0": 1, "column1": 2}, {"column0": 3, "column1": 4}]),
        ("a b;c d\n;||\n", [{"a b": None, "c d": "||"}]),
        ("a|b\nx|y\n", [{"a": "x", "b": "y"}]),
        ('text\n"hello, world"\n', [{"text": "hello, world"}]),
        ("a,b,c\n", []),
        ("", []),
        ("\n\n\n", []),
        ("a,a,a_1,,A\n1,2,3,4,5\n", [{"a": 1, "a_2": 2, "a_1": 3, "column3": 4, "A": 5}]),
        ("a, b\n1, 2\n", [{"a": 1, "b": " 2"}]),
        ('"a\nb",c\n1,2\n', [{"a\nb": 1, "c": 2}]),
        ("a,b\nx,y\0z\n", [{"a": "x", "b": "y\0z"}]),
        ("a,b\n1,'tis\n2,x'\n", [{"a": 1, "b": "'tis"}, {"a": 2, "b": "x'"}]),
        ("a,b\n1,'x,y'\n\n2,'z'\n", [{"a": 1, "b": "x,y"}, {"a": 2, "b": "z"}]),
        ('a,b\n1,5" wide\n\n2,3\n', [{"a": 1, "b": '5" wide'}, {"a": 2, "b": "3"}]),
        ('a,b\n1,"x\\"y"\n\n2,z\n', [{"a": 1, "b": 'x"y'}, {"a": 2, "b": "z"}]),
        ('a,b\n1,"C:\\dir\\"\n2,"\\\r"\n', [{"a": 1, "b": "C:\\dir\\"}, {"a": 2, "b": "\\\r"}]),
        ("Report,,\na,b,c\nx,y,z\n", [
            {"Report": "a", "column1": "b", "column2": "c"}, {"Report": "x", "column1": "y", "column2": "z"},
        ]),
    ],
)  # fmt: skip
def test_every_record_of_a_file_comes(served, tmp_path, content, found):
    assert rows(served, tmp_path, content) == found


@pytest.mark.slow
def test_a_ragged_row_behind_many_quoted_line_ends_is_told(tmp_path):
    """DuckDB 2.0.1, with several threads and all its strictness, left the last record of this file out."""
    with (tmp_path / "big.csv").open("w") as file:
        file.write("a,b\n")
        for _ in range(30):
            file.write('"xxxxxxxxx\nyyyyyyyyyyyyy,zz\n",2\n' * 100_000)
        file.write("1,2,3\n")
    with pytest.raises(ToolError, match="line 9000002 has 3 fields where the first line has 2"):
        FileServer(tmp_path, seconds=300).describe_file("big.csv")


def test_a_file_is_checked_again_when_it_has_changed(served, tmp_path):
    assert len(rows(served, tmp_path, TABLE)) == 20
    assert told(served, tmp_path, TABLE + "7,8\n").startswith("line 22")
    assert len(rows(served, tmp_path, TABLE + "7,8,9\n")) == 21


def test_a_file_is_checked_once_as_long_as_it_is_the_same(served, tmp_path, monkeypatch):
    assert len(rows(served, tmp_path, TABLE)) == 20
    checks = []
    monkeypatch.setattr("unpretty.servers.files.tables.checked_count", lambda *parts: checks.append(parts) or 0)
    assert json.loads(served.read_rows("x.csv", limit=1))["next_offset"] == 1
    assert not checks
    os.utime(tmp_path / "x.csv", (1, 1))
    served.read_rows("x.csv")
    assert len(checks) == 1


@pytest.mark.parametrize("content", ["a,b\n" + "1,2\n" * 400_000, "a,b\n" + "1,2\n\n" * 200_000])
def test_the_check_stops_when_its_time_is_up(tmp_path, content):
    """Both ways of counting lines."""
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(TimeoutError):
        quick_count(path, Dialect(","), 2, 0.0)
    with pytest.raises(TimeoutError):
        count_records(path, Dialect(","), 2, 0.0)


CELLS = st.text(st.sampled_from("ab1 ,;|\t\"\n\r'\\#\u00e9"), max_size=6)
TABLES = st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=8))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=TABLES,
    delimiter=st.sampled_from(",;|\t"),
    ending=st.sampled_from(["\n", "\r\n"]),
    quoted=st.booleans(),
)
def test_a_table_comes_back_cell_by_cell(served, tmp_path, cells, delimiter, ending, quoted):
    """An empty cell is null."""
    names = [f"name {n}" for n in range(len(cells[0]) if cells else 2)]
    text = io.StringIO(newline="")
    # Left to itself, the writer puts a lone carriage return between no quotes.
    quoting = csv.QUOTE_ALL if quoted or any("\r" in cell for row in cells for cell in row) else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=delimiter, lineterminator=ending, quoting=quoting).writerows([names, *cells])
    found = rows(served, tmp_path, text.getvalue())
    assert [[None if cell is None else str(cell) for cell in row.values()] for row in found] == [
        [cell or None for cell in row] for row in cells
    ]
    if found:
        assert list(found[0]) == names


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(widths=st.lists(st.integers(2, 4), min_size=2, max_size=8), delimiter=st.sampled_from(",;|\t"))
def test_ragged_tables_are_told_and_even_ones_come(served, tmp_path, widths, delimiter):
    text = "".join(delimiter.join(f"w{n}" for n in range(width)) + "\n" for width in widths)
    odd = next((number for number, width in enumerate(widths, 1) if width != widths[0]), None)
    if odd is None:
        assert len(rows(served, tmp_path, text)) in (len(widths), len(widths) - 1)
    else:
        why = f"line {odd} has {widths[odd - 1]} fields where the first line has {widths[0]}."
        assert told(served, tmp_path, text).startswith(why)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.text(st.sampled_from('a,"\n'), max_size=20))
def test_both_ways_of_counting_agree_where_the_quick_one_is_sure(tmp_path, body):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + body)
    quick = quick_count(path, Dialect(","), 2, FOREVER)
    try:
        records = list(csv.reader(io.StringIO("a,b\n" + body, newline=""), strict=True))
    except csv.Error:
        return
    # Blank lines, which the quick way counts, make one field less than others.
    if [] not in records and sum(map(len, records)) == 2 * len(records):
        assert quick in (-1, len(records))
    else:
        assert quick == -1 or [] in records
