"""Rows as a tool's answer: one JSON document, or what the chosen encoding makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unpretty import locations
from unpretty.encodings.json_value import quote
from unpretty.engine import context as kinds
from unpretty.engine.compaction import compact
from unpretty.engine.context import Context
from unpretty.settings.resolved import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Rows of one kind are written with their column names once. That is JSON, too, so it needs nobody's leave.
_DEFAULT = ("columnar",)


class TableReply:
    """Writes answers in ``encoding``: a name, "auto", or "" for what the settings say, columnar if they are silent."""

    def __init__(self, encoding: str = "") -> None:
        self._encoding = encoding

    def rows(self, rows: Sequence[str], **facts: object) -> str:
        """``rows``, each a JSON text, as the member "rows" of an object, after ``facts`` (those that are not None)."""
        members = [f"{quote(name)}:{_scalar(value)}" for name, value in facts.items() if value is not None]
        document = "{" + ",".join([*members, f'"rows":[{",".join(rows)}]']) + "}"
        return self.encoded(document)

    def encoded(self, document: str) -> str:
        """A minified JSON document in the encoding of the answers, itself where that gains nothing."""
        encodings, model = self._choice()
        context = Context(kinds.MCP, encodings=encodings, model=model, min_bytes=0, min_gain=0.0)
        return compact(document, context).text

    def _choice(self) -> tuple[tuple[str, ...], str]:
        settings = load(str(locations.resolved_settings_file()), str(locations.config_file()))
        if self._encoding:
            return (self._encoding,), settings.model
        return (settings.encodings if settings.encodings != ("json",) else _DEFAULT), settings.model


def objects(records: Sequence[Mapping[str, object]]) -> list[str]:
    """Records of strings and integers as JSON texts."""
    return [
        "{" + ",".join(f"{quote(name)}:{_scalar(value)}" for name, value in record.items()) + "}" for record in records
    ]


def _scalar(value: object) -> str:
    return str(value) if isinstance(value, int) else quote(str(value))
