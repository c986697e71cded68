"""Match tables made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyoxigraph

from gpm.terms import encode
from nfa_native.terms.dictionary import Terms
from spaseq.results.match import DerivedEvent, ResultShape
from spaseq.results.table import MatchTable

OxTerm = pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal
Row = Sequence[OxTerm | None]
SECOND = 1_000_000
START = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z


def iri(name: str) -> pyoxigraph.NamedNode:
    return pyoxigraph.NamedNode("http://example.org/" + name)


def make_table(
    columns: tuple[str, ...],
    rows: Sequence[Row],
    *,
    query: str = "q",
    times: Sequence[tuple[int, int]] | None = None,
    picks: Sequence[Sequence[tuple[int, int]]] | None = None,
    derived: tuple[DerivedEvent, ...] | None = None,
) -> MatchTable:
    """Matches with these terms; ``picks`` are (number of the atom, handle), by default one A and two Bs each."""
    terms = Terms()
    number = len(rows)
    words = np.zeros((number, len(columns)), np.uint64)
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            words[row, column] = 0 if value is None else encode(terms, value)
    times = times or [(START + i * SECOND, START + (i + 1) * SECOND) for i in range(number)]
    picks = picks if picks is not None else [[(0, i), (1, i + 1), (1, i + 2)] for i in range(number)]
    flat = [pick for chosen in picks for pick in chosen]
    return MatchTable(
        query,
        columns,
        words,
        np.array([first for first, _ in times], np.int64),
        np.array([last for _, last in times], np.int64),
        np.array([last for _, last in times], np.int64),
        np.cumsum([0, *map(len, picks)]).astype(np.int64),
        np.array([atom for atom, _ in flat], np.uint16),
        np.array([event for _, event in flat], np.uint64),
        ("A", "B"),
        lambda handle: f"http://example.org/e{handle}",
        terms,
        ResultShape(("A", "B")),
        derived,
    )
