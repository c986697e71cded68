"""What paths need of the graph that they were found in: how its nodes and predicates are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from spaseq.results.terms import Value


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
