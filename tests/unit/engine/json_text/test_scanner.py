"""The C scanner of json, with numbers kept as text."""

import subprocess
import sys
import textwrap

import pytest

from unpretty.engine.json_text import scanner
from unpretty.engine.json_text.scanner import InvalidJSON, loads, scan, scan_warily


def test_numbers_keep_their_text_and_objects_their_pairs() -> None:
    value, end = scan('x{"a": 1.50, "a": -0, "b": [1e5, true, null, "s"]}y', 1)
    assert value == (("a", b"1.50"), ("a", b"-0"), ("b", [b"1e5", True, None, "s"]))
    assert end == 50


@pytest.mark.parametrize(
    "text", ["[NaN]", "[Infinity]", "[-Infinity]", "[01]", "[1,]", '{"a":1,}', "[", '["\n"]', '["\\x"]', "", "[1 2]"]
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidJSON):
        scan(text)


@pytest.mark.parametrize("size", [10, 4_000, 4_095, 4_096, 4_097, 8_190, 20_000])
@pytest.mark.parametrize(
    "make", [lambda n: '["' + "x" * n + '"]', lambda n: "[" + "1" * n + "]", lambda n: "[" + " " * n + "true]"]
)
def test_a_value_is_read_whole_whatever_the_window(size: int, make) -> None:
    """Large texts are tried on a window first; a cut token must never count as an error or as a shorter value."""
    text = make(size)
    padded = text + "\n" + "z" * 20_000
    assert scan_warily(padded, 0) == scan(text) == scan(padded)


def test_the_offset_of_a_fault_is_told_within_and_beyond_the_window() -> None:
    for size in (10, 5_000):
        text = "[" + " " * size + "x]" + " " * 20_000
        for read in (scan, scan_warily):
            with pytest.raises(InvalidJSON) as caught:
                read(text, 0)
            assert caught.value.pos == size + 1


def test_loads_takes_one_value_and_nothing_after_it() -> None:
    assert loads(' {"a": 1, "a": 2}\n') == {"a": b"2"}
    with pytest.raises(InvalidJSON):
        loads("{} {}")


@pytest.mark.parametrize("text", ['{"a":1 "b"}', '["abc', '["a\nb"]', "[01]", "[1,]", '["\\ud8"]'])
def test_the_hook_learns_of_faults_without_importing_json(text: str) -> None:
    """The scanner finds the class of its error without json.decoder; that must work on every Python."""
    program = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {str(_package_place())!r})
        from unpretty.engine.json_text.scanner import InvalidJSON, scan
        try:
            scan({text!r})
        except InvalidJSON as exc:
            print(exc.pos, "json" in sys.modules, "json.decoder" in sys.modules, "re" in sys.modules)
        """
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    position, *loaded = done.stdout.split()
    assert loaded == ["False", "False", "False"]
    with pytest.raises(InvalidJSON) as caught:
        scan(text)
    assert int(position) == caught.value.pos


def test_without_the_accelerator_json_itself_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    fallback = scanner._make(tuple)
    assert fallback('{"a": 1.0, "a": [2]}', 0) == ((("a", b"1.0"), ("a", [b"2"])), 20)


def test_the_real_module_is_never_replaced() -> None:
    before = sys.modules["json.decoder"]
    with pytest.raises(InvalidJSON):
        scan("[1 2]")
    assert sys.modules["json.decoder"] is before


def _package_place() -> str:
    return scanner.__file__.rsplit("unpretty", 1)[0].rstrip("/\\")


def test_a_library_user_who_never_imported_json_gets_the_right_error() -> None:
    """Up to Python 3.11 the C scanner itself fails then."""
    program = (
        f"import sys; sys.path.insert(0, {str(_package_place())!r})\n"
        "from unpretty.engine.json_text.scanner import InvalidJSON, scan\n"
        "assert 'json' not in sys.modules\n"
        "try: scan('[1 2]')\n"
        "except InvalidJSON as exc: print(exc.pos)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "3\n"


def test_json_can_be_imported_after_an_error() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(_package_place())!r})\n"
        "from unpretty.engine.json_text.scanner import InvalidJSON, scan\n"
        "try: scan('[1 2]')\n"
        "except InvalidJSON: pass\n"
        "import json; print(json.loads('[1]'))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[1]\n"
