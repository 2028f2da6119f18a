"""The resolved copy: what the hook reads instead of TOML, and when it is written again."""

import json
import os
import sys
from pathlib import Path

import pytest

from unpretty.settings import resolved
from unpretty.settings.defaults import SETTINGS


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "data" / "settings.json", tmp_path / "config.toml"


def load(paths: tuple[Path, Path]) -> resolved.Settings:
    return resolved.load(str(paths[0]), str(paths[1]))


def values(settings: resolved.Settings) -> dict[str, object]:
    return {name: getattr(settings, name) for name in SETTINGS}


def test_without_any_file_the_defaults_hold_and_nothing_is_written(paths: tuple[Path, Path]) -> None:
    assert values(load(paths)) == values(resolved.Settings())
    assert not paths[0].parent.exists()


def test_the_copy_gives_the_same_settings_in_the_same_types(paths: tuple[Path, Path]) -> None:
    paths[1].write_text(
        'min_bytes = 7\nmin_gain_percent = 0.5\nmodel = "é"\nexclude_tools = ["a"]\n'
        '[[encodings_for]]\ntool = "mcp__*"\nencodings = ["toon"]\n',
        "utf-8",
    )
    first = load(paths)
    assert json.loads(paths[0].read_text())["settings"]["min_bytes"] == 7
    assert paths[0].stat().st_mode & 0o777 == 0o600
    second = load(paths)
    assert values(first) == values(second)
    assert (second.min_bytes, second.min_gain_percent, second.model, second.exclude_tools) == (7, 0.5, "é", ("a",))
    assert second.encodings_for == ({"tool": "mcp__*", "encodings": ["toon"]},)


def test_an_unchanged_file_is_not_parsed_again(paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    paths[1].write_text("min_bytes = 7\n", "utf-8")
    load(paths)
    monkeypatch.setattr(resolved, "_parse", lambda _: pytest.fail("parsed again"))
    assert load(paths).min_bytes == 7


def test_who_reads_the_copy_while_it_is_written_again_sees_the_old_one(paths: tuple[Path, Path]) -> None:
    paths[1].write_text("min_bytes = 7\n", "utf-8")
    load(paths)
    with paths[0].open("rb") as reader:
        paths[1].write_text("min_bytes = 1000\n", "utf-8")
        assert load(paths).min_bytes == 1000
        assert json.loads(reader.read())["settings"]["min_bytes"] == 7
    assert [path.name for path in paths[0].parent.iterdir()] == [paths[0].name]


def test_a_change_is_noticed_also_when_the_file_goes(paths: tuple[Path, Path]) -> None:
    paths[1].write_text("min_bytes = 7\n", "utf-8")
    load(paths)
    paths[1].write_text("min_bytes = 8\n", "utf-8")
    os.utime(paths[1], ns=(1, 1))
    assert load(paths).min_bytes == 8
    paths[1].unlink()
    assert load(paths).min_bytes == 512


def test_a_file_that_cannot_be_read_switches_off_until_it_is_mended(paths: tuple[Path, Path]) -> None:
    """Then the user's settings are not known."""
    paths[1].write_text("min_bytes = \n", "utf-8")
    assert load(paths).enabled is False
    assert "not valid TOML" in json.loads(paths[0].read_text())["fault"]
    assert load(paths).enabled is False
    paths[1].write_text("min_bytes = 9\n", "utf-8")
    assert (load(paths).enabled, load(paths).min_bytes) == (True, 9)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"{}", b"\xff", b'{"settings": 1}', b'{"settings": {}}', b'{"settings": {}, "source": 1}',
        b'{"settings": {"min_bytes": 1.5}, "source": [0, 0]}', b'{"settings": {}, "source": ["x", 0]}',
    ],
)  # fmt: skip
def test_a_broken_copy_is_written_again(paths: tuple[Path, Path], content: bytes) -> None:
    paths[1].write_text("min_bytes = 7\n", "utf-8")
    paths[0].parent.mkdir()
    paths[0].write_bytes(content)
    assert load(paths).min_bytes == 7
    assert json.loads(paths[0].read_text())["settings"]["min_bytes"] == 7


def test_a_copy_that_cannot_be_written_costs_a_parse_and_nothing_else(paths: tuple[Path, Path]) -> None:
    paths[1].write_text("min_bytes = 7\n", "utf-8")
    paths[0].mkdir(parents=True)
    assert load(paths).min_bytes == 7
    paths[0].parent.joinpath("x").touch()
    assert resolved.refresh(str(paths[1]), str(paths[0].parent / "x" / "settings.json"))[0].min_bytes == 7
    assert not list(paths[0].parent.glob("*.tmp"))


def test_an_interpreter_without_a_toml_parser_asks_another(
    paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, absent: str
) -> None:
    """Python 3.10 under -S sees neither tomllib nor tomlkit."""

    def no_parser(_: str) -> dict[str, object]:
        raise ImportError("No module named 'tomlkit'")

    monkeypatch.setattr(resolved, "_parse", no_parser)
    paths[1].write_text("min_bytes = 7\n", "utf-8")
    assert load(paths).min_bytes == 7
    paths[1].write_text("min_bytes = 8\n", "utf-8")
    monkeypatch.setattr(sys, "executable", absent)
    assert load(paths).enabled is False
