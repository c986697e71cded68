"""Units of time and the longest time there is, for the windows of all languages."""

from __future__ import annotations

MICROSECONDS = {
    "MILLISECONDS": 1_000,
    "SECONDS": 1_000_000,
    "MINUTES": 60_000_000,
    "HOURS": 3_600_000_000,
    "DAYS": 86_400_000_000,
}
LONGEST = (1 << 63) - 1  # in microseconds, as in events
