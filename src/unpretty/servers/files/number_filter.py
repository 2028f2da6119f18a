"""Numbers compared exactly in DuckDB's SQL, whatever their size and number of digits.

Values are compared as they are shown, by their text: 0.1 in a column of DOUBLE or FLOAT is 0.1, and 1.10, 1.1 and 11e-1
are one number. Numbers are first compared as doubles, which keep the order but make many numbers equal; only those that
are equal as doubles are compared digit by digit. (DuckDB has no type for this: a cast to DECIMAL or HUGEINT rounds.)
"""

from __future__ import annotations

import math
from decimal import Decimal

# What DuckDB casts to a number; not with an exponent of more than nine digits.
_NUMBER = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?\s*"
_PARTS = r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?\s*$"


def compare_sql(text: str, operator: str, value: float) -> tuple[str, list[float]]:
    """A condition of SQL on the VARCHAR expression ``text``, and its parameters; NULL for what is not a number.

    ``operator`` is one of = != < <= > >=. A float is the number that its shortest text (``repr``) spells.
    """
    double = f"TRY_CAST(replace({text}, '_', ' ') AS DOUBLE)"  # to DuckDB, 1_000 is a number
    if isinstance(value, float) and not math.isfinite(value):
        return f"{double} {operator} CAST(? AS DOUBLE)", [value]
    number = Decimal(repr(value) if isinstance(value, float) else value)
    nearest = float(number)
    less, greater = (str(sign in operator.replace("!=", "<>")).lower() for sign in "<>")
    equal = str("=" in operator.replace("!=", "<>")).lower()
    return (
        f"CASE WHEN {text} = '{number:f}' THEN {equal} WHEN {double} < CAST(? AS DOUBLE) THEN {less} "
        f"WHEN {double} > CAST(? AS DOUBLE) THEN {greater} ELSE ({_order(text, number)}) {operator} 0 END",
        [nearest, nearest],
    )


def _order(text: str, number: Decimal) -> str:
    """SQL that is under, equal to or over 0 as the number in ``text`` is to ``number``; NULL if it is not a number.

    A number is its sign and, of its absolute value, 0.DIGITS times a power of ten, where neither the first nor the last
    digit is 0: of two, the one with the higher power is greater, then the one whose digits sort later.
    """
    negative, known, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    its_sign = 0 if not number else -1 if negative else 1
    its_power = len(known) + exponent
    its_digits = "".join(map(str, known)).rstrip("0")
    order = (
        f"CASE WHEN n.sign <> {its_sign} OR n.sign = 0 THEN n.sign - {its_sign} "
        f"WHEN n.power <> {its_power} THEN {its_sign} * (n.power - {its_power}) "
        f"WHEN n.digits < '{its_digits}' THEN {-its_sign} WHEN n.digits > '{its_digits}' THEN {its_sign} ELSE 0 END"
    )
    return f"CASE WHEN {text} SIMILAR TO '{_NUMBER}' THEN {_let('n', _parts(text), order)} END"


def _parts(text: str) -> str:
    """The number in ``text`` as a struct of sign (-1, 0, 1), digits and power of ten."""
    split = f"regexp_extract({text}, '{_PARTS}', ['sign', 'whole', 'part', 'power'])"
    written = "p.whole || p.part"
    power = f"length(p.whole) - length({written}) + length(s) + coalesce(CAST(nullif(p.power, '') AS BIGINT), 0)"
    sign = "CASE WHEN s = '' THEN 0 WHEN p.sign = '-' THEN -1 ELSE 1 END"
    struct = f"{{'sign': {sign}, 'digits': rtrim(s, '0'), 'power': {power}}}"
    return _let("p", split, _let("s", f"ltrim({written}, '0')", struct))


def _let(name: str, value: str, expression: str) -> str:
    """``expression`` in which ``name`` is ``value``, computed once."""
    return f"list_transform([{value}], lambda {name}: {expression})[1]"
