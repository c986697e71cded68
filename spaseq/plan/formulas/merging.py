"""Places of an automaton made one, where nobody can tell which of them an event was picked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spaseq.pattern.formulas.query import FormulaQuery, Named, parts
from spaseq.plan.formulas.places import Place, PlaceStep, Scope


@dataclass(frozen=True, slots=True)
class Told:
    """The variables by which a query tells events apart: ``asked`` for, given by AS (``named``), or by type.

    Types tell those events apart that have no other name, if all variables are shown (``by_type``).
    """

    asked: frozenset[str]
    named: frozenset[str]
    by_type: bool

    @staticmethod
    def of(query: FormulaQuery) -> Told:
        """Those of a query."""
        asked = {one.attribute.variable for one in query.group_by} | {one.attribute.variable for one in query.projected}
        asked |= {one.variable for one in query.aggregates} | set(query.variables or ())
        named = {part.variable for part in parts(query.formula) if isinstance(part, Named)}
        by_type = query.variables is None or bool(query.aggregates)
        return Told(frozenset(name for name in asked if name), frozenset(named), by_type)

    def without_others(self, place: Place, compared: frozenset[str]) -> Place:
        """The place with those of its variables alone, and those that are ``compared``."""
        kept = self.named | self.asked | compared
        by_type = self.by_type and not place.variables & self.named
        picks = [
            replace(pick, variables=pick.variables & (kept | {pick.type} if by_type else kept)) for pick in place.picks
        ]
        return replace(place, picks=picks)


def merged(places: list[Place], scopes: Sequence[Scope]) -> tuple[list[Place], list[Scope]]:
    """Picks with the same variables, scopes and neighbours made one, until there are none left."""
    found = list(scopes)
    while True:
        within: list[set[int]] = [set() for _ in places]
        for number, scope in enumerate(found):
            for place in scope.places:
                within[place].add(number)
        groups = _alike(places, [frozenset(some) for some in within])
        if len(groups) == len(places):
            return places, found
        number_of = {number: new for new, group in enumerate(groups) for number in group}
        places = [_united([places[number] for number in group], number_of) for group in groups]
        found = [replace(scope, places=frozenset(number_of[one] for one in scope.places)) for scope in found]


def _alike(places: list[Place], within: Sequence[frozenset[int]]) -> list[list[int]]:
    """The numbers of places that differ in nothing but what they ask of their event."""
    followers: list[list[tuple[int, PlaceStep]]] = [[] for _ in places]
    for after, one in enumerate(places):
        for step in one.steps:
            followers[step.before].append((after, replace(step, before=-1)))
    same: dict[object, list[int]] = {}
    for number, place in enumerate(places):
        ways = frozenset(place.steps), frozenset(followers[number])
        key = (place.variables, place.initial, place.final, within[number], *ways)
        same.setdefault(key, []).append(number)
    return list(same.values())


def _united(alike: Iterable[Place], number_of: dict[int, int]) -> Place:
    first, *others = alike
    picks = [pick for place in (first, *others) for pick in place.picks]
    steps = {replace(step, before=number_of[step.before]) for step in first.steps}
    return Place(picks, first.initial, first.final, steps)
