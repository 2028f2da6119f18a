"""config.toml: every error is named, and a change leaves everything else as it was."""

from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty.settings import config_file
from unpretty.settings.config_file import read_config, set_config
from unpretty.settings.defaults import SETTINGS, Settings

DOCUMENT = """\
# my settings
min_bytes = 100   # small
exclude_tools = [
    "mcp__billing__*",  # secret
]

[[encodings_for]]
agent = "codex"
tool = "mcp__db__*"
encodings = ["toon", "json"]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_a_file_gives_the_settings_that_it_holds(config: Path) -> None:
    config.write_text(DOCUMENT, "utf-8")
    assert read_config(config) == {
        "min_bytes": 100,
        "exclude_tools": ["mcp__billing__*"],
        "encodings_for": [{"agent": "codex", "tool": "mcp__db__*", "encodings": ["toon", "json"]}],
    }


def test_a_byte_order_mark_is_no_fault(config: Path) -> None:
    config.write_text("\ufeffenabled = false\r\n", "utf-8")
    assert read_config(config) == {"enabled": False}


def test_a_whole_number_will_do_for_a_share(config: Path) -> None:
    config.write_text("min_gain_percent = 3\n", "utf-8")
    assert read_config(config) == {"min_gain_percent": 3.0}


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("min_bytes = \n", "config_malformed", "line 1"),
        ("a = 1\na = 2\n", "config_malformed", "line 2"),
        ("min_byts = 1\n", "config_unknown", "min_byts"),
        ("zzz = 1\n", "config_unknown", "zzz"),
        ('min_bytes = "1"\n', "config_invalid", "a whole number"),
        ("min_bytes = true\n", "config_invalid", "a whole number"),
        ("min_bytes = -1\n", "config_invalid", "a number from 0"),
        ("enabled = 1\n", "config_invalid", "true or false"),
        ('min_gain_percent = "2"\n', "config_invalid", "a number"),
        ("min_gain_percent = 101.0\n", "config_invalid", "to 100"),
        ("model = 1\n", "config_invalid", "a text"),
        ('exclude_tools = "x"\n', "config_invalid", "a list of texts"),
        ("exclude_tools = [1]\n", "config_invalid", "a list of texts"),
        ('count_tokens = "never"\n', "config_invalid", "'exact' or 'estimate'"),
        ('encodings = ["yaml"]\n', "config_invalid", "a list of json"),
        ("encodings = []\n", "config_invalid", "a list of json"),
        ("encodings_for = 1\n", "config_invalid", "tables"),
        ('[[encodings_for]]\nencodings = ["json"]\n', "config_invalid", "tables"),
        ('[[encodings_for]]\ntool = "x"\nencodings = ["json"]\nmore = 1\n', "config_invalid", "tables"),
        ('[[encodings_for]]\ntool = "x"\nencodings = "json"\n', "config_invalid", "a list of json"),
        ('[[encodings_for]]\nagent = "x"\nencodings = ["json"]\n', "config_invalid", "claude-code"),
        ('[[encodings_for]]\ntool = 1\nencodings = ["json"]\n', "config_invalid", "a pattern"),
    ],
)
@pytest.mark.parametrize("library", [True, False], ids=["tomllib", "tomlkit"])
def test_a_fault_is_named_with_its_place(
    config: Path, text: str, code: str, words: str, library: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not library:  # as on Python 3.10
        monkeypatch.setitem(__import__("sys").modules, "tomllib", None)
    config.write_text(text, "utf-8")
    with pytest.raises(UnprettyError) as caught:
        read_config(config)
    assert caught.value.code == code
    assert words in str(caught.value) or (code == "config_malformed" and not library)
    assert str(config) in str(caught.value)


def test_a_misspelled_name_is_answered_with_the_right_one(config: Path) -> None:
    config.write_text("min_byts = 1\n", "utf-8")
    with pytest.raises(UnprettyError) as caught:
        read_config(config)
    assert caught.value.hint == "Did you mean min_bytes?"


def test_other_bytes_and_unreadable_files_are_named(config: Path) -> None:
    config.write_bytes(b"model = '\xff'")
    with pytest.raises(UnprettyError, match="not valid TOML"):
        read_config(config)
    with pytest.raises(UnprettyError, match="Cannot read"):
        read_config(config.parent)


def test_setting_one_value_keeps_comments_and_order(config: Path) -> None:
    config.write_text(DOCUMENT, "utf-8")
    config.chmod(0o640)
    assert set_config(config, "min_bytes", "200") == 200
    assert config.read_text("utf-8") == DOCUMENT.replace("min_bytes = 100 ", "min_bytes = 200 ")
    assert config.stat().st_mode & 0o777 == 0o640


def test_a_new_value_goes_before_the_tables(config: Path) -> None:
    """After a table header it would belong to that table."""
    config.write_text(DOCUMENT, "utf-8")
    set_config(config, "enabled", "false")
    assert read_config(config) == {
        "min_bytes": 100,
        "exclude_tools": ["mcp__billing__*"],
        "enabled": False,
        "encodings_for": [{"agent": "codex", "tool": "mcp__db__*", "encodings": ["toon", "json"]}],
    }
    assert "# my settings" in config.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("enabled", "FALSE", False),
        ("min_gain_percent", "1.5", 1.5),
        ("exclude_tools", "a, b,", ["a", "b"]),
        ("exclude_tools", "", []),
        ("encodings", "toon,json", ["toon", "json"]),
        ("model", "claude-opus-5-5", "claude-opus-5-5"),
    ],
)
def test_values_are_typed_as_on_a_command_line(config: Path, name: str, text: str, value: object) -> None:
    config = config.parent / "new" / "config.toml"
    assert set_config(config, name, text) == value
    assert read_config(config) == {name: value}
    assert config.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "text"),
    [("enabled", "maybe"), ("min_bytes", "many"), ("min_bytes", "-5"), ("nope", "1"), ("encodings_for", "x")],
)
def test_a_wrong_value_changes_nothing(config: Path, name: str, text: str) -> None:
    config.write_text(DOCUMENT, "utf-8")
    with pytest.raises(UnprettyError):
        set_config(config, name, text)
    assert config.read_text("utf-8") == DOCUMENT


def test_a_broken_file_is_not_written_over(config: Path) -> None:
    for text in ("min_bytes = \n", "min_byts = 1\n"):
        config.write_text(text, "utf-8")
        with pytest.raises(UnprettyError):
            set_config(config, "enabled", "false")
        assert config.read_text("utf-8") == text


def test_a_link_stays_a_link(config: Path) -> None:
    real = config.parent / "dotfiles.toml"
    real.write_text("min_bytes = 1\n", "utf-8")
    config.symlink_to(real)
    set_config(config, "min_bytes", "2")
    assert config.is_symlink()
    assert real.read_text("utf-8") == "min_bytes = 2\n"


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnprettyError, match="Cannot write"):
        set_config(tmp_path / "file" / "config.toml", "enabled", "true")


def test_every_setting_has_a_type_and_a_sentence() -> None:
    assert set(SETTINGS) == set(Settings.__annotations__)
    for name, (default, text) in SETTINGS.items():
        assert type(default) in (bool, int, float, str, list), name
        assert text.endswith((".", ").")), name
        assert config_file._checked(name, default, Path("config.toml")) == default, name
