"""Microseconds since 1970 (UTC) shown to people and programs."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import numpy as np

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEGATIVE_YEAR = re.compile(r"^-\d+")


def iso(microseconds: int) -> str:
    """ISO 8601 in UTC, for any 64-bit time; six digits after the second, none if they are zero."""
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
