"""Which decisions a report covers, in days of the local clock.

One rule for all figures: a day begins and ends at local midnight, as the C library knows the zone and its daylight
saving time (``TZ`` or the system's setting).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone

from unpretty.errors import UnprettyError

_QUARTER_MS = 900_000


@dataclass(frozen=True, slots=True)
class Period:
    """From ``since_ms`` (included) to ``until_ms`` (not included), milliseconds since 1970 UTC; None is open."""

    since_ms: int | None = None
    until_ms: int | None = None


def parse_period(since: str | None, until: str | None, now: datetime | None = None) -> Period:
    """The period from ``--since`` and ``--until``; None is open.

    Each is a day (``2026-11-30``, ``today``, ``yesterday``), a moment (``2026-11-30T14:00``, with a zone or in local
    time), or an age: ``7d`` is today and the six days before it, ``2w`` is fourteen days, ``12h`` and ``30min`` count
    back from now. ``--since`` starts with the day, ``--until`` includes it.

    Raises:
        UnprettyError: a text is none of these, or the period ends before it starts.
    """
    here = now or datetime.now()
    period = Period(
        None if since is None else _boundary(since, "--since", here, end=False),
        None if until is None else _boundary(until, "--until", here, end=True),
    )
    if period.since_ms is not None and period.until_ms is not None and period.since_ms >= period.until_ms:
        raise UnprettyError(f"--since {since} is not before --until {until}.", code="empty_period")
    return period


def _boundary(text: str, option: str, now: datetime, *, end: bool) -> int:
    try:
        day = _day(text, now.date())
        if day is not None:
            return _milliseconds(datetime.combine(day + timedelta(days=1) if end else day, time()))
        age = re.fullmatch(r"(\d{1,6})(h|min)", text)
        if age is not None:
            span = timedelta(**{"hours" if age[2] == "h" else "minutes": int(age[1])})
            return _milliseconds(now) - span // timedelta(milliseconds=1)
        return _milliseconds(datetime.fromisoformat(text.replace("Z", "+00:00")))
    except (ValueError, OverflowError, OSError):
        raise UnprettyError(
            f"{option} {text!r} is not a time.",
            code="bad_time",
            hint="Give a day like 2026-11-30, today or yesterday, a moment like 2026-11-30T14:00, or an age like 7d.",
        ) from None


def _day(text: str, today: date) -> date | None:
    """The day that ``text`` names; None when it is no day. An impossible day is a ValueError."""
    if text in ("today", "yesterday"):
        return today - timedelta(days=int(text == "yesterday"))
    age = re.fullmatch(r"(\d{1,6})([dw])", text)
    if age is not None:
        return today - timedelta(days=int(age[1]) * (7 if age[2] == "w" else 1) - 1)
    return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None


def _milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970 UTC; a moment without a zone is local time."""
    return round(moment.timestamp() * 1000)


class LocalDays:
    """The local day of a moment, remembered by the quarter hour: no zone shifts by less while days change."""

    def __init__(self) -> None:
        self._days: dict[int, str] = {}

    def __call__(self, ts_ms: int) -> str:
        """The day of ``ts_ms`` (milliseconds since 1970 UTC) as ``2026-11-30``."""
        quarter = ts_ms // _QUARTER_MS
        day = self._days.get(quarter)
        if day is None:
            if len(self._days) > 50_000:
                self._days.clear()
            day = self._days[quarter] = datetime.fromtimestamp(quarter * _QUARTER_MS / 1000).date().isoformat()
        return day


def local_time(ts_ms: int) -> str:
    """The moment ``ts_ms`` (milliseconds since 1970 UTC) on the local clock: ``2026-11-30 14:05``."""
    return datetime.fromtimestamp(ts_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M")


def rfc3339(ts_ms: int | None, *, utc: bool = False) -> str | None:
    """The moment ``ts_ms`` in local time or UTC with its offset: ``2026-11-30T14:05:09.120+01:00``; None for None."""
    if ts_ms is None:
        return None
    moment = datetime.fromtimestamp(ts_ms / 1000, timezone.utc)
    return (moment if utc else moment.astimezone()).isoformat(timespec="milliseconds")


def zone_name(now: datetime | None = None) -> str:
    """The zone that days are counted in, as of now: ``CET (UTC+01:00)``."""
    here = (now or datetime.now()).astimezone()
    offset = here.strftime("%z")
    name = here.tzname() or ""
    numeric = f"UTC{offset[:3]}:{offset[3:5]}"
    if name == "UTC":
        return name
    return numeric if not name or name[0] in "+-" else f"{name} ({numeric})"
