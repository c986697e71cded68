"""Events that are text already: when each happened, and its lines of N-Quads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpm.native.delimited import ntriples
from gpm.native.texts import taken, times as written_times, woven
from gpm.rows import EventBatch, Numbers, TextColumn, Words
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
    return _woven(len(times), [b"<", names, _TIME, written_times(times), _DATETIME])


def texts_of(graphs: EventBatch, names: TextColumn, terms: Terms) -> TimedTexts:
    """Events whose triples are all there as words of these terms; none is without a triple."""
    count, begin = len(graphs), int(graphs.offsets[0])
    bounds = graphs.offsets.astype(np.int64) - begin
    words = graphs.triples[:, begin : begin + int(bounds[-1])]
    each = words.shape[1] // max(count, 1)
    predicates = words[1].reshape(count, each) if count * each == words.shape[1] else None
    are_alike = predicates is not None and bool((predicates == predicates[0]).all())
    if are_alike and bool((bounds == np.arange(count + 1) * each).all()):
        return TimedTexts(graphs.times, _alike(graphs.times, words.reshape(3, count, each), names, terms))
    return TimedTexts(graphs.times, _of_any(graphs.times, words, bounds, names, terms))


def _of_any(times: Numbers, words: Words, bounds: Numbers, names: TextColumn, terms: Terms) -> TextColumn:
    """A line for each triple (3, m); those of event i are ``bounds[i]`` … ``bounds[i + 1] − 1``."""
    event = np.repeat(np.arange(len(times)), np.diff(bounds))
    before = time_lines(times, names)
    lengths = np.zeros(len(event), np.int64)
    lengths[bounds[:-1]] = np.diff(before[0])
    subjects, predicates, objects = (ntriples(terms, np.ascontiguousarray(one)) for one in words)
    of_graph = taken(names, event)
    pieces: list[bytes | TextColumn] = [(ends_of(lengths), before[1]), subjects, b" ", predicates, b" ", objects]
    ends, text = _woven(len(event), [*pieces, b" <", of_graph, b"> .\n"])
    return ends[bounds], text


def _alike(times: Numbers, words: Words, names: TextColumn, terms: Terms) -> TextColumn:
    """The lines of events with the same predicates (3, n, k): what is the same in all is written once."""
    written: dict[bytes, TextColumn] = {}
    pieces: list[bytes | TextColumn] = [b"<", names, _TIME, written_times(times), _DATETIME]
    for one in range(words.shape[2]):
        subject, predicate, object_ = (_column(terms, column, written) for column in words[:, :, one])
        pieces += [subject, b" ", predicate, b" ", object_, b" <", names, b"> .\n"]
    return _woven(len(times), pieces)


def _column(terms: Terms, words: Words, written: dict[bytes, TextColumn]) -> bytes | TextColumn:
    """A column of terms, or the one that they all are."""
    if (words == words[0]).all():
        return ntriples(terms, words[:1].copy())[1]
    key = words.tobytes()
    if key not in written:
        written[key] = ntriples(terms, np.ascontiguousarray(words))
    return written[key]


def _woven(count: int, pieces: Sequence[bytes | TextColumn]) -> TextColumn:
    """A text for each event, of its text in each of the columns, and of what is the same in all; and their ends."""
    merged: list[bytes | TextColumn] = []
    for piece in pieces:
        if isinstance(piece, bytes) and merged and isinstance(merged[-1], bytes):
            merged[-1] += piece
        else:
            merged.append(piece)
    same = sum(len(one) for one in merged if isinstance(one, bytes))
    lengths = np.full(count, same, np.int64)
    for one in merged:
        lengths += 0 if isinstance(one, bytes) else np.diff(one[0])
    return ends_of(lengths), woven(count, merged)
