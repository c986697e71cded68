"""From a formula in normal form to a complex event automaton: its picks become states (Glushkov's construction).

Every event of a match is picked, so a state says which pick was the last one.  Picks that differ in what they ask of
their event alone become one, with both alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from nfa_native.complex_events import ComplexEventAutomaton, PickState
from spaseq.pattern.columns import Predicate, conjunction
from spaseq.pattern.recognition import Consumption, EventWindow, Formula, Query, Strategy
from spaseq.plan.correlation import Inquiry, Measured, correlated, of_one_event
from spaseq.plan.keys import common_keys, without_equalities
from spaseq.plan.places import Place, Scope, Step, placed, without_needless
from spaseq.plan.strategies import without_gaps


@dataclass(frozen=True, slots=True)
class Kind:
    """What an atom asks of an event: its type, its stream if that is said, and a predicate."""

    type: str
    stream: str | None
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Recognition:
    """An automaton, its atoms by number, and the variables that hold what is picked in each state.

    ``measured`` are the values of an event, by column, that the automaton's registers are compared with, ``asked`` the
    conditions that it asks, by number.  All events of a match are equal in the attributes of ``partition``.
    """

    automaton: ComplexEventAutomaton
    atoms: tuple[Kind, ...]
    variables: tuple[frozenset[str], ...]
    measured: tuple[Measured, ...] = ()
    asked: tuple[Inquiry, ...] = ()
    partition: tuple[str, ...] = ()


def planned(query: Query, formula: Formula, texts: frozenset[str] = frozenset()) -> Recognition:
    """What recognizes the matches of a query, its formula in normal form; ``texts`` as in ``recognition``.

    Attributes that its filters join all events by become partitions, where that makes no difference.
    """
    selected = None if query.variables is None or query.aggregates else frozenset(query.variables)
    keys = common_keys(formula) if _may_be_apart(query) else ()
    found = recognition(without_equalities(formula, keys), selected, texts, query.strategy)
    return replace(found, partition=tuple(dict.fromkeys((*query.partition, *keys))))


def _may_be_apart(query: Query) -> bool:
    """Whether matches of events with one key may be looked for without those with other keys in between."""
    if query.strategy is Strategy.STRICT:
        return False
    counts = isinstance(query.window, EventWindow) or query.consume is Consumption.PARTITION
    return not (query.partition and counts)


def recognition(
    formula: Formula,
    selected: frozenset[str] | None,
    texts: frozenset[str] = frozenset(),
    strategy: Strategy = Strategy.ALL,
) -> Recognition:
    """What recognizes ``formula``; positions of ``selected`` variables (None: all) belong to results.

    ``texts`` are the attributes that have texts: their order is not that of any number.  Of STRICT there are no results
    with gaps if all variables are selected.
    """
    places, scopes = placed(formula)
    if strategy is Strategy.STRICT:
        places = without_gaps(places, selected)
    if scopes:
        places = [_with_conditions(place, number, scopes) for number, place in enumerate(places)]
    else:
        places = _merged(places)
    kinds = [[Kind(pick.type, pick.stream, pick.predicate) for pick in place.picks] for place in places]
    atoms = {kind: number for number, kind in enumerate(dict.fromkeys(kind for some in kinds for kind in some))}
    states = []
    for place, some in zip(places, kinds, strict=True):
        marked = selected is None or bool(place.variables & selected)
        steps = without_needless(place)
        after = {step.before for step in steps if not step.contiguous}
        directly = {step.before for step in steps} - after
        asked = tuple(sorted({atoms[kind] for kind in some}))
        states.append(
            PickState(asked, place.initial, place.final, tuple(sorted(after)), tuple(sorted(directly)), marked)
        )
    ambiguous = not all(state.marked for state in states) or is_ambiguous(places)
    automaton = ComplexEventAutomaton(tuple(states), ambiguous)
    found = Recognition(automaton, tuple(atoms), tuple(place.variables for place in places))
    if not scopes:
        return found
    correlation = correlated(places, scopes, texts)
    return replace(
        found,
        automaton=replace(automaton, correlation=correlation.native),
        measured=correlation.measured,
        asked=correlation.asked,
    )


def _with_conditions(place: Place, number: int, scopes: list[Scope]) -> Place:
    """The place asking of its event what filters demand of one that all their variables hold."""
    conditions = [
        of_one_event(scope)
        for scope in scopes
        if number in scope.places and place.variables >= set(scope.filter.variables)
    ]
    picks = [replace(pick, predicate=conjunction(pick.predicate, *conditions)) for pick in place.picks]
    return replace(place, picks=picks)


def _merged(places: list[Place]) -> list[Place]:
    """Picks with the same variables and neighbours made one, until there are none left."""
    while True:
        same: dict[object, list[int]] = {}
        for number, place in enumerate(places):
            followers = frozenset(
                (after, replace(step, before=-1))
                for after, one in enumerate(places)
                for step in one.steps
                if step.before == number
            )
            key = (place.variables, place.initial, place.final, frozenset(place.steps), followers)
            same.setdefault(key, []).append(number)
        if len(same) == len(places):
            return places
        places = _renumbered(places, list(same.values()))


def _renumbered(places: list[Place], groups: list[list[int]]) -> list[Place]:
    number_of = {number: new for new, group in enumerate(groups) for number in group}
    out = []
    for group in groups:
        one = places[group[0]]
        picks = [pick for number in group for pick in places[number].picks]
        steps = {Step(number_of[step.before], step.contiguous, step.resets) for step in one.steps}
        out.append(Place(picks, one.initial, one.final, steps))
    return out


def is_ambiguous(places: list[Place]) -> bool:
    """Whether two different paths may pick the same events, as far as types tell which picks share none."""
    if any(len(place.before) < len(without_needless(place)) for place in places):
        return True  # two steps between the same places begin different scopes anew
    following = [[number for number, one in enumerate(places) if before in one.before] for before in range(len(places))]
    seen = {pair for pair in _pairs(range(len(places)), places) if all(places[number].initial for number in pair)}
    todo = list(seen)
    while todo:
        left, right = todo.pop()
        for pair in product(following[left], following[right]):
            if pair not in seen and _share_events(places[pair[0]], places[pair[1]]):
                seen.add(pair)
                todo.append(pair)
    return _ends_apart(seen, following, places)


def _pairs(numbers: range, places: list[Place]) -> Iterator[tuple[int, int]]:
    return (pair for pair in product(numbers, numbers) if _share_events(places[pair[0]], places[pair[1]]))


def _share_events(left: Place, right: Place) -> bool:
    return any(
        one.type == other.type and (one.stream is None or other.stream is None or one.stream == other.stream)
        for one, other in product(left.picks, right.picks)
    )


def _ends_apart(seen: set[tuple[int, int]], following: list[list[int]], places: list[Place]) -> bool:
    """Some pair of different states on the way leads to two final ones together."""
    alive = {pair for pair in seen if places[pair[0]].final and places[pair[1]].final}
    while grown := {
        pair
        for pair in seen - alive
        if any(after in alive for after in product(following[pair[0]], following[pair[1]]))
    }:
        alive |= grown
    return any(left != right for left, right in alive)
