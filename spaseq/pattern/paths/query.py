"""A whole path query: from where to where, along what, and which of the paths are results.

Selectors and restrictors are those of GQL (ISO/IEC 39075).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from gpm.algebra import Iri
from spaseq.pattern.paths.expression import PathExpression, is_unbounded

RELATION = "urn:relation:"  # IRIs of relations that have a name alone; what the empty prefix stands for


class Restrictor(Enum):
    """Which paths count at all."""

    WALK = "WALK"  # all
    TRAIL = "TRAIL"  # no edge twice, in whatever direction
    ACYCLIC = "ACYCLIC"  # no node twice
    SIMPLE = "SIMPLE"  # no node twice, but the last may be the first


class SelectorKind(Enum):
    """Which of the paths that lead from one node to another."""

    ALL = "ALL"
    ANY = "ANY"
    ALL_SHORTEST = "ALL SHORTEST"
    ANY_SHORTEST = "ANY SHORTEST"
    SHORTEST = "SHORTEST"


@dataclass(frozen=True, slots=True)
class PathSelector:
    """A selector; ``count`` is that of ``ANY`` and ``SHORTEST``, else 1."""

    kind: SelectorKind = SelectorKind.ALL
    count: int = 1


@dataclass(frozen=True, slots=True)
class LabelledNodes:
    """``LABEL "text"``: all nodes with this label."""

    text: str


NodeName: TypeAlias = Iri | LabelledNodes


@dataclass(frozen=True, slots=True)
class PathQuery:
    """Paths from ``starts`` to ``ends`` along ``expression``.

    No ``starts``: who asks gives them; no ``ends``: anywhere.  ``not_back``: the start does not come again.
    """

    name: str
    expression: PathExpression
    starts: tuple[NodeName, ...] = ()
    ends: tuple[NodeName, ...] = ()
    selector: PathSelector = PathSelector()
    restrictor: Restrictor = Restrictor.WALK
    not_back: bool = False

    @property
    def is_for_all_walks(self) -> bool:
        """Whether it asks for all walks, which then must have a bound."""
        return self.selector.kind is SelectorKind.ALL and self.restrictor is Restrictor.WALK

    @property
    def has_one_each(self) -> bool:
        """Whether it has one path for each pair of nodes between which there are some."""
        return self.selector.kind not in (SelectorKind.ALL, SelectorKind.ALL_SHORTEST) and self.selector.count == 1

    @property
    def has_one_walk_each(self) -> bool:
        """The same, and that path is a walk."""
        return self.has_one_each and self.restrictor is Restrictor.WALK


def default_selector(expression: PathExpression) -> PathSelector:
    """What a query without selector and restrictor means: all paths where their length is bounded, else one a pair."""
    return PathSelector(SelectorKind.ANY_SHORTEST if is_unbounded(expression) else SelectorKind.ALL)
