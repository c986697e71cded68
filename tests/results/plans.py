"""Plans and raw matches made by hand, for projection and construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Expression, Group, Projection, Triple
from gpm.terms import encode
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.sequences import Atom, AtomDefinition, Construction, Query, Selection, Stream
from spaseq.results.aggregates import AnyReading
from tests.results.tables import OxTerm

A = AtomDefinition("A", "http://example.org/s", Group(), ())
B = AtomDefinition("B", "http://example.org/s", Group(), ())


@dataclass(frozen=True)
class HandMadePlan:
    query: Query
    columns: tuple[str, ...]
    projections: tuple[Projection, ...] = ()
    decided_by_edge: bool = False
    decided_out_of_order = False
    rows_together = False
    match_aggregates: bool = False
    atoms: tuple[AtomDefinition, ...] = (A, B)
    readings: tuple[AnyReading, ...] = ()

    @property
    def varying(self) -> tuple[str, ...]:
        return self.columns

    @property
    def selection(self) -> tuple[Projection, ...]:
        return self.projections

    @property
    def having(self) -> tuple[Expression, ...]:
        return ()

    def fingerprint_of(self, terms: tuple[bytes, ...]) -> str:
        return "fingerprint"


class Raw(NamedTuple):
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    decided: NDArray[np.int64]
    pick_offsets: NDArray[np.int64]
    pick_atoms: NDArray[np.uint16]
    pick_events: NDArray[np.uint64]
    words: NDArray[np.uint64]


class Row(NamedTuple):
    """A row of a match: times, handles of the events of A and B, terms."""

    times: tuple[int, int, int]
    picks: tuple[int, int]
    values: tuple[OxTerm | None, ...] = ()


def raw_matches(terms: Terms, columns: int, rows: Sequence[Row]) -> Raw:
    words = [[0 if value is None else encode(terms, value) for value in row.values] for row in rows]
    times = np.array([row.times for row in rows], np.int64).reshape(-1, 3)
    return Raw(
        times[:, 0].copy(),
        times[:, 1].copy(),
        times[:, 2].copy(),
        np.arange(len(rows) + 1, dtype=np.int64) * 2,
        np.tile(np.array([0, 1], np.uint16), len(rows)),
        np.array([event for row in rows for event in row.picks], np.uint64),
        np.array(words, np.uint64).reshape(len(rows), columns),
    )


def select_plan(
    columns: tuple[str, ...],
    projections: tuple[Projection, ...],
    *,
    distinct: bool = False,
    group_by: tuple[str, ...] = (),
    decided_by_edge: bool = False,
    match_aggregates: bool = False,
) -> HandMadePlan:
    form = Selection(projections, distinct, group_by)
    query = Query(form, (Stream("s", "http://example.org/s"),), (A, B), Atom("A"), None, "q")
    return HandMadePlan(query, columns, projections, decided_by_edge, match_aggregates)


def construct_plan(columns: tuple[str, ...], template: tuple[Triple, ...]) -> HandMadePlan:
    form = Construction(template, "http://example.org/out")
    query = Query(form, (Stream("s", "http://example.org/s"),), (A, B), Atom("A"), None, "q")
    return HandMadePlan(query, columns)
