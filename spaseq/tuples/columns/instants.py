"""Times in text, as a query or a declaration writes them."""

from __future__ import annotations

from datetime import datetime

from spaseq.streams.timestamps import LEAST, to_microseconds


def instant(text: str) -> int:
    """Microseconds since 1970 of an ISO 8601 date or time, without a zone UTC; ValueError if it is none."""
    found = to_microseconds(datetime.fromisoformat(text))
    assert found > LEAST
    return found
