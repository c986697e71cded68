"""Files, folders and pipes with events that are edges, as the streams of other queries."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from gpm.native.assembly import Encoder
from spaseq.paths.edge_events import IRI
from spaseq.sources.files import check_path, live_source
from spaseq.sources.incoming import Incoming
from spaseq.sources.merge import merge
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.files import check_readable, expand, files_to_follow, read_source
from spaseq.sources.rdf.wire import WireOptions, WireReport


def edge_sources(path: str | os.PathLike[str], follow: bool) -> list[str]:
    """The files that ``path`` means.  StreamError: one cannot be read; OptionError: it cannot be followed."""
    check_path(os.fspath(path))
    given = Path(path) if not isinstance(path, str) else path
    files = files_to_follow(given) if follow else expand(given)
    for file in files:
        check_readable(file)
    return files


def read_events(
    files: list[str], options: WireOptions, report: WireReport, encoder: Encoder, follow: bool, idle: float | None
) -> Iterator[Events]:
    """The events of files as they come, merged by time.  StreamError, after the events before it.

    The open event of a pipe, or of a file that is followed, is complete when nothing came for ``idle`` seconds.
    """
    sources = []
    for file in files:
        incoming = live_source(file, follow)
        events = read_source(file, IRI, options, report, encoder.apart(), incoming)
        sources.append(events if incoming is None or idle is None else _with_rests(events, incoming, idle))
    if len(sources) == 1:
        return sources[0]
    return (events for batch in merge(sources, eager=True) for events in batch)


def _with_rests(events: Iterator[Events], incoming: Incoming, idle: float) -> Iterator[Events]:
    """The events of a source, whose reader is told when nothing came for so long."""
    for some in events:
        yield some
        while incoming.heeds_pauses and not incoming.is_idle and incoming.is_waited_for():
            left = incoming.last + idle - time.monotonic()
            if left <= 0:
                incoming.rest()
            else:
                incoming.rests_for(left)
