"""``unpretty config``: what it prints, and that it takes effect."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from unpretty import locations
from unpretty.cli.config import command
from unpretty.settings.resolved import load


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_the_path_is_printed_whether_the_file_exists_or_not() -> None:
    assert run("path").output == f"{locations.config_file()}\n"
    assert not locations.config_file().exists()


def test_setting_a_value_reaches_the_hook_and_is_marked(absent: str) -> None:
    done = run("set", "min_bytes", "100")
    assert done.output.startswith("min_bytes = 100 (")
    settings = load(str(locations.resolved_settings_file()), absent)
    assert settings.min_bytes == 512  # another config.toml: the copy is not used
    assert load(str(locations.resolved_settings_file()), str(locations.config_file())).min_bytes == 100
    shown = run("show").output
    assert "* min_bytes = 100\n" in shown
    assert "Default: 512." in shown
    assert "  enabled = true\n" in shown


def test_without_a_file_the_defaults_are_shown_and_nothing_is_written() -> None:
    assert "(not there: defaults)" in run("show").output
    assert not Path(locations.config_dir()).exists()


def test_json_has_a_schema_and_every_setting() -> None:
    run("set", "exclude_tools", "a,b")
    document = json.loads(run("show", "--json").output)
    assert (document["schema"], document["exists"], document["path"]) == (1, True, str(locations.config_file()))
    assert document["settings"]["exclude_tools"] == {
        "value": ["a", "b"],
        "default": [],
        "changed": True,
        "explanation": document["settings"]["exclude_tools"]["explanation"],
    }
