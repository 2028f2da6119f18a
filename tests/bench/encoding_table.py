"""Writes docs/encoding-table.md: o200k tokens of every encoding for typical shapes of tool results, and auto's choice.

    python tests/bench/encoding_table.py            write the table
    python tests/bench/encoding_table.py --check    exit 1 when the table in docs/ is not what would be written

The data is made here, from a fixed sequence of numbers, so that every run gives the same table.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unpretty.encodings import names
from unpretty.encodings.evidence import MAX_ROWS
from unpretty.encodings.selection import Allowed, choose
from unpretty.engine.context import Context
from unpretty.engine.json_text.minify import minify
from unpretty.tokens.count import load_counter

TABLE = Path(__file__).parents[2] / "docs" / "encoding-table.md"
MODELS = {"Opus 5.5": "claude-opus-5-5", "Sonnet 5.5": "claude-sonnet-5-5", "DeepSeek": "deepseek-chat"}

_WORDS = [
    "alpha", "river", "token", "cache", "index", "north", "table", "green", "stone", "cloud", "pixel", "audit", "queue",
    "lemon", "shard", "metal",
]  # fmt: skip
_FOLDERS = [
    "src/core", "src/api", "src/api/v2", "tests/unit", "docs/guide", "tools", "packages/web/src", "packages/cli/src",
]  # fmt: skip
_CITIES = ["Bergen", "Graz", "Porto", "Turku", "Lyon", "Gent", "Cork", "Split"]


class _Sequence:
    """Numbers that look random and are the same on every machine and Python (a linear congruential generator)."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, limit: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit

    def pick(self, choices: list[str]) -> str:
        return choices[self.below(len(choices))]

    def money(self, limit: int) -> float:
        """Never a whole number: Python writes that as 45.0 and TOON as 45, so TOON would decline the document."""
        return (self.below(limit) * 100 + self.below(99) + 1) / 100

    def path(self) -> str:
        return f"{self.pick(_FOLDERS)}/{self.pick(_WORDS)}_{self.pick(_WORDS)}.{self.pick(['py', 'ts', 'md', 'json'])}"

    def code(self) -> str:
        left, right = self.pick(_WORDS), self.pick(_WORDS)
        return self.pick(
            [
                f"def {left}_{right}(self, value: str) -> int:",
                f"    return {left}.get({right!r}, [])",
                f'if {left} and "{right}" in self.{left}s:',
                f"export const {left} = await {right}({self.below(90)});",
                f"# {left} {right}, see below",
            ]
        )

    def moment(self) -> str:
        day, hour, minute = self.below(28) + 1, self.below(24), self.below(60)
        return f"2026-10-{day:02}T{hour:02}:{minute:02}:{self.below(60):02}Z"


def flat_rows(make: _Sequence, count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": 1000 + number,
            "name": f"{make.pick(_WORDS)}-{make.pick(_WORDS)}",
            "city": make.pick(_CITIES),
            "active": make.below(2) == 1,
            "score": make.money(100),
            "created": make.moment(),
        }
        for number in range(count)
    ]


def whole_floats(make: _Sequence, count: int) -> object:
    rows = flat_rows(make, count)
    return [{**row, "score": float(round(row["score"]))} for row in rows]


def nested_orders(make: _Sequence, count: int) -> object:
    return [
        {
            "id": f"ORD-{number + 1}",
            "customer": {"name": f"{make.pick(_WORDS)} {make.pick(_CITIES)}", "tier": make.pick(["gold", "basic"])},
            "items": [
                {
                    "sku": f"{make.pick(['A', 'B', 'C'])}{make.below(9)}",
                    "qty": make.below(5) + 1,
                    "price": make.money(90),
                }
                for _ in range(make.below(3) + 1)
            ],
            "total": make.money(900),
            "status": make.pick(["shipped", "cancelled", "open"]),
        }
        for number in range(count)
    ]


def sparse_events(make: _Sequence, count: int) -> object:
    events = []
    for number in range(count):
        event: dict[str, object] = {"id": number, "at": make.moment(), "kind": make.pick(["login", "error", "click"])}
        optional = {"user": make.pick(_WORDS), "code": make.below(600), "target": make.path(), "retry": True}
        event.update({key: value for key, value in optional.items() if make.below(10) < 3})
        events.append(event)
    return events


def mixed_values(make: _Sequence, count: int) -> object:
    kinds: list[Callable[[], object]] = [
        lambda: make.below(1000),
        lambda: make.pick(_WORDS),
        lambda: make.below(2) == 1,
    ]
    return [
        {
            "id": number,
            "key": f"{make.pick(_WORDS)}.{make.pick(_WORDS)}",
            "value": kinds[make.below(3)](),
            "env": "prod",
        }
        for number in range(count)
    ]


def null_heavy_rows(make: _Sequence, count: int) -> object:
    def maybe(value: object) -> object:
        return value if make.below(10) < 4 else None

    return [
        {
            "id": number,
            "email": maybe(f"{make.pick(_WORDS)}@example.org"),
            "phone": maybe(f"+47 {10000000 + make.below(89999999)}"),
            "deleted_at": maybe(make.moment()),
            "manager_id": maybe(make.below(100)),
        }
        for number in range(count)
    ]


def paths(make: _Sequence, count: int) -> list[str]:
    return [make.path() for _ in range(count)]


def columnar_result(make: _Sequence, count: int) -> object:
    rows = [[number, make.pick(_CITIES), make.below(5000), make.money(100)] for number in range(count)]
    return {"columns": ["id", "city", "orders", "share"], "rows": rows, "row_count": count}


def small_config(make: _Sequence, _: int) -> object:
    return {
        "name": "shard-index",
        "version": "2.4.1",
        "private": True,
        "scripts": {"build": "tsc -p .", "test": "vitest run", "lint": "eslint ."},
        "engines": {"node": ">=20"},
        "files": ["dist", "README.md"],
        "port": 8000 + make.below(100),
    }


def grep_rows(make: _Sequence, count: int) -> list[object]:
    return [{"path": make.path(), "line": make.below(900) + 1, "text": make.code()} for _ in range(count)]


def _items(rows: object, **more: object) -> object:
    """compact-render looks at the field ``items`` of an object."""
    return {"items": rows, **more}


def single_key(make: _Sequence, count: int) -> object:
    return _items([{"path": make.path()} for _ in range(count)])


def path_count(make: _Sequence, count: int) -> object:
    return _items([{"path": make.path(), "count": make.below(40) + 1} for _ in range(count)])


def path_details(make: _Sequence, count: int) -> object:
    return _items([{"path": make.path(), "bytes": make.below(90000), "modified": make.moment()} for _ in range(count)])


def replace_dry_run(make: _Sequence, count: int) -> object:
    return _items(
        [
            {
                "path": make.path(),
                "line": make.below(900) + 1,
                "before": make.code(),
                "after": make.code(),
                "changed": True,
            }
            for _ in range(count)
        ]
    )


def result_page(make: _Sequence, count: int) -> object:
    rows = [
        {"id": 70 + n, "kind": make.pick(["file", "folder"]), "status": "ok", "owner": make.pick(_WORDS)}
        for n in range(count)
    ]
    return _items(rows, next_cursor="b2Zmc2V0PTY0", total=412)


# Name, number of rows, and the function that makes the data.
SHAPES: list[tuple[str, int, Callable[[_Sequence, int], object]]] = [
    ("flat rows", 100, flat_rows),
    ("flat rows, more than the study covers", 2 * MAX_ROWS, flat_rows),
    ("flat rows with numbers such as 45.0", 100, whole_floats),
    ("nested orders", 60, nested_orders),
    ("sparse events", 100, sparse_events),
    ("mixed values in a column", 100, mixed_values),
    ("rows with many nulls", 100, null_heavy_rows),
    ("paths", 64, paths),
    ("columns and rows", 50, columnar_result),
    ("small config", 1, small_config),
    ("grep rows", 40, grep_rows),
]
COMPACT_RENDER: list[tuple[str, int, Callable[[_Sequence, int], object]]] = [
    ("flat scalar array", 64, lambda make, count: _items(paths(make, count))),
    ("single-key table", 50, single_key),
    ("path, line, text (grep)", 40, lambda make, count: _items(grep_rows(make, count))),
    ("path, line, text (inspect)", 100, lambda make, count: _items(grep_rows(make, count))),
    ("path, count", 50, path_count),
    ("path, bytes, modified", 64, path_details),
    ("five fields (replace, dry run)", 20, replace_dry_run),
    ("page of uniform objects", 64, result_page),
]


def row(seed: int, name: str, count: int, make: Callable[[_Sequence, int], object]) -> list[str]:
    """One line of the table: sizes of all encodings, and what each kind of caller gets."""
    tokens = load_counter()
    pretty = json.dumps(make(_Sequence(seed), count), indent=2)
    document = minify(pretty).text
    everything = choose(document, Context(), Allowed(names(), count_tokens=tokens))
    cold = choose(document, Context(), Allowed(names()))
    picks = [choose(document, Context(), Allowed(("auto",), model, tokens)) for model in MODELS.values()]
    sizes = [f"{everything.sizes[encoding]}" if encoding in everything.sizes else "-" for encoding in names()]
    best = [
        f"**{size}**" if encoding == everything.encoding else size
        for encoding, size in zip(names(), sizes, strict=True)
    ]
    return [name, str(count), str(tokens(pretty)), *best, cold.encoding, *(pick.encoding for pick in picks)]


def table(shapes: list[tuple[str, int, Callable[[_Sequence, int], object]]], seed: int) -> str:
    head = ["shape", "rows", "pretty", *names(), "without tokenizer", *(f"auto: {model}" for model in MODELS)]
    lines = [head, ["---"] * len(head), *(row(seed + n, *shape) for n, shape in enumerate(shapes))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def render() -> str:
    """The whole page."""
    return f"""# Encodings in tokens

Made by `tests/bench/encoding_table.py`; a test checks that the page is what the script writes. Numbers are exact o200k
tokens, a stand-in for other models' tokenizers. **Bold**: the fewest tokens, which is what `unpretty convert --to auto`
picks when no model is named. A dash: the encoding declines the document. *Without tokenizer*: the choice among all
encodings by the rule for hooks, in bytes. *auto*: what `encodings = ["auto"]` gives that model, with a tokenizer.
What each encoding is and what the evidence says: [formats.md](formats.md).

## Shapes of tool results

{table(SHAPES, 1)}

## The eight shapes of compact-render

Each is an object with the rows in `items`, the form that compact-render looks at.

{table(COMPACT_RENDER, 101)}
"""


def main() -> int:
    page = render()
    if "--check" in sys.argv:
        return int(TABLE.read_text(encoding="utf-8") != page)
    TABLE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
