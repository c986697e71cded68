"""Events as texts that are sorted by time: the lines of N-Quads of each, the first of which says when it happened."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpm.native.delimited import ntriples
from gpm.native.texts import taken, times as written_times, woven
from gpm.rows import EventBatch, Numbers, TextColumn, Words
from nfa_native.terms.dictionary import Terms
from spaseq.sources.conversion.keyed_texts import KeyedTexts, ends_of
from spaseq.sources.rdf.wire import PROV_TIME

_TIME = f'> <{PROV_TIME}> "'.encode()
_DATETIME = b'"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'


def time_lines(times: Numbers, names: TextColumn) -> TextColumn:
    """A line for each event that says when it happened."""
    return _woven(len(times), [b"<", names, _TIME, written_times(times), _DATETIME])


def texts_of(graphs: EventBatch, names: TextColumn, terms: Terms) -> KeyedTexts:
    """Events whose triples are all there as words of these terms; none is without a triple."""
    count, begin = len(graphs), int(graphs.offsets[0])
    bounds = graphs.offsets.astype(np.int64) - begin
    words = graphs.triples[:, begin : begin + int(bounds[-1])]
    each = words.shape[1] // max(count, 1)
    if count and bool((bounds == np.arange(count + 1) * each).all()):
        columns = np.ascontiguousarray(words.reshape(3, count, each).transpose(2, 0, 1))
        if bool((columns[:, 1] == columns[:, 1, :1]).all()):
            return KeyedTexts(graphs.times, _alike(graphs.times, columns, names, terms))
    return KeyedTexts(graphs.times, _of_any(graphs.times, words, bounds, names, terms))


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
    """The lines of events with the same predicates (k, 3, n): what is the same in all is written once."""
    written: list[tuple[Words, bytes | TextColumn]] = []
    pieces: list[bytes | TextColumn] = [b"<", names, _TIME, written_times(times), _DATETIME]
    for subjects, predicates, objects in words:
        subject, object_ = _column(terms, subjects, written), _column(terms, objects, written)
        predicate = ntriples(terms, predicates[:1])[1]
        pieces += [subject, b" ", predicate, b" ", object_, b" <", names, b"> .\n"]
    return _woven(len(times), pieces)


def _column(terms: Terms, words: Words, written: list[tuple[Words, bytes | TextColumn]]) -> bytes | TextColumn:
    """A column of terms, or the one that they all are; ``written`` has those that were made before."""
    for other, text in written:
        if words[0] == other[0] and np.array_equal(words, other):
            return text
    is_one = words[0] == words[-1] and bool((words == words[0]).all())
    text = ntriples(terms, words[:1])[1] if is_one else ntriples(terms, words)
    written.append((words, text))
    return text


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
