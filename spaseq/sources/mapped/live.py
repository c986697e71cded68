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

_AHEAD = 1 << 18  # bytes of one read, until the first row is there


def live_events(
    iri: str,
    mapping: Mapping,
    incoming: Incoming,
    how: TableFormat,
    encoder: Encoder,
    options: WireOptions,
    report: WireReport,
    whole: bool = True,
) -> Iterator[Events]:
    """Events as of ``events_of``, none where more has to be waited for; each file that follows has its own header."""
    nothing = Events.of(iri, [], encoder)
    has_header = how.csv is None or how.csv.names is None
    with incoming:
        while True:
            for _ in _until_row(incoming, has_header):
                yield nothing
            source = mapped_source(incoming, mapping, how)
            yield from events_of(
                iri, mapping, source, encoder, options, report, is_idle=lambda: incoming.is_idle, whole=whole
            )
            if not incoming.next_file():
                return


def _until_row(incoming: Incoming, has_header: bool) -> Iterator[None]:
    """Read ahead until a row is there, behind a header of CSV, or the end; None whenever that has to be waited for."""
    data = b""
    while data.count(b"\n") < (2 if has_header and not data.lstrip().startswith(b"{") else 1):
        while incoming.pauses():
            yield
        more = incoming.read1(_AHEAD)
        data += more
        if not more:
            break
    incoming.put_back(data)
