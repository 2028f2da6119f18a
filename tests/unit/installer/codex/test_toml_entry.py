"""Our entry in config.toml: whole documents in and out."""

import sys

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from unpretty.errors import UnprettyError
from unpretty_installer.codex.config import Config
from unpretty_installer.codex.toml_entry import TEXT, TRUST, inserted_text, with_group, without_ours

OURS = "exec '/data dir/unpretty/python' -I -S '/data dir/unpretty/hook.py' codex"
GROUP = {"matcher": "Bash|mcp__.*", "hooks": [{"type": "command", "command": OURS, "timeout": 10}]}
BLOCK = f"""
[[hooks.PostToolUse]]
matcher = "Bash|mcp__.*"

[[hooks.PostToolUse.hooks]]
type = "command"
command = "{OURS}"
timeout = 10
"""
FOREIGN = """
[[hooks.PostToolUse]]
matcher = "Bash"
[[hooks.PostToolUse.hooks]]
type = "command"
command = "echo"
"""

DOCUMENTS = {
    "comments": '# my comment\nmodel = "gpt-5.5"   # why\n\n[tui]\nnotifications = true # keep\n',
    "no line end": 'model="x"',
    "empty": "",
    "blank": "\n\n",
    "foreign group before other tables": FOREIGN[1:] + "\n[tui]\nb = 1\n",
    "other events and trust": (
        '[hooks]\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype="command"\ncommand="x"\n\n'
        '[hooks.state]\n[hooks.state."/a:post:0:0"]\ntrusted_hash = "s"\n'
    ),
    "tables out of order": '[hooks.state."k"]\ntrusted_hash="x"\n[a]\nx=1\n' + FOREIGN + "[b]\ny=2\n",
    "dotted keys": 'hooks.state."k".trusted_hash = "x"\n[a]\nx=1\n',
    "comment at the end": "[a]\nx=1\n\n# trailing comment\n",
    "header inside a string": 'a = """\n[[hooks.PostToolUse]]\n"""\n',
    "odd numbers and dates": "a = 1_000\nb = 0xff\nc = 1979-05-27T07:32:00Z\nd = +1e3\n[ t . 'u v' ]\n",
}
INLINE = {
    "array of inline tables": (
        '[hooks]\nPostToolUse = [ { matcher = "Bash", hooks = [ {type="command", command="echo"} ] } ] # c\nother=1\n'
    ),
    "dotted array": 'hooks.PostToolUse = [{hooks=[{type="command",command="e"}]}]\nx=1\n[tui]\na=1\n',
    "inline hooks with another event": 'hooks = { Stop = [{hooks=[{type="command",command="e"}]}] } # keep\n',
    "inline hooks, empty": "hooks = { PostToolUse = [] }\n",
}


def read(text: str) -> Config:
    return Config.read(text.encode(), "config.toml")


def values(text: str) -> dict:
    return tomlkit.parse(text).unwrap()


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_entry_goes_behind_the_last_line_and_comes_out_without_a_trace(name: str, end: str) -> None:
    text = DOCUMENTS[name].replace("\n", end)
    after, added = with_group(read(text), GROUP)
    assert after.startswith(text)
    assert ("\r\n" in after) == ("\r\n" in text)
    assert read(after).ours()[0].group == len(read(after).hooks()["PostToolUse"]) - 1
    assert read(after).holds(GROUP)
    assert without_ours(read(after), added) == text


def test_the_entry_is_written_like_this() -> None:
    after, added = with_group(read("[tui]\na = 1\n"), GROUP)
    assert after == "[tui]\na = 1\n" + BLOCK
    assert added == (TEXT + BLOCK,)


@pytest.mark.parametrize("name", sorted(set(DOCUMENTS) - {"no line end", "header inside a string", "blank"}))
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_entry_that_was_edited_by_hand_comes_out_without_a_trace_too(name: str, end: str) -> None:
    text = DOCUMENTS[name].replace("\n", end)
    after, added = with_group(read(text), GROUP)
    edited = after.replace("timeout = 10", "timeout = 99  # patience")
    assert without_ours(read(edited), added) == text
    assert without_ours(read(edited), ()) == text


@pytest.mark.parametrize("name", INLINE)
def test_inline_forms_are_extended_in_place(name: str) -> None:
    text = INLINE[name]
    after, added = with_group(read(text), GROUP)
    wanted = values(text)
    wanted["hooks"].setdefault("PostToolUse", []).append(GROUP)
    assert values(after) == wanted
    left = values(without_ours(read(after), added))
    assert left.get("other") == values(text).get("other")
    groups = [group for group in left["hooks"].get("PostToolUse", []) if group]
    assert groups == values(text)["hooks"].get("PostToolUse", [])


@pytest.mark.parametrize("before", ["", FOREIGN])
def test_a_group_that_others_follow_keeps_its_place_empty(before: str) -> None:
    """Codex keeps trust by position: the group after ours must not move up."""
    after, added = with_group(read(before), GROUP)
    followed = after + FOREIGN + "\n[tui]\na = 1\n"
    for text in (followed, followed.replace("timeout = 10", "timeout = 11")):
        left = without_ours(read(text), added)
        assert left.endswith(FOREIGN + "\n[tui]\na = 1\n")
        assert left.startswith(before)
        position = 1 if before else 0
        assert values(left)["hooks"]["PostToolUse"][position] == {"hooks": []}
        assert len(values(left)["hooks"]["PostToolUse"]) == position + 2
        assert read(left).ours() == []


def test_a_handler_in_somebody_elses_group_is_taken_out_alone() -> None:
    text = FOREIGN.replace("[[hooks.PostToolUse]]", '[[hooks.PostToolUse]]\ndescription = "mine"', 1) + (
        f'[[hooks.PostToolUse.hooks]]\ntype = "command"\ncommand = "{OURS}"\n'
    )
    left = values(without_ours(read(text), ()))
    assert left["hooks"]["PostToolUse"] == [
        {"description": "mine", "matcher": "Bash", "hooks": [{"type": "command", "command": "echo"}]}
    ]


def test_trust_that_we_asked_for_goes_and_other_trust_stays() -> None:
    state = '[hooks.state]\n\n[hooks.state."/a:post_tool_use:0:0"]\ntrusted_hash = "1"\n'
    mine = '\n[hooks.state."/b:post_tool_use:1:0"]\ntrusted_hash = "2"\n'
    for added in ((TEXT + mine, TRUST + "/b:post_tool_use:1:0"), (TRUST + "/b:post_tool_use:1:0",)):
        assert without_ours(read(state + mine + "\n[tui]\na=1\n"), added) == state + "\n[tui]\na=1\n"
    inline = 'hooks.state = { "/b:post_tool_use:1:0" = { trusted_hash = "2" }, "k" = { trusted_hash = "3" } }\n'
    left = without_ours(read(inline), (TRUST + "/b:post_tool_use:1:0",))
    assert values(left) == {"hooks": {"state": {"k": {"trusted_hash": "3"}}}}


def test_a_text_that_stands_there_twice_is_not_guessed_at() -> None:
    piece = '\n[hooks.state."k"]\ntrusted_hash = "2"\n'
    text = 'a = """' + piece + '"""\n' + piece
    left = without_ours(read(text), (TEXT + piece, TRUST + "k"))
    assert values(left)["a"] == values(text)["a"]
    assert "hooks" not in values(left)


@pytest.mark.parametrize("text", ["hooks = 1\n", "[hooks]\nPostToolUse = 1\n", "[hooks.PostToolUse]\na = 1\n"])
def test_a_form_that_cannot_be_extended_is_refused(text: str) -> None:
    with pytest.raises(UnprettyError) as caught:
        with_group(read(text), GROUP)
    assert caught.value.code == "cannot_edit"


def test_an_edit_that_cannot_be_proven_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    after, _ = with_group(read("[a]\nx = 1\n"), GROUP)
    module = sys.modules[without_ours.__module__]
    monkeypatch.setattr(module, "_without_tables", lambda config, keys: "")
    monkeypatch.setattr(module, "_without_items", lambda text, keys: "not = [valid")
    with pytest.raises(UnprettyError) as caught:
        without_ours(read(after), ())
    assert caught.value.code == "cannot_edit"


@pytest.mark.parametrize("data", [b"a = [\n", b"\xff", b"a = 1\na = 2\n", b"[a]\n[a]\n"])
def test_what_is_no_toml_is_refused_with_its_place(data: bytes) -> None:
    with pytest.raises(UnprettyError) as caught:
        Config.read(data, "config.toml")
    assert caught.value.code == "invalid_toml"
    assert "config.toml" in str(caught.value)


def test_entries_of_odd_shapes_are_passed_over() -> None:
    text = "hooks = 3\n"
    assert read(text).entries() == []
    assert read("[hooks]\nPostToolUse = 1\n").entries() == []
    assert read("[hooks]\nPostToolUse = [1, {hooks = 2}, {hooks = [3]}]\n").entries() == []
    assert not read("[hooks]\nPostToolUse = []\n").has_hooks()
    assert without_ours(read("[hooks]\nPostToolUse = [1, {hooks = 2}, {hooks = [3]}]\n"), ()) == (
        "[hooks]\nPostToolUse = [1, {hooks = 2}, {hooks = [3]}]\n"
    )


def test_what_else_config_toml_says() -> None:
    config = read(
        'model = "m"\n[features]\nhooks = false\n[projects."/p"]\ntrust_level = "trusted"\n[projects."/q"]\n'
        'trust_level = "untrusted"\n[hooks.state."k"]\ntrusted_hash = "h"\n'
    )
    assert config.model() == "m"
    assert config.hooks_switched_off()
    assert (config.trusts_project("/p"), config.trusts_project("/q"), config.trusts_project("/r")) == (
        True,
        False,
        False,
    )
    assert config.trust("k") == {"trusted_hash": "h"}
    assert config.trust("other") == {}
    assert read("[features]\ncodex_hooks = false\n").hooks_switched_off()
    for text in ("", "features = 1\nprojects = 2\nmodel = 3\n[hooks]\nstate = 4\n"):
        odd = read(text)
        assert (odd.model(), odd.hooks_switched_off(), odd.trusts_project("/p"), odd.trust("k")) == (
            "",
            False,
            False,
            {},
        )


@given(st.text("ab\n", max_size=8), st.text("ab\n", min_size=1, max_size=8), st.text("ab\n", max_size=8))
def test_an_inserted_text_is_found_so_that_taking_it_out_gives_the_same(head: str, piece: str, tail: str) -> None:
    found = inserted_text(head + tail, head + piece + tail)
    assert found is not None
    assert len(found) == len(piece)
    after = head + piece + tail
    assert any(
        after[:at] + after[at + len(found) :] == head + tail for at in range(len(after)) if after.startswith(found, at)
    )


@pytest.mark.parametrize(("before", "after"), [("a", "a"), ("ab", "a"), ("abc", "xaybzc"), ("ab", "bax")])
def test_a_change_that_is_more_than_an_insertion_is_none(before: str, after: str) -> None:
    assert inserted_text(before, after) is None
