"""OpenCode's MCP servers: which of the files that it merges counts, and how they are restored."""

import json
from pathlib import Path

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer import opencode
from unpretty_installer.core import apply as transaction
from unpretty_installer.core.plan import Options, Plan
from unpretty_installer.opencode import servers as wrap_opencode
from unpretty_installer.wrap import wrapped

CONFIG = """\
{ // mine
  "mcp": {
    "db": {
      "type": "local",
      "command": [
        "npx", // the program
        "-y",
      ],
      "environment": { "KEY": "{env:KEY}" },
    },
    "self": {"type": "local", "command": ["opencode", "serve"]},
    "web": {"type": "remote", "url": "https://example.com"},
    "off": {"enabled": false},
    "odd": {"command": "x"},
    "worse": 5,
  },
}
"""


@pytest.fixture
def directory(home: Path) -> Path:
    path = home / ".config" / "opencode"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def config(directory: Path) -> Path:
    path = directory / "opencode.jsonc"
    path.write_text(CONFIG)
    return path


def write(path: Path, command: str, name: str = "db") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"mcp": {name: {"type": "local", "command": [command]}}}))
    return path


def plan(*names: str, project: Path | None = None) -> Plan:
    return opencode.installer.plan_install(Options(project=project, wrap_mcp=names))


def install(*names: str) -> Plan:
    made = plan(*names)
    transaction.apply(made)
    return made


def uninstall() -> None:
    transaction.apply(opencode.installer.plan_uninstall(Options()))


def servers(here: Path | None = None) -> dict[tuple[str, str], tuple[str, Path]]:
    found = wrap_opencode.servers.servers(here or Path.cwd())
    return {(server.scope, server.name): (server.state, server.path) for server in found}


def test_wrapping_and_back_byte_for_byte(config: Path) -> None:
    made = install("all")
    assert {name: state for (_, name), (state, _) in servers().items()} == {
        "db": "wrapped", "self": "not_wrapped", "web": "remote",
    }  # fmt: skip
    front = ",\n        ".join(json.dumps(word) for word in wrapped.front("db"))
    assert config.read_text() == CONFIG.replace('"npx", // the', f'{front},\n        "npx", // the')
    assert "hook_covers" in [note.code for note in made.notices]
    assert ["its own program itself" in note.message for note in made.warnings if note.code == "not_wrapped"] == [
        True,
        False,
    ]
    assert plan("all").is_empty
    uninstall()
    assert config.read_text() == CONFIG


def test_only_the_file_that_counts_is_changed(directory: Path, home: Path, tmp_path: Path, monkeypatch) -> None:
    """The order was measured with the real client (``opencode debug config``)."""
    monkeypatch.setenv("OPENCODE_CONFIG", str(tmp_path / "custom.json"))
    monkeypatch.setenv("OPENCODE_CONFIG_DIR", str(tmp_path / "named"))
    places = [
        directory / "config.json",
        directory / "opencode.json",
        directory / "opencode.jsonc",
        tmp_path / "custom.json",
        home / ".opencode" / "opencode.json",
        home / ".opencode" / "opencode.jsonc",
        tmp_path / "named" / "opencode.json",
        tmp_path / "named" / "opencode.jsonc",
    ]
    for number, path in enumerate(places):
        write(path, f"command{number}")
        assert servers() == {("user", "db"): ("not_wrapped", path)}
    before = {path: path.read_text() for path in places}
    install("db")
    assert [path for path in places if path.read_text() != before[path]] == [places[-1]]
    uninstall()
    assert {path: path.read_text() for path in places} == before


def test_a_file_that_only_adds_to_a_server_does_not_count(config: Path, directory: Path) -> None:
    (directory / "opencode.json").write_text(json.dumps({"mcp": {"db": {"enabled": False, "timeout": 5}}}))
    assert servers()["user", "db"] == ("not_wrapped", config)


def test_files_of_a_project_are_listed_up_to_the_top_of_its_repository_and_not_touched(config: Path) -> None:
    top = Path.cwd()
    (top / ".git").mkdir()
    write(top.parent / "opencode.json", "outside")
    shared = [
        write(top / "opencode.json", "a"),
        write(top / "deep" / "opencode.jsonc", "b"),
        write(top / "deep" / ".opencode" / "opencode.json", "c", "own"),
    ]
    found = servers(top / "deep")
    assert found["project", "db"] == ("not_wrapped", shared[1])
    assert found["project", "own"] == ("not_wrapped", shared[2])
    assert found["user", "db"] == ("not_wrapped", config)
    before = [path.read_text() for path in shared]
    made = plan("all", project=top / "deep")
    assert [note.code for note in made.warnings if note.code == "not_wrapped"] == ["not_wrapped"] * 2
    install("all")
    assert [path.read_text() for path in shared] == before


def test_a_directory_that_was_named_before_is_found_again_by_its_receipt(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("OPENCODE_CONFIG_DIR", str(tmp_path / "named"))
    path = write(tmp_path / "named" / "opencode.json", "x")
    before = path.read_text()
    install("all")
    assert path.read_text() != before
    monkeypatch.delenv("OPENCODE_CONFIG_DIR")
    uninstall()
    assert path.read_text() == before


def test_a_file_that_does_not_parse_is_refused_when_it_matters(config: Path) -> None:
    config.write_text("{ nope")
    with pytest.raises(UnprettyError, match=r"opencode\.jsonc, line 1"):
        plan("all")
    assert servers() == {}
    install()
    config.write_text('{"mcp": {"db": {"command": ["/x/unpretty/proxy", "--", "y"]}')
    with pytest.raises(UnprettyError, match=r"opencode\.jsonc"):
        opencode.installer.plan_uninstall(Options())


def test_a_broken_file_of_a_project_keeps_nobody_from_wrapping(config: Path) -> None:
    Path("opencode.json").write_text("{ nope")
    install("db")
    assert servers()["user", "db"][0] == "wrapped"
