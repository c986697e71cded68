"""LP-normal form: every filter on one variable becomes a predicate of the events that the variable can hold.

Each rewriting keeps the meaning, because a filter on a variable is about each of its events by itself:

* ``(φ OR ψ) FILTER f`` is ``(φ FILTER f) OR (ψ FILTER f)``;
* ``(φ ; ψ) FILTER f`` is ``(φ FILTER f) ; ψ`` if no variable of f is in ψ; both sides get an f about one variable;
  so it is with ``φ ALL ψ``;
* ``φ+ FILTER f`` is ``(φ FILTER f)+`` if f is about one variable;
* ``φ FILTER (f AND g)`` is ``(φ FILTER f) FILTER g``;
* ``φ FILTER (f OR g)`` is ``(φ FILTER f) OR (φ FILTER g)``, where f OR g could not be pushed down to one event;
* a filter on a variable without events holds.

What correlates events of several places stays where these places meet.  CEL's paper has the theorem for filters on one
variable; the disjunction may double the formula, so its size is bounded.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import count

from spaseq.pattern.formulas.predicates import Predicate, conjunction, disjunction, local, renamed
from spaseq.pattern.formulas.query import (
    AllOf,
    Alternation,
    AnyOf,
    Filter,
    Filtered,
    ForAll,
    Formula,
    Iteration,
    Named,
    Pick,
    Relation,
    Sequencing,
    Unordered,
    bound,
    parts,
)
from spaseq.pattern.sequences import MOST_STEPS

MOST_FILTERS = 256


class SizeError(ValueError):
    """Writing out the disjunctions of filters gives a formula of more than MOST_STEPS events."""


def normal_form(formula: Formula) -> Formula:
    """``formula`` in LP-normal form: of Pick, Alternation, Sequencing, Unordered, Iteration, and Filtered.

    A Filtered has a ForAll of several variables, and no Pick and no Alternation as its body; in one side of Unordered,
    these are variables that the other one does not bind.  SizeError if
    there are more than MOST_STEPS events.
    """
    match formula:
        case Relation(type_, stream):
            return Pick(type_, stream, formula.variables)
        case Pick():
            return formula
        case Named(body, variable):
            return named(normal_form(body), variable)
        case Filtered(body, condition):
            return bounded(filtered(normal_form(body), condition))
        case Alternation(left, right):
            return bounded(Alternation(normal_form(left), normal_form(right)))
        case Sequencing(left, right, contiguous):
            return bounded(Sequencing(normal_form(left), normal_form(right), contiguous))
        case Unordered(left, right):
            return bounded(Unordered(apart(normal_form(left), bound(right)), apart(normal_form(right), bound(left))))
        case Iteration(body, contiguous):
            return Iteration(normal_form(body), contiguous)


def named(formula: Formula, variable: str) -> Formula:
    """``formula AS variable``, for a formula in normal form: all its events are held by the variable, too."""
    match formula:
        case Pick(type_, stream, names, predicate):
            return Pick(type_, stream, names | {variable}, predicate)
        case Alternation(left, right):
            return Alternation(named(left, variable), named(right, variable))
        case Sequencing(left, right, contiguous):
            return Sequencing(named(left, variable), named(right, variable), contiguous)
        case Unordered(left, right):
            return Unordered(named(left, variable), named(right, variable))
        case Iteration(body, contiguous):
            return Iteration(named(body, variable), contiguous)
        case Filtered(body, ForAll(names, predicate)) if variable in names:
            # The filter is about the events that the variable holds so far, not about those that it gets now.
            fresh = fresh_name(variable, bound(body))
            condition = ForAll(
                tuple(fresh if name == variable else name for name in names), renamed(predicate, variable, fresh)
            )
            return Filtered(named(aliased(body, variable, fresh), variable), condition)
        case Filtered(body, condition):
            return Filtered(named(body, variable), condition)
    raise AssertionError("not in normal form")


def aliased(formula: Formula, variable: str, alias: str) -> Formula:
    """A formula in normal form in which ``alias`` holds what ``variable`` holds."""
    match formula:
        case Pick(type_, stream, names, predicate) if variable in names:
            return Pick(type_, stream, names | {alias}, predicate)
        case Alternation(left, right):
            return Alternation(aliased(left, variable, alias), aliased(right, variable, alias))
        case Sequencing(left, right, contiguous):
            return Sequencing(aliased(left, variable, alias), aliased(right, variable, alias), contiguous)
        case Unordered(left, right):
            return Unordered(aliased(left, variable, alias), aliased(right, variable, alias))
        case Iteration(body, contiguous):
            return Iteration(aliased(body, variable, alias), contiguous)
        case Filtered(body, condition):
            return Filtered(aliased(body, variable, alias), condition)
    return formula


def apart(formula: Formula, others: frozenset[str]) -> Formula:
    """A side of ALL in normal form, its filters on names that are not among the ``others`` that the other side binds.

    A filter of a side is about the events that its variables hold there.
    """
    match formula:
        case Alternation(left, right) | Sequencing(left, right) | Unordered(left, right):
            return replace(formula, left=apart(left, others), right=apart(right, others))
        case Iteration(body):
            return replace(formula, body=apart(body, others))
        case Filtered(body, ForAll(names, predicate)):
            body = apart(body, others)
            for name in others.intersection(names):
                fresh = fresh_name(name, bound(body) | others)
                body, predicate = aliased(body, name, fresh), renamed(predicate, name, fresh)
                names = tuple(fresh if one == name else one for one in names)
            return Filtered(body, ForAll(names, predicate))
    return formula


def fresh_name(variable: str, taken: frozenset[str]) -> str:
    """A name that no query can write, since it has a line end, and that is not ``taken``."""
    return next(name for number in count(1) if (name := f"{variable}\n{number}") not in taken)


def filtered(formula: Formula, condition: Filter) -> Formula:
    """``formula FILTER condition``, for a formula in normal form, with the filter pushed as far down as it goes."""
    needed = relevant(condition, bound(formula))
    if needed is None:
        return formula
    if isinstance(needed, AllOf):
        return reduce(lambda body, each: bounded(filtered(body, each)), needed.filters, formula)
    return pushed(formula, needed)


def pushed(formula: Formula, condition: ForAll | AnyOf) -> Formula:
    """The same for a filter all of whose variables ``formula`` binds, and that is no AllOf."""
    match formula:
        case Pick(type_, stream, names, predicate):
            return Pick(type_, stream, names, conjunction(predicate, of_one_event(condition)))
        case Alternation(left, right):
            return bounded(Alternation(filtered(left, condition), filtered(right, condition)))
        case Sequencing(left, right) | Unordered(left, right):
            # To the side that has all its variables, to both if it is about one.
            if not variables(condition) & bound(right):
                return replace(formula, left=pushed(left, condition))
            if not variables(condition) & bound(left):
                return replace(formula, right=pushed(right, condition))
            if is_about_one(condition):
                return replace(formula, left=pushed(left, condition), right=pushed(right, condition))
        case Iteration(body, contiguous) if is_about_one(condition):
            return Iteration(pushed(body, condition), contiguous)
        case Filtered(body, inner):
            return refiltered(pushed(body, condition), inner)
    return kept(formula, condition)


def kept(formula: Formula, condition: ForAll | AnyOf) -> Formula:
    """A filter that cannot be pushed down: alternatives of it become alternatives of the formula."""
    if isinstance(condition, AnyOf):
        alternatives = [filtered(formula, each) for each in condition.filters]
        return reduce(lambda left, right: bounded(Alternation(left, right)), alternatives)
    if _filters(formula) >= MOST_FILTERS:
        raise SizeError(f"more than {MOST_FILTERS} that compare the same events")
    return Filtered(formula, condition)


def _filters(formula: Formula) -> int:
    """How many filters stand around a formula, one in the other."""
    count = 0
    while isinstance(formula, Filtered):
        count, formula = count + 1, formula.body
    return count


def refiltered(formula: Formula, condition: Filter) -> Formula:
    """A correlation put back around a formula through which another filter was pushed; alternatives get it each."""
    if isinstance(formula, Alternation):
        return Alternation(refiltered(formula.left, condition), refiltered(formula.right, condition))
    return Filtered(formula, condition)


def of_one_event(condition: Filter) -> Predicate:
    """What a filter demands of an event that all its variables hold."""
    match condition:
        case ForAll(_, predicate):
            return local(predicate)
        case AllOf(filters):
            return conjunction(*map(of_one_event, filters))
        case AnyOf(filters):
            return disjunction(*map(of_one_event, filters))


def relevant(condition: Filter, names: frozenset[str]) -> Filter | None:
    """``condition`` where only ``names`` hold events: without what then holds for want of events; None if all does."""
    if isinstance(condition, ForAll):
        return condition if set(condition.variables) <= names else None
    found = [relevant(each, names) for each in condition.filters]
    rest = tuple(each for each in found if each is not None)
    if not rest or (isinstance(condition, AnyOf) and len(rest) < len(found)):
        return None
    return rest[0] if len(rest) == 1 else type(condition)(rest)


def variables(condition: Filter) -> frozenset[str]:
    """All variables of a filter."""
    if isinstance(condition, ForAll):
        return frozenset(condition.variables)
    return frozenset[str]().union(*map(variables, condition.filters))


def is_about_one(condition: Filter) -> bool:
    """Whether the filter is a predicate on the events of one variable, each by itself."""
    return isinstance(condition, ForAll) and len(condition.variables) == 1


def bounded(formula: Formula) -> Formula:
    """``formula`` itself; SizeError if it has more than MOST_STEPS events."""
    if size(formula) > MOST_STEPS:
        raise SizeError(f"more than {MOST_STEPS} events")
    return formula


def size(formula: Formula) -> int:
    """The number of events of a formula, as written."""
    return sum(isinstance(part, Relation | Pick) for part in parts(formula))
