"""Static facts about graph patterns: which variables they bind, which triples of an event they can look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gpm.algebra import (
    AlternativePath,
    Bind,
    Element,
    Exists,
    Filter,
    Graph,
    Group,
    InversePath,
    Iri,
    Minus,
    NegatedPath,
    Operation,
    Optional,
    Path,
    RepeatedPath,
    SequencePath,
    SubSelect,
    Triple,
    Triples,
    Union,
    Values,
    Variable,
)
from gpm.rewrite import fields_of, walk, walk_outside

Names = frozenset[str]
NONE: Names = frozenset()
_NESTED = (Group, Optional, Union, Minus, Graph, SubSelect, Triples)


def mentioned(node: object) -> Names:
    """The names of all variables that occur anywhere in a tree."""
    if isinstance(node, Variable):
        return frozenset((node.name,))
    if isinstance(node, _NESTED):
        return _noted(node, _mentioned)
    found: set[str] = set()
    for part in walk_outside(node, _NESTED):
        if isinstance(part, Variable):
            found.add(part.name)
        elif isinstance(part, _NESTED):
            found |= _noted(part, _mentioned)
    return frozenset(found)


def _mentioned(element: Element) -> Names:
    kind: Any = type(element)
    return mentioned(tuple(vars(element)[name] for name in fields_of(kind) or ()))


def in_scope(element: Element) -> Names:
    """The variables that a solution of the element may bind (SPARQL 1.1, 18.2.1)."""
    return _noted(element, _in_scope)


def certain(element: Element) -> Names:
    """Variables that every solution of the element binds (perhaps not all of them)."""
    return _noted(element, _certain)


def _noted(element: Element, find: Callable[[Element], Names]) -> Names:
    """What ``find`` says of an element, asked once: else each group would ask all that is nested in it again."""
    notes = vars(element)
    if find.__name__ not in notes:
        notes[find.__name__] = find(element)
    found: Names = notes[find.__name__]
    return found


def _in_scope(element: Element) -> Names:
    match element:
        case Triples():
            return mentioned(element)
        case Group(elements):
            return _union(in_scope(part) for part in elements)
        case Optional(group) | Graph(_, group):
            return in_scope(group)
        case Union(branches):
            return _union(in_scope(branch) for branch in branches)
        case Bind(_, variable):
            return frozenset({variable.name})
        case Values(variables, _):
            return frozenset(variable.name for variable in variables)
        case SubSelect():
            return _projected(element)
        case Filter() | Minus():
            return NONE


def _certain(element: Element) -> Names:
    match element:
        case Triples():
            return mentioned(element)
        case Group(elements):
            return _union(certain(part) for part in elements)
        case Graph(_, group):
            return certain(group)
        case Union(branches):
            return frozenset.intersection(*(certain(branch) for branch in branches))
        case Values(variables, rows):
            return frozenset(v.name for n, v in enumerate(variables) if all(row[n] is not None for row in rows))
        case SubSelect(projections=None, group=group, values=None):
            return certain(group)
        case _:
            return NONE


def predicates(node: object) -> Names | None:
    """The predicates of the event's triples that can make a difference to a group; None: any triple can.

    What stands in ``GRAPH`` reads another graph and is left out.
    """
    found: set[str] = set()
    for part in _event_parts(node):
        if isinstance(part, Triple):
            used = _path_predicates(part.predicate)
            if used is None:
                return None
            found |= used
    return frozenset(found)


def reads_event(node: object) -> bool:
    """Whether a tree has a triple pattern outside of ``GRAPH``."""
    return any(isinstance(part, Triple) for part in _event_parts(node))


def needs_triple(element: Element) -> bool:
    """Whether the element certainly has no solution on an empty graph."""
    match element:
        case Triples(triples):
            return bool(triples)
        case Group(elements):
            return any(needs_triple(part) for part in elements)
        case Union(branches):
            return all(needs_triple(branch) for branch in branches)
        case _:
            return False


def uses(node: object, *functions: str) -> bool:
    """Whether one of the built-in functions is called anywhere in a tree."""
    return any(isinstance(part, Operation) and part.name in functions for part in walk(node))


def has_exists(node: object) -> bool:
    """Whether ``EXISTS`` occurs anywhere in a tree."""
    return any(isinstance(part, Exists) for part in walk(node))


def has_graph(node: object) -> bool:
    """Whether ``GRAPH`` occurs anywhere in a tree."""
    return any(isinstance(part, Graph) for part in walk(node))


def graph_names(node: object) -> tuple[str, ...]:
    """The IRIs of the ``GRAPH`` elements anywhere in a tree."""
    return tuple(dict.fromkeys(part.name.value for part in walk(node) if isinstance(part, Graph)))


def _union(parts: Iterable[Names]) -> Names:
    return frozenset().union(*parts)


def _projected(select: SubSelect) -> Names:
    if select.projections is None:
        inner = in_scope(select.group)
        return inner | in_scope(select.values) if select.values else inner
    return frozenset(projection.name for projection in select.projections)


def _event_parts(node: object) -> Iterable[object]:
    """Like ``walk``, without ``GRAPH``."""
    return (part for part in walk_outside(node, Graph) if not isinstance(part, Graph))


def _path_predicates(path: Variable | Path) -> Names | None:
    match path:
        case Iri(value):
            return frozenset({value})
        case InversePath(inner) | RepeatedPath(inner, "+"):
            return _path_predicates(inner)
        case SequencePath(parts) | AlternativePath(parts):
            found = [_path_predicates(part) for part in parts]
            return None if None in found else _union(part for part in found if part is not None)
        case Variable() | NegatedPath() | RepeatedPath():  # paths of length zero look at every node
            return None
