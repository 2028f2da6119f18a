"""MCP servers in JSON files: wrapped, and restored byte for byte."""

import json

import pytest

from unpretty.errors import UnprettyError
from unpretty_installer.wrap import json_servers
from unpretty_installer.wrap import wrapped as wrap

CLAUDE = """\
{
  "numStartups": 3,
  "mcpServers": {
    "plain": {
      "type": "stdio",
      "command": "npx",
      "args": [
        "-y",
        "a server", "--", "x"
      ],
      "env": { "A": "b" }
    },
    "alone": {
      "command": "n\\u0070x"
    },
    "empty": {"args": [], "command": "q"},
    "remote": {"type": "http", "url": "https://example.com"},
    "odd": {"command": 5, "args": ["x"]},
    "null args": {"command": "x", "args": null},
    "not an object": "x",
    "list": {"command": ["npx", "y"]}
  }
}
"""
DENSE = '{"mcpServers":{"plain":{"command":"npx","args":["-y"]},"alone":{"command":"x"}},"z":1.0}'
JSONC = """\
\ufeff{ // comment
  "mcpServers": {
    "plain": {"type": "local", "command": [ // first
        "npx", /* between */ "-y", // last
      ],},
    "alone": { "command": ["x"] }, /* end */
  },
}
"""
NAMES = ("plain", "alone", "empty", "remote", "odd", "null args", "not an object", "list", "gone")
PLACES = [("mcpServers", name) for name in NAMES]


def fronts() -> dict[tuple[str, ...], list[str]]:
    return {keys: wrap.front(keys[-1]) for keys in PLACES}


def wrapped(text: str | bytes, *, strict: bool = False) -> tuple[bytes, tuple[str, ...]]:
    data = text.encode() if isinstance(text, str) else text
    return json_servers.wrapped(data, fronts(), name="file.json", strict=strict)


def unwrapped(data: bytes, made: tuple[str, ...] = (), *, strict: bool = False) -> bytes:
    return json_servers.unwrapped(data, PLACES, made, name="file.json", strict=strict)


def commands(data: bytes) -> dict[str, tuple[str, ...]]:
    servers = json_servers.JsonDocument.read(data).value(("mcpServers",))
    return {name: json_servers.argv_of(entry) for name, entry in servers.items()}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", [CLAUDE, DENSE, JSONC, json.dumps(json.loads(CLAUDE), indent="\t")], ids=range(4))
def test_wrapping_changes_commands_only_and_unwrapping_gives_back_the_bytes(text, line_end):
    data = text.replace("\n", line_end).encode()
    before = commands(data)
    after, made = wrapped(data)
    for name, argv in commands(after).items():
        assert argv == ((*wrap.front(name), *before[name]) if before[name] else ())
    assert wrapped(after) == (after, ())
    assert unwrapped(after, made) == data


def test_a_wrapped_file_line_by_line():
    after, made = wrapped(CLAUDE)
    program = wrap.front("x")[0]
    expected = (
        CLAUDE.replace('"command": "npx"', f'"command": "{program}"')
        .replace('        "-y",', '        "--name=plain",\n        "--",\n        "npx",\n        "-y",')
        .replace(
            '"n\\u0070x"\n', f'"{program}",\n      "args": ["--name=alone", "--", "n\\u0070x"]\n'
        )
        .replace('{"args": [], "command": "q"}', f'{{"args": ["--name=empty", "--", "q"], "command": "{program}"}}')
        .replace('["npx", "y"]', f'["{program}", "--name=list", "--", "npx", "y"]')
    )  # fmt: skip
    assert after.decode() == expected
    assert made == (json_servers.added(("mcpServers", "alone")),)


def test_what_was_edited_after_wrapping_is_unwrapped_too():
    after, made = wrapped(DENSE)
    edited = (
        after.replace(b'"--name=plain",', b'"--name=plain","--max-result-bytes","9000",')
        .replace(b'"-y"', b'"-y", "more"')
        .replace(b'"z":1.0', b'"z":2.0,"mine":{}')
    )
    plain = DENSE.replace('"-y"', '"-y", "more"').replace('"z":1.0', '"z":2.0,"mine":{}')
    assert unwrapped(edited, made).decode() == plain


def test_a_trailing_comma_behind_the_last_word_goes_with_it():
    after, _ = wrapped('{"mcpServers": {"plain": {"command": "x", "args": []}}}')
    edited = after.replace(b'"x"]', b'"x" , ]')
    assert unwrapped(edited) == b'{"mcpServers": {"plain": {"command": "x", "args": [ ]}}}'


def test_args_that_we_made_and_the_user_filled_stay():
    after, made = wrapped('{"mcpServers": {"alone": {"command": "x"}}}')
    edited = after.replace(b'"x"]', b'"x", "-v"]')
    assert unwrapped(edited, made) == b'{"mcpServers": {"alone": {"command": "x", "args": ["-v"]}}}'


def test_a_name_with_half_a_surrogate_pair_can_be_wrapped():
    keys = ("mcpServers", "\ud800")
    data = b'{"mcpServers": {"\\ud800": {"command": "x"}}}'
    after, made = json_servers.wrapped(data, {keys: wrap.front("\ud800")}, name="x", strict=True)
    assert b"--name=\\ud800" in after
    assert json_servers.unwrapped(after, [keys], made, name="x", strict=True) == data


def test_a_server_named_twice_is_unwrapped_once():
    after, made = wrapped(DENSE)
    assert json_servers.unwrapped(after, PLACES * 2, made, name="x", strict=True) == DENSE.encode()


def test_comments_are_refused_where_the_client_cannot_read_them():
    with pytest.raises(UnprettyError, match=r"file.json, line 1, column 3"):
        wrapped("{ // no\n}", strict=True)
    assert unwrapped(b"{}", strict=True) == b"{}"


def test_without_anything_to_unwrap_the_file_is_not_even_parsed():
    assert json_servers.unwrapped(b"{nope", [], (), name="x", strict=True) == b"{nope"


@pytest.mark.parametrize("damage", [lambda text, *_: text + "]", lambda text, *_: text])
def test_what_cannot_be_edited_safely_is_refused(damage, monkeypatch):
    after, made = wrapped(DENSE)
    monkeypatch.setattr(json_servers, "put_in_front", damage)
    monkeypatch.setattr(json_servers, "take_from_front", damage)
    for edit in (lambda: wrapped(DENSE), lambda: unwrapped(after, made)):
        with pytest.raises(UnprettyError, match="cannot be edited safely") as problem:
            edit()
        assert problem.value.code == "cannot_edit"
