from datetime import datetime, timezone

import pytest

from unpretty.errors import UnprettyError
from unpretty.report.period import LocalDays, local_time, parse_period, rfc3339, zone_name


def utc(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp() * 1000)


NOW = datetime(2026, 11, 30, 14, 5)


@pytest.mark.parametrize(
    ("since", "until", "first", "last"),
    [
        ("2026-11-29", None, "2026-11-29T00:00", None),
        (None, "2026-11-29", None, "2026-11-30T00:00"),
        ("today", "today", "2026-11-30T00:00", "2026-12-01T00:00"),
        ("yesterday", "yesterday", "2026-11-29T00:00", "2026-11-30T00:00"),
        ("1d", None, "2026-11-30T00:00", None),
        ("7d", None, "2026-11-24T00:00", None),
        ("2w", None, "2026-11-17T00:00", None),
        ("12h", None, "2026-11-30T02:05", None),
        ("30min", None, "2026-11-30T13:35", None),
        ("2026-11-29T23:30", None, "2026-11-29T23:30", None),
        ("2026-11-29T23:30Z", None, "2026-11-29T23:30", None),
        ("2026-11-29T23:30+14:00", None, "2026-11-29T09:30", None),
    ],
)
def test_days_moments_and_ages(zone, since, until, first, last):
    zone("UTC")
    period = parse_period(since, until, NOW)
    assert period.since_ms == (None if first is None else utc(first))
    assert period.until_ms == (None if last is None else utc(last))


@pytest.mark.parametrize(
    "text", ["", "soon", "7", "d", "-3d", "2026-13-01", "2026-02-30", "9999999d", "999999w", "2026-11", "1.5d", "12 h"]
)
def test_what_is_no_time_is_refused_with_examples(text):
    with pytest.raises(UnprettyError, match="--until") as exc:
        parse_period(None, text, NOW)
    assert "2026-11-30" in exc.value.hint


def test_a_period_that_ends_before_it_starts_is_refused():
    with pytest.raises(UnprettyError, match="not before"):
        parse_period("2026-11-30", "2026-11-28", NOW)


@pytest.mark.parametrize(
    ("name", "late_evening", "next_day"),
    [
        ("Pacific/Kiritimati", "2026-11-29T09:59", "2026-11-29T10:00"),  # +14
        ("Pacific/Pago_Pago", "2026-11-30T10:59", "2026-11-30T11:00"),  # -11
        ("Asia/Kathmandu", "2026-11-29T18:14", "2026-11-29T18:15"),  # +5:45
        ("Australia/Eucla", "2026-11-29T15:14", "2026-11-29T15:15"),  # +8:45
    ],
)
def test_days_turn_at_local_midnight(zone, name, late_evening, next_day):
    zone(name)
    day_of = LocalDays()
    assert (day_of(utc(late_evening) + 59_999), day_of(utc(next_day))) == ("2026-11-29", "2026-11-30")
    period = parse_period("2026-11-30", "2026-11-30", NOW)
    assert (period.since_ms, period.until_ms) == (utc(next_day), utc(next_day) + 86_400_000)


def test_a_day_of_daylight_saving_time_has_23_or_25_hours(zone):
    """Berlin: 2026-03-29 loses the hour from 2 to 3, 2026-10-25 has it twice."""
    zone("Europe/Berlin")
    spring = parse_period("2026-03-29", "2026-03-29", NOW)
    autumn = parse_period("2026-10-25", "2026-10-25", NOW)
    assert (spring.since_ms, spring.until_ms) == (utc("2026-03-28T23:00"), utc("2026-03-29T22:00"))
    assert (autumn.since_ms, autumn.until_ms) == (utc("2026-10-24T22:00"), utc("2026-10-25T23:00"))
    day_of = LocalDays()
    assert day_of(utc("2026-10-25T22:59")) == "2026-10-25"
    assert day_of(utc("2026-10-25T23:00")) == "2026-10-26"
    assert day_of(utc("2026-03-29T21:59")) == "2026-03-29"
    assert day_of(utc("2026-03-29T22:00")) == "2026-03-30"


def test_a_day_without_midnight_starts_when_the_clock_moves(zone):
    """Cairo: on 2026-04-24 the clock goes from 24:00 to 01:00."""
    zone("Africa/Cairo")
    assert parse_period("2026-04-24", None, NOW).since_ms == utc("2026-04-23T22:00")
    assert LocalDays()(utc("2026-04-23T22:00")) == "2026-04-24"


def test_days_are_remembered_in_bounded_memory(zone):
    zone("UTC")
    day_of = LocalDays()
    for quarter in range(60_000):
        day_of(quarter * 900_000)
    assert len(day_of._days) <= 50_001


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("UTC", "UTC"),
        ("Europe/Berlin", "CET (UTC+01:00)"),
        ("Pacific/Kiritimati", "UTC+14:00"),
        ("Pacific/Pago_Pago", "SST (UTC-11:00)"),
        ("Asia/Kathmandu", "UTC+05:45"),
    ],
)
def test_the_zone_is_named(zone, name, shown):
    zone(name)
    assert zone_name(NOW) == shown
    assert zone_name()


def test_moments_are_shown_on_the_local_clock(zone):
    zone("Europe/Berlin")
    assert local_time(utc("2026-11-30T13:05")) == "2026-11-30 14:05"
    assert rfc3339(utc("2026-07-01T13:05") + 7) == "2026-07-01T15:05:00.007+02:00"
