"""Rows as a tool's answer: one JSON document, or what the chosen encoding makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unpretty import locations
from unpretty.encodings.json_value import quote
from unpretty.engine.compaction import compact
from unpretty.engine.context import MCP, Context
from unpretty.settings.chooser import Chooser
from unpretty.settings.resolved import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Rows with the same columns are written with the column names once. That is still JSON, so no setting has to allow it.
_DEFAULT = ("columnar",)


class TableReply:
    """Writes answers in ``encoding``: a name, "auto", or "" for the settings' choice (columnar if they make none)."""

    def __init__(self, encoding: str = "") -> None:
        self._encoding = encoding

    def rows(self, rows: Sequence[str], **facts: object) -> str:
        """``rows``, each a JSON text, as the member "rows" of an object, after ``facts`` (those that are not None)."""
        members = _members({name: value for name, value in facts.items() if value is not None})
        return self.encoded("{" + ",".join([*members, f'"rows":[{",".join(rows)}]']) + "}")

    def encoded(self, document: str) -> str:
        """A minified JSON document in the encoding of the answers, unchanged where that gains nothing."""
        settings = load(str(locations.resolved_settings_file()), str(locations.config_file()))
        chosen = (self._encoding,) if self._encoding else settings.encodings
        encodings = _DEFAULT if not self._encoding and chosen == ("json",) else chosen
        context = Context(MCP, choose=Chooser(encodings, settings.model), min_bytes=0, min_gain=0.0)
        return compact(document, context).text


def objects(records: Sequence[Mapping[str, object]]) -> list[str]:
    """Records of strings and integers as JSON texts."""
    return ["{" + ",".join(_members(record)) + "}" for record in records]


def _members(record: Mapping[str, object]) -> list[str]:
    return [f"{quote(name)}:{value if isinstance(value, int) else quote(str(value))}" for name, value in record.items()]
