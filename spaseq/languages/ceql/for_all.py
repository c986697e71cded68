"""For all of whom a condition must hold: for the events of the variables that each of its clauses compares.

``x[a < 3 AND a < y.b]`` is ``x[a < 3] AND x[a < y.b]``: if y has no event the first part counts all the same.  So a
condition on several variables is taken apart into clauses, as far as these are about different variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from spaseq.pattern.formulas.predicates import And, Not, Or, Predicate, attributes, conjunction, disjunction
from spaseq.pattern.formulas.query import AllOf, AnyOf, Filter, ForAll

MOST_CLAUSES = 256
Clauses = dict[frozenset[str], Predicate]


class ClauseError(ValueError):
    """A condition comes to more than MOST_CLAUSES clauses."""


def for_all(predicate: Predicate, own: str | None) -> Filter:
    """The filter that ``predicate`` is, within the brackets of the variable ``own`` if there is one.

    AllOf without filters if it is about no variable; ClauseError if it is too involved.
    """
    order = tuple(dict.fromkeys(_read(predicate, own)))
    found = _clauses(predicate, own) if len(order) > 1 else {frozenset(order): predicate}
    filters = tuple(_filter(clause, names, order, own) for names, clause in found.items() if names)
    return filters[0] if len(filters) == 1 else AllOf(filters)


def _filter(clause: Predicate, names: frozenset[str], order: tuple[str, ...], own: str | None) -> Filter:
    """The clause as a filter; alternatives that have no variable in common are filters of their own."""
    groups = _unrelated(clause.parts, own) if isinstance(clause, Or) else {names: clause}
    filters = tuple(ForAll(tuple(name for name in order if name in each), part) for each, part in groups.items())
    return filters[0] if len(filters) == 1 else AnyOf(filters)


def _unrelated(parts: tuple[Predicate, ...], own: str | None) -> Clauses:
    """The alternatives in groups, by their variables: no two groups share one."""
    groups: Clauses = {}
    for part in parts:
        names = frozenset(_read(part, own))
        related = [each for each in groups if each & names or not each or not names]
        alternatives = [groups.pop(each) for each in related]
        groups[names.union(*related)] = disjunction(*alternatives, part)
    return groups


def _read(predicate: Predicate, own: str | None) -> Iterator[str]:
    if own is not None:
        yield own
    yield from (attribute.variable for attribute in attributes(predicate) if attribute.variable is not None)


def _clauses(predicate: Predicate, own: str | None, negated: bool = False) -> Clauses:
    """What must hold by the variables that it is about, all of it together being ``predicate`` or its negation."""
    match predicate:
        case Not(inner):
            return _clauses(inner, own, not negated)
        case And(parts) | Or(parts):
            each = [_clauses(part, own, negated) for part in parts]
            return _all(each) if isinstance(predicate, And) != negated else _any(each)
    return {frozenset(_read(predicate, own)): Not(predicate) if negated else predicate}


def _all(parts: list[Clauses]) -> Clauses:
    """Every clause of every part, those about the same variables in one."""
    found: Clauses = {}
    for part in parts:
        for names, clause in part.items():
            found[names] = conjunction(found[names], clause) if names in found else clause
    return found


def _any(parts: list[Clauses]) -> Clauses:
    """One of the parts: by the law of distribution, one clause of each part in every combination."""
    if prod(map(len, parts)) > MOST_CLAUSES:
        raise ClauseError(f"more than {MOST_CLAUSES} clauses")
    combined = [
        {frozenset[str]().union(*(names for names, _ in choice)): disjunction(*(clause for _, clause in choice))}
        for choice in product(*(part.items() for part in parts))
    ]
    return _all(combined)
