"""What of a graph pattern needs the event's graph, and what can follow as operations on tables.

An element that reads background knowledge alone (``GRAPH <kb> {…}``, also inside OPTIONAL, UNION, MINUS or EXISTS) is
evaluated once; at the top level it may be moved behind elements that do not see its variables.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from gpm.algebra import Bind, Element, Exists, Filter, Graph, Group, Iri, Minus, Optional, Triples, Variable
from gpm.scope import certain, has_exists, has_graph, in_scope, mentioned, reads_event, uses

Split = tuple[Group, tuple[Element, ...]]


def split(group: Group) -> Split:
    """The pattern's core, and the elements that follow it in this order, filters last.

    The elements that follow are of knowledge, BINDs and filters.  If an element sees variables of what was to be moved
    behind it, the whole group is the core.
    """
    core: list[Element] = []
    tail: list[Element] = []
    bound: set[str] = set()  # by the core, for certain
    for element in group.elements:
        if isinstance(element, Filter):
            continue
        if is_knowledge(element):
            tail.append(element)
        elif _commutes(element, tail, bound):
            core.append(element)
            bound |= certain(element)
        elif isinstance(element, Bind) and not has_exists(element):
            tail.append(element)
        else:
            return group, ()
    return _place_filters(group, core, tail)


def required_part(group: Group) -> Group:
    """The plain triple patterns that every solution of a group needs; no elements if there are none."""
    plain = (
        tuple(triple for triple in element.triples if isinstance(triple.predicate, Variable | Iri))
        for element in group.elements
        if isinstance(element, Triples)
    )
    return Group(tuple(Triples(triples) for triples in plain if triples))


def is_knowledge(element: Element) -> bool:
    """Whether an element can be evaluated without any event, but for the filters of an OPTIONAL."""
    if isinstance(element, Optional):
        inner, conditions = optional_parts(element)
        return is_knowledge(inner) and not any(map(has_exists, conditions))
    if isinstance(element, Bind | Filter):
        return False
    return has_graph(element) and not reads_event(element) and not uses(element, "NOW")


def optional_parts(element: Optional) -> tuple[Group, tuple[Filter, ...]]:
    """The pattern of an OPTIONAL and its filters, which see both sides of the left join."""
    elements = element.group.elements
    pattern = Group(tuple(part for part in elements if not isinstance(part, Filter)))
    return pattern, tuple(part for part in elements if isinstance(part, Filter))


def asked_knowledge(test: Filter) -> Exists | None:
    """The EXISTS of a filter that is nothing else and asks only for triples of background graphs."""
    asked = test.expression
    if not isinstance(asked, Exists) or not asked.pattern.elements:
        return None
    simple = all(
        isinstance(part, Graph) and all(isinstance(inner, Triples) for inner in part.group.elements)
        for part in asked.pattern.elements
    )
    return asked if simple else None


def _place_filters(group: Group, core: list[Element], tail: list[Element]) -> Split:
    bound = certain(Group(tuple(core)))
    moved = frozenset().union(*map(in_scope, tail))
    for test in (element for element in group.elements if isinstance(element, Filter)):
        foreign = bool(mentioned(test) & moved - bound)
        if asked_knowledge(test):
            tail.append(test)
        elif has_exists(test):
            if foreign:
                return group, ()
            core.append(test)
        elif foreign or uses(test, "NOW"):
            tail.append(test)
        else:
            core.append(test)
    return Group(tuple(core)), tuple(tail)


def _commutes(element: Element, tail: list[Element], bound: AbstractSet[str]) -> bool:
    """Whether the element may stand before the tail, behind a core that certainly binds ``bound``."""
    joins = not isinstance(element, Optional | Minus | Bind)
    seen = in_scope(element) if joins else mentioned(element)
    for later in tail:
        if joins and not isinstance(later, Optional | Minus | Bind):
            continue  # joins may come in any order
        if (seen & in_scope(later) | in_scope(element) & mentioned(later)) - bound:
            return False
    return True
