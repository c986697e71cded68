"""From pieces of files to rows of events."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import pyarrow

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.files import read_source
from spaseq.sources.rdf.nquads import read_part
from spaseq.sources.rdf.wire import WireReport, unread
from spaseq.spark.packing import EVENT
from spaseq.spark.sources.options import ReadOptions
from spaseq.spark.sources.pieces import Piece

ELSEWHERE = 'its time may stand in another part of the file; have it read whole: .option("cut", "false")'


def read_pieces(found: Iterable[Piece], options: ReadOptions) -> Iterator[pyarrow.RecordBatch]:
    """Rows of ``EVENT``, in the order of the pieces; what was left out stands in the log of the worker.

    StreamError: a piece cannot be read.
    """
    report = WireReport()
    try:
        for piece in found:
            for events in _events(piece, options, report):
                if len(events):
                    yield events.to_arrow(pruned=False).cast(EVENT)
    finally:
        tell_losses(options.stream, report)


def tell_losses(stream: str, report: WireReport) -> None:
    """What reading dropped, in the log of the worker."""
    for loss in unread(stream, report):
        print(f"spaseq: {loss.line()}", file=sys.stderr)


def _events(piece: Piece, options: ReadOptions, report: WireReport) -> Iterator[Events]:
    encoder = Encoder(Terms())
    if piece.stop is None:
        return read_source(piece.path, options.stream, options.wire, report, encoder)
    elsewhere = ELSEWHERE if piece.torn else ""
    assembler = EventAssembler(options.stream, options.wire, report, encoder, elsewhere=elsewhere)
    return read_part(piece.path, piece.start, piece.stop, assembler)
