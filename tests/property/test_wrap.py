"""Wrapping an MCP server and unwrapping it gives back the identical bytes, whatever the file looks like."""

import json
import string
from typing import Any

import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from unpretty_installer.codex import toml_servers
from unpretty_installer.edit import toml_spans
from unpretty_installer.wrap import json_servers, wrapped

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["--", "-y", "[", "#", '"', ","]
)
PROGRAMS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(["a.b", "db", "--", "'"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
PAIRS = st.fixed_dictionaries(
    {"command": PROGRAMS},
    optional={"args": st.lists(WORDS, max_size=4), "env": st.dictionaries(NAMES, WORDS, max_size=2)},
)
REMOTE = st.fixed_dictionaries({"url": PROGRAMS})


def layouts(value: object) -> st.SearchStrategy[str]:
    """A JSON text of ``value`` as different programs would write it."""
    return st.one_of(
        st.sampled_from([None, 0, 1, 2, 4, "\t"]).map(lambda indent: json.dumps(value, indent=indent)),
        st.just(json.dumps(value, separators=(",", ":"), ensure_ascii=False)),
        st.just(json.dumps(value, indent=2).replace("\n", "\r\n")),
        st.just(json.dumps(value, indent=2).replace(": [\n", ": [ ").replace("{\n", "{")),
    )


@st.composite
def claude_files(draw: st.DrawFn) -> tuple[str, list[tuple[str, ...]]]:
    servers = draw(st.dictionaries(NAMES, PAIRS | REMOTE, min_size=1, max_size=4))
    value = {**draw(st.dictionaries(NAMES, VALUES, max_size=2)), "mcpServers": servers, "last": draw(VALUES)}
    chosen = draw(st.lists(st.sampled_from(list(servers)), unique=True))
    return draw(layouts(value)), [("mcpServers", name) for name in chosen]


@given(claude_files(), WORDS)
def test_a_file_of_claude_code_comes_back(file: tuple[str, list[tuple[str, ...]]], word: str) -> None:
    text, places = file
    data, name = text.encode(), "x"
    fronts = {keys: wrapped.front(keys[-1]) for keys in places}
    after, made = json_servers.wrapped(data, fronts, name=name, strict=True)
    expected = json.loads(text)
    for keys in places:
        entry = expected["mcpServers"][keys[-1]]
        if "command" in entry and not wrapped.is_wrapped(json_servers.argv_of(entry)):
            argv = [*wrapped.front(keys[-1]), entry["command"], *entry.get("args", [])]
            entry["command"], entry["args"] = argv[0], argv[1:]
    assert json.loads(after) == expected
    assert json_servers.wrapped(after, fronts, name=name, strict=True) == (after, ())
    assert json_servers.unwrapped(after, places, made, name=name, strict=True) == data
    # The client writes its file again in its own layout, with another member in it.
    rewritten = json.dumps({**json.loads(after), "added": word}, indent=2).encode()
    again = json_servers.unwrapped(rewritten, places, made, name=name, strict=True)
    assert json.loads(again) == {**json.loads(text), "added": word}


COMMENTS = st.sampled_from(["", " ", "\n  ", "// c, ]\n", "/* , ] */", " # no\n"]).filter(lambda text: "#" not in text)


@st.composite
def opencode_files(draw: st.DrawFn) -> tuple[str, list[str]]:
    """JSONC with comments and trailing commas between any two tokens of the command."""
    argv = [draw(PROGRAMS), *draw(st.lists(WORDS, max_size=3))]
    parts = [draw(COMMENTS)]
    for word in argv:
        parts += [json.dumps(word), draw(COMMENTS), ",", draw(COMMENTS)]
    if draw(st.booleans()):
        parts[-2] = ""
    array = "[" + "".join(parts) + "]"
    return f'{{"mcp": {{ // x\n "db": {{"type": "local", "command": {array}, "environment": {{}}}}}}}}', argv


@given(opencode_files())
def test_a_file_of_opencode_comes_back(file: tuple[str, list[str]]) -> None:
    text, argv = file
    keys = ("mcp", "db")
    after, made = json_servers.wrapped(text.encode(), {keys: wrapped.front("db")}, name="x", strict=False)
    found = json_servers.argv_of(json_servers.JsonDocument.read(after).value(keys))
    assert found == (tuple(argv) if wrapped.is_wrapped(argv) else (*wrapped.front("db"), *argv))
    assert json_servers.unwrapped(after, [keys], made, name="x", strict=False) == text.encode()


def toml_string(word: str) -> st.SearchStrategy[str]:
    plain = word.isprintable() and "'" not in word
    return st.sampled_from([tomlkit.item(word).as_string(), *([f"'{word}'", f"'''{word}'''"] if plain else [])])


BLANKS = st.sampled_from(["", " ", "\n  ", " # c, ]\n", "\t"])
BARE = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=6)


@st.composite
def codex_files(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Servers in each of the forms that TOML has, among other tables."""
    blocks = [draw(st.sampled_from(["", "# top\n", 'model = "x" # [mcp_servers.no]\n']))]
    names = draw(st.lists(BARE, min_size=1, max_size=2, unique=True))
    for name in names:
        command = draw(toml_string(draw(PROGRAMS)))
        items = [draw(toml_string(word)) for word in draw(st.lists(WORDS, max_size=3))]
        array = "[" + "".join(draw(BLANKS) + item + draw(BLANKS) + "," for item in items) + draw(BLANKS) + "]"
        args = draw(st.sampled_from([array, None]))
        comment = draw(st.sampled_from(["", " # c", "\t"]))
        if draw(st.booleans()) and "\n" not in array + command:
            inside = f"command = {command}" + (f", args = {args}" if args else "") + ', env = { A = "b" }'
            blocks.append(f"[mcp_servers]\n{name} = {{ {inside} }}{comment}\n" if len(names) == 1 else "")
        if not blocks[-1].startswith("[mcp_servers]\n"):
            lines = [f"command = {command}{comment}\n", *([f"args = {args}{comment}\n"] if args else [])]
            body = "".join(draw(st.permutations(lines)))
            blocks.append(
                f"[mcp_servers.{name}]\n{body}[mcp_servers.{name}.env]\nA = 1\n[other.{name}]\nx = [[1], {{}}]\n"
            )
    return "".join(blocks), names


@given(codex_files(), st.booleans(), st.booleans())
def test_a_file_of_codex_comes_back(file: tuple[str, list[str]], cut: bool, windows: bool) -> None:
    text, names = file
    text = text.rstrip("\n") if cut else text
    data = (text.replace("\n", "\r\n") if windows else text).encode()
    places = [(toml_servers.TABLE, name) for name in names]
    fronts = {keys: wrapped.front(keys[-1]) for keys in places}
    after, made = toml_servers.wrapped(data, fronts, name="x")
    assert toml_servers.wrapped(after, fronts, name="x") == (after, ())
    assert toml_servers.unwrapped(after, places, made, name="x") == data
    assert toml_servers.unwrapped(after + b"\n[more]\ny = 1\n", places, made, name="x") == data + b"\n[more]\ny = 1\n"


@given(st.dictionaries(NAMES, VALUES.filter(lambda value: value is not None), max_size=4))
def test_every_value_of_a_toml_document_is_where_it_is_said_to_be(value: dict[str, Any]) -> None:
    try:
        text = tomlkit.dumps(value)
        values = tomlkit.parse(text).unwrap()
    except Exception:  # what TOML cannot say
        return
    for member in toml_spans.members(text):
        if member.keys[0].startswith("[["):
            continue
        expected = values
        for key in member.keys:
            expected = expected[key]
        assert tomlkit.parse(f"x = {text[member.value : member.end]}").unwrap() == {"x": expected}
