import json
import sys

import pytest

from unpretty_installer.core import receipt
from unpretty_installer.core.plan import FileChange


def without(data: bytes, added: tuple[str, ...]) -> bytes:
    """A fake editor: our entry is the word OURS, and ``added`` is recorded as a suffix."""
    return data.replace(b"OURS", b"") + ",".join(added).encode()


def kept(path, before, after, **more) -> receipt.Receipt:
    """Write the receipt for a change, as ``apply`` would, and read it back."""
    change = receipt.keep(FileChange(path, before, after, ""), "codex", without, **more)
    change.path.parent.mkdir(parents=True, exist_ok=True)
    assert change.after is not None
    change.path.write_bytes(change.after)
    found = receipt.find("codex", path)
    assert found is not None
    return found


def test_a_receipt_keeps_the_bytes_the_keys_the_directories_and_the_notes(tmp_path):
    path = tmp_path / "a" / "b" / "hooks.json"
    found = kept(path, None, b"\xff\x00new", added=("hooks",), notes={"trusted": True})
    assert found == receipt.Receipt(
        agent="codex",
        path=path,
        before=None,
        after_sha256=receipt.sha256(b"\xff\x00new"),
        added=("hooks",),
        created_dirs=(tmp_path / "a" / "b", tmp_path / "a"),
        notes={"trusted": True},
    )
    assert found.is_untouched(b"\xff\x00new")
    assert not found.is_untouched(b"other")
    assert not found.is_untouched(None)
    assert receipt.of_agent("codex") == [found]
    assert receipt.of_agent("claude-code") == []


def test_the_change_that_writes_a_receipt_is_ours_and_private(tmp_path):
    change = receipt.keep(FileChange(tmp_path / "x", b"", b"OURS", ""), "codex", without)
    assert (change.ours, change.mode, change.operation) == (True, 0o600, "create")


def test_a_second_change_of_an_untouched_file_keeps_the_bytes_from_before_the_first(tmp_path):
    path = tmp_path / "hooks.json"
    kept(path, b"original", b"original OURS", added=("hooks",), notes={"a": 1})
    found = kept(path, b"original OURS", b"original OURS2", added=("more",), notes={"b": 2})
    assert found.before == b"original"
    assert found.added == ("hooks", "more")
    assert found.notes == {"a": 1, "b": 2}
    assert found.is_untouched(b"original OURS2")


def test_a_second_change_of_a_touched_file_keeps_what_the_user_made_of_it_without_our_entry(tmp_path):
    path = tmp_path / "hooks.json"
    kept(path, b"original", b"original OURS", added=("hooks",))
    found = kept(path, b"edited OURS", b"edited OURS2")
    assert found.before == b"edited hooks"


def test_a_file_that_the_user_deleted_starts_afresh(tmp_path):
    path = tmp_path / "hooks.json"
    kept(path, b"original", b"original OURS", added=("hooks",))
    found = kept(path, None, b"OURS", added=("other",))
    assert (found.before, found.added) == (None, ("other",))


@pytest.mark.parametrize(
    ("before", "current", "result"),
    [
        (b"original", b"AFTER", b"original"),
        (None, b"AFTER", None),
        (b"original", b"edited OURS", b"edited hooks"),
        (None, b" {}OURS\n", b" {}\nhooks"),
    ],
)
def test_a_file_comes_back_as_it_was_or_else_loses_only_our_entry(tmp_path, before, current, result):
    found = receipt.Receipt("codex", tmp_path / "x", before, receipt.sha256(b"AFTER"), added=("hooks",))
    assert receipt.restored(found, current, without, blank=b"{}") == result


@pytest.mark.parametrize("before", [None, b"", b"\n"])
def test_a_file_that_was_missing_or_blank_and_is_empty_now_becomes_what_it_was(tmp_path, before):
    found = receipt.Receipt("codex", tmp_path / "x", before, receipt.sha256(b"AFTER"))
    assert receipt.restored(found, b"{}OURS\n", without, blank=b"{}") == before


def test_without_a_receipt_our_entry_is_taken_out_and_nothing_else():
    assert receipt.restored(None, b"edited OURS", without, blank=b"{}") == b"edited "
    assert receipt.restored(None, b"{}OURS", without, blank=b"{}") == b"{}"


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"null",
        {"before": 5},
        {"before": "***"},
        {"added": None},
        {"created_dirs": 7},
        {"notes": 7},
        {"path": 1},
    ],
)
def test_a_damaged_receipt_counts_as_none(tmp_path, damage):
    kept(tmp_path / "x", b"", b"OURS")
    (file,) = receipt.directory().glob("codex-*.json")
    if isinstance(damage, dict):
        damage = json.dumps({**json.loads(file.read_bytes()), **damage}).encode()
    file.write_bytes(damage)
    assert receipt.find("codex", tmp_path / "x") is None
    assert receipt.of_agent("codex") == []


@pytest.mark.skipif(sys.platform != "linux", reason="file names that are not UTF-8")
def test_a_path_that_is_not_utf8_has_a_receipt_too(tmp_path):
    path = tmp_path / "caf\udce9"
    assert kept(path, b"a", b"b").path == path


def test_dropping_a_receipt_deletes_its_file(tmp_path):
    found = kept(tmp_path / "x", b"", b"OURS")
    change = receipt.drop(found)
    assert (change.operation, change.empty_dirs) == ("delete", (receipt.directory(),))
