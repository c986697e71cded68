"""Streams written anew: as N-Quads, in order of time, whatever they are made of and in whatever order they come."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from gpm.encoder import forget_terms, text_column
from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.mapped import Mapped
from spaseq.sources.conversion.external_sort import ExternalSort
from spaseq.sources.conversion.timed_texts import TimedTexts, ends_of, texts_of, time_lines
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.files import expand, read_source
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.streams.clock import StreamClock
from spaseq.whole_file import new_file, remove_leftovers

_AT_ONCE = 1 << 12  # events that become text together
_FEW_TERMS = 1 << 18  # that are known before those of the past are forgotten
_LINE = re.compile(
    rb'((?:<[^>]*>|_:\S+)\s+<[^>]*>\s+(?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?))\s*(<[^>]*>|_:\S+)?'
)


def converted(
    source: str | Mapped, stream: str, options: WireOptions, report: WireReport, first: int = 1
) -> Iterator[TimedTexts]:
    """The events of files of RDF, or of mapped tables, as text.

    Those without a name get the names of events from number ``first`` on of the stream of this IRI.  Errors as of
    ``Run``: StreamError, QueryError; with ``options.skip`` what is malformed is counted in ``report``.
    """
    name, number = StreamClock(stream).event_name, first
    encoder = Encoder(Terms())
    if isinstance(source, Mapped):
        encoder.want([(0, 0, 0)])
        parts = [one.events for one in source.opened(stream, lambda: encoder, options, report, follow=False)]
    else:
        parts = [read_source(path, stream, options, report, encoder) for path in expand(source)]
    written = _from_words if isinstance(source, Mapped) else _from_lines
    for events in (some for part in parts for some in part if len(some)):
        named = events.numbered(name, number)
        number += len(events)
        for begin in range(0, len(named), _AT_ONCE):
            yield written(named.part(begin, min(begin + _AT_ONCE, len(named))), encoder)
        if len(encoder.terms) > _FEW_TERMS:
            forget_terms(encoder, [])


def write_in_order(batches: Iterable[TimedTexts], path: Path, memory: int) -> None:
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


def written_in_order(batches: Iterable[TimedTexts], memory: int, folder: Path) -> Iterator[memoryview]:
    """The lines of events in order of time, of which others than about ``memory`` bytes are in ``folder``."""
    sorting = ExternalSort(memory, folder)
    _fill(sorting, batches)
    for batch in sorting.batches():
        yield batch.text


def _fill(sorting: ExternalSort, batches: Iterable[TimedTexts]) -> None:
    for batch in batches:
        sorting.add(batch)
    sorting.finish()


def _from_words(events: Events, encoder: Encoder) -> TimedTexts:
    return texts_of(events.graphs, events.names.column, encoder.terms)


def _from_lines(events: Events, encoder: Encoder) -> TimedTexts:
    """The lines as they were written, in the graph of their event."""
    ends, text = text_column(events.graphs, pruned=False)
    names = events.names.column
    times = time_lines(events.times, names)
    pieces = [
        times[1][times[0][one] : times[0][one + 1]] + _in_graph(text[ends[one] : ends[one + 1]], events.names[one])
        for one in range(len(events))
    ]
    return TimedTexts(events.times, (ends_of(np.array(list(map(len, pieces)), np.int64)), b"".join(pieces)))


def _in_graph(lines: bytes, name: str) -> bytes:
    """The statements of an event in its graph: of lines of which some are in a graph, those alone."""
    found = [match for line in lines.splitlines() if (match := _LINE.match(line))]
    quads = [match for match in found if match[2]] or found
    graph = b" <" + name.encode() + b"> .\n"
    return b"".join(match[1] + graph for match in quads)
