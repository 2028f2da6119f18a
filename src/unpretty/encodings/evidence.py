"""For which model an encoding was shown to be read as well as JSON: the published findings, as data.

The one study that we know is that of caioricciuti/ldf (2026-10-21, release 0.6.0): 200 held-out records, 151 to 249
questions per cell, the same questions in both formats. A cell passes when the data rule out a loss of more than 3
points against JSON. It is about LDF alone; for columnar, TOON and tight-c no such study exists, so none is listed and
``auto`` does not choose them. Whoever lists an encoding by name in the settings needs no evidence.
"""

import re
from typing import NamedTuple

from unpretty.encodings.shapes import FLAT, MIXED, NESTED, NULL_HEAVY, SPARSE, Shape

PASS = "pass"  # noqa: S105  a verdict
POOLED = "passes pooled with an earlier run"
NOT_PROVEN = "not proven"
LOSES = "loses"

# Above this many records no cell has enough questions.
MAX_ROWS = 200


class Finding(NamedTuple):
    """One cell of the study; ``points`` is the largest loss that it cannot rule out, for LOSES the loss that it saw."""

    encoding: str
    model: str
    shape: str
    verdict: str
    points: float


FINDINGS = (
    Finding("ldf", "opus-5.5", FLAT, PASS, 1.2),
    Finding("ldf", "opus-5.5", NESTED, LOSES, 3.6),  # arrays in child tables
    Finding("ldf", "opus-5.5", SPARSE, PASS, 2.6),
    Finding("ldf", "opus-5.5", MIXED, PASS, 1.1),
    Finding("ldf", "sonnet-5.5", FLAT, POOLED, 3.9),
    Finding("ldf", "sonnet-5.5", NESTED, NOT_PROVEN, 3.5),
    Finding("ldf", "sonnet-5.5", SPARSE, NOT_PROVEN, 3.6),
    Finding("ldf", "sonnet-5.5", MIXED, PASS, 1.8),
    Finding("ldf", "sonnet-5.5", NULL_HEAVY, PASS, 2.6),
    Finding("ldf", "deepseek", FLAT, LOSES, 6.0),
    Finding("ldf", "deepseek", NESTED, NOT_PROVEN, 3.7),
    Finding("ldf", "deepseek", SPARSE, NOT_PROVEN, 5.5),
    Finding("ldf", "deepseek", MIXED, PASS, 2.3),
)

# Models of the study, by what their names contain once points and the like are hyphens. Haiku and GPT get JSON
# throughout by the study's own word, so they have a name here and no finding.
_MODELS = (
    ("opus-5.5", re.compile(r"\bopus-5-5(?!\d)")),
    ("sonnet-5.5", re.compile(r"\bsonnet-5-5(?!\d)")),
    ("haiku-5.5", re.compile(r"\bhaiku-5-5(?!\d)")),
    ("deepseek", re.compile(r"\bdeepseek(?!.*(?:distill|coder|vl|ocr))")),
    ("gpt", re.compile(r"\bgpt-\d")),
)
_SEPARATORS = re.compile(r"[^a-z0-9]+")


def model_family(model: str) -> str:
    """The study's name for a model: ``claude-opus-5-5-20261001`` is ``opus-5.5``; empty for a model it did not test.

    Names of providers around it do not matter (``anthropic/claude-opus-5.5``, ``us.anthropic.claude-opus-5-5-v1:0``).
    """
    name = _SEPARATORS.sub("-", model.lower())
    return next((family for family, pattern in _MODELS if pattern.search(name)), "")


def is_allowed(encoding: str, model: str, shape: Shape) -> bool:
    """True when a finding passes for the model for every trait of the shape, and the study covers so many rows."""
    family = model_family(model)
    passed = {
        finding.shape
        for finding in FINDINGS
        if finding.encoding == encoding and finding.model == family and finding.verdict in (PASS, POOLED)
    }
    return 0 < shape.rows <= MAX_ROWS and shape.traits <= passed
