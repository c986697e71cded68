"""Matches as columns of arrays, and one match as a view of a row.  Terms are decoded when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Self, overload

import numpy as np
import pyoxigraph
from numpy.typing import NDArray

from nfa_native.core.arrays import take_ranges
from spaseq.results.terms import UNBOUND, Decoder, OwnTerms, TermTable
from spaseq.streams.timestamps import iso, shown_datetime

if TYPE_CHECKING:
    import pyarrow
    import rdflib


class ResultShape:
    """The GPMs whose events a match may have, and the types of columns: of each, that of the first table with a value.

    So all tables of a query have one schema.
    """

    def __init__(self, gpms: Iterable[str]) -> None:
        self.gpms = tuple(dict.fromkeys(gpms))
        self.types: dict[str, pyarrow.DataType] = {}


# ── matches ──────────────────────────────────────────────────────────────────────────────────────────────
class DerivedEvent(NamedTuple):
    """An event that CONSTRUCT made of a match: its stream's IRI, time (µs), own IRI and triples."""

    stream: str
    timestamp: int
    name: str
    triples: list[pyoxigraph.Triple]


class Microseconds(NamedTuple):
    """The times of a match in microseconds since 1970 (UTC)."""

    first: int
    last: int
    decided: int


class Match:
    """One result of a query: a row of a ``MatchTable``."""

    __slots__ = ("_index", "_table")

    def __init__(self, table: MatchColumns, index: int) -> None:
        self._table = table
        self._index = index

    @property
    def query(self) -> str:
        """Name of the query."""
        return self._table.query_of(self._index)

    @property
    def bindings(self) -> dict[str, rdflib.term.Identifier]:
        """Variables and their terms in order of SELECT; a variable that is unbound is missing."""
        return {name: value.to_rdflib() for name, value in self._table.row(self._index) if value is not None}

    @property
    def first(self) -> datetime | int:
        """Time of the first event, an aware datetime; in microseconds where the year is not 1 to 9999."""
        return shown_datetime(self.microseconds.first)

    @property
    def last(self) -> datetime | int:
        """Time of the last event, as ``first``."""
        return shown_datetime(self.microseconds.last)

    @property
    def microseconds(self) -> Microseconds:
        """Times of the first and last event, and the time at which the match was decided."""
        table, index = self._table, self._index
        return Microseconds(int(table.first[index]), int(table.last[index]), int(table.decided[index]))

    @property
    def events(self) -> dict[str, list[str]]:
        """IRIs of the picked events by name of GPM, in order of their arrival; empty for aggregates over matches."""
        return self._table.events(self._index)

    @property
    def derived(self) -> DerivedEvent | None:
        """The event that a CONSTRUCT query made of this match; None for a SELECT query."""
        return self._table.derived[self._index] if self._table.derived is not None else None

    def to_dict(self) -> dict[str, Any]:
        """What a line of jsonl holds, with the query's name: fit for ``json.dumps``."""
        values = self._table.row(self._index)
        times = self.microseconds
        result: dict[str, Any] = {
            "query": self.query,
            "first": iso(times.first),
            "last": iso(times.last),
            "events": self.events,
            "bindings": {name: value.to_json() for name, value in values if value is not None},
        }
        if self.derived is not None:
            result |= derived_to_dict(self.derived)
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Match) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __reduce__(self) -> tuple[type[Match], tuple[MatchColumns, int]]:
        """A copy, or what comes out of a pickle, needs no engine: it has a table of its own, and terms of its own."""
        return Match, (self._table.alone(np.array([self._index])), 0)

    def _content(self) -> tuple[object, ...]:
        """All that makes a match what it is, as values."""
        bound = tuple((name, value) for name, value in self._table.row(self._index) if value is not None)
        events = tuple((atom, tuple(names)) for atom, names in self.events.items())
        derived = None if self.derived is None else (*self.derived[:3], *sorted(map(str, self.derived.triples)))
        return self.query, self.microseconds, bound, events, derived

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value.to_ntriples()}" for name, value in self._table.row(self._index) if value)
        first, last, _ = self.microseconds
        return f"<Match {self.query} {iso(first)} … {iso(last)} {values}>".replace("  ", " ")


@dataclass(frozen=True, eq=False)
class MatchColumns(Sequence[Match]):
    """``m`` matches of one query with ``k`` columns.

    ``words`` is ``uint64[m, k]``; ``first``, ``last`` and ``decided`` are ``int64[m]`` in microseconds.  The events
    that match ``i`` picked are ``pick_offsets[i]`` to ``pick_offsets[i + 1]`` in ``pick_atoms`` (numbers of
    ``atom_names``) and ``pick_events`` (handles that ``event_name`` turns into IRIs).  ``derived``: one event for each
    match if the query is a CONSTRUCT.  ``places``: of which row of parameters, or query of a family, a match
    is, by their order.
    """

    query: str
    columns: tuple[str, ...]
    words: NDArray[np.uint64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    decided: NDArray[np.int64]
    pick_offsets: NDArray[np.int64]
    pick_atoms: NDArray[np.uint16]
    pick_events: NDArray[np.uint64]
    atom_names: tuple[str, ...]
    event_name: Callable[[int], str]
    terms: TermTable
    shape: ResultShape
    derived: tuple[DerivedEvent, ...] | None = None
    places: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        self.terms.hold(self)  # matches are decoded when somebody looks at them

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Match | Self:
        if isinstance(index, slice):
            return self.select(np.arange(len(self))[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"match {index} of {len(self)}")
        return Match(self, index % len(self))

    def __iter__(self) -> Iterator[Match]:
        return map(Match, repeat(self), range(len(self)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.query}: {len(self)} matches of {', '.join(self.columns)}>"

    def __reversed__(self) -> Iterator[Match]:
        return (Match(self, index) for index in reversed(range(len(self))))

    @cached_property
    def decoder(self) -> Decoder:
        """Turns this table's words into values."""
        return Decoder(self.terms)

    @property
    def queries(self) -> Collection[str]:
        """The names of the queries that have matches here."""
        return (self.query,)

    def query_of(self, index: int) -> str:
        """The name of the query of a match."""
        return self.query

    def row(self, index: int) -> list[tuple[str, Any]]:
        """Names and values (``terms.Value``, None if unbound) of a match."""
        value = self.decoder.value
        return [(name, value(word)) for name, word in zip(self.columns, self.words[index].tolist(), strict=True)]

    def events(self, index: int) -> dict[str, list[str]]:
        """IRIs of the events of a match by name of GPM."""
        start, end = self.pick_offsets[index : index + 2].tolist()
        events: dict[str, list[str]] = {}
        for atom, event in zip(self.pick_atoms[start:end].tolist(), self.pick_events[start:end].tolist(), strict=True):
            events.setdefault(self.atom_names[atom], []).append(self.event_name(event))
        return events

    def column(self, name: str) -> list[rdflib.term.Identifier | None]:
        """The terms of a variable, None where it is unbound; KeyError if there is no such column."""
        if name not in self.columns:
            raise KeyError(name)
        values = map(self.decoder.value, self.words[:, self.columns.index(name)].tolist())
        return [None if value is None else value.to_rdflib() for value in values]

    def select(self, indices: NDArray[np.int64]) -> Self:
        """The matches at these positions, in this order."""
        offsets, picks = take_ranges(self.pick_offsets, indices)
        return replace(
            self,
            words=self.words[indices],
            first=self.first[indices],
            last=self.last[indices],
            decided=self.decided[indices],
            pick_offsets=offsets,
            pick_atoms=self.pick_atoms[picks],
            places=None if self.places is None else self.places[indices],
            pick_events=self.pick_events[picks],
            derived=None if self.derived is None else tuple(self.derived[i] for i in indices.tolist()),
        )

    def alone(self, indices: NDArray[np.int64]) -> Self:
        """The matches at these positions with terms and names of their own, apart from any engine."""
        chosen = self.select(indices)
        found, words = np.unique(np.append(chosen.words, np.uint64(UNBOUND)), return_inverse=True)
        terms = OwnTerms(tuple(map(self.terms.bytes, found[1:].tolist())))
        names = {number: self.event_name(number) for number in set(chosen.pick_events.tolist())}
        own = words[:-1].astype(np.uint64).reshape(chosen.words.shape)
        return replace(chosen, words=own, terms=terms, event_name=names.__getitem__)

    def __reduce__(self) -> tuple[Any, ...]:
        """As of a match: terms and names go with the table."""
        own = self if isinstance(self.terms, OwnTerms) else self.alone(np.arange(len(self)))
        return type(self), tuple(getattr(own, field.name) for field in fields(own))

    def with_derived(self, derived: tuple[DerivedEvent, ...]) -> Self:
        """The same matches of a CONSTRUCT query, each with its event."""
        return replace(self, derived=derived)


def derived_to_dict(event: DerivedEvent) -> dict[str, Any]:
    """What jsonl adds for the event of a CONSTRUCT query: stream, IRI and triples as lines of N-Triples."""
    return {"stream": event.stream, "event": event.name, "triples": [f"{triple} ." for triple in event.triples]}
