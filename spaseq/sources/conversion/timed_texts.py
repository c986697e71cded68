"""Events that are text already: when each happened, and its lines of N-Quads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpm.native.delimited import ntriples
from gpm.native.texts import taken, times as written_times, woven
from gpm.rows import EventBatch, Numbers, TextColumn
from nfa_native.terms.dictionary import Terms
from spaseq.sources.rdf.wire import PROV_TIME

_TIME = f'> <{PROV_TIME}> "'.encode()
_DATETIME = b'"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'


@dataclass(frozen=True, slots=True, eq=False)
class TimedTexts:
    """n events: their ``times`` in microseconds (n), and the lines of each."""

    times: Numbers
    lines: TextColumn
    stream: str = ""

    def __len__(self) -> int:
        return len(self.times)

    @property
    def size(self) -> int:
        """The bytes of all lines."""
        return int(self.lines[0][-1] - self.lines[0][0])

    @property
    def text(self) -> memoryview:
        """All lines."""
        ends, text = self.lines
        return memoryview(text)[ends[0] : ends[-1]]

    @property
    def in_order(self) -> bool:
        """Whether no event is before the one in front of it."""
        return bool((self.times[1:] >= self.times[:-1]).all())

    def part(self, start: int, stop: int) -> TimedTexts:
        """Events ``start`` … ``stop − 1``, without copying."""
        return TimedTexts(self.times[start:stop], (self.lines[0][start : stop + 1], self.lines[1]), self.stream)

    def take(self, chosen: Numbers) -> TimedTexts:
        """The events with these indices, in their order."""
        return TimedTexts(self.times[chosen], taken(self.lines, chosen), self.stream)

    def sorted(self) -> TimedTexts:
        """The same in order of time, those of one time as they stand here."""
        return self if self.in_order else self.take(np.argsort(self.times, kind="stable"))

    def compact(self) -> TimedTexts:
        """See ``Batch``."""
        return self

    def is_like(self, other: TimedTexts) -> bool:
        """See ``Batch``: all are alike."""
        return True

    def joined(self, others: Sequence[TimedTexts]) -> TimedTexts:
        """These events, then those of other batches."""
        if not others:
            return self
        every = [self, *others]
        lengths = np.concatenate([np.diff(one.lines[0]) for one in every])
        text = b"".join(one.text for one in every)
        return TimedTexts(np.concatenate([one.times for one in every]), (ends_of(lengths), text), self.stream)


def ends_of(lengths: Numbers) -> Numbers:
    """Where texts of these lengths begin and end that follow each other."""
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


def time_lines(times: Numbers, names: TextColumn) -> TextColumn:
    """A line for each event that says when it happened."""
    written = written_times(times)
    text = woven(len(times), [b"<", names, _TIME, written, _DATETIME])
    return ends_of(np.diff(names[0]) + np.diff(written[0]) + len(_TIME) + len(_DATETIME) + 1), text


def texts_of(graphs: EventBatch, names: TextColumn, terms: Terms) -> TimedTexts:
    """Events whose triples are all there as words of these terms; none is without a triple."""
    begin, bounds = int(graphs.offsets[0]), graphs.offsets.astype(np.int64) - int(graphs.offsets[0])
    event = np.repeat(np.arange(len(graphs)), np.diff(bounds))
    times = time_lines(graphs.times, names)
    lengths = np.zeros(len(event), np.int64)
    lengths[bounds[:-1]] = np.diff(times[0])
    words = graphs.triples[:, begin : begin + len(event)]
    subjects, predicates, objects = (ntriples(terms, np.ascontiguousarray(one)) for one in words)
    of_graph = taken(names, event)
    columns: list[TextColumn] = [(ends_of(lengths), times[1]), subjects, predicates, objects, of_graph]
    before, subject, predicate, object_, graph = columns
    text = woven(len(event), [before, subject, b" ", predicate, b" ", object_, b" <", graph, b"> .\n"])
    ends = ends_of(np.sum([np.diff(one[0]) for one in columns], axis=0) + 8)
    return TimedTexts(graphs.times, (ends[bounds], text))
