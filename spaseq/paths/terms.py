"""The terms of a graph's vertices, from vertices to terms and back; names in edge tables as terms.

Names of nodes are strings, those of relations IRIs, unless they are IRIs already.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from gpm.edges import SCOPE
from gpm.rows import Words
from gpm.terms import RdfTerm, event_label, term_bytes
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.paths import RELATION
from spaseq.results.terms import Value, from_bytes

_IRI_STARTS = ("http://", "https://", "urn:")  # of names that are IRIs
_IRI = re.compile(r"(?:https?://|urn:)[^\x00-\x20<>\"{}|\\^`]+")


def relation_iri(name: str) -> str:
    """The IRI of a relation of a table."""
    return name if _IRI.fullmatch(name) else RELATION + quote(name, safe="")


def relation_bytes(name: str) -> bytes:
    """The canonical bytes of ``relation_iri``."""
    return b"I" + relation_iri(name).encode()


def node_bytes(name: str) -> bytes:
    """The canonical bytes of the node of that name."""
    is_iri = name.startswith(_IRI_STARTS) and _IRI.fullmatch(name)
    return (b"I" if is_iri else b"S") + name.encode()


def short_name(iri: str) -> str:
    """What a reader calls an IRI: the name of a relation, else its last part."""
    if iri.startswith(RELATION):
        return unquote(iri.removeprefix(RELATION))
    return re.split("[/#]", iri.rstrip("/#"))[-1] or iri


# ── how the nodes and predicates of a graph are called ───────────────────────────────────────────────────
class VertexTerms(Protocol):
    """The terms of vertices."""

    def value(self, vertex: int) -> Value:
        """The term of a vertex."""


class NamedGraph(Protocol):
    """What paths need of a graph: its terms, and the IRIs of predicates by number."""

    @property
    def terms(self) -> VertexTerms:
        """The terms of vertices."""

    @property
    def predicates(self) -> Sequence[str]:
        """The IRIs of predicates."""


# ── terms by vertex ──────────────────────────────────────────────────────────────────────────────────────
UNKNOWN = -1
Vertices = NDArray[np.int64]

_PREFIX = event_label(SCOPE, "")  # of the labels of blank nodes


class GraphTerms(ABC):
    """The terms of vertices, which are their numbers from 0 on, as canonical bytes (see ``Terms``)."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def bytes_of(self, vertex: int) -> bytes:
        """The canonical bytes of a vertex."""

    @abstractmethod
    def vertex_of(self, text: bytes) -> int | None:
        """The vertex of a term's bytes, canonical or not; None: there is none."""

    def vertices_of(self, texts: Sequence[bytes]) -> Vertices:
        """``vertex_of`` of each; UNKNOWN: there is none."""
        found = (self.vertex_of(text) for text in texts)
        return np.array([UNKNOWN if vertex is None else vertex for vertex in found], np.int64)

    @abstractmethod
    def in_words(self) -> tuple[Words, Terms]:
        """The words of all vertices, and a table that has them, where more may be interned."""

    def value(self, vertex: int) -> Value:
        """The term of a vertex."""
        return shown(self.bytes_of(vertex))

    def vertex(self, term: RdfTerm) -> int | None:
        """The vertex of a term; None: there is none."""
        return self.vertex_of(term_bytes(term, SCOPE))


class InternedTerms(GraphTerms):
    """The ``words`` of vertices by number, in a table of ``terms`` that nobody adds to any more."""

    def __init__(self, terms: Terms, words: Words) -> None:
        self.terms = terms
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def bytes_of(self, vertex: int) -> bytes:
        """See ``GraphTerms``."""
        return self.terms.bytes(int(self.words[vertex]))

    def vertex_of(self, text: bytes) -> int | None:
        """See ``GraphTerms``."""
        (found,) = self.vertices_of([text]).tolist()
        return None if found == UNKNOWN else found

    def vertices_of(self, texts: Sequence[bytes]) -> Vertices:
        """See ``GraphTerms``."""
        if not len(self):
            return np.full(len(texts), UNKNOWN)
        words = Terms(self.terms).intern_many(list(texts))  # a table of its own, for what the graph does not have
        places = np.minimum(np.searchsorted(self._sorted, words), len(self) - 1)
        return np.where(self._sorted[places] == words, self._order[places], UNKNOWN)

    def in_words(self) -> tuple[Words, Terms]:
        """See ``GraphTerms``."""
        return self.words, Terms(self.terms)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.words)

    @cached_property
    def _sorted(self) -> Words:
        found: Words = self.words[self._order]
        return found


class MoreTerms(GraphTerms):
    """The terms of a graph, and behind them those of vertices that came later: their canonical bytes."""

    def __init__(self, first: GraphTerms, more: Sequence[bytes]) -> None:
        self.first: GraphTerms = first.first if isinstance(first, MoreTerms) else first
        known = first.more if isinstance(first, MoreTerms) else ()
        self.more: tuple[bytes, ...] = (*known, *more)
        self._places = {text: len(self.first) + place for place, text in enumerate(self.more)}

    def __len__(self) -> int:
        return len(self.first) + len(self.more)

    def bytes_of(self, vertex: int) -> bytes:
        """See ``GraphTerms``."""
        return self.first.bytes_of(vertex) if vertex < len(self.first) else self.more[vertex - len(self.first)]

    def vertex_of(self, text: bytes) -> int | None:
        """See ``GraphTerms``."""
        found = self.first.vertex_of(text)
        return self._places.get(canonical(text)) if found is None else found

    def vertices_of(self, texts: Sequence[bytes]) -> Vertices:
        """See ``GraphTerms``."""
        found = self.first.vertices_of(texts)
        for place in np.flatnonzero(found == UNKNOWN).tolist():
            found[place] = self._places.get(canonical(texts[place]), UNKNOWN)
        return found

    def in_words(self) -> tuple[Words, Terms]:
        """See ``GraphTerms``."""
        words, terms = self.first.in_words()
        return np.concatenate([words, terms.intern_many(list(self.more))]), terms


def canonical(text: bytes) -> bytes:
    """The canonical bytes of a term, those that its word stands for."""
    terms = Terms()
    return terms.bytes(terms.intern(text))


def shown(text: bytes) -> Value:
    """A term from its canonical bytes, blank nodes with the labels that the graph gave them."""
    value = from_bytes(text)
    return value._replace(text=value.text.removeprefix(_PREFIX)) if value.kind == "bnode" else value
