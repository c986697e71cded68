"""How dates and times are written, and what those who write them otherwise mean."""

from __future__ import annotations

import re
from datetime import datetime

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
