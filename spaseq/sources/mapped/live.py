"""Rows as they come, through a pipe or in a file that grows, as events."""

from __future__ import annotations

from collections.abc import Iterator

from gpm.native.assembly import Encoder
from spaseq.pattern.mappings import Mapping
from spaseq.sources.incoming import Incoming
from spaseq.sources.mapped.opening import mapped_source
from spaseq.sources.mapped.source import events_of
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.tables.source import CsvFormat, Types

_AHEAD = 1 << 18  # bytes of one read, until the first row is there


def live_events(
    iri: str,
    mapping: Mapping,
    incoming: Incoming,
    types: Types | None,
    csv: CsvFormat | None,
    encoder: Encoder,
    options: WireOptions,
    report: WireReport,
) -> Iterator[Events]:
    """Events as of ``events_of``, none where more has to be waited for; each file that follows has its own header."""
    nothing = Events.of(iri, [], encoder)
    lines = 2 if csv is None or csv.names is None else 1
    with incoming:
        while True:
            for _ in _until_lines(incoming, lines):
                yield nothing
            source = mapped_source(incoming, mapping, types, csv)
            yield from events_of(iri, mapping, source, encoder, options, report, lambda: incoming.is_idle)
            if not incoming.next_file():
                return


def _until_lines(incoming: Incoming, count: int) -> Iterator[None]:
    """Read ahead until so many lines are there, or the end; None whenever more has to be waited for."""
    data = b""
    while data.count(b"\n") < count:
        while incoming.pauses():
            yield
        more = incoming.read1(_AHEAD)
        data += more
        if not more:
            break
    incoming.put_back(data)
