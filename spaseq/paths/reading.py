"""Files, folders and pipes with events that are edges, as the streams of other queries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gpm.native.assembly import Encoder
from spaseq.paths.edge_events import IRI
from spaseq.streams.event import Events
from spaseq.streams.merge import merge
from spaseq.streams.sources import check_path, check_readable, expand, files_to_follow, live_source, read_source
from spaseq.streams.wire import WireOptions, WireReport


def edge_sources(path: str | os.PathLike[str], follow: bool) -> list[str]:
    """The files that ``path`` means.  StreamError: one cannot be read; OptionError: it cannot be followed."""
    check_path(os.fspath(path))
    given = Path(path) if not isinstance(path, str) else path
    files = files_to_follow(given) if follow else expand(given)
    for file in files:
        check_readable(file)
    return files


def read_events(
    files: list[str], options: WireOptions, report: WireReport, encoder: Encoder, follow: bool
) -> Iterator[Events]:
    """The events of files as they come, merged by time.  StreamError, after the events before it."""
    sources = [read_source(file, IRI, options, report, encoder.apart(), live_source(file, follow)) for file in files]
    if len(sources) == 1:
        return sources[0]
    return (events for batch in merge(sources, eager=True) for events in batch)
