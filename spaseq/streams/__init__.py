"""Time and streams: clocks and watermarks, times and durations, what was dropped; and what reads streams of RDF."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

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

_HOMES = {
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
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
