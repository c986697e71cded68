"""Times: microseconds since 1970 (UTC) of xsd:dateTime, integers and Python's types; durations; how they are shown."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

from spaseq.errors import OptionError

if TYPE_CHECKING:
    import numpy

Time: TypeAlias = "int | datetime | numpy.datetime64"  # a pandas.Timestamp is a datetime

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LEAST, GREATEST = -(2**63), 2**63 - 1
UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000}

MICROSECONDS = {
    "MILLISECONDS": 1_000,
    "SECONDS": 1_000_000,
    "MINUTES": 60_000_000,
    "HOURS": 3_600_000_000,
    "DAYS": 86_400_000_000,
}
LONGEST = GREATEST  # of durations
_NEGATIVE_YEAR = re.compile(r"^-\d+")
_TIME = re.compile(
    r"\s*(\d{4})-(\d\d?)-(\d\d?)(?:[T ]+(\d\d?):(\d\d)(?::(\d\d)(\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?\s*",
    re.IGNORECASE | re.ASCII,
)
_SECOND = re.compile(r"(-?(?:[1-9]\d{3,}|0\d{3})-\d\d-\d\d)T(\d\d):([0-5]\d):([0-5]\d)", re.ASCII)
_REST = re.compile(r"(?:\.(\d+))?(?:Z|([+-])(\d\d):([0-5]\d))?", re.ASCII)
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.ASCII)
_DURATION_UNITS = {
    **dict.fromkeys(("us", "microsecond", "microseconds"), 1),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1_000),
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1_000_000),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60_000_000),
    **dict.fromkeys(("h", "hour", "hours"), 3_600_000_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000_000),
}
# Of NumPy: microseconds of a unit, and how many units these are.
_NUMPY_UNITS = {
    "W": (604_800_000_000, 1), "D": (86_400_000_000, 1), "h": (3_600_000_000, 1), "m": (60_000_000, 1),
    "s": (1_000_000, 1), "ms": (1_000, 1), "us": (1, 1), "ns": (1, 10**3), "ps": (1, 10**6), "fs": (1, 10**9),
    "as": (1, 10**12),
}  # fmt: skip
_GREGORIAN_CYCLE = 146_097  # days in 400 years, after which the calendar repeats


def from_xsd(text: str) -> int:
    """Microseconds of the lexical form of an xsd:dateTime; no zone means UTC, digits beyond microseconds are cut."""
    cut = text.find("T") + 9  # behind the seconds: what is before and behind often comes again
    try:
        microseconds = _second(text[:cut]) + _rest(text[cut:])
    except ValueError as error:
        meant = nearest_time(text)
        advice = f': write "{meant}"' if meant not in ("", text) else ""
        raise ValueError(f'"{text}" is not an xsd:dateTime{str(error) or advice}') from None
    if not LEAST < microseconds < GREATEST:
        raise ValueError(f'the time "{text}" is outside the range of 64-bit microseconds')
    return microseconds


@lru_cache(maxsize=1 << 14)
def _second(text: str) -> int:
    """Microseconds of a date and time to the second."""
    found = _SECOND.fullmatch(text)
    if found is None:
        raise ValueError
    seconds = int(found[2]) * 3600 + int(found[3]) * 60 + int(found[4])
    if seconds > 86_400:
        raise ValueError(": no such time of day")
    return (_days(found[1]) * 86_400 + seconds) * 1_000_000


@lru_cache(maxsize=1 << 14)
def _rest(text: str) -> int:
    """Microseconds that a fraction of a second and a time zone add."""
    found = _REST.fullmatch(text)
    if found is None:
        raise ValueError
    fraction, sign, hours, minutes = found.groups()
    micros = int(fraction[:6].ljust(6, "0")) if fraction else 0
    if sign is None:
        return micros
    zone = int(hours) * 60 + int(minutes)
    if zone > 14 * 60:
        raise ValueError(": no such time zone")
    return micros - zone * 60_000_000 * (1 if sign == "+" else -1)


@lru_cache(maxsize=4096)
def _days(text: str) -> int:
    """Days from 1970-01-01 to an ISO date of any year of the proleptic Gregorian calendar."""
    year, month, day = text.rsplit("-", 2)
    cycles, rest = divmod(int(year), 400)
    try:
        ordinal = date(rest + 400, int(month), int(day)).toordinal()
    except ValueError:
        raise ValueError(": no such date") from None
    return ordinal + (cycles - 1) * _GREGORIAN_CYCLE - date(1970, 1, 1).toordinal()


def to_microseconds(time: Time) -> int:
    """Microseconds of a timestamp given in Python: an integer of them, or a time; without a zone it means UTC.

    Digits beyond microseconds are cut.  OptionError: it is nothing of the kind, or not a time.
    """
    if type(time) is int and LEAST < time < GREATEST:
        return time
    if hasattr(time, "to_datetime64"):
        time = time.to_datetime64()
    if type(time).__name__ == "datetime64":
        return _in_range(_from_numpy(time), time)
    if isinstance(time, datetime):
        aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
        return (aware - EPOCH) // timedelta(microseconds=1)
    whole = _whole(time)
    if whole is None:
        known = "an int (microseconds) or a datetime, also of NumPy or pandas"
        raise OptionError(f"a timestamp is {known}, not {type(time).__name__} {time!r:.80}")
    return _in_range(whole, time)


def _whole(value: Any) -> int | None:
    """The integer, also of NumPy; None: it is none, as an array of one, or a truth value."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def _in_range(microseconds: int, time: object) -> int:
    if not LEAST < microseconds < GREATEST:
        raise OptionError(f"the timestamp {time} is outside the range of 64-bit microseconds")
    return microseconds


def _from_numpy(time: Any) -> int:
    """Microseconds of a numpy.datetime64 of any unit."""
    import numpy as np

    if np.isnat(time):
        raise OptionError("a timestamp is needed, not NaT (not a time)")
    if np.datetime_data(time)[0] in ("Y", "M"):
        days = time.astype("datetime64[D]")
        if days.astype(time.dtype) != time:  # too many days for 64 bits
            return GREATEST
        time = days
    unit, step = np.datetime_data(time)
    worth, parts = _NUMPY_UNITS[unit]
    return int(time.astype(np.int64)) * step * worth // parts


def to_datetime(microseconds: int) -> datetime:
    """The aware datetime (UTC) of ``microseconds``; OverflowError outside the years 1 to 9999."""
    return EPOCH + timedelta(microseconds=microseconds)


def parse_duration(text: str) -> timedelta:
    """A duration such as ``500ms``, ``2 s``, ``1.5 minutes`` or ``0``; a bare number means seconds."""
    found = _DURATION.fullmatch(text.lower())
    if found is None or found[2] not in _DURATION_UNITS:
        raise OptionError(f'"{text}" is not a duration; write for example 500ms, 10s, 5m, 2h or 1d')
    try:
        return timedelta(microseconds=float(found[1]) * _DURATION_UNITS[found[2]])
    except OverflowError:
        raise OptionError(f"the duration {text} is too long") from None


def duration_microseconds(duration: timedelta | int) -> int:
    """Microseconds of a lateness, given as a timedelta or an integer of microseconds; OptionError below zero."""
    if isinstance(duration, timedelta):
        microseconds = duration // timedelta(microseconds=1)
    elif (whole := _whole(duration)) is not None:
        microseconds = whole
    else:
        raise OptionError(f"a lateness is a timedelta or an int (microseconds), not {duration!r:.80}")
    if microseconds < 0:
        raise OptionError("a lateness cannot be negative")
    return microseconds


# ── how they are shown, and meant ────────────────────────────────────────────────────────────────────────
def nearest_time(text: str) -> str:
    """The xsd:dateTime that a text such as ``2026-01-26 15:57`` means; empty if it means none."""
    found = _TIME.fullmatch(text)
    if found is None:
        return ""
    year, month, day, hour, minute, second, fraction, zone = found.groups(default="")
    shown = f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute:0>2}:{second:0>2}"
    try:
        datetime.fromisoformat(shown)
    except ValueError:
        return ""
    if len(zone) > 1 and ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    return shown + fraction + zone.upper()


def iso(microseconds: int) -> str:
    """ISO 8601 in UTC, for any 64-bit time; six digits after the second, none if they are zero."""
    import numpy as np  # for years that Python does not know, and only where something is shown

    seconds, rest = divmod(microseconds, 1_000_000)
    text = _NEGATIVE_YEAR.sub(_four_digits, str(np.datetime64(seconds, "s")))
    return f"{text}.{rest:06d}Z" if rest else text + "Z"


def _four_digits(year: re.Match[str]) -> str:
    return f"{int(year[0]):05d}"  # the sign is one of five


def shown_datetime(microseconds: int) -> datetime | int:
    """An aware datetime; the number itself where Python's years 1 to 9999 do not reach."""
    try:
        return to_datetime(microseconds)
    except OverflowError:
        return microseconds
