"""The verdict: whether it is worth it."""

import pytest

from unpretty.estimate.verdict import verdict_on


@pytest.mark.parametrize(
    ("saved", "read", "results", "replaced", "code", "words"),
    [
        (0, 0, 0, 0, "no_results", "nothing can be said"),
        (0, 1000, 5, 0, "not_worth_it", "Nothing would have been saved"),
        (-5, 1000, 5, 0, "not_worth_it", "Nothing would have been saved"),
        (4, 10_000, 5, 0, "not_worth_it", "only less than 0.1 %"),
        (49, 10_000, 5, 0, "not_worth_it", "only 0.5 %"),
        (50, 10_000, 5, 0, "small", "0.5 %"),
        (199, 10_000, 5, 0, "small", "2.0 %"),
        (200, 10_000, 5, 0, "worth_it", "2.0 %"),
        (9_000, 10_000, 5, 0, "worth_it", "90.0 %"),
        (0, 1000, 5, 1_234, "already_installed", "1,234 results"),
        (500, 1000, 5, 1, "already_installed", "unpretty stats"),
    ],
)
def test_the_verdict(saved: int, read: int, results: int, replaced: int, code: str, words: str) -> None:
    verdict = verdict_on(saved, read, results, replaced)
    assert verdict.code == code
    assert words in verdict.message
