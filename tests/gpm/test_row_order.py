"""Solutions of events in order of their terms, whatever numbers these have."""

from __future__ import annotations

import numpy as np
from pyoxigraph import Literal, NamedNode

from gpm.rows import AtomRows
from gpm.terms import decode, encode
from nfa_native.terms.dictionary import Terms

TERMS = (NamedNode("urn:a"), NamedNode("urn:b"), Literal("c"), Literal("d"))


def rows_of(terms: Terms, events: list[int], *rows: tuple[int | None, ...]) -> AtomRows:
    words = [[0 if one is None else encode(terms, TERMS[one]) for one in row] for row in rows]
    return AtomRows(np.array(events, np.uint32), np.array(words, np.uint64).T)


def test_those_of_an_event_are_ordered() -> None:
    found = []
    for first in ((0, 1, 2, 3), (3, 2, 1, 0)):  # so terms get other numbers
        terms = Terms()
        for one in first:
            encode(terms, TERMS[one])
        rows = rows_of(terms, [0, 1, 1, 1, 2, 2], (1, 0), (3, 1), (2, 0), (None, 3), (1, 0), (0, 1))
        ordered = rows.by_terms(terms)
        assert ordered.row_event.tolist() == [0, 1, 1, 1, 2, 2]
        found.append([[str(decode(terms, word)) for word in row] for row in ordered.columns.T.tolist()])
    assert found[0] == found[1]
    assert found[0][4:] == [["<urn:a>", "<urn:b>"], ["<urn:b>", "<urn:a>"]]


def test_one_of_each_is_left_alone() -> None:
    terms = Terms()
    rows = rows_of(terms, [0, 3], (1, 0), (0, 1))
    assert rows.by_terms(terms) is rows
