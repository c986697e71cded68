"""Streams written anew: as N-Quads, in order of time, whatever they are made of and in whatever order they come."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpm.encoder import forget_terms
from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.mapped import Mapped
from spaseq.sources.conversion.as_written import texts_as_written
from spaseq.sources.conversion.external_sort import ExternalSort
from spaseq.sources.conversion.inputs import RdfInput
from spaseq.sources.conversion.keyed_texts import KeyedTexts
from spaseq.sources.conversion.statements import TogetherAssembler
from spaseq.sources.conversion.timed_texts import texts_of
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.streams.clock import StreamClock
from spaseq.whole_file import new_file, remove_leftovers

_AT_ONCE = 1 << 12  # events that become text together
_FEW_TERMS = 1 << 16  # that are known before those of the past are forgotten


def converted(
    source: RdfInput | Mapped, stream: str, options: WireOptions, report: WireReport, first: int = 1
) -> Iterator[KeyedTexts]:
    """The events of a file of RDF, or of mapped tables, as texts with their times as keys.

    Those without a name get the names of events from number ``first`` on of the stream of this IRI.  Errors as of
    ``Run``: StreamError, QueryError; with ``options.skip`` what is malformed is counted in ``report``.  ApartError: the
    statements of an event may lie apart (see ``StatementGrouping``).
    """
    encoder = Encoder(Terms())
    for events in _numbered(_read(source, stream, options, report, encoder), stream, first):
        for begin in range(0, len(events), _AT_ONCE):
            some = events.part(begin, min(begin + _AT_ONCE, len(events)))
            if isinstance(source, Mapped):
                yield texts_of(some.graphs, some.names.column, encoder.terms)
            else:
                yield texts_as_written(some)
        if len(encoder.terms) > _FEW_TERMS:
            forget_terms(encoder, [])


def _read(
    source: RdfInput | Mapped, stream: str, options: WireOptions, report: WireReport, encoder: Encoder
) -> Iterator[Events]:
    if isinstance(source, RdfInput):
        yield from source.read(TogetherAssembler(stream, options, report, encoder))
        return
    encoder.want([(0, 0, 0)])
    for part in source.opened(stream, lambda: encoder, options, report, follow=False):
        yield from part.events


def _numbered(read: Iterable[Events], stream: str, number: int) -> Iterator[Events]:
    """The events that there are, all of them with names."""
    name = StreamClock(stream).event_name
    for events in read:
        if len(events):
            yield events.numbered(name, number)
            number += len(events)


def write_in_order(batches: Iterable[KeyedTexts], path: Path, memory: int) -> None:
    """Write events in order of time to a file, which is there whole or not at all; maybe packed by gzip (``.gz``).

    About ``memory`` bytes of them are in memory, others on the disk of the file.  OSError: it cannot be written.
    """
    remove_leftovers(path)
    is_packed = path.suffix == ".gz"
    with new_file(path) as new:
        sorting = ExternalSort(memory, path.resolve().parent, None if is_packed else new.file)
        _fill(sorting, batches)
        if sorting.is_in_output:
            new.keep()
            return
        with new_file(path) as other:
            for batch in sorting.batches():
                other.file.write(gzip.compress(batch.text) if is_packed else batch.text)
            other.keep()


def written_in_order(batches: Iterable[KeyedTexts], memory: int, folder: Path) -> Iterator[memoryview]:
    """The lines of events in order of time, of which others than about ``memory`` bytes are in ``folder``."""
    sorting = ExternalSort(memory, folder)
    _fill(sorting, batches)
    for batch in sorting.batches():
        yield batch.text


def _fill(sorting: ExternalSort, batches: Iterable[KeyedTexts]) -> None:
    for batch in batches:
        sorting.add(batch)
    sorting.finish()
