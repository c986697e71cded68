"""Seeded random pairs whose aggregates are of expressions: pairs with aggregates, the variables of some replaced."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from .aggregated import make_aggregated
from .chooser import Chooser, Seeded
from .expressions import Aggregate, Binary, Bound, Coalesce, Const, Expression, If, Negated, Var
from .generate import Pair, Size
from .labels import labels_of
from .model import Column, Query, Select
from .plan import Chain, Choice, Negation, Option, Part, Plan, Repeat, Step, Unordered, plan_of

Change = Callable[[Aggregate], Expression]


def expressed_pair(seed: int, size: Size | None = None, partitioned: bool = False) -> Pair:
    """The pair of a seed."""
    return make_expressed(Seeded(seed), size or Size(), partitioned)


def make_expressed(chooser: Chooser, size: Size, partitioned: bool = False) -> Pair:
    """A pair made by a chooser's choices."""
    pair = make_aggregated(chooser, size, partitioned)
    query = Arguments(chooser, plan_of(pair.query)).of(pair.query)
    return Pair(query, pair.events, pair.labels | labels_of(query, pair.events))


@dataclass
class Arguments:
    """Makes expressions that aggregates of a plan may be of."""

    chooser: Chooser
    plan: Plan

    def of(self, query: Query) -> Query:
        """The query with expressions in some of its aggregates."""
        gpms = tuple(
            replace(gpm, filters=tuple(rewritten(one, self.changed) for one in gpm.filters)) for gpm in query.gpms
        )
        return replace(query, gpms=gpms, select=self.selected(query.select))

    def selected(self, select: Select) -> Select:
        """The same of SELECT and HAVING."""
        items = None
        if select.items is not None:
            items = tuple(
                one if isinstance(one, str) else Column(rewritten(one.expression, self.changed), one.name)
                for one in select.items
            )
        return replace(select, items=items, having=tuple(rewritten(one, self.changed) for one in select.having))

    def changed(self, aggregate: Aggregate) -> Aggregate:
        """An aggregate of a variable, mostly of an expression instead."""
        if not isinstance(aggregate.name, str) or self.chooser.chance(25):
            return aggregate
        return replace(aggregate, name=self.expression(aggregate.name))

    def expression(self, name: str) -> Expression:
        """An expression over a variable, and perhaps another one that may stand beside it."""
        other = Var(self.chooser.pick(self.beside(name)))
        value, number = Var(name), Const(self.chooser.integer(1, 3))
        forms: tuple[Expression, ...] = (
            Binary(self.chooser.pick("+-*"), value, other),
            Binary(self.chooser.pick("+-*"), other, value),
            Binary("*", value, number),
            Coalesce((Binary("-", other, value), number)),
            If(Binary("<", other, number), value, other),
            If(Bound(other), Binary("+", other, number), value),
        )
        return self.chooser.pick(forms)

    def beside(self, name: str) -> list[str]:
        """The variables that an expression over one of the same iterations, or of matches as well, may have."""
        found = [one for one in self.plan.visible() if one[0] not in "kn" and self.fits(name, one)]
        return sorted({name, *found})

    def fits(self, name: str, other: str) -> bool:
        """Whether both range over the iterations of the Kleene that owns ``name``, or over matches."""
        kleene, beside = self.plan.innermost(name), self.plan.innermost(other)
        if kleene is None:
            return beside is None
        within = [o.kleenes for o in self.plan.occurrences if kleene in o.kleenes]
        encloses = beside is None or all(beside in kleenes for kleenes in within)
        return encloses and other in at_ends(self.plan)[kleene]


def at_ends(plan: Plan) -> dict[int, Collection[str]]:
    """For each Kleene the variables that may be bound at the end of an iteration."""
    ends: dict[int, Collection[str]] = {}

    def passed(part: Part, before: frozenset[str]) -> frozenset[str]:
        match part:
            case Step(ways):
                return before.union(*(o.gpm.variables for way in ways for o in way))
            case Chain(left, _, right):
                return passed(right, passed(left, before))
            case Choice(branches) | Unordered(_, branches):
                return before.union(*(passed(branch, before) for branch in branches))
            case Option(body):
                return passed(body, before)
            case Negation():
                return before
            case Repeat(number, body):
                again = passed(body, before) - plan.owned[number]
                ends[number] = passed(body, before | again)
                return frozenset(ends[number])

    passed(plan.root, frozenset(plan.query.keys))
    return ends


def rewritten(expression: Expression, change: Change) -> Expression:
    """The expression with its aggregates changed."""
    match expression:
        case Aggregate():
            return change(expression)
        case Binary(operator, left, right):
            return Binary(operator, rewritten(left, change), rewritten(right, change))
        case Negated(operand):
            return Negated(rewritten(operand, change))
        case Coalesce(operands):
            return Coalesce(tuple(rewritten(one, change) for one in operands))
        case If(condition, then, otherwise):
            return If(*(rewritten(one, change) for one in (condition, then, otherwise)))
    return expression
