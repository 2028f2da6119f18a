"""docs/formats.md: its examples run, and its tables say what the code says."""

import doctest
from pathlib import Path

from unpretty.convert.blocks import BLOCK_CHARS, BLOCK_ROWS
from unpretty.encodings import names
from unpretty.encodings.errors import REASONS
from unpretty.encodings.evidence import FINDINGS, MAX_ROWS
from unpretty.encodings.ldf_table import MAX_PATH
from unpretty.encodings.selection import CHARS_PER_SECOND, MIN_BYTES_SAVED
from unpretty.encodings.shapes import MIN_KEYS, MIN_ROWS, NULL_SHARE

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_examples_are_true():
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted >= 9
    assert not results.failed


def test_every_encoding_and_every_reason_is_described():
    assert all(f"| `{name}` |" in TEXT for name in names())
    assert [line for line in TEXT.splitlines() if line.startswith("| `") and line.count("|") == 3] == [
        f"| `{code}` | {sentence} |" for code, sentence in REASONS.items()
    ]


def test_the_numbers_are_those_of_the_code():
    assert f"at least **{MIN_ROWS} objects** that all share at least **{MIN_KEYS} keys**" in TEXT
    assert f"at least **{MIN_BYTES_SAVED:.0%}**".replace("%", " %") in TEXT
    assert f"reckoned with {CHARS_PER_SECOND:,} characters per second" in TEXT
    assert f"more than {BLOCK_ROWS:,}\nrecords (or {BLOCK_CHARS >> 20} million characters)" in TEXT
    assert f"Above {MAX_ROWS} rows no cell has enough questions" in TEXT
    assert f"path has at most {MAX_PATH} keys" in TEXT
    assert NULL_SHARE == 0.1
    assert "a tenth or more of the cells are null" in TEXT


def test_the_table_of_evidence_has_every_finding():
    rows = {line.split("|")[1].strip(): line.split("|")[2:] for line in TEXT.splitlines() if line.startswith("| ")}
    columns = {"opus-5.5": 0, "sonnet-5.5": 1, "deepseek": 2}
    names = {"null_heavy": "many nulls"}
    for finding in FINDINGS:
        cell = rows[names.get(finding.shape, finding.shape)][columns[finding.model]]
        assert f"{finding.points:g}" in cell
        assert ("**pass**" in cell) is finding.verdict.startswith("pass")
    passes = sum(cell.count("**pass**") for cells in rows.values() for cell in cells)
    assert passes == sum(finding.verdict.startswith("pass") for finding in FINDINGS)
