"""The graphs of events that a mapping makes of rows."""

from __future__ import annotations

from collections.abc import Mapping as Mappings, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow
import pyoxigraph
from numpy.typing import NDArray

from gpm.algebra import BlankNode, Iri, Literal, Term, Triple, Variable
from gpm.native.assembly import Encoder
from gpm.rows import EventBatch, GraphMaker, Numbers, Texts, Triples, Words
from gpm.terms import decode, event_label, term_bytes
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.mappings import Mapping
from spaseq.sources.mapped.solutions import RowSolutions, solutions_of, solved
from spaseq.sources.mapped.times import times_of

_KINDS = np.uint64(0xFF)
_IRI, _BLANK = np.uint64(0x10), np.uint64(0x20)  # the lower bits of words of IRIs and of blank nodes


@dataclass(frozen=True, slots=True)
class MadeEvents:
    """Events of rows: ``row`` (n) has the first row of each, ``graphs`` their triples, ``names`` the words of names.

    ``malformed`` are rows that make no event, with what is wrong; ``solved`` has the rows of solutions that no filter
    dropped.  Rows from ``end`` on are in none: their event may go on.
    """

    row: Numbers
    graphs: EventBatch
    names: Words | None
    malformed: list[tuple[int, str]]
    solved: Numbers
    end: int


class RowMapper:
    """Makes events of rows by a mapping; their words are those of an encoder."""

    def __init__(self, mapping: Mapping, encoder: Encoder) -> None:
        self._mapping = mapping
        self._encoder = encoder
        self._reduced: tuple[int, Mapping] | None = None  # by the version of the demand

    @property
    def wanted(self) -> Mapping:
        """The mapping with no more triples than a query may use; the columns that it asks for are those to read."""
        version = self._encoder.version
        if self._reduced is None or self._reduced[0] != version:
            self._reduced = version, self._mapping.only([one for one in self._mapping.template if self._is_wanted(one)])
        return self._reduced[1]

    def _is_wanted(self, triple: Triple) -> bool:
        if not isinstance(triple.predicate, Iri):
            return self._encoder.wants(0)
        return self._encoder.wants(self._encoder.terms.intern_transient(term_bytes(triple.predicate)))

    def made(
        self, columns: Mappings[str, pyarrow.Array], row: Numbers, end: int, goes_on: bool = False,
        apart: Numbers | None = None,
    ) -> MadeEvents:  # fmt: skip
        """The events of solutions: ``columns`` by variable have a value in each, ``row`` (n, ascending) is its row.

        Those next to each other that have one name and one time are one event, and without a name those of a row.
        ``end``: the row behind the last one.  ``goes_on``: others follow, which may belong to the last event.
        ``apart``: rows (ascending) before which every event ends.
        """
        terms, mapping = self._encoder.terms, self.wanted
        found = solved(solutions_of({name: columns[name] for name in mapping.asked}, row, terms), mapping.steps, terms)
        times, are_times = self._times(found)
        begins = _begins(found, times, mapping.event)
        if apart is not None:
            begins[1:] |= np.diff(np.searchsorted(apart, found.row, side="right")) != 0
        if goes_on and mapping.event is not None and len(found):
            end = _end(found.row, begins)
            count = int(np.searchsorted(found.row, end))
            found, times, are_times, begins = (
                found.only(np.arange(count)),
                times[:count],
                are_times[:count],
                begins[:count],
            )
        first = np.flatnonzero(begins)
        of = np.cumsum(begins) - 1  # the event of each solution
        words, event = triples_of(mapping.template, found, of, terms, self._encoder.next_scope)
        faults = self._faults(found, first, are_times)
        lacking = np.bincount(event, minlength=len(first)) == 0
        lacking[list(faults)] = False
        faults |= self._without_triples(columns, row, found, of, np.flatnonzero(lacking))
        good = np.ones(len(first), np.bool_)
        good[list(faults)] = False
        maker = MappedGraphs(self._mapping, columns, row, found.row, of)
        kept = good[event]
        graphs = self._batch(np.ascontiguousarray(words[:, kept]), event[kept], good, times[first], maker)
        names = None if mapping.event is None else found.words[mapping.event][first[good]]
        malformed = [(int(found.row[first[one]]), what) for one, what in sorted(faults.items())]
        return MadeEvents(found.row[first[good]], graphs, names, malformed, found.row, end)

    def _times(self, found: RowSolutions) -> tuple[Numbers, NDArray[np.bool_]]:
        time = self._mapping.time
        if time is None:
            return np.zeros(len(found), np.int64), np.ones(len(found), np.bool_)
        return times_of(found.words[time.variable], time, self._encoder.terms)

    def _faults(self, found: RowSolutions, first: Numbers, are_times: NDArray[np.bool_]) -> dict[int, str]:
        """By event: why there is none."""
        mapping, terms, faults = self._mapping, self._encoder.terms, dict[int, str]()
        if mapping.event is not None:
            for one in np.flatnonzero(found.words[mapping.event][first] & _KINDS != _IRI).tolist():
                faults[one] = _told(terms, mapping.event, int(found.words[mapping.event][first[one]]), "no IRI")
        if mapping.time is not None:
            name = mapping.time.variable
            for one in np.flatnonzero(~are_times[first]).tolist():
                faults[one] = _told(terms, name, int(found.words[name][first[one]]), "no time")
        return faults

    def _without_triples(
        self, columns: Mappings[str, pyarrow.Array], row: Numbers, found: RowSolutions, of: Numbers, lacking: Numbers
    ) -> dict[int, str]:
        """Those of the events that have no triple at all, be it one that no query uses."""
        if not len(lacking):
            return {}
        rows = found.row[np.isin(of, lacking)]
        chosen = np.flatnonzero(np.isin(row, rows))
        places = pyarrow.array(chosen)
        terms = self._encoder.terms
        its = solutions_of({name: columns[name].take(places) for name in self._mapping.asked}, row[chosen], terms)
        every = solved(its, self._mapping.steps, terms)
        _, solution = triples_of(self._mapping.template, every, np.arange(len(every)), terms, 0)
        has = set(every.row[solution].tolist())
        of_rows = {one: found.row[of == one].tolist() for one in lacking.tolist()}
        return {one: "none of its triples is whole" for one, its_rows in of_rows.items() if not has & set(its_rows)}

    def _batch(
        self, words: Words, event: Numbers, good: NDArray[np.bool_], times: Numbers, maker: MappedGraphs
    ) -> EventBatch:
        count, encoder = int(good.sum()), self._encoder
        offsets = np.zeros(count + 1, np.uint32)
        np.cumsum(np.bincount(event, minlength=len(good))[good], out=offsets[1:])
        scopes = encoder.next_scope + np.flatnonzero(good).astype(np.uint64)
        encoder.next_scope += len(good)
        none, made = np.zeros(count, np.int64), np.flatnonzero(good)
        texts = Texts((maker,), none, made, made)
        return EventBatch(times[good], scopes, offsets, words, texts, none, encoder.version, encoder.batches)


def _told(terms: Terms, variable: str, word: int, what: str) -> str:
    name = variable if variable.startswith("<") else f"?{variable}"
    return f"{name} is {'unbound' if word == 0 else f'{decode(terms, word)}, {what}'}"


def _begins(found: RowSolutions, times: Numbers, event: str | None) -> NDArray[np.bool_]:
    """Which solutions begin an event."""
    begins = np.ones(len(found), np.bool_)
    if event is None:
        begins[1:] = np.diff(found.row) != 0
    else:
        begins[1:] = (np.diff(times) != 0) | (found.words[event][1:] != found.words[event][:-1])
    return begins


def _end(row: Numbers, begins: NDArray[np.bool_]) -> int:
    """The row with which solutions begin whose event is the last one, or shares a row with it."""
    at = int(np.flatnonzero(begins)[-1])
    while (at and row[at] == row[at - 1]) or not begins[at]:
        at -= 1
    return int(row[at])


# ── triples ──────────────────────────────────────────────────────────────────────────────────────────────
def triples_of(
    template: Sequence[Triple], found: RowSolutions, event: Numbers, terms: Terms, scope: int
) -> tuple[Words, Numbers]:
    """uint64[3, m]: the whole triples of solutions in their order, and the event (m) of each, as given by solution.

    Blank nodes are those of events that have their numbers from ``scope`` on.
    """
    parts = [_terms_of(triple, found, event, terms, scope) for triple in template]
    if not parts:
        return np.zeros((3, 0), np.uint64), np.zeros(0, np.int64)
    words = np.stack(parts).transpose(1, 2, 0).reshape(3, -1)  # one solution after the other
    subjects, predicates, objects = words
    kinds = subjects & _KINDS
    whole = ((kinds == _IRI) | (kinds == _BLANK)) & (predicates & _KINDS == _IRI) & (objects != 0)
    return np.ascontiguousarray(words[:, whole]), np.repeat(event, len(template))[whole]


def _terms_of(triple: Triple, found: RowSolutions, event: Numbers, terms: Terms, scope: int) -> Words:
    """uint64[3, n]: a triple in each solution."""
    assert isinstance(triple.predicate, Variable | Iri)
    return np.stack(
        [_term(term, found, event, terms, scope) for term in (triple.subject, triple.predicate, triple.object)]
    )


def _term(term: Term, found: RowSolutions, event: Numbers, terms: Terms, scope: int) -> Words:
    match term:
        case Variable(name):
            return found.words[name]
        case BlankNode(label):
            labels = (f"{label}.{place}" for place in range(len(found)))  # each solution has its own
            made = [
                b"B" + event_label(scope + of, one).encode() for of, one in zip(event.tolist(), labels, strict=True)
            ]
            return terms.intern_many_transient(made)
        case Iri() | Literal():
            return np.full(len(found), terms.intern_transient(term_bytes(term)), np.uint64)


def _ordinals(event: Numbers) -> Numbers:
    """The number of each solution among those of its event; ``event`` rises."""
    begins = np.flatnonzero(np.diff(event, prepend=-1))
    return np.arange(len(event)) - np.repeat(begins, np.diff(np.append(begins, len(event))))


@dataclass(frozen=True, slots=True, eq=False)
class MappedGraphs(GraphMaker):
    """Makes all triples of events anew, of the columns that they were made of.

    ``row`` is the row of each solution before the steps; ``found`` and ``event`` have row and event of those behind.
    """

    mapping: Mapping
    columns: Mappings[str, pyarrow.Array]
    row: Numbers
    found: Numbers
    event: Numbers

    def triples(self, number: int) -> Triples:
        """See ``GraphMaker``."""
        chosen = np.flatnonzero(np.isin(self.row, self.found[self.event == number]))
        terms, places = Terms(), pyarrow.array(chosen)
        its = {name: self.columns[name].take(places) for name in self.mapping.asked}
        every = solved(solutions_of(its, self.row[chosen], terms), self.mapping.steps, terms)
        words, _ = triples_of(self.mapping.template, every, np.zeros(len(every), np.int64), terms, 0)
        return [pyoxigraph.Triple(*(_unscoped(decode(terms, word)) for word in one)) for one in words.T.tolist()]


def _unscoped(term: Any) -> Any:
    """A term, a blank node under the label that it has in its event."""
    return pyoxigraph.BlankNode(term.value.partition(".")[2]) if isinstance(term, pyoxigraph.BlankNode) else term
