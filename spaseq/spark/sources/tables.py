"""Tables in files, whose rows a mapping makes events of: as of ``spaseq run``, file by file."""

from __future__ import annotations

from collections.abc import Iterator

from gpm.encoder import forget_terms
from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.mapped import Mapped
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import WireOptions, WireReport

MOST_TERMS, MOST_BYTES = 1 << 18, 1 << 26  # that are kept of rows that were read


def table_events(mapped: Mapped, stream: str, options: WireOptions, report: WireReport) -> Iterator[Events]:
    """The events of a file, or of what comes under a URL, with all of their triples; errors as of ``Mapped``."""
    encoder, mapped = whole_encoder(), mapped.connected()
    transport = mapped.transport
    if transport is not None:
        for one in transport.partitions():
            yield from forgetting(mapped.arriving(one, stream, encoder, options, report, whole=True), encoder)
        return
    for source in mapped.opened(stream, lambda: encoder, options, report, follow=False):
        yield from forgetting(source.events, encoder)


def whole_encoder() -> Encoder:
    """An encoder of its own that leaves no triple out: which queries read the rows is not known yet."""
    encoder = Encoder(Terms())
    encoder.want([(0, 0, 0)])
    return encoder


def forgetting(found: Iterator[Events], encoder: Encoder) -> Iterator[Events]:
    """The same events, whose terms do not become ever more; who takes them keeps none."""
    most = MOST_TERMS
    for events in found:
        yield events
        if len(encoder.terms) > most or encoder.terms.memory() > MOST_BYTES:
            forget_terms(encoder, [])
            most = max(MOST_TERMS, 2 * len(encoder.terms))
