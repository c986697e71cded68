"""Streams: events, their sources, merging by time, watermarks and lateness."""

from spaseq.streams.event import Event, Events
from spaseq.streams.merge import in_lists, merge
from spaseq.streams.sources import expand, read_source
from spaseq.streams.timestamps import duration_microseconds, parse_duration, to_datetime, to_microseconds
from spaseq.streams.wire import TIME_PROPERTIES, WireOptions, WireReport

__all__ = [
    "TIME_PROPERTIES", "Event", "Events", "WireOptions", "WireReport", "duration_microseconds", "expand", "in_lists",
    "merge", "parse_duration", "read_source", "to_datetime", "to_microseconds",
]  # fmt: skip
