"""The graphs of events that a mapping makes of rows."""

from __future__ import annotations

from collections.abc import Container, Mapping as Mappings
from dataclasses import dataclass

import numpy as np
import pyarrow
from numpy.typing import NDArray

from gpm.algebra import Iri, Triple
from gpm.native.assembly import Encoder
from gpm.native.column_terms import iri_texts
from gpm.rows import EventBatch, Numbers, Texts, Words
from gpm.terms import decode, term_bytes
from nfa_native.terms.decoding import texts
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.mappings import Mapping
from spaseq.sources.mapped.local_iris import LocalIris, local_iris
from spaseq.sources.mapped.solutions import RowSolutions, placed, solutions_of, solved
from spaseq.sources.mapped.times import times_of
from spaseq.sources.mapped.triples import MappedGraphs, triples_of
from spaseq.sources.rdf.events import EventIris

_KINDS = np.uint64(0xFF)
_IRI = np.uint64(0x10)  # the lower bits of words of IRIs


@dataclass(frozen=True, slots=True)
class MadeEvents:
    """Events of rows: ``row`` (n) has the first row of each, ``graphs`` their triples, ``names`` (or None) their names.

    ``malformed`` are rows that make no event, with what is wrong; ``solved`` has the rows of solutions that no filter
    dropped.  Rows from ``end`` on are in none: their event may go on.
    """

    row: Numbers
    graphs: EventBatch
    names: EventIris | None
    malformed: list[tuple[int, str]]
    solved: Numbers
    end: int


class RowMapper:
    """Makes events of rows by a mapping; their words are those of an encoder."""

    def __init__(self, mapping: Mapping, encoder: Encoder) -> None:
        self._mapping = mapping
        self._encoder = encoder
        self._reduced: tuple[int, LocalIris] | None = None  # by the version of the demand

    def _wanted(self) -> LocalIris:
        """The mapping with no more triples than a query may use, and no words that none needs."""
        version = self._encoder.version
        if self._reduced is None or self._reduced[0] != version:
            wanted = self._mapping.only([one for one in self._mapping.template if self._is_wanted(one)])
            self._reduced = version, local_iris(wanted, self._encoder.wants_subjects)
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
        terms, local = self._encoder.terms, self._wanted()
        mapping = local.mapping
        every = solutions_of({name: columns[name] for name in mapping.asked}, np.arange(len(row)), terms)
        place, found = placed(solved(every, mapping.steps, terms), row)
        times, are_times = self._times(found)
        begins = _begins(found, times, mapping.event)
        if apart is not None:
            begins[1:] |= np.diff(np.searchsorted(apart, found.row, side="right")) != 0
        if goes_on and mapping.event is not None and len(found):
            end = _end(found.row, begins)
            count = int(np.searchsorted(found.row, end))
            found, place = found.only(np.arange(count)), place[:count]
            times, are_times, begins = times[:count], are_times[:count], begins[:count]
        first = np.flatnonzero(begins)
        of = np.cumsum(begins) - 1  # the event of each solution
        words, event = triples_of(mapping.template, found, of, terms, self._encoder.next_scope, local.pieces)
        faults = self._faults(found, first, are_times, local.pieces)
        lacking = np.bincount(event, minlength=len(first)) == 0
        lacking[list(faults)] = False
        faults |= self._without_triples(columns, row, found, of, np.flatnonzero(lacking))
        good = np.ones(len(first), np.bool_)
        good[list(faults)] = False
        maker = MappedGraphs(self._mapping, columns, place, of)
        if faults:
            kept = good[event]
            words, event = np.ascontiguousarray(words[:, kept]), event[kept]
        graphs = self._batch(words, event, good, times[first], maker)
        names = None if mapping.event is None else _names(terms, found.words[mapping.event][first[good]], local)
        malformed = [(int(found.row[first[one]]), what) for one, what in sorted(faults.items())]
        return MadeEvents(found.row[first[good]], graphs, names, malformed, found.row, end)

    def _times(self, found: RowSolutions) -> tuple[Numbers, NDArray[np.bool_]]:
        time = self._mapping.time
        return times_of(found.words[time.variable], time, self._encoder.terms)

    def _faults(
        self, found: RowSolutions, first: Numbers, are_times: NDArray[np.bool_], local: Container[str]
    ) -> dict[int, str]:
        """By event: why there is none."""
        mapping, terms, faults = self._mapping, self._encoder.terms, dict[int, str]()
        if mapping.event is not None:
            names = found.words[mapping.event][first]
            for one in np.flatnonzero(names == 0 if mapping.event in local else names & _KINDS != _IRI).tolist():
                faults[one] = _told(terms, mapping.event, int(names[one]), "no IRI")
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
        _, solution = triples_of(self._mapping.template, every, np.arange(len(every)), terms, None)
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


def _names(terms: Terms, words: Words, local: LocalIris) -> EventIris:
    """The names of events: IRIs, or what those are made of."""
    pieces = local.pieces.get(local.mapping.event or "")
    ends, text = texts(terms, words) if pieces is None else iri_texts(terms, pieces, words[None])
    return EventIris(text, ends)


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
