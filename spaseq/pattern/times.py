"""Times: how they are written and shown, what those who write them otherwise mean, and units of windows."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

MICROSECONDS = {
    "MILLISECONDS": 1_000,
    "SECONDS": 1_000_000,
    "MINUTES": 60_000_000,
    "HOURS": 3_600_000_000,
    "DAYS": 86_400_000_000,
}
LONGEST = (1 << 63) - 1  # in microseconds, as in events
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEGATIVE_YEAR = re.compile(r"^-\d+")
_TIME = re.compile(
    r"\s*(\d{4})-(\d\d?)-(\d\d?)(?:[T ]+(\d\d?):(\d\d)(?::(\d\d)(\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?\s*",
    re.IGNORECASE | re.ASCII,
)


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


def to_datetime(microseconds: int) -> datetime | int:
    """An aware datetime; the number itself where Python's years 1 to 9999 do not reach."""
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return microseconds
