"""Tokens per byte from a sample: unbiased, in bounded memory, the same on every run."""

import random

import pytest

from unpretty.estimate import rate as module
from unpretty.estimate.rate import TokenRate


def ones(text: str) -> int:
    """A tokenizer whose counts are easy to know: one token for each "1"."""
    return text.count("1")


def test_without_text_there_is_no_rate() -> None:
    rate = TokenRate()
    assert rate.measure(ones) is None
    rate.add("")
    assert rate.measure(ones) is None


def test_one_text_is_measured_whole() -> None:
    rate = TokenRate()
    rate.add("11111 ab")
    assert rate.measure(ones) == 5 / 8


def test_bytes_are_those_of_utf8() -> None:
    rate = TokenRate()
    rate.add("1☃\ud83d")
    assert rate.measure(ones) == 1 / (1 + 3 + 1)


def test_the_sample_stays_small_however_much_comes() -> None:
    rate = TokenRate()
    for _ in range(5_000):
        rate.add("x" * 5_000)
    assert module._KEPT <= len(rate._sample) <= 2 * module._KEPT + 1
    assert all(len(piece) <= module._PIECE_CHARS for piece in rate._sample)


@pytest.mark.parametrize("seed", range(5))
def test_the_rate_of_very_mixed_texts_is_met(seed: int) -> None:
    """Short texts of ones and long ones without: a mean over texts would be far off."""
    chance = random.Random(seed)
    rate = TokenRate()
    total = counted = 0
    for _ in range(10_000):
        text = "1" * chance.randrange(1, 200) if chance.random() < 0.9 else "x" * chance.randrange(1, 8_000)
        rate.add(text)
        total += len(text)
        counted += ones(text)
    measured = rate.measure(ones)
    assert measured is not None
    assert abs(measured - counted / total) < 0.12


def test_the_mean_over_many_samples_is_the_rate() -> None:
    errors = []
    for seed in range(40):
        chance = random.Random(seed)
        rate = TokenRate()
        total = counted = 0
        for _ in range(1_500):
            text = "1" * chance.randrange(1, 200) if chance.random() < 0.9 else "x" * chance.randrange(1, 8_000)
            rate.add(text)
            total += len(text)
            counted += ones(text)
        errors.append((rate.measure(ones) or 0) - counted / total)
    assert abs(sum(errors) / len(errors)) < 0.02
