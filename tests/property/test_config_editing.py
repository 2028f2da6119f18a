"""Byte for byte: adding to a JSON or JSONC text and removing again gives back the text, and changes nothing else."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from unpretty_installer.edit import hook_entries
from unpretty_installer.edit.json_document import JsonDocument

# Texts are costly to make, and a third of the profile's examples is enough.
fewer = settings(max_examples=max(100, settings().max_examples // 3))
HANDLER = {"matcher": "Bash", "hooks": [{"type": "command", "command": "exec 'x y' é", "timeout": 10}]}

keys = st.sampled_from(["a", "hooks", "é", 'q"uote', "//", "/*", "x,y", "{", "\\"]).map(lambda key: json.dumps(key))
scalars = st.sampled_from(["1", "-0.50", "1e9", "true", "null", '""', '"// no comment"', '"\\"]}"', '"\\u00e9"', '"ö"'])


BLANKS = ["", "", " ", "  ", "\t", " \t", "\n", "\n\n", "\n  ", " \n", "\n\t\n\t", "\n    "]
BODIES = ["", " note", ' "x": [1,', " ]} ", "*", "/", ",", " \t"]
COMMENTS = [f"{lead}//{body}\n{tail}" for body in BODIES for lead, tail in (("", ""), (" ", "  "), ("\n ", "\t"))]
COMMENTS += [
    f"{lead}/*{body.strip('/')}*/{tail}" for body in BODIES for lead, tail in (("", ""), (" ", " "), ("\n", "\n"))
]
COMMENTS += ["// a\n  // b\n", "/* a */ /* b */", "/* a\n b */", " // a\n /* b */ "]


@st.composite
def documents(draw, comments: bool, root: str | None = None):
    """A JSON(C) text in an unusual layout: its own line ending, indentation, spacing, comments, trailing commas."""
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    gaps = st.sampled_from(BLANKS + COMMENTS if comments else BLANKS).map(lambda gap: gap.replace("\n", eol))
    tight = draw(st.booleans())

    def space() -> str:
        return "" if tight else draw(gaps)

    def value(depth: int, kind: str | None = None) -> str:
        kind = kind or draw(st.sampled_from(["scalar", "{", "["] if depth else ["scalar"]))
        if kind == "scalar":
            return draw(scalars)
        parts = []
        for _ in range(draw(st.integers(0, 3))):
            key = f"{draw(keys)}{space()}:{space()}" if kind == "{" else ""
            parts.append(space() + key + value(depth - 1) + space())
        text = ",".join(parts)
        if parts and comments and draw(st.booleans()):
            text += ","
        return kind + text + space() + ("}" if kind == "{" else "]")

    bom = draw(st.sampled_from(["", "\ufeff"]))
    return bom + draw(gaps) + value(3, root) + draw(gaps)


def containers(document: JsonDocument, kind: str) -> list[tuple]:
    """The paths of all objects or arrays that can be reached (of duplicate keys only the last can)."""
    found = []

    def walk(path: tuple) -> None:
        node = document.node(path)
        assert node is not None
        if node.kind == kind:
            found.append(path)
        steps = {item.key for item in node.items} if node.kind == "{" else range(len(node.items))
        for step in sorted(steps):
            walk((*path, step))

    walk(())
    return found


def check_round_trip(text: str, changed: JsonDocument, path: tuple, added: object) -> None:
    original = JsonDocument.read(text.encode())
    assert changed.value(path) == added
    restored = changed.remove(path)
    assert restored.to_bytes() == text.encode()
    assert restored.value() == original.value()


def is_contiguous(before: str, after: str) -> bool:
    """Whether ``after`` is ``before`` with text inserted at one position."""
    start = 0
    while start < len(before) and before[start] == after[start]:
        start += 1
    rest = before[start:]
    return any(after.endswith(before[i:]) and before[:i] == after[:i] for i in range(start, -1, -1)) or not rest


@fewer
@given(st.data(), st.booleans())
def test_a_key_that_is_added_and_removed_leaves_identical_bytes(data, comments):
    text = data.draw(documents(comments, "{"))
    document = JsonDocument.read(text.encode(), strict=not comments)
    path = data.draw(st.sampled_from(containers(document, "{")))
    value = data.draw(st.sampled_from([HANDLER, [], {}, 1, [HANDLER]]))
    changed = document.append(path, value, key="new key")
    assert list(changed.value(path)) == [*document.value(path), "new key"]
    check_round_trip(text, changed, (*path, "new key"), value)


@fewer
@given(st.data(), st.booleans(), st.booleans())
def test_an_element_that_is_added_at_either_end_and_removed_leaves_identical_bytes(data, comments, front):
    text = data.draw(documents(comments, "["))
    document = JsonDocument.read(text.encode(), strict=not comments)
    path = data.draw(st.sampled_from(containers(document, "[")))
    elements = document.value(path)
    changed = document.prepend(path, HANDLER) if front else document.append(path, HANDLER)
    assert changed.value(path) == ([HANDLER, *elements] if front else [*elements, HANDLER])
    check_round_trip(text, changed, (*path, 0 if front else len(elements)), HANDLER)


@fewer
@given(st.data())
def test_a_prepended_element_is_one_contiguous_insertion(data):
    text = data.draw(documents(True, "["))
    changed = JsonDocument.read(text.encode()).prepend((), HANDLER)
    assert is_contiguous(text, changed.text)


@fewer
@given(st.data(), st.booleans())
def test_removing_or_replacing_anything_leaves_every_other_value_as_it_was(data, comments):
    text = data.draw(documents(comments, data.draw(st.sampled_from(["{", "["]))))
    document = JsonDocument.read(text.encode(), strict=not comments)
    places = [(p, k) for k in "{[" for p in containers(document, k) if document.node(p).items]
    if not places:
        return
    path, kind = data.draw(st.sampled_from(places))
    container = document.node(path)
    step = (
        data.draw(st.sampled_from(sorted({item.key for item in container.items})))
        if kind == "{"
        else data.draw(st.integers(0, len(container.items) - 1))
    )
    expected = document.value(path)
    replaced = document.replace((*path, step), HANDLER)
    assert replaced.value(path) == ({**expected, step: HANDLER} if kind == "{" else replace_at(expected, step))
    if kind == "[" or sum(item.key == step for item in container.items) == 1:
        removed = document.remove((*path, step)).value(path)
        del expected[step]
        assert removed == expected


def replace_at(elements: list, index: int) -> list:
    return [*elements[:index], HANDLER, *elements[index + 1 :]]


OURS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "x/unpretty/hook.py claude-code", "timeout": 10}]}


@fewer
@given(st.data(), st.booleans(), st.booleans())
def test_our_entry_goes_into_any_settings_file_and_out_again_without_a_trace(data, comments, front):
    """The ``hooks`` tree is missing, empty, or holds foreign groups, in any layout; everything else is arbitrary."""
    groups = data.draw(st.lists(documents(comments, data.draw(st.sampled_from(["{", "["]))), max_size=2))
    body = ",".join(group.strip("\ufeff") for group in groups)
    event = data.draw(
        st.sampled_from(["", '"PreToolUse": []', f'"PostToolUse":[{body}]', f'"Stop":1,\n"PostToolUse":[{body}]'])
    )
    tree = data.draw(st.sampled_from(["", f'"hooks": {{{event}}}', f'\r\n\t"x":[], "hooks": {{{event}}}\r\n']))
    text = (
        data.draw(st.sampled_from(["", "\ufeff"])) + "{" + tree + "}" + data.draw(st.sampled_from(["", "\n", "\r\n"]))
    )
    original = JsonDocument.read(text.encode(), strict=not comments)
    changed, added = hook_entries.with_ours(original, "claude-code", OURS, front=front)
    assert hook_entries.is_current(changed, "claude-code", OURS)
    assert hook_entries.with_ours(changed, "claude-code", OURS, front=front)[0] is changed
    assert hook_entries.without_ours(changed, "claude-code", added).text == text
