"""Our texts against other implementations: the official TOON package, and the published grammars written down again."""

import json
import re

import toon_format
import toons
from hypothesis import given
from hypothesis import strategies as st

from unpretty.encodings import Declined, encode

# Outside of this range the two TOON implementations spell floats in different ways: 1e-7 or 0.0000001, and whole
# numbers over 2**53 with or without their last digits. Our encoder declines all of these but 0.0000001.
floats = st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x == 0 or 1e-6 <= abs(x) < 1e15)
CHARACTERS = st.one_of(
    st.sampled_from(' ,:|"\\[]{}@~#-.\n\r\t\x00\x7f\x85\u2028<&10aeé'), st.characters(exclude_categories=("Cs",))
)
WORDS = ["", "null", "true", "1", "-0", "1e5", "05", "a b", " a", "- x", "-", "[1]", "{}", "a,b", "x]", "a:b", "#k"]
strings = st.one_of(st.sampled_from(WORDS), st.text(alphabet=CHARACTERS, max_size=8))
keys = st.one_of(st.sampled_from(["a", "b", "id", "x y", "a.b", "", "1", "null", "#k", "-"]), strings)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), floats, strings)


@st.composite
def tables(draw, cells):
    names = draw(st.lists(keys, min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.tuples(*[cells] * len(names)), min_size=1, max_size=5))
    return [dict(zip(names, row, strict=True)) for row in rows]


values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4), tables(inner)),
    max_leaves=10,
)


@given(st.one_of(values, tables(scalars)))
def test_toon_is_written_and_read_as_the_official_package_does(value):
    text = toons.dumps(value)
    assert text == toon_format.encode(value)
    assert same(toons.loads(text), toon_format.decode(text))
    document = json.dumps(value)
    try:
        assert encode(document, "toon") == text
    except Declined:
        return
    assert json.dumps(toon_format.decode(text)) == document


def same(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@given(st.one_of(values, tables(scalars)))
def test_tight_c_is_what_the_original_grammar_says_unless_a_collision_is_near(value):
    """``original`` is the grammar as published, written independently of our encoder."""
    if takes_part_in_a_collision(value):
        return
    assert encode(json.dumps(value), "tight-c") == original(value)


def takes_part_in_a_collision(value):
    if isinstance(value, str) and re.search(r":", value):
        return True
    return any(map(is_ambiguous, texts_of(value))) or reorders_rows(value)


def is_ambiguous(text):
    return "]" in text or "}" in text or text.startswith("\ufeff")


def texts_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts_of(item)


def reorders_rows(value):
    if isinstance(value, dict):
        return any(map(reorders_rows, value.values()))
    if not isinstance(value, list):
        return False
    orders = {tuple(item) for item in value if isinstance(item, dict)}
    return len(orders) > len({frozenset(order) for order in orders}) or any(map(reorders_rows, value))


def original(value):
    if isinstance(value, str) and re.search("[\n\r]", value):
        return literal(value)  # the original writes it raw, which is a collision
    if isinstance(value, list):
        return original_array(value)
    if not isinstance(value, dict):
        return loose(value)
    if not value:
        return "{}"
    if all(map(inline, value.values())):
        return ",".join(f"{key_word(key)}:{loose(item)}" for key, item in value.items())
    out, after_table = "", False
    for key, item in value.items():
        body = original_array(item) if isinstance(item, list) else loose(item)
        out += ("\n\n" if after_table else "\n") if out else ""
        after_table = "\n" in body
        out += key_word(key) + ("\n" if after_table else ":") + body
    return out


def original_array(items):
    rows = [item for item in items if isinstance(item, dict)]
    uniform = rows and len(rows) == len(items) and rows[0] and all(row.keys() == rows[0].keys() for row in rows)
    if not uniform or not all(inline(cell) for row in rows for cell in row.values()):
        return loose(items)
    lines = [f"[{len(rows)}]" + ",".join(map(key_word, rows[0]))]
    return "\n".join(lines + [",".join(loose(row[key]) for key in rows[0]) for row in rows])


def inline(value):
    members = value if isinstance(value, list) else [value]
    return not isinstance(value, dict) and not any(isinstance(member, (list, dict)) for member in members)


def loose(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{key_word(key)}:{loose(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(loose, value)) + "]"
    if not isinstance(value, str):
        return json.dumps(value)
    ambiguous = value in ("", "true", "false", "null") or value[0] in "[{" or looks_like_number(value)
    return literal(value) if ambiguous or set(value) & set(' \t\n\r\f\v,|"') else value


def key_word(key):
    return literal(key) if key == "" or key[0] in "[{" or set(key) & set(' \t\n\r\f\v,:|"') else key


def looks_like_number(text):
    try:
        value = json.loads(text, parse_constant=str)
    except ValueError:
        return False
    return isinstance(value, (int, float)) and not isinstance(value, bool) and text.strip() == text


def literal(text):
    escaped = json.dumps(text, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        escaped = escaped.replace(character, f"\\u{ord(character):04x}")
    return escaped


@given(tables(st.one_of(scalars, st.lists(scalars, max_size=3))))
def test_ldf_and_columnar_are_read_by_a_few_lines_of_code_without_our_readers(rows):
    """Full rows only, read by the published rules: a typed header and cells; names and arrays."""
    columnar = json.loads(encode(json.dumps(rows), "columnar"))
    if isinstance(columnar, dict):
        columnar = [dict(zip(columnar["columns"], row, strict=True)) for row in columnar["rows"]]
    assert same(columnar, rows)
    if all(re.fullmatch("[A-Za-z_][A-Za-z0-9_-]*", key) for key in rows[0]):
        assert same(read_ldf(encode(json.dumps(rows), "ldf")), rows)


def read_ldf(text):
    header, *lines = text.split("\n")
    assert header.startswith("@records ")
    columns = [column.split(":") for column in header.removeprefix("@records ").split(",")]
    rows = []
    for line in lines:
        row = {}
        rest = line
        for name, kind in columns:
            row[name], rest = read_cell(rest, kind)
        rows.append(row)
        assert rest == ""
    return rows


def read_cell(line, kind):
    bare = re.match(r"[^,]*", line)[0]
    if kind.startswith("s") and not line.startswith('"'):
        return None if bare == "null" else bare, line[len(bare) + 1 :]
    value, end = json.JSONDecoder().raw_decode(line)
    assert kind == "j" or (kind.endswith("?") and value is None) or isinstance(value, LDF_TYPES[kind[0]])
    assert line[end : end + 1] in ("", ",")
    return value, line[end + 1 :]


LDF_TYPES = {"i": int, "f": (int, float), "b": bool, "s": str}
