"""Path folding: whatever is folded unfolds to the identical bytes, and the text after a path never changes."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from unpretty.engine.paths import fold_paths, unfold_paths

PATHS = [
    "a.py",
    "src/a.py",
    "src/b.py",
    "src/a-b.py",
    "src/cli/main.py",
    "src/cli/deep/er/x.go",
    "./x/y.c",
    "/abs/x/y.c",
]
PATHS += [
    "C:\\x\\a.py",
    "C:\\x\\b c.py",
    "src\\b.py",
    "My Docs/a b.txt",
    "src/My File.txt",
    "Makefile",
    "dir/Makefile",
    "12-a/b.py",
]
PATHS += [
    "dir/12:3.py",
    "app/[id]/(group)/p.tsx",
    "src/a.py-1-x",
    "x/..",
    "src/",
    "ünïcode/日本.py",
    "2026/03/01.log",
    "a/b/c",
    "a/b/c/a",
    "a/c/a",
    "b/b/b/c",
    "a/b/",
    "@s/p/i.js",
]
TEXTS = [
    "def foo(): x",
    "",
    "12:3",
    "--",
    "-",
    "- a",
    "  ind",
    " one",
    ":x",
    "a:b:c",
    "src/a.py:3:q",
    '{"a": 1}',
    "\tx",
    "x-12-y",
    "é\r",
]
OTHER = [
    "--",
    "",
    "src/",
    "src/a.py",
    " x",
    "  x",
    "- item",
    "12:foo",
    "3-bar",
    ":x",
    "hello world",
    "Exit code 1",
    "x.py",
    " a/b",
]
OTHER += [
    "Binary file src/a.py matches",
    'rg: src/x: binary file matches (found "\\0" byte around offset 3)',
    "\r",
    "a\x0cb/c",
]


def lines_of_one_file(random: Random) -> list[str]:
    """Lines of one file, as a search prints them, context lines among them."""
    name = random.choice(PATHS)
    form = random.choice(["{}:{}:{}", "{}:{}:{}", "{}-{}-{}", "{}:{}:7:{}", "{0}:{2}", "{0}-{2}", "{0}::{2}"])
    other = form.replace(":", "-") if random.random() < 0.5 else form
    return [
        random.choice([form, form, other]).format(name, random.randint(1, 99), random.choice(TEXTS))
        for _ in range(random.randint(1, 5))
    ]


def files_of_one_directory(random: Random) -> list[str]:
    names = ["a.py", "b c.txt", "__init__.py", "x/y.js", "z/", "12-a", ":x", "日本.py"]
    directory = random.choice(PATHS).rstrip("/") + "/"
    return [directory + random.choice(names) for _ in range(random.randint(1, 5))]


# Drawing whole blocks keeps an example cheap; what matters is which of them are next to each other.
RANDOM = Random(2026)
SEARCHES = [lines_of_one_file(RANDOM) for _ in range(400)]
DIRECTORIES = [files_of_one_directory(RANDOM) for _ in range(100)]
blocks = st.lists(st.sampled_from(SEARCHES + DIRECTORIES + [[line] for line in OTHER * 5]), max_size=12)
ends = st.sampled_from(["", "\n", "\n\n"])


def check(original: str) -> None:
    folded = fold_paths(original)
    if folded is not None:
        assert unfold_paths(folded) == original
        assert len(folded.encode("utf-8", "surrogatepass")) < len(original.encode("utf-8", "surrogatepass"))


@given(blocks, st.sampled_from(["\n", "\n", "\r\n"]), ends)
def test_folded_search_results_and_listings_unfold_to_the_identical_text(
    parts: list[list[str]], line_end: str, end: str
) -> None:
    check(line_end.join([line for part in parts for line in part]) + end)


@given(st.lists(st.sampled_from(SEARCHES), min_size=1, max_size=8), ends)
def test_the_text_after_a_path_stays_on_a_line_of_its_own(parts: list[list[str]], end: str) -> None:
    original = "\n".join([line for part in parts for line in part]) + end
    folded = fold_paths(original)
    if folded is None:
        return
    left = iter(folded.split("\n"))
    for line in original.split("\n"):
        # Each line keeps its end, after a prefix that is dropped or shortened, in the same order.
        assert any((shown and line.endswith(shown.removeprefix(" "))) or line == shown for shown in left)


@given(st.text())
def test_any_text_is_left_alone_or_unfolds_to_itself(original: str) -> None:
    check(original)


@given(st.text(st.sampled_from("a/:.-\n 1\\"), max_size=80).map(lambda text: text * 3))
def test_texts_made_of_the_signs_of_the_folded_form_are_safe(original: str) -> None:
    check(original)
    unfold_paths(original)


@given(st.lists(st.tuples(st.integers(1, 99), st.sampled_from(TEXTS)), max_size=10))
def test_numbered_lines_without_a_path_are_never_folded(lines: list[tuple[int, str]]) -> None:
    assert fold_paths("".join(f"{n}:{words}\n" for n, words in lines)) is None


@given(st.lists(st.sampled_from(["x", "y", "zz"]), min_size=2, max_size=4), st.integers(3, 30))
def test_a_long_list_of_one_directory_always_shrinks(parts: list[str], count: int) -> None:
    directory = "/".join(["services", *parts])
    original = "".join(f"{directory}/{i}.py\n" for i in range(count))
    folded = fold_paths(original)
    assert folded == directory + "/\n" + "".join(f" {i}.py\n" for i in range(count))
