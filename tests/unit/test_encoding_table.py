"""docs/encoding-table.md is what its script writes."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "bench" / "encoding_table.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("encoding_table", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["encoding_table"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["encoding_table"]


def test_the_table_in_the_documentation_is_what_the_script_writes(script):
    assert script.TABLE.read_text(encoding="utf-8") == script.render(), f"run: python {SCRIPT.name}"


def test_the_table_has_every_shape(script):
    page = script.TABLE.read_text(encoding="utf-8")
    assert all(f"| {name} |" in page for name, _, _ in script.SHAPES + script.COMPACT_RENDER)
    assert len(script.COMPACT_RENDER) == 8


def test_no_choice_in_the_table_is_larger_than_json(script):
    """The rule in bytes never picks an encoding with more tokens than JSON, also for small tables."""
    tokens = script.load_counter()
    for seed, (_, _, make) in enumerate(script.SHAPES + script.COMPACT_RENDER):
        for count in (1, 3, 5, 10):
            document = script.minify(script.json.dumps(make(script._Sequence(seed), count))).text
            choice = script.choose(document, script.Context(), script.Allowed(script.names()))
            assert tokens(choice.text) <= tokens(document)
