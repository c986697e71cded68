"""Time and streams: clocks and watermarks, times and durations, what was dropped; and what reads streams of RDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spaseq.rooms import entered

if TYPE_CHECKING:
    from spaseq.sources.merge import in_lists, merge
    from spaseq.sources.rdf.events import Event, Events
    from spaseq.sources.rdf.files import expand, read_source
    from spaseq.sources.rdf.wire import TIME_PROPERTIES, WireOptions, WireReport
    from spaseq.streams.timestamps import duration_microseconds, parse_duration, to_datetime, to_microseconds

__all__ = [
    "TIME_PROPERTIES", "Event", "Events", "WireOptions", "WireReport", "duration_microseconds", "expand", "in_lists",
    "merge", "parse_duration", "read_source", "to_datetime", "to_microseconds",
]  # fmt: skip

_MODULES = {
    **dict.fromkeys(("in_lists", "merge"), "spaseq.sources.merge"),
    **dict.fromkeys(("Event", "Events"), "spaseq.sources.rdf.events"),
    **dict.fromkeys(("expand", "read_source"), "spaseq.sources.rdf.files"),
    **dict.fromkeys(("TIME_PROPERTIES", "WireOptions", "WireReport"), "spaseq.sources.rdf.wire"),
    **dict.fromkeys(
        ("duration_microseconds", "parse_duration", "to_datetime", "to_microseconds"), "spaseq.streams.timestamps"
    ),
}


def __getattr__(name: str) -> object:
    """What reads streams is loaded when it is first asked for: clocks stand below it."""
    return entered(__name__, _MODULES, name)
