"""Reading SQLite files without locks: the same rows as SQLite, nothing written, damage survived.

tests/property/test_estimate.py compares many databases; here are the cases that those rarely contain.
"""

import shutil
import sqlite3
import struct
from pathlib import Path

import pytest

from unpretty.transcripts.sqlite_pages import DamagedDatabase, Pages, is_database
from unpretty.transcripts.sqlite_rows import Database, Row


def make(path: Path, *statements: str, wal: bool = False, size: int = 4096) -> sqlite3.Connection:
    """A database made by SQLite; to be closed."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(f"PRAGMA page_size = {size}")
    if wal:
        database.execute("PRAGMA journal_mode = wal")
        database.execute("PRAGMA wal_autocheckpoint = 0")
    for statement in statements:
        database.execute(statement)
    return database


def values(path: Path, table: str, *columns: str) -> list[tuple[object, ...]]:
    """All values of some columns."""
    with Database(path) as database:
        return [tuple(row.value(column) for column in columns) for row in database.rows(table)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.db"


TABLE = "CREATE TABLE t (a INTEGER, b TEXT, c)"


class TestRows:
    def test_every_kind_of_value(self, path: Path) -> None:
        numbers = [0, 1, -1, 127, -128, 2**15, -(2**23), 2**31, -(2**40), 2**62, 1.5, None, "", "text", b"", b"\0\xff"]
        database = make(path, TABLE)
        for number in numbers:
            database.execute("INSERT INTO t VALUES (5, 'x', ?)", (number,))
        database.close()
        assert values(path, "t", "c") == [(number,) for number in numbers]

    @pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
    def test_texts_in_every_encoding(self, encoding: str, path: Path) -> None:
        make(path, f"PRAGMA encoding = '{encoding}'", TABLE, "INSERT INTO t VALUES (1, 'Zoë ☃ 😀', 2)").close()
        assert values(path, "t", "b", "c") == [("Zoë ☃ 😀", 2)]

    def test_a_large_value_is_read_only_when_it_is_asked_for(self, path: Path) -> None:
        database = make(path, TABLE)
        database.execute("INSERT INTO t VALUES (1, ?, 2)", ("head" + "x" * 100_000,))
        database.close()
        read_bytes: list[int] = []
        with Database(path) as opened:
            [row] = opened.rows("t", read_bytes.append)
            assert (row.size("b"), row.head("b", 4), row.value("a")) == (100_004, b"head", 1)
            assert sum(read_bytes) == 4096
            assert row.text("b").endswith("xxx")
            assert sum(read_bytes) > 100_000
            assert row.value("c") == 2

    def test_a_column_that_was_added_later_is_none_in_older_rows(self, path: Path) -> None:
        make(path, TABLE, "INSERT INTO t VALUES (1, 'x', 2)", "ALTER TABLE t ADD COLUMN d TEXT DEFAULT 'new'").close()
        with Database(path) as database:
            [row] = database.rows("t")
            assert (row.value("d"), row.size("d"), row.head("d", 5), row.text("d")) == (None, 0, b"", "")
            assert (row.value("none"), row.text("a")) == (None, "")

    def test_columns_are_found_by_name_also_next_to_generated_ones(self, path: Path) -> None:
        sql = "CREATE TABLE t (`a b` TEXT, v AS (c + 1), w AS (c + 2) STORED, c INT, PRIMARY KEY (`a b`))"
        make(path, sql, "INSERT INTO t VALUES ('x', 5)").close()
        assert values(path, "t", "a b", "w", "c", "v") == [("x", 7, 5, None)]

    def test_a_row_with_more_columns_than_fit_on_a_page(self, path: Path) -> None:
        names = [f"c{number}" for number in range(600)]
        database = make(path, f"CREATE TABLE t ({', '.join(names)})", size=512)
        database.execute(f"INSERT INTO t VALUES ({', '.join('?' * 600)})", tuple(range(600)))
        database.close()
        assert values(path, "t", *names) == [tuple(range(600))]

    def test_row_numbers_of_any_size(self, path: Path) -> None:
        database = make(path, TABLE)
        numbers = [-(2**63), -1, 1, 2**14, 2**40, 2**63 - 1]
        for number in numbers:
            database.execute("INSERT INTO t (rowid, a) VALUES (?, ?)", (number, number))
        database.close()
        assert values(path, "t", "a") == [(number,) for number in numbers]

    def test_many_rows_come_in_order(self, path: Path) -> None:
        database = make(path, TABLE, "BEGIN", size=512)
        for number in range(5000):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number, "x" * (number % 97)))
        database.execute("COMMIT")
        database.close()
        assert values(path, "t", "a") == [(number,) for number in range(5000)]

    def test_a_table_that_is_not_there_has_no_rows(self, path: Path) -> None:
        make(path, TABLE, "CREATE VIEW v AS SELECT 1").close()
        assert values(path, "none") == values(path, "v") == []

    def test_rows_that_are_stored_in_another_way_are_not_guessed_at(self, path: Path) -> None:
        sql = "CREATE TABLE t (a TEXT PRIMARY KEY, b INT) WITHOUT ROWID"
        make(path, sql, "INSERT INTO t VALUES ('x', 1)").close()
        assert values(path, "t", "a") == []

    def test_a_table_that_this_sqlite_does_not_understand_is_left_alone(self, path: Path) -> None:
        database = make(path, TABLE, "INSERT INTO t VALUES (1, 'x', 2)", "PRAGMA writable_schema = on")
        database.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE t (a TEXT UNKNOWN (' WHERE name = 't'")
        database.close()
        assert values(path, "t", "a") == []


class TestWriteAheadLog:
    def test_what_is_only_in_the_log_is_read_and_nothing_is_written(self, path: Path) -> None:
        database = make(path, TABLE, wal=True)
        for number in range(300):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number, "x" * 500))
        before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in path.parent.iterdir()}
        assert len(before) == 3
        assert values(path, "t", "a") == [(number,) for number in range(300)]
        assert {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in path.parent.iterdir()} == before
        database.close()

    def test_pages_that_are_not_in_the_log_come_from_the_database(self, path: Path) -> None:
        database = make(path, TABLE, wal=True)
        for number in range(100):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number, "x" * 500))
        database.execute("PRAGMA wal_checkpoint(RESTART)")
        database.execute("INSERT INTO t VALUES (100, 'x', NULL)")
        assert values(path, "t", "a") == [(number,) for number in range(101)]
        database.close()

    def test_what_is_not_committed_is_not_read(self, path: Path) -> None:
        database = make(path, TABLE, "PRAGMA cache_size = 5", "PRAGMA cache_spill = 5", wal=True)
        database.execute("INSERT INTO t VALUES (1, 'x', NULL)")
        database.execute("BEGIN")
        for number in range(2000):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number + 10, "x" * 500))
        assert path.with_name("some.db-wal").stat().st_size > 500_000, "nothing was spilled"
        assert values(path, "t", "a") == [(1,)]
        database.execute("ROLLBACK")
        database.close()

    def test_frames_of_an_older_log_do_not_count(self, path: Path) -> None:
        database = make(path, TABLE, wal=True)
        for number in range(100):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number, "x" * 500))
        database.execute("PRAGMA wal_checkpoint(RESTART)")
        database.execute("DELETE FROM t WHERE a > 0")
        assert values(path, "t", "a") == [(0,)]
        database.close()

    def test_a_log_that_is_restarted_gives_way_to_the_database(self, path: Path) -> None:
        database = make(path, TABLE, wal=True)
        for number in range(100):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number, "x" * 500))
        with Database(path) as opened:
            database.execute("PRAGMA wal_checkpoint(RESTART)")
            database.execute("CREATE TABLE other (z)")
            assert [row.value("a") for row in opened.rows("t")] == list(range(100))
            assert opened.damaged == 0
        database.close()

    def test_a_log_that_is_none_is_passed_over(self, path: Path) -> None:
        make(path, TABLE, "INSERT INTO t VALUES (1, 'x', 2)").close()
        for text in (b"", b"x" * 10, b"x" * 100, struct.pack(">III20x", 0x377F0682, 3007000, 512)):
            path.with_name("some.db-wal").write_bytes(text)
            assert values(path, "t", "a") == [(1,)]


class TestDamage:
    @pytest.mark.parametrize(
        ("header", "why"),
        [
            (b"", "not a SQLite database"),
            (b"SQLite format 3\0", "not a SQLite database"),
            (b"SQLite format 3\0" + struct.pack(">H", 1000) + bytes(200), "header is damaged"),
            (b"SQLite format 3\0" + struct.pack(">H", 4096) + bytes(2) + b"\xff" * 200, "header is damaged"),
            (b"SQLite format 3\0" + struct.pack(">H", 512) + bytes(2) + b"\xff" + bytes(200), "header is damaged"),
        ],
    )
    def test_what_is_no_database_is_said_to_be_none(self, header: bytes, why: str, path: Path) -> None:
        path.write_bytes(header)
        with pytest.raises(DamagedDatabase, match=why):
            Database(path)

    def test_a_file_that_is_not_there_is_no_database(self, path: Path) -> None:
        assert not is_database(path)
        with pytest.raises(FileNotFoundError):
            Database(path)

    def test_a_page_that_is_overwritten_costs_its_own_rows(self, path: Path) -> None:
        database = make(path, TABLE)
        for number in range(200):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number, "x" * 500))
        database.close()
        data = bytearray(path.read_bytes())
        data[4096 * 5 : 4096 * 6] = b"\xee" * 4096
        path.write_bytes(data)
        with Database(path) as opened:
            left = [row.value("a") for row in opened.rows("t")]
            assert opened.damaged == 1
        assert 180 < len(left) < 200

    def test_a_tree_that_leads_in_a_circle_ends(self, path: Path) -> None:
        database = make(path, TABLE)
        for number in range(200):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number, "x" * 500))
        root = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 't'").fetchone()[0]
        database.close()
        data = bytearray(path.read_bytes())
        data[4096 * (root - 1) + 8 : 4096 * (root - 1) + 12] = struct.pack(">I", root)
        path.write_bytes(data)
        with Database(path) as opened:
            assert len(list(opened.rows("t"))) < 5000

    def test_a_row_that_says_it_is_longer_than_it_is(self, path: Path) -> None:
        make(path, TABLE, "INSERT INTO t VALUES (1, 'needle', 2)").close()
        data = path.read_bytes()
        place = data.index(b"needle")
        assert data[place - 3 : place] == bytes([6 * 2 + 13, 1, 1]) or data[place - 4] == 4
        kinds = data.rindex(bytes([6 * 2 + 13]), 0, place)
        path.write_bytes(data[:kinds] + bytes([0x7F]) + data[kinds + 1 :])
        with Database(path) as opened:
            assert list(opened.rows("t")) == []
            assert opened.damaged == 1

    def test_a_schema_that_is_damaged_leaves_no_tables(self, path: Path) -> None:
        make(path, TABLE, "INSERT INTO t VALUES (1, 'x', 2)").close()
        data = bytearray(path.read_bytes())
        data[100] = 0x99
        path.write_bytes(data)
        with Database(path) as opened:
            assert list(opened.rows("t")) == []
            assert opened.damaged == 1

    def test_a_page_that_is_not_there_costs_its_own_rows(self, path: Path) -> None:
        database = make(path, TABLE)
        for number in range(200):
            database.execute("INSERT INTO t VALUES (?, ?, NULL)", (number, "x" * 500))
        database.close()
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size - 4096)
        with Database(path) as opened:
            assert 180 < len(list(opened.rows("t"))) < 200
            assert opened.damaged == 1

    def test_a_schema_whose_pages_are_gone_is_said_so(self, path: Path) -> None:
        columns = ", ".join(f"a_very_long_name_of_column_{number}" for number in range(200))
        make(path, f"CREATE TABLE t ({columns})").close()
        with path.open("r+b") as file:
            file.truncate(4096)
        with Database(path) as opened, pytest.raises(DamagedDatabase):
            list(opened.rows("t"))

    def test_a_chain_of_pages_that_breaks_off_is_said_so(self, path: Path) -> None:
        database = make(path, TABLE)
        database.execute("INSERT INTO t VALUES (1, ?, 2)", ("x" * 50_000,))
        database.close()
        shutil.copyfile(path, path.with_name("cut.db"))
        with path.open("r+b") as file:
            file.truncate(4096 * 4)
        with Database(path) as opened:
            [row] = opened.rows("t")
            assert isinstance(row, Row)
            with pytest.raises(DamagedDatabase, match="points to page"):
                row.value("b")

    def test_a_page_that_is_cut_off_is_said_so(self, path: Path) -> None:
        make(path, TABLE).close()
        pages = Pages(path)
        with path.open("r+b") as file:
            file.truncate(5000)
        with pytest.raises(DamagedDatabase, match="cut off"):
            pages.read(2)
        pages.close()
