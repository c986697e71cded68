"""From a formula in normal form to a complex event automaton: its picks become states (Glushkov's construction).

Every event of a match is picked, so a state says which pick was the last one.  Picks that differ in what they ask of
their event alone become one, with both alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from nfa_native.complex_events import ComplexEventAutomaton, PickState
from spaseq.pattern.columns import Predicate
from spaseq.pattern.recognition import Disjunction, Filtered, ForAll, Formula, Iteration, Pick, Sequence, is_fresh


class UnsupportedFormulaError(ValueError):
    """The recognizer does not evaluate the formula; the message says what of it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What an atom asks of an event: its type, its stream if that is said, and a predicate."""

    type: str
    stream: str | None
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Recognition:
    """An automaton, its atoms by number, and the variables that hold what is picked in each state."""

    automaton: ComplexEventAutomaton
    atoms: tuple[Kind, ...]
    variables: tuple[frozenset[str], ...]


@dataclass(slots=True)
class _Place:
    """A pick under construction: ``after`` and ``directly`` are the numbers of those that may come before it."""

    picks: list[Pick]
    initial: bool = False
    final: bool = False
    after: set[int] = field(default_factory=set)
    directly: set[int] = field(default_factory=set)


def recognition(formula: Formula, selected: frozenset[str] | None) -> Recognition:
    """What recognizes ``formula``; positions of ``selected`` variables (None: all) belong to results."""
    places: list[_Place] = []
    first, last = _place(formula, places)
    for number in first:
        places[number].initial = True
    for number in last:
        places[number].final = True
    places = _merged(places)
    kinds = [[Kind(pick.type, pick.stream, pick.predicate) for pick in place.picks] for place in places]
    atoms = {kind: number for number, kind in enumerate(dict.fromkeys(kind for some in kinds for kind in some))}
    states = []
    for place, some in zip(places, kinds, strict=True):
        marked = selected is None or bool(place.picks[0].variables & selected)
        after, directly = tuple(sorted(place.after)), tuple(sorted(place.directly - place.after))
        asked = tuple(sorted({atoms[kind] for kind in some}))
        states.append(PickState(asked, place.initial, place.final, after, directly, marked))
    variables = tuple(place.picks[0].variables for place in places)
    ambiguous = not all(state.marked for state in states) or is_ambiguous(places)
    return Recognition(ComplexEventAutomaton(tuple(states), ambiguous), tuple(atoms), variables)


def _place(formula: Formula, places: list[_Place]) -> tuple[set[int], set[int]]:
    """Add the picks of a formula; which can come first, and last."""
    match formula:
        case Pick():
            places.append(_Place([formula]))
            return {len(places) - 1}, {len(places) - 1}
        case Disjunction(left, right):
            (first, last), (others, final) = _place(left, places), _place(right, places)
            return first | others, last | final
        case Sequence(left, right, contiguous):
            (first, last), (others, final) = _place(left, places), _place(right, places)
            _connect(last, others, contiguous, places)
            return first, final
        case Iteration(body, contiguous):
            first, last = _place(body, places)
            _connect(last, first, contiguous, places)
            return first, last
        case Filtered(_, ForAll(_, _) as condition):
            names = " and ".join(sorted(name for name in condition.variables if not is_fresh(name)))
            raise UnsupportedFormulaError(
                f"a FILTER that compares different events is not supported yet: that of {names}"
            )
    raise AssertionError("not in normal form")


def _connect(before: set[int], after: set[int], contiguous: bool, places: list[_Place]) -> None:
    for number in after:
        (places[number].directly if contiguous else places[number].after).update(before)


def _merged(places: list[_Place]) -> list[_Place]:
    """Picks with the same variables and neighbours made one, until there are none left."""
    while True:
        same: dict[object, list[int]] = {}
        for number, place in enumerate(places):
            followers = [(number in one.after, number in one.directly) for one in places]
            key = (
                place.picks[0].variables,
                place.initial,
                place.final,
                frozenset(place.after),
                frozenset(place.directly),
                tuple(followers),
            )
            same.setdefault(key, []).append(number)
        if len(same) == len(places):
            return places
        places = _renumbered(places, list(same.values()))


def _renumbered(places: list[_Place], groups: list[list[int]]) -> list[_Place]:
    number_of = {number: new for new, group in enumerate(groups) for number in group}
    out = []
    for group in groups:
        one = places[group[0]]
        picks = [pick for number in group for pick in places[number].picks]
        out.append(
            _Place(
                picks,
                one.initial,
                one.final,
                {number_of[number] for number in one.after},
                {number_of[number] for number in one.directly},
            )
        )
    return out


def is_ambiguous(places: list[_Place]) -> bool:
    """Whether two different paths may pick the same events, as far as types tell which picks share none."""
    following = [
        [number for number, one in enumerate(places) if before in one.after | one.directly]
        for before in range(len(places))
    ]
    seen = {pair for pair in _pairs(range(len(places)), places) if all(places[number].initial for number in pair)}
    todo = list(seen)
    while todo:
        left, right = todo.pop()
        for pair in product(following[left], following[right]):
            if pair not in seen and _share_events(places[pair[0]], places[pair[1]]):
                seen.add(pair)
                todo.append(pair)
    return _ends_apart(seen, following, places)


def _pairs(numbers: range, places: list[_Place]) -> Iterator[tuple[int, int]]:
    return (pair for pair in product(numbers, numbers) if _share_events(places[pair[0]], places[pair[1]]))


def _share_events(left: _Place, right: _Place) -> bool:
    return any(
        one.type == other.type and (one.stream is None or other.stream is None or one.stream == other.stream)
        for one, other in product(left.picks, right.picks)
    )


def _ends_apart(seen: set[tuple[int, int]], following: list[list[int]], places: list[_Place]) -> bool:
    """Some pair of different states on the way leads to two final ones together."""
    alive = {pair for pair in seen if places[pair[0]].final and places[pair[1]].final}
    while grown := {
        pair
        for pair in seen - alive
        if any(after in alive for after in product(following[pair[0]], following[pair[1]]))
    }:
        alive |= grown
    return any(left != right for left, right in alive)
