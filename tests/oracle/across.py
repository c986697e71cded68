"""Filters across, which name a variable of another side of `&&`, and the `&&` on whose union they are evaluated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from .expressions import Expression, names_in
from .plan import Chain, Choice, Negation, Occurrence, Option, Part, Plan, Repeat, Step, Unordered

Names = frozenset[str]


def filters_across(plan: Plan) -> dict[int, tuple[tuple[Expression, int], ...]]:
    """The filters across of every occurrence that is not negated, by its number, each with the number of its `&&`.

    A filter is across if it names a variable that nothing up to its step binds (before the `&&`, or in its own side)
    and another side does. To bind is to have in scope in an atom that is not negated, as where variables are called
    group variables: whether a row has a value is no matter.
    """
    bound = bound_by_steps(plan)
    return {own.number: tuple(_across(plan, own, bound[own.number])) for own in plan.occurrences if not own.negated}


def _across(plan: Plan, own: Occurrence, bound: Names) -> Iterator[tuple[Expression, int]]:
    others = _variables(o for o in plan.occurrences if not o.negated and own.is_beside(o))
    for filter_ in own.gpm.filters:
        wanted = (names_in(filter_) - bound) & others
        if wanted:
            yield filter_, next(n for n, _ in reversed(own.around.sides) if wanted <= _in_sides(plan, n))


def _in_sides(plan: Plan, unordered: int) -> Names:
    """The variables that the sides of an `&&` bind."""
    return _variables(o for o in plan.occurrences if not o.negated and unordered in dict(o.around.sides))


def _variables(occurrences: Iterable[Occurrence]) -> Names:
    return frozenset(name for occurrence in occurrences for name in occurrence.gpm.variables)


def bound_by_steps(plan: Plan) -> dict[int, Names]:
    """For every occurrence, by its number, what something up to its step binds, the step and the keys included."""
    bound: defaultdict[int, Names] = defaultdict(frozenset)

    def passed(part: Part, before: Names) -> Names:
        """What is bound after a part."""
        match part:
            case Step(ways):
                for way in ways:
                    for occurrence in way:
                        bound[occurrence.number] |= before | _variables(way)
                return before.union(*map(_variables, ways))
            case Chain(left, _, right):
                return passed(right, passed(left, before))
            case Choice(branches) | Unordered(_, branches):
                return before.union(*(passed(branch, before) for branch in branches))
            case Repeat(_, body) | Option(body):
                return before | passed(body, before)
            case Negation():
                return before

    passed(plan.root, frozenset(plan.query.keys))
    return bound
