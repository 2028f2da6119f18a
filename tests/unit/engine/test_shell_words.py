"""Simple commands out of a command line, as a POSIX shell separates them; hostile text takes linear time."""

import shlex
import shutil
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unpretty.engine.shell_words import pipelines


def words(text: str) -> list[list[list[str]]]:
    return [[command.words for command in pipeline] for pipeline in pipelines(text) if any(c.words for c in pipeline)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b  c", [[["a", "b", "c"]]]),
        ("a | b |& c", [[["a"], ["b"], ["c"]]]),
        ("a |\n b", [[["a"], ["b"]]]),
        ("a || b && c; d & e\nf", [[["a"]], [["b"]], [["c"]], [["d"]], [["e"]], [["f"]]]),
        ("a 'b | c' \"d ; e\" f\\ g", [[["a", "b | c", "d ; e", "f g"]]]),
        ('a "b \\" c" \'d\'"e"', [[["a", 'b " c', "de"]]]),
        ("a $'it\\'s' b", [[["a", "$it\\'s", "b"]]]),
        ("a \\\n b", [[["a", "b"]]]),
        ("# it's a note\na # it's one too\nb c#d", [[["a"]], [["b", "c#d"]]]),
        ("a \"$(b 'c')\" d", [[["a"]], [["b", "c"]], [[")", "d"]]]),
        ('a "$(b "$(c "d")")"', [[["a"]], [["b"]], [["c", "d"]], [[")"]], [[")"]]]),
        ('a "`b`" c', [[["a"]], [["b"]], [[")", "c"]]]),
        ("(a; b) | c", [[["a"]], [["b"]], [[")"], ["c"]]]),
        ("a 2>&1 >b <c 3>d >>e | f", [[["a"], ["f"]]]),
        ("a <<E b\nit's | x\nE\nc", [[["a", "b", "it's | x\n"]], [["c"]]]),
        ("a <<-'E' | b\n\tx\n\tE\nc", [[["a", "\tx\n"], ["b"]], [["c"]]]),
        ("a <<<b c", [[["a", "c"]]]),
        ("a <<E\nb c", [[["a"]], [["b", "c"]]]),
        ("it's a; b", [[["its", "a"]], [["b"]]]),
        ('a "b; c', [[["a", "b; c"]], [["b"]], [["c"]]]),
        ("case a in b) c;; esac", [[["case", "a", "in", "b"]], [[")", "c"]], [["esac"]]]),
        ("'' a\\", [[["a"]]]),
    ],
)
def test_commands_and_their_words(text: str, expected: list[list[list[str]]]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "prints", "reads"),
    [
        ("a", True, False),
        ("a > b", False, False),
        ("a >>b 2>&1", False, False),
        ("a 1>|b", False, False),
        ("a >/dev/null", False, False),
        ("a >/dev/stderr", True, False),
        ("a 2>b", True, False),
        ("a >&2", True, False),
        ("a > >(b)", True, False),
        ("a <b", True, True),
        ("a <&3", True, False),
        ("a b2>c", False, False),
    ],
)
def test_where_input_and_output_go(text: str, prints: bool, reads: bool) -> None:
    command = pipelines(text)[0][0]
    assert (command.prints, command.reads) == (prints, reads)


@pytest.mark.skipif(shutil.which("sh") is None, reason="compares with a real shell")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab'\"\\ $#`\n", max_size=6), min_size=1, max_size=4))
def test_quoted_words_are_those_of_a_real_shell(parts: list[str]) -> None:
    double = ['"' + "".join("\\" + c if c in '"\\$`' else c for c in part) + '"' for part in parts]
    for text in (" ".join(map(shlex.quote, parts)), " ".join(double)):
        shown = subprocess.run(["sh", "-c", f"printf '%s\\0' {text}"], capture_output=True, check=True).stdout
        expected = [word for word in shown.decode().split("\0") if word]
        assert words("printf " + text)[0][0][1:] == expected


@pytest.mark.parametrize(
    "part",
    ['"$(', "<<A\n", "x <<A\nA\n", "$'\\'", "'", '"', "`", "\\", "a|", "\"'", "(", ")", '"`', "#", "a>b "],
    ids=repr,
)
def test_time_is_linear_for_hostile_text(part: str, processor_seconds: Callable[[Callable[[], object]], float]) -> None:
    def seconds(size: int) -> float:
        text = part * (size // len(part))
        return processor_seconds(lambda: pipelines(text))

    assert seconds(40_000) < 40 * max(seconds(4_000), 0.002)
