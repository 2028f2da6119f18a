"""MCP servers in Codex's config.toml: wrapped, and restored byte for byte."""

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer.codex import toml_servers
from unpretty_installer.wrap import wrapped as wrap

# In every form that TOML has for it.
CONFIG = """\
# mine
model = "gpt-5.5"

[mcp_servers.plain]
command = "npx"   # keep
args = [ "-y", 'a server', ]
startup_timeout_sec = 20
env_vars = ["TOKEN"]

[mcp_servers.plain.env]
A = "b"

[tui]
notifications = true

[mcp_servers.alone]
  command = 'C:\\x'  # no args
  cwd = "/tmp"
[mcp_servers."odd.name"]
args = [
    # a comment
    "one", # another, with a comma
    "two"
]
command = \"\"\"multi\"\"\"
[mcp_servers.empty]
command = "u"
args = []
[mcp_servers.spaced]
command = "u"
args = [ ]
[mcp_servers.remote]
url = "https://example.com/mcp"
[mcp_servers.odd]
command = ["not", "a", "string"]
"""
DOTTED = """\
mcp_servers.plain.command = "npx"
mcp_servers.plain.env.A = "1"
mcp_servers.alone = { command = "q", env = {} }
mcp_servers."odd.name" = { args = ["x"], command = "z" }"""
INLINE = 'mcp_servers = { plain = { command = "npx" }, alone = {command="u",args=[]} }\n'
MIXED = '[mcp_servers]\nplain = { command = "npx", args = ["\\"x\\"", "-- "] }\n[mcp_servers.alone]\ncommand="x"'
NAMES = ("plain", "alone", "odd.name", "empty", "spaced", "remote", "odd", "gone")
PLACES = [("mcp_servers", name) for name in NAMES]


def fronts() -> dict[tuple[str, ...], list[str]]:
    return {keys: wrap.front(keys[-1]) for keys in PLACES}


def commands(data: bytes) -> dict[str, tuple[str, ...]]:
    config = toml_servers.Config.read(data, "x")
    return {name: toml_servers.argv_of_pair(entry) for name, entry in toml_servers.servers_of(config).items()}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", [CONFIG, DOTTED, INLINE, MIXED, CONFIG.rstrip()], ids=range(5))
def test_wrapping_changes_command_and_args_only_and_unwrapping_gives_back_the_bytes(text, line_end):
    data = text.replace("\n", line_end).encode()
    before = commands(data)
    wrapped, made = toml_servers.wrapped(data, fronts(), name="x")
    after = commands(wrapped)
    for name, argv in before.items():
        assert after[name] == ((*wrap.front(name), *argv) if argv else ())
    assert toml_servers.wrapped(wrapped, fronts(), name="x") == (wrapped, ())
    assert toml_servers.unwrapped(wrapped, PLACES, made, name="x") == data


def test_a_wrapped_file_line_by_line():
    wrapped, made = toml_servers.wrapped(CONFIG.encode(), fronts(), name="x")
    program = wrap.front("x")[0]
    expected = (
        CONFIG.replace('"npx"   # keep', f'"{program}"   # keep')
        .replace('[ "-y",', '[ "--name=plain", "--", "npx", "-y",')
        .replace("'C:\\x'  # no args", f'"{program}"  # no args\n  args = ["--name=alone", "--", \'C:\\x\']')
        .replace('    "one",', '    "--name=odd.name", "--", """multi""", "one",')
        .replace('"""multi"""\n[', f'"{program}"\n[')
        .replace('command = "u"', f'command = "{program}"')
        .replace("args = []", 'args = ["--name=empty", "--", "u"]')
        .replace("args = [ ]", 'args = ["--name=spaced", "--", "u" ]')
    )
    assert wrapped.decode() == expected
    assert made == (toml_servers.added(("mcp_servers", "alone")),)


def test_what_was_edited_after_wrapping_is_unwrapped_too():
    wrapped, made = toml_servers.wrapped(MIXED.encode(), fronts(), name="x")
    edited = (
        wrapped.decode()
        .replace('"--name=plain",', '"--name=plain", "--max-result-bytes", "9000",')
        .replace('"-- "]', '"-- ", "more"]')
        .replace('"x"]', '"x", ]')
    )
    after = toml_servers.unwrapped(edited.encode(), PLACES, made, name="x").decode()
    assert after == MIXED.replace('"-- "]', '"-- ", "more"]')


def test_a_comment_behind_the_args_that_we_made_stays():
    wrapped, made = toml_servers.wrapped(b'[mcp_servers.alone]\ncommand="x"\n', fronts(), name="x")
    after = toml_servers.unwrapped(wrapped.replace(b'"x"]', b'"x"] # mine'), PLACES, made, name="x")
    assert after == b'[mcp_servers.alone]\ncommand="x"\nargs = [] # mine\n'


def test_a_list_of_args_that_the_user_has_filled_stays():
    wrapped, made = toml_servers.wrapped(b'[mcp_servers.alone]\ncommand="x"\n', fronts(), name="x")
    edited = wrapped.replace(b'"x"]', b'"x", "-v"]')
    assert (
        toml_servers.unwrapped(edited, PLACES, made, name="x") == b'[mcp_servers.alone]\ncommand="x"\nargs = ["-v"]\n'
    )


def test_args_that_we_made_go_also_from_where_the_user_moved_them():
    wrapped, made = toml_servers.wrapped(b'mcp_servers.alone.command="x"\n', fronts(), name="x")
    command, args = wrapped.splitlines(keepends=True)
    after = toml_servers.unwrapped(args + command, PLACES, made, name="x")
    assert after == b'mcp_servers.alone.command="x"\n'


def test_without_a_receipt_the_empty_list_stays():
    wrapped, _ = toml_servers.wrapped(b'[mcp_servers.alone]\ncommand="x"\n', fronts(), name="x")
    assert toml_servers.unwrapped(wrapped, PLACES, (), name="x") == b'[mcp_servers.alone]\ncommand="x"\nargs = []\n'


@pytest.mark.parametrize("edit", ["wrapped", "unwrapped"])
def test_what_cannot_be_edited_safely_is_refused(edit, monkeypatch):
    data, made = CONFIG.encode(), ()
    if edit == "unwrapped":
        data, made = toml_servers.wrapped(data, fronts(), name="x")
    monkeypatch.setattr(toml_servers, "put_in_front", lambda text, *_: text + "more = 1\n")
    monkeypatch.setattr(toml_servers, "take_from_front", lambda text, *_: text + "[[")
    with pytest.raises(UnprettyError, match="cannot be edited safely") as problem:
        if edit == "unwrapped":
            toml_servers.unwrapped(data, PLACES, made, name="x")
        else:
            toml_servers.wrapped(data, fronts(), name="x")
    assert problem.value.code == "cannot_edit"


@pytest.mark.parametrize("data", [b"[", b"\xff", b"a = 1\na = 2"])
def test_a_file_that_is_no_toml_is_refused(data):
    with pytest.raises(UnprettyError) as problem:
        toml_servers.wrapped(data, fronts(), name="x")
    assert problem.value.code == "invalid_toml"


@pytest.mark.parametrize("data", [b"", b"mcp_servers = 1", b"mcp_servers = []", b"[mcp_servers]\nplain = 1"])
def test_a_file_without_servers_stays(data):
    assert toml_servers.wrapped(data, fronts(), name="x") == (data, ())
    assert toml_servers.unwrapped(data, PLACES, (), name="x") == data
