"""Terminal noise: real-looking output and each kind of code, with what must be left of it."""

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from unpretty.engine.terminal import has_noise, reduce_noise
from unpretty.engine.terminal.line import _NARROW
from unpretty.tokens.count import load_counter

ROOT = Path(__file__).parents[3]


def git_clone() -> str:
    """`git clone --progress`, as git writes it."""
    text = "Cloning into 'shop'...\n"
    for step in ("remote: Counting objects", "remote: Compressing objects"):
        text += (
            "".join(f"{step}: {i:3}% ({i * 5}/500)\x1b[K\r" for i in range(100))
            + f"{step}: 100% (500/500), done.\x1b[K\n"
        )
    for step in ("Receiving objects", "Resolving deltas"):
        text += "".join(f"{step}: {i:3}% ({i * 5}/500)\r" for i in range(100)) + f"{step}: 100% (500/500), done.\n"
    return text


def npm_install() -> str:
    spinner = "".join(f"{sign}\x1b[1G\x1b[0K" for sign in "⠙⠹⠸⠼⠴⠦⠧⠇⠏⠋" * 20)
    return f"{spinner}\nadded 214 packages in 7s\n{spinner}\n\x1b[32mfound 0 vulnerabilities\x1b[0m\n"


def pip_install() -> str:
    lines = "Collecting pygments\n  Downloading pygments-2.21.0-py3-none-any.whl (1.2 MB)\n"
    for i in range(41):
        done, left = "━" * i, "━" * (40 - i)
        bar = f"\x1b[91m{done}\x1b[0m\x1b[90m{left}\x1b[0m"
        lines += f"\r\x1b[2K     {bar} \x1b[32m{i * 0.03:.1f}/1.2 MB\x1b[0m \x1b[36m0:00:0{i % 3}\x1b[0m"
    return (
        "\x1b[?25l"
        + lines
        + "\n\x1b[?25hInstalling collected packages: pygments\nSuccessfully installed pygments-2.21.0\n"
    )


def cargo_build() -> str:
    text = ""
    for i, name in enumerate(("libc", "cfg-if", "memchr", "serde", "regex", "shop")):
        text += f"\x1b[1m\x1b[92m   Compiling\x1b[0m {name} v1.{i}.0\n"
        text += f"\x1b[1m\x1b[96m    Building\x1b[0m [{'=' * i * 3}>{' ' * (20 - i * 3)}] {i}/6: {name}        \r\x1b[K"
    return text + "\x1b[1m\x1b[92m    Finished\x1b[0m `dev` profile [unoptimized + debuginfo] target(s) in 4.12s\n"


def docker_compose() -> str:
    text = "[+] Running 2\n ⠋ web Pulling\n ⠋ db Pulling\n"
    for i in range(1, 30):
        text += f"\x1b[2A\x1b[2K ⠙ web Pulling {i * 3} MB\n\x1b[2K ⠙ db Pulling {i * 2} MB\n"
    return text + "\x1b[2A\x1b[2K ✔ web Pulled 3.1s\n\x1b[2K ✔ db Pulled 2.2s\n"


def pytest_run() -> str:
    lines = [
        f"tests/test_cart.py::test_case_{i} \x1b[32mPASSED\x1b[0m\x1b[32m{' ' * 20}[{i * 2:3}%]\x1b[0m"
        for i in range(1, 51)
    ]
    return (
        "\x1b[1m==== test session starts ====\x1b[0m\n"
        + "\n".join(lines)
        + "\n\x1b[32m==== \x1b[1m50 passed\x1b[0m in 0.61s ====\n"
    )


def coloured_log() -> str:
    """A server log of 16 kB whose last line is what the agent is after."""
    line = (
        "\x1b[2m2026-03-01T12:00:{:02}.{:03}Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[1mshop::http\x1b[0m\x1b[2m:\x1b[0m "
        "GET \x1b[36m/api/items/{}\x1b[0m \x1b[3mstatus\x1b[0m\x1b[2m=\x1b[0m200\n"
    )
    return "".join(line.format(i % 60, i, i) for i in range(95)) + '\x1b[2K\x1b[1G{"items": 95, "ok": true}\n'


SAMPLES: dict[str, tuple[Callable[[], str], str]] = {
    "git clone": (
        git_clone,
        "Cloning into 'shop'...\n"
        "remote: Counting objects: 100% (500/500), done.\nremote: Compressing objects: 100% (500/500), done.\n"
        "Receiving objects: 100% (500/500), done.\nResolving deltas: 100% (500/500), done.\n",
    ),
    "npm install": (npm_install, "\nadded 214 packages in 7s\n\nfound 0 vulnerabilities\n"),
    "pip install": (
        pip_install,
        "Collecting pygments\n  Downloading pygments-2.21.0-py3-none-any.whl (1.2 MB)\n"
        f"     {'━' * 40} 1.2/1.2 MB 0:00:01\n"
        "Installing collected packages: pygments\nSuccessfully installed pygments-2.21.0\n",
    ),
    "cargo build": (
        cargo_build,
        "   Compiling libc v1.0.0\n   Compiling cfg-if v1.1.0\n   Compiling memchr v1.2.0\n   Compiling serde v1.3.0\n"
        "   Compiling regex v1.4.0\n   Compiling shop v1.5.0\n"
        "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 4.12s\n",
    ),
    "docker compose pull": (docker_compose, "[+] Running 2\n ✔ web Pulled 3.1s\n ✔ db Pulled 2.2s\n"),
    "pytest --color=yes": (
        pytest_run,
        "==== test session starts ====\n"
        + "".join(f"tests/test_cart.py::test_case_{i} PASSED{' ' * 20}[{i * 2:3}%]\n" for i in range(1, 51))
        + "==== 50 passed in 0.61s ====\n",
    ),
    "coloured log": (
        coloured_log,
        "".join(
            f"2026-03-01T12:00:{i % 60:02}.{i:03}Z  INFO shop::http: GET /api/items/{i} status=200\n" for i in range(95)
        )
        + '{"items": 95, "ok": true}\n',
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_what_tools_print_is_reduced_to_what_their_users_see(name: str) -> None:
    make, shown = SAMPLES[name]
    assert reduce_noise(make()) == shown


@pytest.mark.parametrize("name", SAMPLES)
def test_windows_line_ends_stay_byte_for_byte(name: str) -> None:
    make, shown = SAMPLES[name]
    assert reduce_noise(make().replace("\n", "\r\n")) == shown.replace("\n", "\r\n")


def test_the_documented_token_figures_are_what_the_samples_give() -> None:
    count = load_counter()
    page = (ROOT / "docs" / "noise-and-paths.md").read_text(encoding="utf-8")
    for name, (make, shown) in SAMPLES.items():
        before, after = count(make()), count(shown)
        assert f"| {name} | {before:,} | {after:,} | {100 * (after - before) / before:.0f} % |" in page


CASES = {
    "a colour": ("\x1b[31mred\x1b[0m text  \n", "red text  \n"),
    "256 and true colours, with semicolons or colons": ("\x1b[38;5;208ma \x1b[48:2::1:2:3mb\x1b[m", "a b"),
    "colours as grep and gcc write them": ("\x1b[01;31m\x1b[Kmain\x1b[m\x1b[K: ok", "main: ok"),
    "tput sgr0": ("\x1b(B\x1b[mplain\x1b)B", "plain"),
    "a title that BEL ends": ("\x1b]0;make\x07done", "done"),
    "a title that ST ends": ("\x1b]2;make\x1b\\done", "done"),
    "a link keeps its text": ("see \x1b]8;;https://example.org/a\x1b\\the page\x1b]8;;\x1b\\.", "see the page."),
    "shell marks and task bar progress": ("\x1b]133;A\x07\x1b]9;4;1;50\x07$ ls", "$ ls"),
    "cursor on and off, bracketed paste, synchronized output": ("\x1b[?25l\x1b[?2004h\x1b[?2026hx\x1b[?25h", "x"),
    "several private modes at once": ("\x1b[?1000;1006hx", "x"),
    "keypad modes": ("\x1b=\x1b>x", "x"),
    "keyboard protocol and cursor style": ("\x1b[>4;2m\x1b[>1u\x1b[<u\x1b[=1u\x1b[2 qx\x1b[!p", "x"),
    "questions to the terminal": ("\x1b[6n\x1b[c\x1b[>c\x1b[?6n x", " x"),
    "keeping and restoring the title": ("\x1b[22;0;0tx\x1b[23;0;0t", "x"),
    "a bell": ("wrong\x07 answer", "wrong answer"),
    "a carriage return": ("10%\r2%\n", "2%%\n"),
    "a carriage return at the end of an overwritten line": ("10%\r20%\r\nnext", "20%\r\nnext"),
    "a doubled carriage return": ("one\r\r\ntwo\r\r\n", "one\r\ntwo\r\n"),
    "blanks that wipe a progress line": ("10%\r   \r\x1b[32mok\x1b[0m\n", "ok\n"),
    "blanks at the end of a line that was written over": ("10%\r     \n", "\n"),
    "blanks at the end of a line that was only coloured": ("\x1b[1mabc   \x1b[0m\nx", "abc   \nx"),
    "backspaces": ("|\b/\b-\bdone\n", "done\n"),
    "overstriking, as man prints bold and underline": ("N\bNA\bAM\bME\bE _\bx\n", "NAME x\n"),
    "more backspaces than text": ("5%\b\b\b\b10%\n", "10%\n"),
    "erasing to the right": ("abcdef\x1b[3D\x1b[K!\n", "abc!\n"),
    "erasing to the left": ("abcdef\x1b[3D\x1b[1K\n", "    ef\n"),
    "erasing the line keeps the column": ("abc\x1b[2Kd\n", "   d\n"),
    "erasing an odd line, then going left": ("日本\x1b[2K\rok\n", "ok\n"),
    "erasing characters": ("abcdef\x1b[6D\x1b[2X\n", "  cdef\n"),
    "erasing characters beyond the end": ("abc\x1b[D\x1b[999X\n", "ab\n"),
    "deleting characters": ("abcdef\x1b[6D\x1b[2P\n", "cdef\n"),
    "inserting characters": ("abcdef\x1b[3D\x1b[2@\x1b[0K\n", "abc\n"),
    "inserting and deleting at the end do nothing": ("abc\x1b[2@\x1b[2P\x1b[2Xd\n", "abcd\n"),
    "going to a column": ("abc\x1b[5GX\x1b[7`Y\x1b[aZ\x1b[m\n", "abc X Y Z\n"),
    "a gap": ("ab\x1b[2Ccd\x1b[0m\n", "ab  cd\n"),
    "erasing to the end of the screen on the last line": ("abc\x1b[2D\x1b[J\n", "a\n"),
    "wide characters after a restart": ("📦 10%\r\x1b[K📦 20%\n", "📦 20%\n"),
    "wide characters that stay the same": ("📦 载 10%\r📦 载 20%\r📦 载 100%\n", "📦 载 100%\n"),
    "a tab that stays the same": ("a\tat 1%\ra\tat 2%\n", "a\tat 2%\n"),
    "a tab that stays the same, then more": ("a\tat 1%\ra\tat 1% of 9\n", "a\tat 1% of 9\n"),
    "erasing an odd line twice": ("日\x1b[2K\x1b[K\rx\n", "x\n"),
    "a tab in a coloured line": ("\x1b[1ma\tb\x1b[0m", "a\tb"),
    "clearing an empty screen": ("\x1b[H\x1b[2J\x1b[3J12 passed\n", "12 passed\n"),
    "clear, as other terminals write it": ("\x1b[H\x1b[J\x1bc12 passed\n", "12 passed\n"),
    "only codes": ("\x1b[0m\x1b[K", ""),
    "a text that ends in a movement": ("a\nloading\r\x1b[K", "a\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_codes_do_what_a_terminal_does(name: str) -> None:
    text, shown = CASES[name]
    assert has_noise(text)
    assert reduce_noise(text) == shown
    assert reduce_noise(shown) is None


UP = {
    "two progress bars": ("a 1\nb 1\n\x1b[2A\x1b[2Ka 2\n\x1b[2Kb 2\n", "a 2\nb 2\n"),
    "erasing lines upwards": ("one\ntwo\x1b[2K\x1b[1A\x1b[2K\x1b[Gdone\n", "done\n"),
    "to the start of an earlier line and back down": ("10%\n5%\n\x1b[2F20%\x1b[E10%\n", "20%\n10%\n"),
    "down keeps the column": ("a |\nd  |\n\x1b[2A\x1b[2C/\x1b[B/\n", "a /\nd  /\n"),
    "erasing below": ("one\ntwo\nthree\n\x1b[3A\x1b[Jonly\n", "only\n"),
    "blanks of lines that were only passed stay": ("keep  \nx\n\x1b[2A\n\x1b[2Ky\n", "keep  \ny\n"),
    "windows line ends": ("a 1\r\nb 1\r\n\x1b[2A\x1b[2Ka 2\r\n\x1b[2Kb 2\r\n", "a 2\r\nb 2\r\n"),
}


@pytest.mark.parametrize("name", UP)
def test_going_up_rewrites_earlier_lines(name: str) -> None:
    text, shown = UP[name]
    assert reduce_noise(text) == shown


LEFT_ALONE = {
    "no control code": "plain text\nwith CRLF\r\nand a tab\t.\n",
    "an empty text": "",
    "control codes made visible": "^[[31mred^[[0m M-bM-^@M-^Y ^M$\n",
    "escapes spelled out": "printf '\\x1b[31m' '\\033[0m' '\\r'\n",
    "a text without line feeds, whose lines carriage returns may end": "name,price\ra,1\rb,2\r",
    "a position on the screen": "a\x1b[2;5Hb\x1b[0m\n",
    "the alternate screen": "\x1b[?1049hvim\x1b[?1049l\n",
    "clearing a screen that shows something": "a\n\x1b[2J\x1b[Hb\n",
    "a scrolling region": "\x1b7\x1b[0;23r\x1b8 50%\n",
    "line drawing characters": "\x1b(0lqqk\x1b(B\n",
    "an image": "\x1bPq#0;2;0;0;0\x1b\\\n",
    "insert mode": "abc\x1b[4h\rX\x1b[4l\n",
    "up, above the first line": "a\n\x1b[5Ab\x1b[0m\n",
    "down, below the last line": "a\nb\x1b[A\x1b[3Bc\n",
    "up across a line that may take two rows": "x" * 90 + "\n\x1b[A\x1b[2Kshort\n",
    "up across a line of unknown width": "日本\na\n\x1b[2A\x1b[2Kb\n",
    "up from an unknown column": "a\n日本\x1b[Ab\n",
    "up beside a broken code": "a\n\x1b[99zb\n\x1b[A\x1b[31mc\n",
    "up beside an odd control character": "a\n\x0eb\n\x1b[A\x1b[31mc\n",
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_a_text_that_cannot_be_told_for_certain_is_left_alone(name: str) -> None:
    assert reduce_noise(LEFT_ALONE[name]) is None


KEPT = {
    "a code that was cut": "abc\x1b[3",
    "an escape at the end": "abc\x1b",
    "an unknown code": "a\x1b[99zb",
    "a code with an unknown intermediate": "a\x1b[1$zb",
    "an unknown private code": "a\x1b[?5zb",
    "an unknown window operation": "a\x1b[8;24;80tb",
    "an unknown kind of erasing": "a\x1b[7Kb",
    "a movement with two numbers": "a\x1b[1;2Cb",
    "an escape before a letter": "a\x1bzb",
    "a code longer than any code": "a\x1b[" + "1;" * 60 + "mb",
    "an image in a command": "\x1b]1337;File=inline=1:AAAA\x07b",
    "a title that does not end": "\x1b]0;title",
    "a control character beside a colour": "\x1b[31m\x0ea\x1b[0m",
    "an eight-bit control character": "\x1b[31m\x9b1mé\x1b[0m",
    "a tab that was written over": "a\tb\rXYZ",
    "a wide character that was written over": "日本\rabcd",
    "a step back over a wide character": "日本\bX",
    "progress over a tab": "10%\tb\r20% of\tb",
    "progress over wide characters": "10% 日本\r20% 本日本",
    "progress with wide characters over narrow ones": "10% ab\r20% 日本",
    "a wide character over others": "abcd\b\b日本",
    "a wide character after a gap": "a\x1b[2C日本",
    "erasing after an unknown column": "日本\x1b[2Kx",
    "a line that would grow": "a\x1b[60Gb",
    "a line that would grow, by a gap no wider than the line": "a\x1b[9Cbbbbbb",
    "a gap wider than the line": "ab\x1b[9999Cc",
}


@pytest.mark.parametrize("name", KEPT)
def test_a_line_that_cannot_be_told_for_certain_stays_while_others_are_reduced(name: str) -> None:
    line = KEPT[name]
    assert reduce_noise(line + "\n") is None
    assert reduce_noise(f"\x1b[1mbold\x1b[0m\n{line}\n10%\r20%\n") == f"bold\n{line}\n20%\n"


def test_erasing_and_filling_cost_no_more_than_linear_time() -> None:
    assert reduce_noise("x" * 500 + "\x1b[1K" * 500 + "\n") is None
    assert reduce_noise("x" * 500 + "\r" + "\x1b[1P" * 400 + "\n") is None
    assert reduce_noise("x" * 80 + "\r" + "\x1b[1X" * 100 + "\n") is None
    up_and_down = "a\n" * 300 + "\x1b[290A\x1b[290B" * 300
    assert reduce_noise(up_and_down) is None
    assert reduce_noise("a\n" * 300 + "\x1b[290A\x1b[J\x1b[0m" + "x\x1b[J\n\x1b[A" * 300) is None


def test_many_different_codes_do_not_pile_up() -> None:
    from unpretty.engine.terminal import codes

    text = "".join(f"\x1b[{i}G\x1b[1G|" for i in range(1, 2000)) + "\n"
    assert reduce_noise(text) == "|\n"
    assert len(codes._SEEN) <= codes._MOST_SEEN


def test_characters_that_count_as_narrow_are_not_wide_and_not_combining_in_unicode() -> None:
    for low, high in _NARROW:
        for code in range(ord(low), ord(high) + 1):
            char = chr(code)
            assert unicodedata.east_asian_width(char) not in "WF", hex(code)
            assert not unicodedata.category(char).startswith(("M", "Cc", "Cf")), hex(code)
