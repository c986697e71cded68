"""Microseconds since 1970 (UTC) shown to people and programs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(microseconds: int) -> str:
    """ISO 8601 in UTC, for any 64-bit time; six digits after the second, none if they are zero."""
    seconds, rest = divmod(microseconds, 1_000_000)
    text = str(np.datetime64(seconds, "s"))
    return f"{text}.{rest:06d}Z" if rest else text + "Z"


def to_datetime(microseconds: int) -> datetime | int:
    """An aware datetime; the number itself where Python's years 1 to 9999 do not reach."""
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return microseconds
