"""The triples of a mapping's template: as words, and as lines of text."""

from __future__ import annotations

from collections.abc import Container, Mapping as Mappings, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpm.algebra import BlankNode, Iri, Literal, Term, Triple, Variable
from gpm.lines import QuadLines
from gpm.native.delimited import ntriples
from gpm.rows import GraphMaker, Numbers, TextColumn, Triples, Words
from gpm.terms import event_label, term_bytes
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.mappings import Mapping
from spaseq.sources.mapped.solutions import RowSolutions, solutions_of, solved

_KINDS = np.uint64(0xFF)
_IRI, _BLANK = np.uint64(0x10), np.uint64(0x20)  # the lower bits of words of IRIs and of blank nodes


def triples_of(
    template: Sequence[Triple], found: RowSolutions, event: Numbers, terms: Terms, scope: int | None,
    local: Container[str] = (),
) -> tuple[Words, Numbers]:  # fmt: skip
    """uint64[3, m]: the whole triples of solutions in their order, and the event (m) of each, as given by solution.

    Variables that are ``local`` have, instead of an IRI, what it is made of; so have their triples.
    Blank nodes are those of events that have their numbers from ``scope`` on; None: each event has its own text.
    """
    words = np.empty((3, len(found), len(template)), np.uint64)  # one solution after the other
    are_whole = np.ones(words.shape[1:], np.bool_)
    for place, triple in enumerate(template):
        assert isinstance(triple.predicate, Variable | Iri)
        for part, term in enumerate((triple.subject, triple.predicate, triple.object)):
            words[part, :, place] = _term(term, found, event, terms, scope)
            if isinstance(term, Variable):
                its = words[part, :, place]
                are_whole[:, place] &= its != 0 if term.name in local else _may_stand(part, its)
    every, whole = words.reshape(3, -1), are_whole.reshape(-1)
    events = np.repeat(event, len(template))
    return (every, events) if whole.all() else (np.ascontiguousarray(every[:, whole]), events[whole])


def _may_stand(part: int, words: Words) -> NDArray[np.bool_]:
    """Which terms may be the subject (0), the predicate (1) or the object (2) of a triple."""
    kinds = words & _KINDS
    may: NDArray[np.bool_] = kinds == _IRI if part < 2 else words != 0
    return may | (kinds == _BLANK) if part == 0 else may


def _term(term: Term, found: RowSolutions, event: Numbers, terms: Terms, scope: int | None) -> Words | int:
    """The words (n) of a term in each solution; of a constant, its word."""
    match term:
        case Variable(name):
            return found.words[name]
        case BlankNode(label):
            labels = [f"{label}.{place}" for place in _ordinals(event).tolist()]  # each solution has its own
            if scope is not None:
                labels = [event_label(scope + of, one) for of, one in zip(event.tolist(), labels, strict=True)]
            return terms.intern_many_transient([b"B" + one.encode() for one in labels])
        case Iri() | Literal():
            return terms.intern_transient(term_bytes(term))


def _ordinals(event: Numbers) -> Numbers:
    """The number of each solution among those of its event; ``event`` rises."""
    begins = np.flatnonzero(np.diff(event, prepend=-1))
    return np.arange(len(event)) - np.repeat(begins, np.diff(np.append(begins, len(event))))


@dataclass(frozen=True, slots=True, eq=False)
class MappedGraphs(GraphMaker):
    """Makes all triples of events anew, of the columns that they were made of.

    ``place`` (n, ascending) says where in them the solutions are, ``event`` (n) the event of each.
    """

    mapping: Mapping
    columns: Mappings[str, pyarrow.Array]
    place: Numbers
    event: Numbers

    def triples(self, number: int) -> Triples:
        """See ``GraphMaker``."""
        return QuadLines(self.lines(np.array([number]))[1])

    def lines(self, numbers: Numbers) -> TextColumn:
        """See ``GraphMaker``."""
        terms, events = Terms(), np.unique(numbers)
        words, of = self.words(events, terms)
        ends, text = lines_of(words, terms)
        bounds = ends[np.searchsorted(of, np.append(events, events[-1:] + 1))]
        return bounds, text

    def words(self, events: Numbers, terms: Terms) -> tuple[Words, Numbers]:
        """uint64[3, m]: all triples of these events, and the event (m, ascending) of each."""
        its = np.isin(self.event, events)
        place, event = self.place[its], self.event[its]
        chosen = pyarrow.array(place)
        values = {name: self.columns[name].take(chosen) for name in self.mapping.asked}
        every = solved(solutions_of(values, np.arange(len(place)), terms), self.mapping.steps, terms)
        return triples_of(self.mapping.template, every, event, terms, None)


def lines_of(words: Words, terms: Terms) -> TextColumn:
    """A line of N-Triples for each of the triples (3, m)."""
    space, end = pyarrow.scalar(b" ", pyarrow.large_binary()), pyarrow.scalar(b" .\n", pyarrow.large_binary())
    subjects, predicates, objects = (written_terms(one, terms) for one in words)
    lines = pc.binary_join_element_wise(subjects, predicates, objects, space)
    lines = pc.binary_join_element_wise(lines, end, pyarrow.scalar(b"", pyarrow.large_binary()))
    return text_of_column(lines)


def written_terms(words: Words, terms: Terms) -> pyarrow.LargeBinaryArray:
    """The terms of a column, in the syntax of N-Triples."""
    used, codes = np.unique(words, return_inverse=True)
    ends, text = ntriples(terms, used)
    buffers = [None, pyarrow.py_buffer(np.ascontiguousarray(ends, np.int64)), pyarrow.py_buffer(text)]
    distinct = pyarrow.Array.from_buffers(pyarrow.large_binary(), len(used), buffers)
    return distinct if len(used) == len(words) and (codes == np.arange(len(used))).all() else distinct.take(codes)


def text_of_column(column: pyarrow.LargeBinaryArray) -> TextColumn:
    """Where each text of a column ends, and all of them."""
    ends = np.frombuffer(column.buffers()[1], np.int64)[column.offset : column.offset + len(column) + 1]
    data = column.buffers()[2]
    return ends - ends[0], b"" if data is None else bytes(memoryview(data)[ends[0] : ends[-1]])
