"""Conditions on rows, given as data and never as SQL, so that no query can reach another file."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from unpretty.errors import UnprettyError
from unpretty.servers.files.number_filter import compare_sql

Scalar = str | int | float | bool | None
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains", "starts_with", "in", "is_null", "is_not_null"]
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


class Condition(BaseModel):
    """One condition on a row."""

    model_config = ConfigDict(extra="forbid")

    column: str
    op: Operator
    value: Scalar | list[Scalar] = Field(None, description='A list for "in"; absent for "is_null" and "is_not_null".')


def where_sql(conditions: list[Condition], expressions: dict[str, str]) -> tuple[str, list[Scalar]]:
    """A DuckDB condition that is true when all ``conditions`` are, and its parameters.

    ``expressions`` has the SQL for the value of each column. Numbers are compared as numbers, exactly (a value that is
    not a number does not match), everything else as text. Raises UnprettyError for an unknown column or a value that
    the operator does not take.
    """
    pieces: list[str] = []
    parameters: list[Scalar] = []
    for condition in conditions:
        column = condition.column
        if column not in expressions:
            raise unknown_column(column, list(expressions))
        piece, values = _one(condition, expressions[column])
        pieces.append(piece)
        parameters += values
    return " AND ".join(pieces) or "true", parameters


def unknown_column(column: str, known: list[str]) -> UnprettyError:
    """The error for a column that the file does not have."""
    names = ", ".join(known[:50]) + (", ..." if len(known) > 50 else "")
    return UnprettyError(f"There is no column {column!r}; there are: {names}.", code="no_column")


def _one(condition: Condition, expression: str) -> tuple[str, list[Scalar]]:
    operator = condition.op
    value = condition.value
    if operator == "is_null" or (operator == "=" and value is None):
        return f"{expression} IS NULL", []
    if operator == "is_not_null" or (operator == "!=" and value is None):
        return f"{expression} IS NOT NULL", []
    if operator == "in":
        if not isinstance(value, list) or not value:
            raise UnprettyError('The operator "in" needs a list of values.', code="bad_condition")
        alternatives = [_compare("=", expression, item) for item in value]
        return f"({' OR '.join(piece for piece, _ in alternatives)})", [
            item for _, items in alternatives for item in items
        ]
    if isinstance(value, list) or value is None:
        raise UnprettyError(f"The operator {operator!r} needs one value.", code="bad_condition")
    return _compare(operator, expression, value)


def _compare(operator: str, expression: str, value: Scalar) -> tuple[str, list[Scalar]]:
    if value is None:
        return f"{expression} IS NULL", []
    if operator in _COMPARISONS:
        if isinstance(value, bool):
            return f"lower({_text(expression)}) {operator} ?", [str(value).lower()]
        if isinstance(value, (int, float)):
            piece, numbers = compare_sql(_text(expression), operator, value)
            return piece, [*numbers]
        return f"{_text(expression)} {operator} ?", [value]
    function = "contains" if operator == "contains" else "starts_with"
    return f"{function}({_text(expression)}, ?)", [str(value)]


def _text(expression: str) -> str:
    return f"CAST({expression} AS VARCHAR)"
