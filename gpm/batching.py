"""Which graph patterns one ``GRAPH ?g {…}`` query answers for many events at once.

By the SPARQL definition every pattern would do: ``GRAPH ?g {P}`` evaluates P on each graph by itself.  pyoxigraph
instead hands ``?g`` down to the triple patterns of P, which comes to the same as long as every solution that is
combined with others knows its ``?g``.  The tests compare both forms on random patterns.
"""

from __future__ import annotations

from gpm.algebra import Bind, Group, Minus, Optional, SubSelect, Triples, Union, Values
from gpm.rewrite import walk
from gpm.scope import certain, has_graph, needs_triple, uses


def can_batch(group: Group) -> bool:
    """Whether ``GRAPH ?g {group}`` gives the same as the group on each event's graph (conservative)."""
    if has_graph(group) or uses(group, "NOW"):
        return False
    if any(isinstance(part, SubSelect) for part in walk(group)):
        return False
    return all(_is_even(part) for part in walk(group) if isinstance(part, Group))


def _is_even(group: Group) -> bool:
    """Whether each combination inside this group meets solutions that know their graph."""
    if any(isinstance(part, Values) for part in group.elements) and not _begins_with_triples(group):
        return False
    return all(_minus_is_even(group, n) for n, part in enumerate(group.elements) if isinstance(part, Minus))


def _begins_with_triples(group: Group) -> bool:
    """Whether a triple pattern is joined before anything that is no join."""
    for part in group.elements:
        if isinstance(part, Triples) and part.triples:
            return True
        if isinstance(part, Optional | Minus | Bind | Union):
            return False
    return False


def _minus_is_even(group: Group, position: int) -> bool:
    """MINUS removes only solutions that share a variable, and ``?g`` would be one: there must be another anyway."""
    before, removed = Group(group.elements[:position]), group.elements[position]
    return isinstance(removed, Minus) and bool(certain(before) & certain(removed.group)) and needs_triple(before)
