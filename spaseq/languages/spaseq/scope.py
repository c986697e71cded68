"""Which variables a graph pattern binds (SPARQL 1.1, 18.2.1), and which an expression reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpm import algebra


def in_scope(element: algebra.Element) -> tuple[str, ...]:
    """The variables in scope in ``element``, in order of first mention."""
    return tuple(dict.fromkeys(_in_scope(element)))


def triple_variables(triples: Iterable[algebra.Triple]) -> tuple[str, ...]:
    """The variables of triple patterns, in order of first mention."""
    terms = (term for triple in triples for term in (triple.subject, triple.predicate, triple.object))
    return tuple(dict.fromkeys(term.name for term in terms if isinstance(term, algebra.Variable)))


def _in_scope(element: algebra.Element) -> Iterator[str]:
    match element:
        case algebra.Triples(triples):
            yield from triple_variables(triples)
        case algebra.Group(elements):
            for part in elements:
                yield from _in_scope(part)
        case algebra.Optional(group) | algebra.Graph(_, group):
            yield from _in_scope(group)
        case algebra.Union(branches):
            for branch in branches:
                yield from _in_scope(branch)
        case algebra.Bind(_, variable):
            yield variable.name
        case algebra.Values(variables):
            yield from (variable.name for variable in variables)
        case algebra.SubSelect(projections, group):
            yield from in_scope(group) if projections is None else (item.name for item in projections)


def free_variables(expression: algebra.Expression) -> tuple[str, ...]:
    """The variables read outside of aggregates and PREV, and outside of EXISTS, in order of first mention."""
    return tuple(dict.fromkeys(_free_variables(expression)))


def _free_variables(expression: algebra.Expression) -> Iterator[str]:
    match expression:
        case algebra.Variable(name):
            yield name
        case algebra.Operation(_, arguments):
            for argument in arguments:
                yield from _free_variables(argument)


def is_stateful(expression: algebra.Expression, variables: Iterable[str]) -> bool:
    """Whether a top-level filter needs more than its event, in which ``variables`` are in scope (SEMANTICS 2)."""
    if any(isinstance(part, algebra.Aggregate | algebra.Previous) for part in algebra.subexpressions(expression)):
        return True
    return not set(free_variables(expression)) <= set(variables)
