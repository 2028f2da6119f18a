"""Reading JSON, JSON Lines, CSV and TSV: exact values, streams, errors with their position."""

import io
import itertools

import pytest

from unpretty.convert.readers import format_of, read_csv, read_json_lines, read_text, record_reader
from unpretty.encodings import DecodeError
from unpretty.errors import UnprettyError


def texts(reader, data, *more):
    return [document.minified for document in reader(io.BytesIO(data), *more)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.json", "json"), ("a.JSONL", "jsonl"), ("a.ndjson", "jsonl"), ("x/a.csv", "csv"), ("a.b.tsv", "tsv"),
        ("a.parquet", "parquet"), ("-", "json"), ("data", "json"), ("a.txt", "json"),
    ],
)  # fmt: skip
def test_the_end_of_a_name_tells_the_format(name, expected):
    assert format_of(name) == expected


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert read_text(io.BytesIO(b"\xef\xbb\xbf[1]")) == "[1]"
    assert texts(read_json_lines, b'\xef\xbb\xbf{"a":1}\n') == ['{"a":1}']
    assert texts(read_csv, b"\xef\xbb\xbfa\n1\n") == ['{"a":1}']


def test_text_that_is_not_utf_8_is_an_error_with_its_place():
    with pytest.raises(DecodeError) as error:
        read_text(io.BytesIO('["é",\n "é\udcff"]'.encode("utf-8", "surrogateescape")))
    assert (error.value.line, error.value.column) == (2, 4)
    with pytest.raises(DecodeError) as error:
        texts(read_csv, b"a,b\n1,2\n3,\xff\n")
    assert (error.value.line, error.value.column) == (3, 3)


def test_json_lines_are_one_document_each_and_blank_lines_are_passed_over():
    data = b'{"a": 1.10}\n\n [1, 2]\r\n"x"\n{"a":1,"a":2}'
    assert texts(read_json_lines, data) == ['{"a":1.10}', "[1,2]", '"x"', '{"a":1,"a":2}']


def test_an_error_in_json_lines_names_line_and_column_of_the_file():
    with pytest.raises(DecodeError) as error:
        texts(read_json_lines, b'{"a":1}\n\n{"a":}\n')
    assert (error.value.line, error.value.column) == (3, 6)
    with pytest.raises(DecodeError, match=r"line 2, column 1: the document is nested too deeply"):
        texts(read_json_lines, b"1\n" + b"[" * 100_000 + b"]" * 100_000)


def test_csv_cells_are_numbers_when_json_spells_numbers_so_and_strings_else():
    data = b'id,price,code,note\n1,1.50,007,"a, ""b""\nc"\n-2,1e5,+1,\n'
    assert texts(read_csv, data) == [
        '{"id":1,"price":1.50,"code":"007","note":"a, \\"b\\"\\nc"}',
        '{"id":-2,"price":1e5,"code":"+1","note":""}',
    ]


def test_csv_may_have_blank_lines_and_line_ends_of_windows_and_no_rows():
    assert texts(read_csv, b"\r\na,b\r\n\r\n1,x\r\n") == ['{"a":1,"b":"x"}']
    assert texts(read_csv, b"a,b\n") == []
    assert texts(read_csv, b"") == []


def test_tsv_is_separated_by_tabs():
    assert texts(record_reader("tsv"), b"a\tb\n1,5\tx y\n") == ['{"a":"1,5","b":"x y"}']


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,b\n1,2\n3\n", r"^line 3: cell 2 \(b\) is missing\.$"),
        (b'a,b\n"x\ny",2\n1,2,3\n', r"^line 4: cell 3 has no name in the first row\.$"),
        (b"a,b,a\n", r"^line 1: cell 3 is a second column called 'a'\.$"),
        (b'a\n"x" y\n', r"^line 2: ',' expected after '\"'\.$"),
        (b'a,b\n1,"x\n\n', r"^line 2: unexpected end of data\.$"),
    ],
)
def test_rows_that_do_not_fit_are_errors_with_the_line_they_begin_on(data, message):
    with pytest.raises(DecodeError, match=message):
        texts(read_csv, data)


def test_streams_are_read_as_far_as_needed():
    """A reader that took the whole input would never return."""
    lines = io.BufferedReader(_Endless(b'{"a": 1}\n'), 64)
    assert len(list(itertools.islice(read_json_lines(lines), 5))) == 5
    rows = io.BufferedReader(_Endless(b"a\n"), 64)
    assert len(list(itertools.islice(read_csv(rows), 5))) == 5


class _Endless(io.RawIOBase):
    def __init__(self, line):
        self.line = line

    def readable(self):
        return True

    def readinto(self, buffer):
        count = len(buffer) // len(self.line) * len(self.line)
        buffer[:count] = self.line * (count // len(self.line))
        return count


def test_json_is_no_format_of_records():
    with pytest.raises(UnprettyError) as error:
        record_reader("json")
    assert error.value.code == "unknown_format"
