"""What of a graph pattern needs the event's graph, and what can follow as operations on tables.

``GRAPH <kb> {…}`` at the top level is a join; a join may be moved behind elements that do not see its variables.
"""

from __future__ import annotations

from typing import TypeAlias

from gpm.algebra import Bind, Element, Filter, Graph, Group, Minus, Optional
from gpm.scope import Names, certain, has_exists, in_scope, mentioned, uses

TailElement: TypeAlias = Graph | Bind | Filter
Split: TypeAlias = tuple[Group, tuple[TailElement, ...]]


def split(group: Group) -> Split:
    """The pattern's core, and the elements that follow it in this order: joins and assignments, then filters.

    If an element sees variables of what was to be moved behind it, the whole group is the core.
    """
    core: list[Element] = []
    tail: list[TailElement] = []
    for element in group.elements:
        if isinstance(element, Filter):
            continue
        if isinstance(element, Graph) and not uses(element, "NOW"):
            tail.append(element)
        elif _commutes(element, tail, certain(Group(tuple(core)))):
            core.append(element)
        elif isinstance(element, Bind) and not has_exists(element):
            tail.append(element)
        else:
            return group, ()
    return _place_filters(group, core, tail)


def _place_filters(group: Group, core: list[Element], tail: list[TailElement]) -> Split:
    bound = certain(Group(tuple(core)))
    moved = frozenset().union(*map(in_scope, tail))
    filters = [element for element in group.elements if isinstance(element, Filter)]
    for test in filters:
        foreign = bool(mentioned(test) & moved - bound)
        if has_exists(test):
            if foreign:
                return group, ()
            core.append(test)
        elif foreign or uses(test, "NOW"):
            tail.append(test)
        else:
            core.append(test)
    return Group(tuple(core)), tuple(tail)


def _commutes(element: Element, tail: list[TailElement], bound: Names) -> bool:
    """Whether the element may stand before the tail, behind a core that certainly binds ``bound``."""
    joins = not isinstance(element, Optional | Minus | Bind)
    for later in tail:
        if not joins and mentioned(element) & in_scope(later) - bound:
            return False
        if isinstance(later, Bind) and in_scope(element) & mentioned(later) - bound:
            return False
    return True
