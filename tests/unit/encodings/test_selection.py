"""Which encoding wins: size, proof, evidence, limits."""

import json

import pytest

from unpretty import decode
from unpretty.encodings import names, selection
from unpretty.encodings.selection import Allowed, choose
from unpretty.engine.context import Context

OPUS = "claude-opus-5-5"


def flat(count):
    rows = [{"id": n, "city": f"City {n % 7}", "population": n * 1000, "capital": n % 2 == 0} for n in range(count)]
    return json.dumps(rows, separators=(",", ":"))


def words(text):
    """In place of a tokenizer: punctuation counts, letters do not."""
    return sum(not character.isalnum() for character in text)


def test_json_is_the_default_and_needs_no_work(monkeypatch):
    monkeypatch.setattr(selection, "encode_verified", None)
    choice = choose(flat(50), Context())
    assert (choice.encoding, choice.text, choice.declined) == ("json", flat(50), {})


def test_the_smallest_listed_encoding_wins_and_leads_back():
    choice = choose(flat(50), Context(), Allowed(("json", "columnar", "ldf")))
    assert choice.encoding == "ldf"
    assert decode(choice.text, "ldf") == flat(50)
    assert choice.sizes["ldf"] < choice.sizes["columnar"] < choice.sizes["json"] == len(flat(50))


def test_auto_uses_what_was_shown_to_be_read_well_by_the_model():
    choice = choose(flat(100), Context(), Allowed(("auto",), model=OPUS))
    assert choice.encoding == "ldf"
    assert choice.declined == dict.fromkeys(("columnar", "toon", "tight-c", "ldf-inline"), "no_evidence")


@pytest.mark.parametrize(("model", "count"), [("", 100), ("claude-haiku-5-5", 100), ("gpt-5", 100), (OPUS, 201)])
def test_auto_is_json_for_other_models_and_for_more_rows_than_the_study_has(model, count):
    choice = choose(flat(count), Context(), Allowed(("auto",), model=model, count_tokens=words))
    assert (choice.encoding, set(choice.declined.values())) == ("json", {"no_evidence"})


def test_an_encoding_by_name_needs_no_evidence_beside_auto_neither():
    assert choose(flat(300), Context(), Allowed(("toon",))).encoding == "toon"
    assert choose(flat(300), Context(), Allowed(("auto", "toon"), model="gpt-5")).encoding == "toon"


def test_names_that_are_no_encodings_are_passed_over():
    assert choose(flat(50), Context(), Allowed(("yaml",))).encoding == "json"


def test_without_a_tokenizer_only_documents_with_a_table_are_considered():
    choice = choose('{"name":"a","size":1,"tags":["x","y"]}', Context(), Allowed(names()))
    assert choice.encoding == "json"
    assert set(choice.declined.values()) == {"no_table"}
    assert choose(flat(2), Context(), Allowed(names())).declined["toon"] == "no_table"


def test_without_a_tokenizer_an_encoding_has_to_save_a_share_of_the_bytes():
    text = json.dumps(
        [{"a": n, "b": "some long text that repeats no key " * 3} for n in range(5)], separators=(",", ":")
    )
    choice = choose(text, Context(), Allowed(("tight-c",)))
    assert (choice.encoding, choice.declined) == ("json", {"tight-c": "not_smaller"})
    assert choice.sizes["tight-c"] < choice.sizes["json"]


def test_with_a_tokenizer_tokens_decide_and_no_table_is_needed():
    text = '{"name":"a","size":1,"tags":["x","y"]}'
    choice = choose(text, Context(), Allowed(names(), count_tokens=words))
    assert choice.encoding == "tight-c"
    assert choice.sizes["json"] == words(text)
    assert choice.declined["ldf"] == "not_a_table"


def test_a_text_with_fewer_tokens_and_more_bytes_is_not_chosen():
    choice = choose('[[],["abc"]]', Context(), Allowed(("toon",), count_tokens=lambda text: -len(text)))
    assert (choice.encoding, choice.declined) == ("json", {"toon": "not_smaller"})


def test_on_a_tie_json_stays():
    choice = choose(flat(9), Context(), Allowed(names(), count_tokens=lambda text: 7))
    assert choice.encoding == "json"


def test_what_an_encoding_cannot_carry_is_declined_with_its_reason():
    text = flat(9).replace("1000", "1000.0")
    choice = choose(text, Context(), Allowed(("toon", "ldf")))
    assert choice.encoding == "ldf"
    assert choice.declined == {"toon": "number_text"}


def test_a_text_over_the_readers_limits_is_not_chosen():
    limits = [{"max_chars": 100}, {"max_bytes": 100}, {"max_line_bytes": 10}]
    for limit in limits:
        choice = choose(flat(9), Context(**limit), Allowed(("tight-c",)))
        assert (choice.encoding, choice.declined) == ("json", {"tight-c": "over_limit"})
    assert choose(flat(9), Context(max_line_bytes=40), Allowed(("tight-c",))).encoding == "tight-c"


def test_nothing_is_tried_that_would_take_longer_than_the_budget():
    choice = choose(flat(900), Context(budget_seconds=0.01), Allowed(("ldf", "toon")))
    assert (choice.encoding, choice.declined) == ("json", {"toon": "over_budget", "ldf": "over_budget"})


def test_nesting_that_an_encoder_cannot_follow_leaves_json(monkeypatch):
    def fail(document, encoding):
        raise RecursionError

    monkeypatch.setattr(selection, "encode_verified", fail)
    choice = choose(flat(9), Context(), Allowed(("toon", "columnar")))
    assert (choice.encoding, choice.declined) == ("json", {"toon": "too_deep", "columnar": "too_deep"})
