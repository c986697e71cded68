"""The terms of a graph's vertices and labels: from vertices to terms and back."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpm.edges import SCOPE
from gpm.rows import Words
from gpm.terms import RdfTerm, event_label, term_bytes
from nfa_native.terms.words import Terms
from spaseq.results.terms import Value, from_bytes

_PREFIX = event_label(SCOPE, "")  # of the labels of blank nodes


class GraphTerms:
    """The ``words`` of vertices by number, in a table of ``terms`` that nobody adds to any more."""

    def __init__(self, terms: Terms, words: Words) -> None:
        self.terms = terms
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.words)

    @cached_property
    def _sorted(self) -> Words:
        found: Words = self.words[self._order]
        return found

    def value(self, vertex: int) -> Value:
        """The term of a vertex."""
        return shown(self.terms.bytes(int(self.words[vertex])))

    def vertex(self, term: RdfTerm) -> int | None:
        """The vertex of a term; None: the graph has none."""
        return self.vertex_of(term_bytes(term, SCOPE))

    def vertex_of(self, text: bytes) -> int | None:
        """The vertex of a term's canonical bytes; None: the graph has none."""
        word = Terms(self.terms).intern(text)  # a table of its own, for what the graph does not have
        place = int(np.searchsorted(self._sorted, np.uint64(word)))
        return int(self._order[place]) if place < len(self) and int(self._sorted[place]) == word else None


def shown(text: bytes) -> Value:
    """A term from its canonical bytes, blank nodes with the labels that the graph gave them."""
    value = from_bytes(text)
    return value._replace(text=value.text.removeprefix(_PREFIX)) if value.kind == "bnode" else value
