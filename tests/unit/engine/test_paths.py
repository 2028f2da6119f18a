"""Path folding: what search tools and listings print, how it is folded, and what is never touched."""

from collections.abc import Callable
from pathlib import Path

import pytest

from unpretty.engine.paths import fold_paths, may_fold, unfold_paths
from unpretty.tokens.count import load_counter

ROOT = Path(__file__).parents[3]

# A service as it could be in any repository.
FILES = [
    *[
        f"services/catalog/internal/handlers/{name}.go"
        for name in ("cart", "cart_test", "health", "items", "items_test")
    ],
    *[f"services/catalog/internal/store/{name}.go" for name in ("cache", "migrations", "postgres", "postgres_test")],
    *[
        f"services/catalog/migrations/{i:04}_{name}.sql"
        for i, name in enumerate(("init", "prices", "stock", "tags", "images"))
    ],
    "services/catalog/go.mod",
    "services/catalog/main.go",
    *[f"web/src/components/checkout/{name}.tsx" for name in ("Address", "Basket", "Payment", "Summary", "Voucher")],
    *[f"web/src/components/{name}.tsx" for name in ("Footer", "Header", "Layout")],
    *[f"web/src/hooks/{name}.ts" for name in ("useBasket", "useItems", "useLocale")],
    "web/package.json",
    "README.md",
]
TEXTS = [
    'return nil, fmt.Errorf("load price: %w", err)',
    "price := item.Price.Mul(quantity)",
    "// price is in cents",
    "const price = useMemo(() => format(item.price), [item.price]);",
    "if price.IsZero() {",
    '<td className="price">{price}</td>',
    "",
]


def matches(mark: str = ":{}:") -> str:
    """What `rg -n price`, or `grep -rn price`, prints: a few lines of some files."""
    lines = []
    for i, path in enumerate(FILES[:-2]):
        for j in range((i * 5) % 7):
            number = 7 + 13 * j + i
            lines.append(f"{path}{mark.format(number)}{'    ' * (j % 3)}{TEXTS[(i + j) % len(TEXTS)]}\n")
    return "".join(lines)


def context() -> str:
    """What `grep -rn -B1 -A2 price` prints."""
    chunks = []
    for i, path in enumerate(FILES[:-2]):
        for j in range((i * 5) % 4):
            at = 10 + 20 * j + i
            text = TEXTS[(i + j) % len(TEXTS)]
            chunks.append(f"{path}-{at - 1}-\n{path}:{at}:    {text}\n{path}-{at + 1}-    }}\n{path}-{at + 2}-}}\n")
    return "--\n".join(chunks)


def counts() -> str:
    return "".join(f"{path}:{1 + i * 3 % 11}\n" for i, path in enumerate(FILES))


def files() -> str:
    return "".join(path + "\n" for path in sorted(FILES))


def find() -> str:
    """What `find .` prints: directories too, each before what is in it."""
    seen: list[str] = ["."]
    for path in FILES:
        parts = path.split("/")
        for i in range(1, len(parts) + 1):
            line = "./" + "/".join(parts[:i])
            if line not in seen:
                seen.append(line)
    return "\n".join(seen) + "\n"


def find_absolute() -> str:
    return "".join(f"/home/dev/projects/shop/{path}\n" for path in FILES)


def pytest_verbose() -> str:
    head = "============ test session starts ============\ncollected 36 items\n\n"
    lines = [
        f"tests/integration/test_{name}.py::test_{case}[{i}] PASSED{' ' * 10}[{i * 8:3}%]"
        for name in ("checkout", "inventory", "pricing")
        for case in ("empty", "rounding", "concurrent")
        for i in range(1, 5)
    ]
    return head + "\n".join(lines) + "\n\n============ 36 passed in 1.62s ============\n"


def compiler() -> str:
    lines = []
    for path in FILES[19:27]:
        for j in range(3):
            lines.append(
                f"{path}:{12 + j * 9}:{5 + j}: error TS2339: Property 'price' does not exist on type 'Item'.\n"
            )
    return "".join(lines) + "\nFound 24 errors in 8 files.\n"


def windows() -> str:
    return "".join(
        f"C:\\work\\shop\\{path}:{i * 7}:{TEXTS[i]}\r\n".replace("/", "\\") for path in FILES[:6] for i in range(4)
    )


SAMPLES: dict[str, Callable[[], str]] = {
    "rg -n, grep -rn": matches,
    "rg without numbers": lambda: matches(":"),
    "grep -rn -B1 -A2": context,
    "rg -c": counts,
    "rg -l, git ls-files": files,
    "find .": find,
    "find with absolute paths": find_absolute,
    "pytest -v": pytest_verbose,
    "compiler errors": compiler,
    "findstr /n on Windows": windows,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_what_tools_print_becomes_smaller_and_unfolds_to_the_same_bytes(name: str) -> None:
    text = SAMPLES[name]()
    folded = fold_paths(text)
    assert folded is not None
    assert len(folded.encode()) < 0.9 * len(text.encode())
    assert unfold_paths(folded) == text


@pytest.mark.parametrize("name", SAMPLES)
def test_what_tools_print_folds_in_the_middle_of_other_text(name: str) -> None:
    text = (
        "Exit code 1\n\n=== first ===\n"
        + SAMPLES[name]().replace("\r", "")
        + "=== second ===\n\n  indented\n 3 matches\n"
    )
    folded = fold_paths(text)
    assert folded is not None
    assert unfold_paths(folded) == text
    assert folded.startswith("Exit code 1\n\n=== first ===\n")
    assert folded.endswith("=== second ===\n\n  indented\n 3 matches\n")


def test_the_documented_token_figures_are_what_the_samples_give() -> None:
    count = load_counter()
    page = (ROOT / "docs" / "noise-and-paths.md").read_text(encoding="utf-8")
    for name, make in SAMPLES.items():
        before, after = count(make()), count(fold_paths(make()) or "")
        assert after < before
        assert f"| {name} | {before:,} | {after:,} | {100 * (after - before) / before:.0f} % |" in page


FOLDED = {
    "numbered lines go under their path": (
        "src/shop/cart.py:12:def total(items):\nsrc/shop/cart.py:15:    return 0\n"
        "src/shop/tax.py:3:RATE = 7\nsrc/shop/tax.py:9:x = {}\n",
        "src/shop/cart.py\n12:def total(items):\n15:    return 0\n\nsrc/shop/tax.py\n3:RATE = 7\n9:x = {}\n",
    ),
    "columns stay with the text": (
        "src/shop/cart.py:12:5:a\nsrc/shop/cart.py:15:9:b\nsrc/shop/cart.py:15:19:c\n",
        "src/shop/cart.py\n12:5:a\n15:9:b\n15:19:c\n",
    ),
    "context lines before and after, separators, text that looks like a match": (
        "src/shop/cart.py-11-# see a.py:3:b\nsrc/shop/cart.py:12:x\nsrc/shop/cart.py-13-\n--\n"
        "src/shop/cart.py:40:y\n--\n"
        "src/shop/a-b.py-1-\nsrc/shop/a-b.py:2:z\n",
        "src/shop/cart.py\n11-# see a.py:3:b\n12:x\n13-\n--\n40:y\n--\nsrc/shop/a-b.py\n1-\n2:z\n",
    ),
    "lines without numbers keep their colon or dash": (
        "src/shop/cart.py:import os\nsrc/shop/cart.py-\nsrc/shop/cart.py:    12: x\nsrc/shop/cart.py:\n",
        "src/shop/cart.py\n:import os\n-\n:    12: x\n:\n",
    ),
    "a few single lines between groups go under headings too": (
        "src/shop/a.py:1:x\nsrc/shop/a.py:2:x\nsrc/shop/a.py:3:x\n"
        "src/shop/b.py:9:y\nsrc/shop/c.py:1:z\nsrc/shop/c.py:5:z\n",
        "src/shop/a.py\n1:x\n2:x\n3:x\n\nsrc/shop/b.py\n9:y\n\nsrc/shop/c.py\n1:z\n5:z\n",
    ),
    "many single lines go under their directory": (
        "".join(f"services/shop/{name}.go:7:x := 1\n" for name in "abcdef"),
        "services/shop/\n" + "".join(f" {name}.go:7:x := 1\n" for name in "abcdef"),
    ),
    "a stretch of single lines between groups": (
        "src/shop/a.py:1:x\nsrc/shop/a.py:2:x\n"
        + "".join(f"lib/{c}.py:1:x\n" for c in "abc")
        + "src/shop/z.py:1:x\nsrc/shop/z.py:2:x\n",
        "src/shop/a.py\n1:x\n2:x\n\nlib/a.py:1:x\nlib/b.py:1:x\nlib/c.py:1:x\nsrc/shop/z.py\n1:x\n2:x\n",
    ),
    "a notice between matches": (
        "src/shop/a.py:1:x\nsrc/shop/a.py:2:x\nBinary file src/shop/a.bin matches\n"
        "src/shop/b.py:1:x\nsrc/shop/b.py:2:x\n",
        "src/shop/a.py\n1:x\n2:x\n\nBinary file src/shop/a.bin matches\nsrc/shop/b.py\n1:x\n2:x\n",
    ),
    "a path that starts with a number": (
        "12-a/b.py:1:x\n12-a/b.py:3:x\n12-a/c.py:1:x\n12-a/c.py:2:x\n",
        "12-a/b.py\n1:x\n3:x\n\n12-a/c.py\n1:x\n2:x\n",
    ),
    "an empty line after a run": (
        "src/shop/a.py:1:x\nsrc/shop/a.py:2:x\n\n3 matches\n",
        "src/shop/a.py\n1:x\n2:x\n\n\n3 matches\n",
    ),
    "no line end at the end": ("src/shop/a.py:1:x\nsrc/shop/a.py:2:x", "src/shop/a.py\n1:x\n2:x"),
    "lines that end in CRLF throughout": (
        "src/shop/a.py:1:x\r\nsrc/shop/a.py:2:x\r\nsrc/shop/a.py:3:x\r\n",
        "src/shop/a.py\r\n1:x\r\n2:x\r\n3:x\r\n",
    ),
    "matches in a file with CRLF": (
        "src/shop/a.py:1:x\r\nsrc/shop/a.py:2:x\r\nsrc/shop/b.py:3:x\nsrc/shop/b.py:4:x\n",
        "src/shop/a.py\n1:x\r\n2:x\r\n\nsrc/shop/b.py\n3:x\n4:x\n",
    ),
    "Windows paths": (
        "C:\\shop\\cart.py:1:x\nC:\\shop\\cart.py:2:y\nC:\\shop\\tax.py:3:z\nC:\\shop\\tax.py-4-z\n",
        "C:\\shop\\cart.py\n1:x\n2:y\n\nC:\\shop\\tax.py\n3:z\n4-z\n",
    ),
    "lists of Windows paths": (
        "C:\\work\\shop\\cart.py\nC:\\work\\shop\\my tax.py\nC:\\work\\shop\\sub\\\n",
        "C:\\work\\shop\\\n cart.py\n my tax.py\n sub\\\n",
    ),
    "paths with blanks": (
        "./My Docs/to do.txt:1:x\n./My Docs/to do.txt:2:y\n./My Docs/to do.txt:3:y\n",
        "./My Docs/to do.txt\n1:x\n2:y\n3:y\n",
    ),
    "test identifiers": (
        "tests/test_cart.py::test_a PASSED\ntests/test_cart.py::test_b FAILED\n",
        "tests/test_cart.py\n::test_a PASSED\n::test_b FAILED\n",
    ),
    "a list of paths": (
        "README.md\nsrc/shop/__init__.py\nsrc/shop/cart.py\nsrc/shop/tax.py\ntests/test_cart.py\n",
        "README.md\nsrc/shop/\n __init__.py\n cart.py\n tax.py\ntests/test_cart.py\n",
    ),
    "a directory with one file stays in the list of its parent": (
        "lib/shop/a.py\nlib/shop/b.py\nlib/shop/x/c.py\nlib/shop/d.py\nlib/shop/y/\n",
        "lib/shop/\n a.py\n b.py\n x/c.py\n d.py\n y/\n",
    ),
    "many small directories share the heading of their parent": (
        "".join(f"packages/apps/{name}/index.ts\n" for name in ("cart", "tax", "user", "web")),
        "packages/apps/\n cart/index.ts\n tax/index.ts\n user/index.ts\n web/index.ts\n",
    ),
    "a directory with many files gets its own heading": (
        "lib/shop/a.py\nlib/shop/b.py\n" + "".join(f"lib/shop/components/checkout/{i}.py\n" for i in range(4)),
        "lib/shop/\n a.py\n b.py\nlib/shop/components/checkout/\n 0.py\n 1.py\n 2.py\n 3.py\n",
    ),
    "a line that is more than a path ends a list": (
        "lib/shop/a.py\nlib/shop/b.py\nlib/shop/c.py;v1\nlib/shop/d.py\nlib/shop/e.py\n",
        "lib/shop/\n a.py\n b.py\nlib/shop/c.py;v1\nlib/shop/\n d.py\n e.py\n",
    ),
    "absolute paths": ("/srv/shop/data/a.csv\n/srv/shop/data/b.csv\n", "/srv/shop/data/\n a.csv\n b.csv\n"),
}


@pytest.mark.parametrize("name", FOLDED)
def test_the_folded_form(name: str) -> None:
    text, folded = FOLDED[name]
    assert fold_paths(text) == folded
    assert unfold_paths(folded) == text


LEFT_ALONE = {
    "an empty text": "",
    "one line": "src/shop/cart.py:12:x",
    "empty lines": "\n\n\n",
    "prose": "See docs/install.md: it says how.\nSee docs/install.md: it says why.\n" * 5,
    "a numbered view of one file": "".join(f"{i}:    x = {i}\n" for i in range(1, 60)),
    "a numbered view with tabs": "".join(f"{i:6}\tsrc/shop/cart.py\n" for i in range(1, 60)),
    "matches of one file without its name": "12:a/b\n15:a/c\n19:a/d\n" * 10,
    "a log with times": "".join(f"2026-03-01 12:00:{i:02} GET /api/items\n" for i in range(60)),
    "a log with dates like paths": "".join(f"2026/03/01 12:00:{i:02} GET /api/items\n" for i in range(60)),
    "addresses": "".join(f"10.0.0.1:{8000 + i}: open\n" for i in range(60)),
    "web links": "https://example.org/a/b\nhttps://example.org/a/c\n" * 20,
    "code": "    import a/b\n    import a/c\n" * 20,
    "comments": "// a/b/c\n// a/b/d\n// a/b/e\n" * 20,
    "imports": "import 'components/a'\nimport 'components/b'\n" * 20,
    "JSON strings": '"src/shop/a.ts",\n"src/shop/b.ts",\n' * 20,
    "each path once, without directories": "a.py:1:x\nb.py:1:x\nc.py:1:x\n" * 20,
    "ls -R": "src/shop:\ncart.py\ntax.py\n\nsrc/shop/web:\nindex.ts\n",
    "two short paths": "a/b\na/c\n",
    "short paths with one match more": "a.b:1:x\na.b:2:x\nc.d:1:x\ne.f:1:x\nc.d:1:x\nc.d:2:x\n",
    "what ripgrep has grouped already": "src/shop/cart.py\n12:x\n15:y\n\nsrc/shop/tax.py\n3:z\n",
    "a path that reads as a line of the group above": "a/b.py:1:x\na/b.py:2:x\n--\n12-a/c.py:1:x\n12-a/c.py:2:x\n",
    "a line too long for a path": ("a/" * 600 + "b\n") * 5,
    "a name that starts with a blank": "./src/ a.py\n./src/ b.py\n./src/ c.py\n",
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_is_no_run_of_paths_is_left_alone(name: str) -> None:
    assert fold_paths(LEFT_ALONE[name]) is None


AMBIGUOUS = {
    "a heading and numbered lines of another tool": "src/shop/x.py\n1:a\n2:b\n",
    "a path above bullets": "see/docs.md\n- one\n- two\n",
    "a directory above lines that are indented by one blank": "build/\n a.o\n b.o\n",
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_text_that_unfolding_would_change_keeps_the_whole_text_as_it_is(name: str) -> None:
    around = AMBIGUOUS[name]
    matches = "src/shop/cart.py:1:x\nsrc/shop/cart.py:2:y\nsrc/shop/cart.py:3:z\n"
    assert fold_paths(matches) is not None
    assert fold_paths(around + matches) is None


def test_a_list_above_an_indented_line_stays_so_that_the_line_is_not_read_as_a_part_of_it() -> None:
    listed = "src/shop/data/a.csv\nsrc/shop/data/b.csv\n"
    text = listed + " indented\n" + listed
    assert fold_paths(text) == listed + " indented\nsrc/shop/data/\n a.csv\n b.csv\n"


def test_a_numbered_view_beside_matches_keeps_every_byte() -> None:
    view = "".join(f"{i}:    x = {i}\n" for i in range(1, 9))
    matches = "src/shop/cart.py:1:x\nsrc/shop/cart.py:2:y\n"
    folded = fold_paths(view + matches + view)
    assert folded == view + "src/shop/cart.py\n1:x\n2:y\n\n" + view
    assert unfold_paths(folded) == view + matches + view


def test_the_first_look_sees_a_stretch_that_is_a_fortieth_of_the_text() -> None:
    prose = "The quick brown fox jumps over the lazy dog.\n"
    stretch = "".join(f"services/catalog/internal/handlers/cart.go:{i}:x\n" for i in range(60))
    for position in range(0, 2000, 97):
        text = prose * position + stretch + prose * (2000 - position)
        assert len(stretch) < len(text) / 25
        assert may_fold(text)
        assert fold_paths(text) is not None


def test_the_first_look_finds_nothing_in_plain_text_and_code() -> None:
    assert not may_fold("The quick brown fox jumps over the lazy dog: a/b\n" * 500)
    assert not may_fold(Path(__file__).read_text(encoding="utf-8"))


HOSTILE = {
    "colons": ":",
    "slashes": "/",
    "a path without end": "a/",
    "a path with colons without end": "a/b:",
    "short paths": "a/b:\n",
    "short matches": "a.b:1:\n",
    "separators": "--\n",
    "matches and separators": "a/b.c:1:x\n--\n",
    "context lines": "a/b.c-x\n",
    "directories and indented lines": "a/\n b\n",
    "digits": "1",
    "headings": "a/b.c\n1:x\n",
    "deep paths": "a/" * 500 + "\n" + "b/" * 500 + "\n",
    "ever the same long line": "a/" * 400 + "b:1:x\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_the_size_of_hostile_text_and_no_faster(
    name: str, processor_seconds: Callable[[Callable[[], object]], float]
) -> None:
    def seconds(size: int) -> float:
        text = "src/shop/a.py:1:x\nsrc/shop/a.py:2:x\n" + HOSTILE[name] * (size // len(HOSTILE[name]))
        return processor_seconds(lambda: (fold_paths(text), unfold_paths(text)))

    assert seconds(64_000) < 8 * 3 * seconds(8_000) + 0.05
