"""Rows as they come, through a pipe or in a file that grows, as events."""

from __future__ import annotations

from collections.abc import Iterator

from gpm.native.assembly import Encoder
from spaseq.pattern.mappings import Mapping
from spaseq.sources.incoming import Incoming
from spaseq.sources.mapped.opening import TableFormat, mapped_source
from spaseq.sources.mapped.source import events_of
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.tables.followed import until_row


def live_events(
    iri: str,
    mapping: Mapping,
    incoming: Incoming,
    how: TableFormat,
    encoder: Encoder,
    options: WireOptions,
    report: WireReport,
) -> Iterator[Events]:
    """Events as of ``events_of``, none where more has to be waited for; each file that follows has its own header."""
    nothing = Events.of(iri, [], encoder)
    has_header = how.csv is None or how.csv.names is None
    with incoming:
        while True:
            for _ in until_row(incoming, has_header):
                yield nothing
            source = mapped_source(incoming, mapping, how)
            yield from events_of(iri, mapping, source, encoder, options, report, is_idle=lambda: incoming.is_idle)
            if not incoming.next_file():
                return
