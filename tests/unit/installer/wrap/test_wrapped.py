"""What a wrapped command looks like, and which servers are wrapped."""

import sys
from pathlib import Path

import pytest

from unpretty_installer.wrap import launcher as wrap_launcher
from unpretty_installer.wrap import wrapped
from unpretty_installer.wrap.wrapped import Server

FILE = Path("/home/somebody/config.json")
OWN = ["npx", "-y", "a server", "--", "x"]


def server(name: str = "db", argv: tuple[str, ...] = ("npx", "db"), **more: object) -> Server:
    return Server(name, FILE, ("mcpServers", name), "user", argv, **more)  # type: ignore[arg-type]


def test_the_words_in_front_are_found_again_and_what_follows_is_the_servers_own():
    argv = [*wrapped.front("db"), *OWN]
    count = wrapped.length_of_front(argv)
    assert argv[count:] == OWN
    assert argv[:count] == [*wrap_launcher.argv(), "--name=db", "--"]
    assert wrapped.is_wrapped(argv)
    assert not wrapped.is_by_hand(argv)
    assert not wrapped.is_outdated(argv)


@pytest.mark.parametrize("name", ["--", "-x", "--name", "a b", "ü", "", '"'])
def test_no_name_of_a_server_confuses_it(name):
    argv = [*wrapped.front(name), *OWN]
    assert argv[wrapped.length_of_front(argv) :] == OWN


@pytest.mark.parametrize(
    "launcher",
    [
        ["/old/place/unpretty/proxy"],
        ["C:\\Users\\me\\AppData\\Local\\unpretty\\proxy.py"],
        ["C:\\Python\\python.exe", "-I", "-S", "C:\\Users\\me\\AppData\\Local\\unpretty\\proxy.py"],
        ["$HOME/.local/share/unpretty/proxy"],
    ],
)
def test_a_launcher_in_another_place_is_ours_and_outdated(launcher):
    argv = [*launcher, "--name=db", "--max-result-bytes", "9000", "--", *OWN]
    assert argv[wrapped.length_of_front(argv) :] == OWN
    assert wrapped.is_outdated(argv)
    assert wrapped.options_of(argv) == ["--name=db", "--max-result-bytes", "9000"]
    assert wrapped.front("db", wrapped.options_of(argv)) == [*wrap_launcher.argv(), *argv[len(launcher) : -len(OWN)]]


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["--"],
        ["npx", "-y", "server"],
        ["npx", "--", "/x/unpretty/proxy", "--", "y"],
        ["/x/unpretty/proxy"],
        ["/x/unpretty/proxy", "--name=db", "--"],
        ["/x/unpretty/proxy-of-mine", "--", "y"],
        ["/x/not-unpretty/proxy", "--", "y"],
        ["a", "b", "c", "d", "/x/unpretty/proxy", "--", "y"],
        [1, None, "--", "y"],
    ],
)
def test_other_commands_are_not_ours(argv):
    assert wrapped.length_of_front(argv) == 0
    assert not wrapped.is_wrapped(argv)
    assert not wrapped.is_outdated(argv)
    assert wrapped.options_of([str(word) for word in argv[:1]]) == []


@pytest.mark.parametrize(
    "argv",
    [
        ["unpretty", "proxy", "--", "npx", "db"],
        ["/opt/venv/bin/unpretty", "proxy", "npx", "db"],
        ["C:\\x\\unpretty.exe", "proxy", "--max-result-bytes", "9000", "--", "npx"],
        ["python3", "-m", "unpretty", "proxy", "--", "npx"],
    ],
)
def test_a_proxy_that_somebody_put_there_by_hand_is_known_and_is_not_ours(argv):
    assert wrapped.is_by_hand(argv)
    assert wrapped.is_wrapped(argv)
    assert wrapped.length_of_front(argv) == 0
    assert server(argv=tuple(argv)).state == "wrapped"


def test_the_states_of_a_server():
    assert server().state == "not_wrapped"
    assert server(argv=(), remote=True).state == "remote"
    assert server(argv=(*wrapped.front("db"), "npx")).state == "wrapped"


def test_only_what_is_named_and_can_be_wrapped_is_chosen():
    plain, other = server("a"), server("b")
    shared = server("a", obstacle="others share it.")
    remote, done, odd = server("r", (), remote=True), server("w", (*wrapped.front("w"), "x")), server("o", ())
    everything = [plain, other, shared, remote, done, odd]
    assert wrapped.chosen(everything, ("all",)) == [plain, other]
    assert wrapped.chosen(everything, ("a",)) == [plain]
    assert wrapped.chosen(everything, ()) == []
    assert wrapped.refusals(everything, ("b", "w")) == []
    notes = [note.message for note in wrapped.refusals(everything, ("all",))]
    assert [message.split(" is not wrapped: ")[0] for message in notes] == [
        f"The MCP server {name} in {FILE}" for name in ("a", "r", "o")
    ]
    assert notes[0].endswith("others share it.")
    assert "by an address" in notes[1]
    assert "names no command" in notes[2]


def test_on_windows_the_interpreter_itself_is_started(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    argv = [*wrapped.front("db"), *OWN]
    assert argv[1:3] == ["-I", "-S"]
    assert argv[3].endswith("proxy.py")
    assert argv[wrapped.length_of_front(argv) :] == OWN
