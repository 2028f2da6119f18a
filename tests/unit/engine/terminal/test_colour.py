"""Where colour is the subject, the codes are data, and the text stays byte for byte."""

import pytest

from unpretty.engine.compaction import compact
from unpretty.engine.context import SHELL, Context
from unpretty.engine.terminal import reduce_noise
from unpretty.engine.terminal.colour import is_subject

RED, GREEN, OFF = "\x1b[31m", "\x1b[32m", "\x1b[0m"


def diff_of_colours() -> str:
    old = "".join(f"< {RED}cell {i:02}{OFF}\n" for i in range(30))
    return f"1,30c1,30\n{old}---\n" + old.replace("<", ">").replace(RED, GREEN)


def indented_diff() -> str:
    blanks = "        \t            \t"
    lines = ("--- Expected", "+++ Actual", "@@ -1 +1 @@")
    old = "-\x1b[37m\x1b[48;2;213;20;6ma\x1b[48;2;255;77;46mb\x1b[0m"
    new = "+\x1b[37m\x1b[48;2;241;9;2ma\x1b[48;2;255;41;19mb\x1b[0m"
    block = "        \tDiff:\n" + "".join(f"{blanks}{line}\n" for line in (*lines, old, new))
    return "ok  \tpkg/color\t0.098s\n--- FAIL: TestGradient (0.00s)\n    writer_test.go:114:\n" + block * 4


def word_diff() -> str:
    return f"The price is {RED}10\x1b[m{GREEN}20\x1b[m dollars and the limit is {RED}5\x1b[m{GREEN}7\x1b[m items\n" * 12


def coloured_log() -> str:
    return "".join(f"{GREEN}12:00:{i:02}{OFF} \x1b[1mINFO{OFF} request {i} done\n" for i in range(40))


SUBJECT = {
    "a diff of texts that differ in colour only": diff_of_colours(),
    "a diff within the output of a test": indented_diff(),
    "a word diff": word_diff(),
    "a word diff that ends each colour by its own code": "a \x1b[31m10\x1b[39m\x1b[32m20\x1b[39m b\n",
    "a word diff without ends": "a \x1b[31m10\x1b[32m20\x1b[m b\n",
    "a word diff in bold": "a \x1b[1;31m10\x1b[m\x1b[1;32m20\x1b[m b\n",
    "a word diff, ended as tput does": "a \x1b[31m10\x1b(B\x1b[m\x1b[32m20\x1b(B\x1b[m b\n",
    "a word diff with erasing, as grep writes colours": "a \x1b[31m\x1b[K10\x1b[m\x1b[K\x1b[32m\x1b[K20\x1b[m b\n",
    "a word diff in background colours": "a \x1b[41m10\x1b[49m\x1b[102m20\x1b[49m b\n",
    "a word diff in bright colours": "a \x1b[91m10\x1b[0m\x1b[92m20\x1b[0m b\n",
    "a word diff in 256 colours": "a \x1b[38;5;1m10\x1b[m\x1b[38;5;2m20\x1b[m b\n",
    "a word diff in true colours": "a \x1b[38;2;9;0;0m10\x1b[m\x1b[48:2::0:9:0m20\x1b[m b\n",
    "letters outside ASCII": "a \x1b[31mé\x1b[m\x1b[32mß\x1b[m b\n",
    "a gradient": "".join(f"\x1b[38;5;{n}m{c}" for n, c in enumerate("words")) + "\x1b[0m\n",
    "matches that touch": "\x1b[01;31mab\x1b[m\x1b[01;31mab\x1b[m\n",
    "lines that differ in colour": f"want:\n{RED}a b{OFF}\ngot:\n{GREEN}a b{OFF}\n",
    "lines that differ in colour, with line ends of Windows": f"want:\r\n{RED}a b{OFF}\r\ngot:\r\n{GREEN}a b{OFF}\r\n",
    "a coloured line and the same without": f"want:\n{RED}a b{OFF}\ngot:\na b\n",
    "lines that differ in bold": "\x1b[1ma b\x1b[0m\na b\n",
    "lines that differ in the place of a colour": f"{RED}a{OFF} b\na {RED}b{OFF}\n",
    "lines that differ in the colour of their underlining": "\x1b[4;58;5;1ma b\x1b[0m\n\x1b[4;58:5:2ma b\x1b[0m\n",
    "lines that differ in a true colour": "\x1b[38;2;9;9;9ma b\x1b[0m\n\x1b[38;2;9;9;8ma b\x1b[0m\n",
    "lines that differ in colour after their markers": f"{RED}- a b{OFF}\n{GREEN}  + a b{OFF}\n",
    "lines that differ in colour, whole text without an end": f"{RED}a b{OFF}\n{GREEN}a b",
    "bars that differ in colour": f"{RED}███{OFF}\n{GREEN}███{OFF}\n",
    "a deleted line that holds codes": f"-{RED}a b{OFF}\n",
    "an added line that holds codes": f"    + a {RED}b{OFF}\n",
    "a line of diff whose colour goes on": f"- {RED}a b\n  c{OFF}\n",
    "a line of diff that holds codes": f"\t> a {RED}b{OFF}\n",
    "a word diff of signs and digits": f"costs {RED}$10{OFF}{GREEN}$20{OFF} now\n",
    "a word diff of quoted words": f'x = {RED}"a"{OFF}{GREEN}"b"{OFF}\n',
    "a word diff of calls, new words first": f"x = {GREEN}f(){OFF}{RED}g(){OFF}\n",
    "a word diff of signs in background colours": "x = \x1b[41m'a'\x1b[49m\x1b[42m'b'\x1b[49m\n",
    "a QR code": "\x1b[47m    \x1b[40m  \x1b[47m  \x1b[0m\n\x1b[40m  \x1b[47m      \x1b[0m\n",
    "a palette": "\x1b[41m  \x1b[0m \x1b[42m  \x1b[0m\n",
    "links that differ in their address": (
        "\x1b]8;;file:///a/x\x1b\\x\x1b]8;;\x1b\\\n\x1b]8;;file:///b/x\x1b\\x\x1b]8;;\x1b\\\n"
    ),
    "links that differ in their address, ended by a bell": "\x1b]8;;a:1\ax\x1b]8;;\a\n\x1b]8;;a:2\ax\x1b]8;;\a\n",
    "a link and the same word without": "\x1b]8;;a:1\ax\x1b]8;;\a\nx\n",
    "a broken code between two colours, which is text": f"{RED}10\x1b[99z{GREEN}20{OFF}\n",
    "a line of diff whose marker is coloured by itself": f"{GREEN}ok{OFF}\n< a {RED}b{OFF}\n",
}


@pytest.mark.parametrize("name", SUBJECT)
def test_a_text_whose_subject_is_colour_stays_byte_for_byte(name: str) -> None:
    text = SUBJECT[name]
    assert is_subject(text)
    assert reduce_noise(text) is None
    noise = "\x1b[1mbold\x1b[0m\n10%\r20%\n"
    assert reduce_noise(noise + text) is None
    context = Context(SHELL, noise=True, min_bytes=0)
    assert compact(text, context).text == text


NO_SUBJECT = {
    "a coloured log": (coloured_log(), "".join(f"12:00:{i:02} INFO request {i} done\n" for i in range(40))),
    "a word of which a part is coloured": (f"pre{RED}fix{OFF}ed\n", "prefixed\n"),
    "another style in the middle of a coloured word": ("\x1b[31mab\x1b[1mcd\x1b[m\n", "abcd\n"),
    "colours that touch signs": (f"{RED}a:{OFF}{GREEN}b{OFF}\n", "a:b\n"),
    "colours with a blank between": (f"{RED}10{OFF} {GREEN}20{OFF}\n", "10 20\n"),
    "colours on two lines": (f"{RED}10{OFF}\n{GREEN}20{OFF}\n", "10\n20\n"),
    "colours that a movement parts": (f"{RED}10{OFF}\x1b[2C{GREEN}20{OFF}\n", "10  20\n"),
    "dots and signs of tests": (f"{GREEN}.{OFF}{RED}F{OFF}{GREEN}.{OFF}\n", ".F.\n"),
    "equal lines of one colour": (f"{RED}a b{OFF}\n" * 3, "a b\n" * 3),
    "equal lines, their codes written in another way": (
        "\x1b[1;31ma b\x1b[0m\n\x1b[1m\x1b[31ma b\x1b[22;39m\n\x1b[31m\x1b[1ma b\x1b[m\n\x1b[0;01;4;24;31ma b\x1b[m\n",
        "a b\n" * 4,
    ),
    "equal lines without a colour, a code on one of them": ("a b\n\x1b[0ma b\x1b[0m\n", "a b\na b\n"),
    "marks of tests in red and green": (f"{RED}F{OFF}{GREEN}.{OFF}{RED}!{OFF}{GREEN}ok{OFF}\n", "F.!ok\n"),
    "numbers in red and green with a comma between": (
        f"{RED}1 failed{OFF}, {GREEN}2 passed{OFF}\n",
        "1 failed, 2 passed\n",
    ),
    "red and green words that blanks part": (f"{RED}a) {OFF}{GREEN}(b{OFF}\n", "a) (b\n"),
    "red and green signs that a line end parts": (f"{RED}a){OFF}\n{GREEN}(b{OFF}\n", "a)\n(b\n"),
    "blanks around a word, all of one background": (
        "\x1b[41m  \x1b[1ma \x1b[22m  \x1b[0m \x1b[42m b \x1b[0m\n",
        "  a     b \n",
    ),
    "equal links with parameters": (
        "\x1b]8;id=1;a:1\ax\x1b]8;;\a\n\x1b]8;id=2;a:1\ax\x1b]8;;\a\n",
        "x\nx\n",
    ),
    "empty lines": ("\x1b[31ma\n\n\x1b[0m\n\n", "a\n\n\n\n"),
    "empty lines with line ends of Windows": ("\x1b[31ma\r\n\r\n\x1b[0m\r\n\r\n", "a\r\n\r\n\r\n\r\n"),
    "a place in a file as compilers write it": (
        "\x1b[1m\x1b[34m--> \x1b[0msrc/a.rs:1:2\n",
        "--> src/a.rs:1:2\n",
    ),
    "a diff that was coloured by its program": (
        f"{RED}-  a: 1{OFF}\n{GREEN}+  a: 2{OFF}\n",
        "-  a: 1\n+  a: 2\n",
    ),
    "a code after the text of a marked line": (f"- a b{OFF}\n", "- a b\n"),
    "coloured JSON": (
        '\x1b[1;39m{\n  \x1b[0m\x1b[34;1m"a"\x1b[0m\x1b[1;39m: \x1b[0m\x1b[0;39m1\x1b[0m\x1b[1;39m\n}\x1b[0m\n',
        '{\n  "a": 1\n}\n',
    ),
    "codes without a meaning": ("\x1b[200ma\x1b[0m\na\n", "a\na\n"),
    "codes that are no text styles": ("\x1b[>4;2ma\x1b[?4mb\x1b[1m \x1b[0m\n", "ab \n"),
    "a colour without a number": ("\x1b[38ma \x1b[38;5mb\x1b[m\n", "a b\n"),
}


@pytest.mark.parametrize("name", NO_SUBJECT)
def test_colours_that_only_dress_a_text_go(name: str) -> None:
    text, shown = NO_SUBJECT[name]
    assert reduce_noise(text) == shown
