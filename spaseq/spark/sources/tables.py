"""Tables in files, whose rows a mapping makes events of: as of ``spaseq run``, file by file."""

from __future__ import annotations

from collections.abc import Iterator

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.mapped import Mapped
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import WireOptions, WireReport


def table_events(mapped: Mapped, stream: str, options: WireOptions, report: WireReport) -> Iterator[Events]:
    """The events of a file, or of what comes under a URL, with all of their triples; errors as of ``Mapped``."""
    transport = mapped.transport
    if transport is not None:
        for one in transport.partitions():
            yield from mapped.arriving(one, stream, whole_encoder(), options, report)
        return
    for source in mapped.opened(stream, whole_encoder, options, report, follow=False):
        yield from source.events


def whole_encoder() -> Encoder:
    """An encoder of its own that leaves no triple out: which queries read the rows is not known yet."""
    encoder = Encoder(Terms())
    encoder.want([(0, 0, 0)])
    return encoder
