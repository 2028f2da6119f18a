"""Whatever JSON goes in: an encoding declines it with a reason, or its text decodes to exactly the same value."""

from hypothesis import event, given
from hypothesis import strategies as st

from unpretty.encodings import Declined, DecodeError, decode, encode, names
from unpretty.encodings.json_value import dump, parse

NUMBERS = [
    "0", "-0", "1", "-1", "42", "1.0", "1.10", "-0.0", "0.1", "1e5", "1E+5", "1e-7", "1e400", "0.0000001", "12.5",
    "18446744073709551615", "123456789012345678901234567890", "0.1234567890123456789", "1e22", "100000000000000000000",
]  # fmt: skip
STRINGS = [
    "", "null", "true", "false", "1", "-0", "1.5", "1e5", "07", "0x1F", "+1", "1.", ".5", "NaN", "x", "a b", " a", "a ",
    "a,b", "a|b", "a:b", ":", "[", "]", "{", "}", "[1]", "[1]a", "{}", "x]", "x}", "[1]k\n1", "items\n[1]k\n1", "- x",
    "@records", "@", "~", "#", "-", "--", "rows", "columns", "absent", "a.b", '"', "\\", "a\nb", "\r", "\t", "\x00",
    "\x1b[0m", "\x7f", "\x85", "\u2028", "\u00a0", "\ufeff", "é", "𝄞", "\ud800", "\udc00x", "<b>", "&amp;",
]  # fmt: skip
KEYS = [
    "a",
    "b",
    "c",
    "id",
    "rows",
    "columns",
    "absent",
    "a.b",
    "",
    "~",
    "1",
    "null",
    "x y",
    "k:",
    "[2]x",
    "é",
    "__proto__",
]

numbers = st.one_of(
    st.sampled_from(NUMBERS),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
).map(str.encode)
ALPHABET = st.one_of(st.sampled_from(' ,:|"\\[]{}@~#-.\n\r\t\x00\x7f\x85\u2028<&10aeé\ud800\udfff'), st.characters())
strings = st.one_of(st.sampled_from(STRINGS), st.text(alphabet=ALPHABET, max_size=8))
keys = st.one_of(st.sampled_from(KEYS), st.text(alphabet=ALPHABET, max_size=4))
words = st.sampled_from([None, True, False])
scalars = st.one_of(words, numbers, strings)


def objects(values, names=keys):
    return st.lists(st.tuples(names, values), max_size=4).map(tuple)


@st.composite
def tables(draw, cells):
    """Rows over a few columns: of one type or any, always present or not, sometimes in another order."""
    names = draw(st.lists(keys, min_size=1, max_size=4, unique=True))
    kinds = [draw(st.sampled_from([numbers, strings, words, scalars, cells])) for _ in names]
    share = [draw(st.sampled_from([1, 1, 1, 2, 4])) for _ in names]
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        row = [
            (n, draw(k)) for n, k, s in zip(names, kinds, share, strict=True) if s == 1 or draw(st.integers(1, s)) == 1
        ]
        if draw(st.integers(1, 20)) == 1:
            row = draw(st.permutations(row))
        rows.append(tuple(row))
    return rows


@st.composite
def frames(draw, cells):
    names = draw(st.lists(keys, min_size=1, max_size=3))
    rows = draw(st.lists(st.tuples(*[cells] * len(names)).map(list), max_size=4))
    members = [("columns", list(names)), ("rows", rows)]
    if draw(st.booleans()):
        members.insert(draw(st.integers(0, 2)), (draw(keys), draw(cells)))
    return tuple(members)


def nested(children):
    return st.one_of(st.lists(children, max_size=4), objects(children), tables(children), frames(children))


values = st.recursive(scalars, nested, max_leaves=10)
table_values = st.one_of(
    tables(scalars), tables(st.one_of(scalars, tables(scalars), objects(scalars))), frames(scalars)
)


@st.composite
def spelled(draw, value):
    """JSON text for ``value`` with some whitespace; every second value simple, so that TOON can carry it too."""
    if draw(st.booleans()):
        value = tame(value)
    text = dump(value)
    return f" {text}\n" if draw(st.booleans()) else text


def tame(value):
    """``value`` without what TOON cannot carry: spellings of numbers, half surrogate pairs, duplicate keys."""
    if isinstance(value, bytes):
        return value if value.lstrip(b"-").isdigit() and value != b"-0" and len(value) < 4000 else b"1.5"
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [tame(item) for item in value]
    if isinstance(value, tuple):
        return tuple({tame(key): tame(item) for key, item in value}.items())
    return value


CARRY_ALL = ("json", "tight-c")


def check(text, encoding):
    value = parse(text)
    try:
        encoded = encode(text, encoding)
    except Declined as reason:
        assert reason.code != "not_verified", f"{encoding} wrote a text that does not lead back: {text!r}"
        assert encoding not in CARRY_ALL, f"{encoding} carries everything, but not {text!r}"
        event(f"{encoding}: {reason.code}")
    else:
        encoded.encode("utf-8")
        assert not encoded.startswith("\ufeff"), "a reader would take it for a byte order mark"
        assert parse(decode(encoded, encoding)) == value
        assert parse(decode(encoded + "\n", encoding)) == value
        event(f"{encoding}: carried")


@given(values.flatmap(spelled))
def test_any_document_comes_back_exactly_or_is_declined_with_a_reason(text):
    for encoding in names():
        check(text, encoding)


@given(table_values.flatmap(spelled))
def test_any_table_comes_back_exactly_or_is_declined_with_a_reason(text):
    for encoding in names():
        check(text, encoding)


@given(st.text(alphabet=ALPHABET, max_size=40))
def test_a_text_that_is_no_encoding_is_an_error_with_a_place_and_never_a_crash(text):
    for encoding in names():
        read_or_fail(text, encoding)


@given(table_values.map(tame), st.data())
def test_a_damaged_text_is_an_error_or_another_document_and_never_a_crash(value, data):
    """Cut, lost and wrong characters, as an agent or a pager leaves them."""
    places = st.floats(0, 1)
    start, end = sorted((data.draw(places), data.draw(places)))
    patch = data.draw(st.sampled_from(["", "\n", ",", '"', "@", "[", "x", "0"]))
    for encoding in names():
        try:
            encoded = encode(dump(value), encoding)
        except Declined:
            continue
        read_or_fail(encoded[: int(start * len(encoded))] + patch + encoded[int(end * len(encoded)) :], encoding)


def read_or_fail(text, encoding):
    try:
        back = decode(text, encoding)
    except DecodeError as error:
        assert error.encoding == encoding
        assert error.line >= 0
    else:
        parse(back)
