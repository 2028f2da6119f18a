import pytest

from unpretty.stats.latency import histogram, percentiles


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({7: 1}, [0.7, 0.7, 0.7]),
        (dict.fromkeys(range(1, 101), 1), [5.0, 9.5, 10.0]),
        ({10: 94, 20: 1, 300: 5}, [1.0, 2.0, 30.0]),
        ({10: 95, 300: 5}, [1.0, 1.0, 30.0]),
        ({0: 1, 5: 1}, [0.0, 0.5, 0.5]),
    ],
)
def test_percentiles_are_by_nearest_rank(times, expected):
    assert percentiles(times) == expected


def test_the_histogram_doubles_its_steps_and_holds_every_call():
    assert histogram({4: 1, 5: 2, 9: 3, 10: 4, 400: 5}) == [
        (0.5, 1), (1.0, 5), (2.0, 4), (4.0, 0), (8.0, 0), (16.0, 0), (32.0, 0), (64.0, 5),
    ]  # fmt: skip
    assert histogram({30: 2}) == [(4.0, 2)]
    assert histogram({}) == []
