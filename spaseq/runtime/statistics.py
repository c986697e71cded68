"""What an engine tells about its streams and queries, whatever its data are: fit for JSON, times in ISO 8601."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import Loss
from spaseq.streams.timestamps import GREATEST, LEAST, iso

Statistics = dict[str, Any]


def of_stream(clock: StreamClock, first_late: str, left_out: Mapping[str, Any] = {}) -> Statistics:
    """``events`` (all that came with a time, late ones too), ``late``, ``newest_event``, ``watermark``, ``closed``.

    Of a stream of which events were late, ``first_late`` tells the first; ``left_out`` is what else made no event.
    """
    late = {"first_late": first_late, "lateness_needed": clock.lateness_needed} if clock.late else {}
    return {
        "events": clock.events,
        "late": clock.late,
        **late,
        **left_out,
        "newest_event": time_of(clock.newest),
        "watermark": time_of(clock.watermark),
        "closed": clock.closed,
    }


def time_of(microseconds: int) -> str | None:
    """A time; None: there is none, or it is the end of time."""
    return None if microseconds in (LEAST, GREATEST) else iso(microseconds)


def reasons(lost: Iterable[Loss], waiting: str, waited_for: str, known: Iterable[str]) -> Sequence[str]:
    """Why a query has no result: events that were ``lost``, how many wait ("": none), and what it knows itself."""
    waits = [f"{waiting} events wait for {waited_for}"] if waiting else []
    return [*(loss.cause for loss in lost), *waits, *known]
