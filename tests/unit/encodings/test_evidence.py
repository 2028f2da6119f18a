"""The published findings and what follows from them."""

import pytest

from unpretty.encodings.evidence import FINDINGS, MAX_ROWS, is_allowed, model_family
from unpretty.encodings.registry import names
from unpretty.encodings.shapes import FLAT, MIXED, NESTED, NULL_HEAVY, SPARSE, Shape


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-opus-5-5", "opus-5.5"),
        ("claude-opus-5-5-20261001", "opus-5.5"),
        ("claude-opus-5-5[1m]", "opus-5.5"),
        ("anthropic/claude-opus-5.5", "opus-5.5"),
        ("us.anthropic.claude-opus-5-5-20261001-v1:0", "opus-5.5"),
        ("Claude Opus 5.5", "opus-5.5"),
        ("claude-sonnet-5-5", "sonnet-5.5"),
        ("claude-haiku-5-5", "haiku-5.5"),
        ("deepseek-chat", "deepseek"),
        ("openrouter/deepseek/deepseek-v3.2", "deepseek"),
        ("gpt-5.1-codex", "gpt"),
        ("claude-opus-5", ""),
        ("claude-opus-5-50", ""),
        ("claude-opus-4-5", ""),
        ("claude-sonnet-4-5-20250929", ""),
        ("deepseek-r1-distill-llama-70b", ""),
        ("deepseek-coder-v2", ""),
        ("gemini-3-pro", ""),
        ("", ""),
    ],
)
def test_a_model_is_known_by_its_name_and_nothing_close_to_it(model, family):
    assert model_family(model) == family


ALLOWED = {
    ("claude-opus-5-5", "flat"), ("claude-opus-5-5", "sparse"), ("claude-opus-5-5", "mixed"),
    ("claude-sonnet-5-5", "flat"), ("claude-sonnet-5-5", "mixed"), ("claude-sonnet-5-5", "null_heavy"),
    ("deepseek-chat", "mixed"),
}  # fmt: skip


@pytest.mark.parametrize(
    "model", ["claude-opus-5-5", "claude-sonnet-5-5", "deepseek-chat", "claude-haiku-5-5", "gpt-5", "unknown", ""]
)
@pytest.mark.parametrize("trait", [FLAT, NESTED, SPARSE, MIXED, NULL_HEAVY])
def test_an_encoding_is_allowed_exactly_where_the_study_passes(model, trait):
    for encoding in names():
        expected = encoding == "ldf" and (model, trait) in ALLOWED
        assert is_allowed(encoding, model, Shape(frozenset({trait}), 100)) is expected


def test_every_trait_of_a_document_needs_a_finding():
    assert is_allowed("ldf", "claude-opus-5-5", Shape(frozenset({"sparse", "mixed"}), 10))
    assert not is_allowed("ldf", "claude-opus-5-5", Shape(frozenset({"sparse", "nested"}), 10))
    assert not is_allowed("ldf", "claude-opus-5-5", Shape(frozenset({"other"}), 10))


def test_beyond_the_largest_measured_size_nothing_is_allowed():
    flat = frozenset({"flat"})
    assert is_allowed("ldf", "claude-opus-5-5", Shape(flat, MAX_ROWS))
    assert not is_allowed("ldf", "claude-opus-5-5", Shape(flat, MAX_ROWS + 1))
    assert not is_allowed("ldf", "claude-opus-5-5", Shape(flat, 0))


def test_a_finding_passes_only_when_it_rules_out_a_loss_of_three_points_or_was_pooled():
    for finding in FINDINGS:
        assert (finding.points <= 3) is (finding.verdict == "pass")
