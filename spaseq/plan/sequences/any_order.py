"""``X && Y``: which filters wait until its sides meet, and when a match may come about in two ways (semantics.md 3.6).

A filter is *across* if it names a variable that nothing up to its step binds (before the ``&&``, or in its own side)
and another side does.  It is judged where the sides of the smallest ``&&`` meet that bind all such variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from gpm.algebra import Aggregate, Expression, Operation, Previous, Variable
from gpm.rewrite import rewrite, walk
from spaseq.errors import QueryError
from spaseq.pattern.sequences import (
    AnyOrder,
    Atom,
    Disjunction,
    Kleene,
    Negation,
    Optional,
    Sequence as Steps,
    SequenceExpression,
)
from spaseq.plan.sequences.environment import UNBOUND, variables_of
from spaseq.plan.sequences.filters import alternatives
from spaseq.plan.sequences.graph import Path, is_basic

Names = frozenset[str]
NONE: Names = frozenset()
TWICE = "stands twice at one step, and what its filter reads is of another side of && in one of these places only"


def has_any_order(expression: SequenceExpression) -> bool:
    """Whether there is an && in a sequence."""
    return any(isinstance(part, AnyOrder) for part in walk(expression))


# ── filters across ───────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class _Mention:
    """An atom where it stands: the BOp around it, and the sides around that as (path of the &&, which side)."""

    path: Path
    name: str
    sides: tuple[tuple[Path, int], ...]
    bound: Names  # by something up to its step


def filters_across(
    expression: SequenceExpression,
    variables: Mapping[str, Sequence[str]],
    filters: Mapping[str, Sequence[Expression]],
    keys: Iterable[str],
) -> dict[tuple[Path, str], dict[Expression, Path]]:
    """For the atoms of BOps, by path and name, the filters across, each with the path of the && that judges it."""
    visitor = _Visitor(variables)
    visitor.visit(expression, (), (), frozenset(keys))
    mentions = visitor.mentions
    found: dict[tuple[Path, str], dict[Expression, Path]] = {}
    for own in mentions:
        judged = {filter_: _judge(own, names_in(filter_), mentions, variables) for filter_ in filters[own.name]}
        across = {filter_: path for filter_, path in judged.items() if path is not None}
        if found.setdefault((own.path, own.name), across) != across:
            raise QueryError(f"GPM {own.name} {TWICE}", hint=f"give one of them a name of its own, {own.name}2")
    return found


def names_in(filter_: Expression) -> Names:
    """The variables that a filter names, also in aggregates; not those of PREV and FIRST, which never look across."""
    match filter_:
        case Previous() | Aggregate(function="FIRST"):
            return NONE
        case Operation(_, arguments):
            return NONE.union(*map(names_in, arguments))
        case _:
            return frozenset(variables_of(filter_))


def _judge(
    own: _Mention, names: Names, mentions: Sequence[_Mention], variables: Mapping[str, Sequence[str]]
) -> Path | None:
    beside = (one for one in mentions if any(dict(one.sides).get(path, side) != side for path, side in own.sides))
    wanted = (names - own.bound) & _variables(beside, variables)
    if not wanted:
        return None
    inside = ((path, [one for one in mentions if path in dict(one.sides)]) for path, _ in reversed(own.sides))
    return next(path for path, some in inside if wanted <= _variables(some, variables))


def _variables(mentions: Iterable[_Mention], variables: Mapping[str, Sequence[str]]) -> Names:
    return frozenset(name for one in mentions for name in variables[one.name])


class _Visitor:
    """Notes the atoms that are not negated, as ``mentions``."""

    def __init__(self, variables: Mapping[str, Sequence[str]]) -> None:
        self.variables = variables
        self.mentions: list[_Mention] = []

    def visit(self, node: SequenceExpression, path: Path, sides: tuple[tuple[Path, int], ...], before: Names) -> Names:
        """Note those of ``node``; what is bound after it, when ``before`` is before."""
        if is_basic(node):
            return self._step(node, path, sides, before)
        match node:
            case Steps(left, _, right):
                return self.visit(right, (*path, 1), sides, self.visit(left, (*path, 0), sides, before))
            case Disjunction(left, right):
                after = self.visit(left, (*path, 0), sides, before)
                return after | self.visit(right, (*path, 1), sides, before)
            case AnyOrder(parts):
                afters = [
                    self.visit(part, (*path, side), (*sides, (path, side)), before) for side, part in enumerate(parts)
                ]
                return before.union(*afters)
            case Kleene(body=body) | Optional(body):
                return before | self.visit(body, (*path, 0), sides, before)
            case Negation():
                return before
        raise TypeError(f"{type(node).__name__} does not stand in a sequence")

    def _step(self, node: SequenceExpression, path: Path, sides: tuple[tuple[Path, int], ...], before: Names) -> Names:
        bound: dict[str, Names] = {}
        for places in alternatives(_told_apart(node)):
            own = frozenset(variable for place in places for variable in self.variables[_name(place)])
            for place in places:
                bound[place] = bound.get(place, before) | own
        self.mentions += [_Mention(path, _name(place), sides, names) for place, names in bound.items()]
        return before.union(*bound.values())


def _told_apart(body: SequenceExpression) -> SequenceExpression:
    """A BOp whose atoms have different names, which begin with a number."""
    numbers = count()
    found: SequenceExpression = rewrite(
        body, lambda part: Atom(f"{next(numbers)} {part.name}") if isinstance(part, Atom) else None
    )
    return found


def _name(place: str) -> str:
    return place.partition(" ")[2]


def without_looking_back(filter_: Expression, seen: Names) -> Expression:
    """The filter with nothing in the place of PREV and FIRST of variables that are not among ``seen``."""

    def blind(part: object) -> Expression | None:
        match part:
            case Previous(Variable(name)) | Aggregate(function="FIRST", argument=Variable(name)) if name not in seen:
                return UNBOUND
        return None

    found: Expression = rewrite(filter_, blind)
    return found


# ── ambiguity ────────────────────────────────────────────────────────────────────────────────────────────
def contracted(expression: SequenceExpression) -> tuple[SequenceExpression, ...] | None:
    """The expression with each && as an atom of its own, and all sides; None: they may show equal picks in two ways.

    Picks tell which side made them where the GPMs of each side stand nowhere else, and no && is repeated.
    """
    counts: dict[str, int] = {}
    for part in walk(expression):
        if isinstance(part, Atom):
            counts[part.name] = counts.get(part.name, 0) + 1
        if isinstance(part, Kleene) and has_any_order(part):
            return None
    elements = [part for part in walk(expression) if isinstance(part, AnyOrder)]
    inside = (one.name for part in elements for one in walk(part) if isinstance(one, Atom))
    if any(counts[name] > 1 for name in inside):
        return None
    numbers = {part: number for number, part in enumerate(elements)}

    def contract(part: object) -> Atom | None:
        return Atom(f"&& {numbers[part]}") if isinstance(part, AnyOrder) else None

    whole: SequenceExpression = rewrite(expression, contract)
    return whole, *(rewrite(side, contract) for part in elements for side in part.sides)
