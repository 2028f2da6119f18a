"""What a tool's declared outputSchema allows us to do to its ``structuredContent`` without making it invalid.

Removing whitespace leaves the JSON value as it is, so it is always allowed. Everything else is allowed only where the
schema has no keyword that could forbid it. Keywords: JSON Schema 2020-12.
"""

from __future__ import annotations

from dataclasses import dataclass

from unpretty.proxy.json_cursor import as_dict, as_text

# Keywords that may reject a string because it became shorter, unless they are about something else.
_STRING_KEYWORDS = ("pattern", "format", "contentSchema", "contentMediaType", "contentEncoding")
# Keywords of the root that may reject one more member.
_ROOT_KEYWORDS = frozenset((
    "unevaluatedProperties", "maxProperties", "propertyNames", "patternProperties", "allOf", "anyOf", "oneOf", "not",
    "if", "$ref", "$dynamicRef",
))  # fmt: skip
# Keywords anywhere that may reject an array because it has fewer elements.
_ARRAY_KEYWORDS = frozenset(("contains", "minContains", "not", "if"))


@dataclass(frozen=True)
class OutputRules:
    """What may be done to a tool's ``structuredContent``.

    Attributes:
        may_drop: no outputSchema was declared, so no client requires ``structuredContent``.
        may_shorten_strings: JSON inside strings may lose its whitespace.
        may_add_member: the root object may get one more member, and its arrays may have fewer elements.
    """

    may_drop: bool
    may_shorten_strings: bool
    may_add_member: bool


UNKNOWN = OutputRules(may_drop=False, may_shorten_strings=False, may_add_member=False)
_NOTHING_DECLARED = OutputRules(may_drop=True, may_shorten_strings=True, may_add_member=True)


class OutputSchemas:
    """The outputSchemas of a server's tools, as the client has seen them."""

    def __init__(self) -> None:
        self._rules: dict[str, OutputRules] = {}

    def learn(self, result: object) -> None:
        """Note the tools of a ``tools/list`` result (as the scanner gives it)."""
        tools = as_dict(result).get("tools")
        for tool in tools if isinstance(tools, list) else []:
            members = as_dict(tool)
            schema = members.get("outputSchema")
            self._rules[as_text(members.get("name"))] = _rules(schema) if schema is not None else _NOTHING_DECLARED

    def rules(self, tool: str) -> OutputRules:
        """What may be done to results of ``tool``; nothing for one that was never listed."""
        return self._rules.get(tool, UNKNOWN)


def _rules(schema: object) -> OutputRules:
    keywords = _keywords(schema)
    root = as_dict(schema)
    closed = root.get("additionalProperties", True) is not True or not _ROOT_KEYWORDS.isdisjoint(root)
    return OutputRules(
        may_drop=False,
        may_shorten_strings=not any(_constrains_strings(name, value) for name, value in keywords),
        may_add_member=not closed and not any(_constrains_arrays(name, value) for name, value in keywords),
    )


def _keywords(schema: object) -> list[tuple[str, object]]:
    """Every member of every object in ``schema``, names of properties included: too many rather than too few."""
    found: list[tuple[str, object]] = []
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            found += value
            waiting += [item for _, item in value]
        elif isinstance(value, list):
            waiting += value
    return found


def _constrains_strings(name: str, value: object) -> bool:
    if name in _STRING_KEYWORDS:
        return isinstance(value, str) or name == "contentSchema"
    if name == "minLength":
        return value not in (b"0", b"1", b"2")
    # A list of allowed values only matters when a JSON document in a string is one of them.
    allowed = value if isinstance(value, list) else [value]
    return name in ("const", "enum") and any(as_text(item).lstrip()[:1] in ("{", "[") for item in allowed)


def _constrains_arrays(name: str, value: object) -> bool:
    if name == "minItems":
        return value not in (b"0", b"1")
    return name in _ARRAY_KEYWORDS or (name == "const" and isinstance(value, (list, tuple)))
