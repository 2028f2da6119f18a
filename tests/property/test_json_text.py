"""For any text: what goes in comes out, except whitespace between JSON tokens; or nothing is emitted."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unpretty.engine.compaction import compact
from unpretty.engine.context import MCP, Context
from unpretty.engine.json_text.documents import Documents
from unpretty.engine.json_text.minify import minify
from unpretty.engine.json_text.scanner import scan
from unpretty.engine.json_text.verify import is_same

WHITE = st.text(" \t\n\r", max_size=3)
NUMBERS = st.one_of(
    st.integers().map(str),
    st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.integers(1, 6_000).map(lambda digits: "9" * digits),
)


@st.composite
def literals(draw: st.DrawFn) -> str:
    """A JSON string as some writer might spell it: each character raw, short escape or \\u escape."""
    spelled = []
    for char in draw(st.text(st.characters(exclude_categories=[]), max_size=12)):
        code = ord(char)
        units = [code] if code < 0x10000 else [0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF)]
        forms = ["".join(f"\\u{unit:04x}" for unit in units), "".join(f"\\u{unit:04X}" for unit in units)]
        if char in '"\\/':
            forms.append("\\" + char)
        if code >= 0x20 and char not in '"\\':
            forms += [char, char, char]
        spelled.append(draw(st.sampled_from(forms)))
    return '"' + "".join(spelled) + '"'


def tokens(depth: int = 4) -> st.SearchStrategy[list[str]]:
    """A JSON value as its list of tokens; keys are sometimes repeated."""
    scalar = st.one_of(NUMBERS, literals(), st.sampled_from(["true", "false", "null"])).map(lambda token: [token])

    def containers(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
        keys = st.one_of(literals(), st.sampled_from(['"a"', '"b"', '"stdout"']))
        members = st.lists(st.tuples(keys, inner).map(lambda pair: [pair[0], ":", *pair[1]]), max_size=4)
        return st.one_of(
            st.lists(inner, max_size=4).map(lambda items: _join("[", items, "]")),
            members.map(lambda items: _join("{", items, "}")),
        )

    return st.recursive(scalar, containers, max_leaves=12)


def _join(opening: str, items: list[list[str]], closing: str) -> list[str]:
    joined = [opening]
    for index, item in enumerate(items):
        joined += [","] if index else []
        joined += item
    return [*joined, closing]


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, str]:
    """An object or array with whitespace between its tokens, and the same without."""
    parts = draw(tokens().filter(lambda parts: parts[0] in "{["))
    spaced = "".join(draw(WHITE) + part for part in parts[1:])
    return parts[0] + spaced, "".join(parts)


@given(documents())
def test_tokens_in_are_tokens_out(document: tuple[str, str]) -> None:
    """Numbers, strings, keys, order and duplicates come out as they were spelled; only whitespace is removed."""
    spaced, expected = document
    minified = minify(spaced)
    assert minified.flat == expected
    assert is_same(spaced, scan(spaced)[0], minified)


@given(st.lists(documents(), min_size=1, max_size=3), st.lists(st.text(max_size=30), min_size=4, max_size=4))
def test_text_around_documents_stays_byte_for_byte(found: list[tuple[str, str]], texts: list[str]) -> None:
    """Whatever is around: each character outside of the documents that were found is still there."""
    text = texts[0] + "".join("\n" + spaced + around for (spaced, _), around in zip(found, texts[1:], strict=False))
    result = compact(text, Context(MCP, min_bytes=0, min_gain=0)).text
    position = out = 0
    for start, end, _ in Documents(text):
        around = text[position:start]
        assert result.startswith(around, out)
        smaller = minify(text[start:end]).text
        out += len(around)
        assert result.startswith(smaller, out)
        out += len(smaller)
        position = end
    assert result[out:] == text[position:]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=80),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    ),
    st.integers(1, 3),
    st.booleans(),
    st.integers(0, 4),
)
def test_documents_in_strings_keep_their_value_at_every_level(
    value: Any, levels: int, ascii_only: bool, indent: int
) -> None:
    text = {"v": value, "filler": "x" * 64}
    for _ in range(levels):
        text = {"stdout": json.dumps(text, indent=indent, ensure_ascii=ascii_only)}
    document = json.dumps(text, indent=indent, ensure_ascii=ascii_only)
    result: Any = json.loads(compact(document, Context(MCP, min_bytes=0, min_gain=0)).text)
    for _ in range(levels):
        assert "\n" not in result["stdout"]
        result = json.loads(result["stdout"])
    assert result == {"v": value, "filler": "x" * 64}


@given(st.text(st.sampled_from('{}[]",:\\ \n\t01eE+-.ntfalsru\ud800\x00é'), max_size=200))
def test_no_text_raises_or_grows(text: str) -> None:
    compaction = compact(text, Context(MCP, min_bytes=0, min_gain=0))
    assert len(compaction.text) <= len(text)
    assert compaction.decision.converted == (compaction.text != text)
    assert compaction.decision.reason != "error"
    assert "".join(compaction.text.split()) == "".join(text.split())
