"""Glushkov's construction: the picks of a formula as places, the steps between them, and which come behind which.

Sets of places are bits: bit n stands for place n.  Places that nobody can tell apart become one.  Of the selection
strategies (CEL), some are constructed here; for the others results have to be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from nfa_native.automata.complex_events import ComplexEventAutomaton
from spaseq.pattern.formulas.query import (
    Alternation,
    Filtered,
    ForAll,
    Formula,
    FormulaQuery,
    Iteration,
    Named,
    Pick,
    SelectionStrategy,
    Sequencing,
    Unordered,
    parts,
)
from spaseq.plan.formulas.places import Place, PlaceStep, Scope
from spaseq.plan.formulas.shuffle import PlacedSide, moved, shuffled


def placed(formula: Formula) -> tuple[list[Place], list[Scope]]:
    """The places of a formula in normal form, and the scopes of its filters, both by number."""
    construction = _Construction()
    first, last = construction.add(formula)
    for number in first:
        construction.places[number].initial = True
    for number in last:
        construction.places[number].final = True
    return construction.places, construction.scopes


class _Construction:
    def __init__(self) -> None:
        self.places: list[Place] = []
        self.scopes: list[Scope] = []

    def add(self, formula: Formula) -> tuple[frozenset[int], frozenset[int]]:
        """Add the places of a formula; gives those that can come first in it, and last."""
        match formula:
            case Pick():
                self.places.append(Place([formula]))
                alone = frozenset((len(self.places) - 1,))
                return alone, alone
            case Alternation(left, right):
                (first, last), (others, final) = self.add(left), self.add(right)
                return first | others, last | final
            case Sequencing(left, right, contiguous):
                (first, last), (others, final) = self.add(left), self.add(right)
                self.connect(last, others, contiguous)
                return first, final
            case Unordered(left, right):
                both = moved(shuffled(_alone(left), _alone(right)), len(self.places), len(self.scopes))
                self.places += both.places
                self.scopes += both.scopes
                return both.first, both.last
            case Iteration(body, contiguous):
                scopes = len(self.scopes)
                first, last = self.add(body)
                self.connect(last, first, contiguous, range(scopes, len(self.scopes)))
                return first, last
            case Filtered(body, ForAll() as condition):
                places = len(self.places)
                ends = self.add(body)
                self.scopes.append(Scope(condition, frozenset(range(places, len(self.places)))))
                return ends
        raise AssertionError("not in normal form")

    def connect(
        self, before: Iterable[int], after: Iterable[int], contiguous: bool, resets: Iterable[int] = ()
    ) -> None:
        scopes = frozenset(resets)
        for number in after:
            self.places[number].steps |= {PlaceStep(one, contiguous, scopes) for one in before}


def _alone(formula: Formula) -> PlacedSide:
    """A formula as a side of ALL."""
    construction = _Construction()
    first, last = construction.add(formula)
    return PlacedSide(construction.places, first, last, construction.scopes)


def without_needless(place: Place) -> list[PlaceStep]:
    """The steps into a place, in order, without the contiguous ones that any event may take as well."""
    free = {(step.before, step.resets) for step in place.steps if not step.contiguous}
    left = [step for step in place.steps if not (step.contiguous and (step.before, step.resets) in free)]
    return sorted(left, key=lambda step: (step.contiguous, step.before, sorted(step.resets)))


# ── which places come behind which ───────────────────────────────────────────────────────────────────────
Reset = tuple[int, PlaceStep]


def bits_of(places: Iterable[int]) -> int:
    """Places as bits."""
    found = 0
    for place in places:
        found |= 1 << place
    return found


def places_in(bits: int) -> Iterator[int]:
    """The places of bits, the least first."""
    while bits:
        least = bits & -bits
        yield least.bit_length() - 1
        bits ^= least


def behind_all(relation: Sequence[int]) -> list[int]:
    """The places that come behind each place, however far; ``relation`` has those that come right behind it."""
    found = list(relation)
    changed = True
    while changed:
        changed = False
        for place in reversed(range(len(found))):  # most steps lead forward: their ends are known already
            more = found[place]
            for after in places_in(relation[place]):
                more |= found[after]
            changed = changed or more != found[place]
            found[place] = more
    return found


class Reaching:
    """Which places come behind which, as long as a scope lasts: without the steps that begin it anew."""

    def __init__(self, steps: Sequence[Sequence[PlaceStep]]) -> None:
        self._steps = steps
        self._resets: dict[int, set[Reset]] = {}
        for target, into in enumerate(steps):
            for step in into:
                for scope in step.resets:
                    self._resets.setdefault(scope, set()).add((target, step))
        self._behind: dict[frozenset[Reset], list[int]] = {}

    def resets(self, scope: int) -> frozenset[Reset]:
        """The steps that begin a scope anew: scopes for which they are the same last equally long."""
        return frozenset(self._resets.get(scope, ()))

    def behind(self, scope: int) -> list[int]:
        """The places behind each place, as bits."""
        without = self.resets(scope)
        if without not in self._behind:
            relation = [0] * len(self._steps)
            for target, into in enumerate(self._steps):
                for step in into:
                    if (target, step) not in without:
                        relation[step.before] |= 1 << target
            self._behind[without] = behind_all(relation)
        return self._behind[without]

    def behind_any(self, places: Iterable[int], scope: int) -> int:
        """The places behind some of ``places``, as bits."""
        found, behind = 0, self.behind(scope)
        for place in places:
            found |= behind[place]
        return found


# ── places made one, where nobody can tell which of them an event was picked at ──────────────────────────
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


# ── selection strategies (CEL) ───────────────────────────────────────────────────────────────────────────
CONSTRUCTED, FILTERED, COMPARED = "by construction", "by filtering", "by comparing results"
COMPARING = (SelectionStrategy.NEXT, SelectionStrategy.LAST, SelectionStrategy.MAX)


def without_gaps(places: Sequence[Place], selected: frozenset[str] | None) -> list[Place]:
    """The places of STRICT: picks of ``selected`` variables (None: all) that follow each other are of neighbours."""
    shown = [selected is None or bool(place.variables & selected) for place in places]
    out = []
    for place, own in zip(places, shown, strict=True):
        steps = {replace(step, contiguous=step.contiguous or (own and shown[step.before])) for step in place.steps}
        out.append(replace(place, steps=steps))
    return out


def way(query: FormulaQuery, automaton: ComplexEventAutomaton) -> tuple[str, str]:
    """How the results that the query's strategy keeps are found, and why so, in words for people."""
    if query.aggregates and automaton.ambiguous and query.strategy in COMPARING:
        return COMPARED, "aggregates are over all paths that give a result, so all matches of an end are enumerated"
    match query.strategy:
        case SelectionStrategy.ANY:
            return CONSTRUCTED, "the first match that is enumerated"
        case SelectionStrategy.NEXT | SelectionStrategy.LAST:
            return CONSTRUCTED, "each set of partial matches knows its best one"
        case SelectionStrategy.MAX if not automaton.is_chain:
            return CONSTRUCTED, "matches of more events are followed together with each result"
        case SelectionStrategy.STRICT if not automaton.is_strict:
            return FILTERED, "not all variables are selected, so matches with a gap are followed until it is met"
    if automaton.ambiguous:
        return CONSTRUCTED, "paths that give the same one are followed together"
    if query.strategy is SelectionStrategy.STRICT:
        return CONSTRUCTED, "no path skips an event"
    return CONSTRUCTED, "each match is a result of its own"
