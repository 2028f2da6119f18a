"""What a stranger may rely on when looking for something: one class by a name, modules of a size that can be read."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = [path for root in ("src", "hooks", "installer") for path in sorted((ROOT / root).rglob("*.py"))]


def test_public_class_names_occur_once() -> None:
    names = Counter(
        node.name
        for path in MODULES
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


def test_no_module_is_longer_than_300_lines() -> None:
    lengths = {path.name: path.read_text("utf-8").count("\n") for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > 300} == {}
