import shlex
import sys

import pytest

from unpretty_installer.core import registered

AGENTS = ("claude-code", "codex", "opencode")


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("home", ["/home/u", "/Users/A B/Library", "/home/o'brien", "/home/ü", '/home/q"q$(x)`y`'])
def test_the_registered_command_is_ours_and_keeps_every_word_whole(monkeypatch, home, agent):
    monkeypatch.setenv("XDG_DATA_HOME", home)
    command = registered.shell_command(agent)
    assert registered.is_ours(command, agent)
    guard, redirection = ["trap", "exit 0", "EXIT;", "exec", "2>&-;"], ["2>/dev/null"]
    assert shlex.split(command) == [*guard, *registered.argv(agent), *redirection]
    assert registered.argv(agent) == [f"{home}/unpretty/python", "-I", "-S", f"{home}/unpretty/hook.py", agent]


@pytest.mark.parametrize(
    "command",
    [
        "exec /home/u/.local/share/unpretty/python -I -S /home/u/.local/share/unpretty/hook.py claude-code",
        "/opt/old/bin/python3.9 '/Users/A B/unpretty/hook.py' claude-code",
        'python3 "$HOME/.local/share/unpretty/hook.py" claude-code',
        "$HOME/unpretty/python $HOME/unpretty/hook.py 'claude-code'  ",
        "C:/Python/python.exe -I -S C:/Users/u/AppData/Local/unpretty/hook.py claude-code",
        r"python C:\\Users\\u\\unpretty\\hook.py claude-code",
        "UNPRETTY=off exec unpretty/hook.py claude-code",
        "python3 /home/u/unpretty/hook.py claude-code --more",
        "unpretty/hook.py claude-code|tee log; true",
        "unpretty/hook.py 'claude-code'>/tmp/log 2>&1 || exit 0",
        "(python3 unpretty/hook.py claude-code)",
    ],
)
def test_our_command_is_recognised_whatever_is_around_it(command):
    assert registered.is_ours(command, "claude-code")
    assert not registered.is_ours(command, "codex")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "python3 /home/u/notunpretty/hook.py claude-code",
        "python3 /home/u/unpretty/hook.pyc claude-code",
        "python3 /home/u/unpretty/myhook.py claude-code",
        "python3 /home/u/unpretty/hook.py claude-code-two",
        "python3 /home/u/unpretty/hook.py claude-code.bak",
        "python3 /home/u/unpretty/hook.py --verbose claude-code",
        "python3 /home/u/unpretty/hook.py",
        "python3 /home/u/unpretty/hook_py claude-code",
        "echo claude-code",
    ],
)
def test_a_command_that_only_resembles_ours_is_foreign(command):
    assert not registered.is_ours(command, "claude-code")


def test_on_windows_the_command_names_the_interpreter_itself_with_forward_slashes(monkeypatch):
    monkeypatch.setattr(registered.sys, "platform", "win32")
    monkeypatch.setattr(sys, "executable", r"C:\Program Files\Python\python.exe")
    monkeypatch.setattr(
        registered.locations, "data_dir", lambda: __import__("pathlib").PureWindowsPath(r"C:\U\unpretty")
    )
    assert registered.argv("codex") == [
        "C:/Program Files/Python/python.exe",
        "-I",
        "-S",
        "C:/U/unpretty/hook.py",
        "codex",
    ]
