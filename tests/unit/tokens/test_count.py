import gzip
import inspect
import sys
from pathlib import Path

import pytest
import tiktoken_ext.openai_public as public
from hypothesis import given
from hypothesis import strategies as st

from unpretty.errors import UnprettyError
from unpretty.tokens import count
from unpretty.tokens.count import PATTERN, SPECIAL_TOKENS, VOCABULARY_FILE, VOCABULARY_SHA256, load_counter


@pytest.fixture(scope="module")
def counter():
    return load_counter()


@pytest.fixture
def not_loaded():
    load_counter.cache_clear()
    yield
    load_counter.cache_clear()


def test_pattern_special_tokens_and_hash_are_those_that_tiktoken_defines(monkeypatch):
    asked = {}

    def instead_of_a_download(url, expected_hash):
        asked["hash"] = expected_hash
        return {}

    monkeypatch.setattr(public, "load_tiktoken_bpe", instead_of_a_download)
    definition = public.o200k_base()
    assert definition["pat_str"] == PATTERN
    assert definition["special_tokens"] == SPECIAL_TOKENS
    assert asked["hash"] == VOCABULARY_SHA256


def test_the_packaged_vocabulary_is_packed_the_same_way_on_every_build():
    """RFC 1952: bytes 4 to 8 are the time, flag 8 would add a file name."""
    head = VOCABULARY_FILE.read_bytes()[:10]
    assert head[4:8] == b"\0\0\0\0"
    assert head[3] == 0


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("tiktoken is great!", 6),
        ("お誕生日おめでとう", 8),
    ],
)
def test_counts_are_those_published_for_o200k(counter, text, tokens):
    """The strings and their counts are those of OpenAI's cookbook on counting tokens."""
    assert counter(text) == tokens


def test_text_that_spells_a_special_token_is_ordinary_text(counter):
    assert counter("<|endoftext|>") > 1
    assert counter("a<|endofprompt|>b") > 3


def test_a_lone_surrogate_counts_as_the_replacement_character(counter):
    assert counter('"\ud800"') == counter('"\ufffd"')
    assert counter("\ud83d\ude00") == counter("\U0001f600")


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", "\u2003"])
@pytest.mark.parametrize("after", ["", "x", "\n", "\nx", "{", "1"])
@pytest.mark.parametrize("before", ["", "x", "\n", "}\n", "\r\n\t\n"])
def test_runs_of_blanks_count_the_same_with_and_without_the_detour(counter, monkeypatch, blank, after, before):
    """tiktoken itself is the oracle: it can count texts of these lengths, so the tests force our own way on them."""
    text = before + blank * 200 + after + before + blank * 150 + after
    exact = counter(text)
    monkeypatch.setattr(count, "_LONG_BLANKS", count.re.compile(count._LONG_BLANKS.pattern.replace("100000", "100")))
    assert count._LONG_BLANKS.search(text) or after.startswith("\n")
    assert counter(text) == exact


@given(st.text(alphabet=" \t\n\r\u00a0\u2003\x1cax1{/'", max_size=60))
def test_any_text_counts_the_same_with_and_without_the_detour(text):
    counter = load_counter()
    exact = counter(text)
    kept = count._LONG_BLANKS
    count._LONG_BLANKS = count.re.compile(kept.pattern.replace("100000", "2"))
    try:
        assert counter(text) == exact
    finally:
        count._LONG_BLANKS = kept


@pytest.mark.parametrize("text", [" " * 1_200_000, "\n" + "\t" * 1_200_000 + "x", "a" * 1_000_000, "\n" * 1_000_000])
def test_a_megabyte_of_one_character_is_counted(counter, text):
    assert 1 < counter(text) < len(text)


def test_a_panic_of_tiktoken_is_an_error_that_callers_can_catch(counter, monkeypatch, capfd):
    monkeypatch.setattr(count, "_LONG_BLANKS", count.re.compile("(?!)"))
    with pytest.raises(UnprettyError, match="could not count"):
        counter(" " * 1_200_000)
    capfd.readouterr()  # the message of the panic


def test_any_other_failure_of_tiktoken_is_an_error_that_callers_can_catch(monkeypatch):
    counting = count._Counter(count._ranks())
    monkeypatch.setattr(counting, "_count", lambda text: 1 / 0)
    with pytest.raises(UnprettyError, match="division by zero"):
        counting.count("x")


def test_an_interruption_is_not_swallowed(monkeypatch):
    counting = count._Counter(count._ranks())

    def interrupted(text):
        raise KeyboardInterrupt

    monkeypatch.setattr(counting, "_count", interrupted)
    with pytest.raises(KeyboardInterrupt):
        counting.count("x")


@pytest.mark.usefixtures("not_loaded")
@pytest.mark.parametrize(
    "content", [None, b"", b"not gzip", VOCABULARY_FILE.read_bytes()[:1000], gzip.compress(b"IQ== 0\n", mtime=0)]
)
def test_a_missing_or_damaged_vocabulary_is_named_with_what_to_do(tmp_path: Path, monkeypatch, content):
    packed = tmp_path / "o200k_base.tiktoken.gz"
    if content is not None:
        packed.write_bytes(content)
    monkeypatch.setattr(count, "VOCABULARY_FILE", packed)
    with pytest.raises(UnprettyError, match=r"o200k_base\.tiktoken\.gz") as exc:
        load_counter()
    assert exc.value.hint == "Reinstall unpretty."


@pytest.mark.usefixtures("not_loaded")
def test_a_missing_tiktoken_is_named_with_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(UnprettyError, match="tiktoken cannot be loaded") as exc:
        load_counter()
    assert exc.value.code == "tiktoken_unusable"


def test_no_code_here_can_open_a_connection():
    """tiktoken's loader is what downloads; counting must not go near it."""
    source = inspect.getsource(count)
    assert "load_tiktoken_bpe" not in source
    assert "encoding_for_model" not in source
    assert "http" not in source
