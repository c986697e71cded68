"""From a formula in normal form to a complex event automaton: its picks become states (Glushkov's construction).

Every event of a match is picked, so a state says which pick was the last one.  Picks that differ in what they ask of
their event alone become one, with both alternatives.  An automaton tells whether two of its paths pick the same events,
with an example, and where its query may be partitioned: by attributes in which all events of a match are equal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice, product
from operator import or_

from nfa_native.automata.complex_events import ComplexEventAutomaton, PickState
from nfa_native.automata.lazy_steps import WaitingStep, waiting_steps
from nfa_native.automata.operators import Operators, operators
from spaseq.pattern.formulas.predicates import Predicate, conjunction
from spaseq.pattern.formulas.query import (
    AttributeWindow,
    Consumption,
    EventWindow,
    Formula,
    FormulaQuery,
    SelectionStrategy,
)
from spaseq.plan.description import Partitioning, whole
from spaseq.plan.formulas.clauses import common_keys, without_equalities
from spaseq.plan.formulas.correlation import Computed, DecidingBound, Inquiry, Measured, correlated, of_one_event
from spaseq.plan.formulas.glushkov import (
    Told,
    bits_of,
    merged,
    placed,
    places_in,
    without_gaps,
    without_needless,
)
from spaseq.plan.formulas.places import Place, Scope


@dataclass(frozen=True, slots=True)
class EventKind:
    """What an atom asks of an event: its type, its stream if that is said, and a predicate."""

    type: str
    stream: str | None
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class RecognitionPlan:
    """An automaton, its atoms by number, and the variables that hold what is picked in each state.

    ``measured`` are the values of an event, by column, that the automaton's registers are compared with; ``asked`` the
    conditions that it asks, and ``computed`` the numbers that it keeps, by number.  All events of a match are equal in
    the attributes of ``partition``.
    """

    automaton: ComplexEventAutomaton
    atoms: tuple[EventKind, ...]
    variables: tuple[frozenset[str], ...]
    measured: tuple[Measured | DecidingBound, ...] = ()
    asked: tuple[Inquiry, ...] = ()
    computed: tuple[Computed, ...] = ()
    partition: tuple[str, ...] = ()


def planned(query: FormulaQuery, formula: Formula, texts: frozenset[str] = frozenset()) -> RecognitionPlan:
    """What recognizes the matches of a query, its formula in normal form; ``texts`` as in ``recognition``.

    Attributes that its filters join all events by become partitions, where that makes no difference.
    """
    selected = None if query.variables is None or query.aggregates else frozenset(query.variables)
    keys = common_keys(formula) if _may_be_apart(query) else ()
    found = recognition(without_equalities(formula, keys), selected, texts, query.strategy, Told.of(query))
    return replace(found, partition=tuple(dict.fromkeys((*query.partition, *keys))))


def chosen_lanes(query: FormulaQuery, plan: RecognitionPlan) -> Operators:
    """How the recognizer runs the query's automaton."""
    return operators(plan.automaton, query.strategy.value, query.limit, rises(query))


def waiting(query: FormulaQuery, plan: RecognitionPlan) -> tuple[WaitingStep, ...]:
    """The steps that may wait for a later event, where the query runs by itself."""
    if query.aggregates:
        return ()
    counts = isinstance(query.window, EventWindow) and bool(query.partition)
    return waiting_steps(
        plan.automaton,
        chosen_lanes(query, plan),
        limit=query.limit,
        consumes=query.consumption is not Consumption.NONE,
        forgets=rises(query) and not counts,
    )


def rises(query: FormulaQuery) -> bool:
    """Whether what windows measure never falls from one event to the next."""
    return not isinstance(query.window, AttributeWindow)


def _may_be_apart(query: FormulaQuery) -> bool:
    """Whether matches of events with one key may be looked for without those with other keys in between."""
    if query.strategy is SelectionStrategy.STRICT:
        return False
    counts = isinstance(query.window, EventWindow) or query.consume is Consumption.PARTITION
    return not (query.partition and counts)


def recognition(
    formula: Formula,
    selected: frozenset[str] | None,
    texts: frozenset[str] = frozenset(),
    strategy: SelectionStrategy = SelectionStrategy.ALL,
    told: Told | None = None,
) -> RecognitionPlan:
    """What recognizes ``formula``; positions of ``selected`` variables (None: all) belong to results.

    ``texts`` are the attributes that have texts: their order is not that of any number.  Of STRICT there are no results
    with gaps if all variables are selected.  Nobody asks what variables hold that are not ``told`` (None: all are).
    """
    places, scopes = placed(formula)
    if told is not None:
        compared = frozenset(name for scope in scopes for name in scope.filter.variables)
        places = [told.without_others(place, compared) for place in places]
    if strategy is SelectionStrategy.STRICT:
        places = without_gaps(places, selected)
    if scopes:
        places = [_with_conditions(place, number, scopes) for number, place in enumerate(places)]
    places, scopes = merged(places, scopes)
    kinds = [[EventKind(pick.type, pick.stream, pick.predicate) for pick in place.picks] for place in places]
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
    found = RecognitionPlan(automaton, tuple(atoms), tuple(place.variables for place in places))
    if not scopes:
        return found
    correlation = correlated(places, scopes, texts)
    return replace(
        found,
        automaton=replace(automaton, correlation=correlation.native),
        measured=correlation.measured,
        asked=correlation.asked,
        computed=correlation.computed,
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


def is_ambiguous(places: list[Place]) -> bool:
    """Whether two different paths may pick the same events, as far as types tell which picks share none."""
    if any(len(place.before) < len(without_needless(place)) for place in places):
        return True  # two steps between the same places begin different scopes anew
    following = [0] * len(places)
    for number, place in enumerate(places):
        for before in place.before:
            following[before] |= 1 << number
    sharing = _sharing(places)
    initial = bits_of(number for number, place in enumerate(places) if place.initial)
    seen = [sharing[number] & initial if place.initial else 0 for number, place in enumerate(places)]
    together = _paired(seen, following, sharing)
    return _ends_apart(together, following, places)


def _sharing(places: list[Place]) -> list[int]:
    """For each place those that may pick an event that it picks, as bits."""
    kinds = [frozenset((pick.type, pick.stream) for pick in place.picks) for place in places]
    by_kinds: dict[frozenset[tuple[str, str | None]], int] = {}
    for number, some in enumerate(kinds):
        by_kinds[some] = by_kinds.get(some, 0) | 1 << number
    found = {
        some: reduce(or_, (bits for others, bits in by_kinds.items() if _share_events(some, others)), 0)
        for some in by_kinds
    }
    return [found[some] for some in kinds]


def _share_events(left: frozenset[tuple[str, str | None]], right: frozenset[tuple[str, str | None]]) -> bool:
    return any(
        one == other and (stream is None or another is None or stream == another)
        for (one, stream), (other, another) in product(left, right)
    )


def _paired(seen: list[int], following: list[int], sharing: list[int]) -> list[int]:
    """The places at which a second path may be while the first is at a place, as bits, for each place."""
    found = list(seen)
    known: dict[int, int] = {}  # many places have the same others beside them
    todo = {number for number, bits in enumerate(found) if bits}
    while todo:
        place = todo.pop()
        others = found[place]
        if others not in known:
            known[others] = reduce(or_, (following[other] for other in places_in(others)), 0)
        after = known[others]
        for number in places_in(following[place]):
            if more := after & sharing[number] & ~found[number]:
                found[number] |= more
                todo.add(number)
    return found


def _ends_apart(seen: list[int], following: list[int], places: list[Place]) -> bool:
    """Some pair of different states on the way leads to two final ones together."""
    before = [0] * len(places)
    for number, bits in enumerate(following):
        for after in places_in(bits):
            before[after] |= 1 << number
    final = bits_of(number for number, place in enumerate(places) if place.final)
    ends = [seen[number] & final if place.final else 0 for number, place in enumerate(places)]
    alive = _paired(ends, before, seen)
    return any(bits & ~(1 << number) for number, bits in enumerate(alive))


# ── an example of ambiguity: two paths that pick the same events ─────────────────────────────────────────
MOST_SEEN = 20_000  # pairs of states that are looked at
Path = tuple[int, ...]
Pair = tuple[int, int]


def twin_paths(plan: RecognitionPlan) -> tuple[Path, Path] | None:
    """The shortest two different paths of states that may pick the same events; None if there are none, or too long."""
    states = plan.automaton.states
    after = followers(states)
    initial = [number for number, state in enumerate(states) if state.initial]
    waiting: deque[tuple[Pair, ...]] = deque((pair,) for pair in _pairs(plan, initial, initial))
    seen = {(pair, pair[0] != pair[1]) for (pair,) in waiting}
    while waiting and len(seen) < MOST_SEEN:
        steps = waiting.popleft()
        pair = steps[-1]
        differ = any(left != right for left, right in steps)
        if differ and states[pair[0]].final and states[pair[1]].final:
            return tuple(left for left, _ in steps), tuple(right for _, right in steps)
        for entered in _pairs(plan, after[pair[0]], after[pair[1]]):
            key = (entered, differ or entered[0] != entered[1])
            if key not in seen:
                seen.add(key)
                waiting.append((*steps, entered))
    return None


def followers(states: tuple[PickState, ...]) -> list[list[int]]:
    """For each state those that are entered from it, ascending."""
    found: list[list[int]] = [[] for _ in states]
    for to, state in enumerate(states):
        for number in {*state.after, *state.directly_after}:
            found[number].append(to)
    return found


def _pairs(plan: RecognitionPlan, left: list[int], right: list[int]) -> Iterator[Pair]:
    """Pairs of states that one event may enter, as far as types and streams tell; no more than are looked at."""
    some = islice(product(left, right), MOST_SEEN)
    return (pair for pair in some if _kinds_share_events(_kinds(plan, pair[0]), _kinds(plan, pair[1])))


def _kinds(plan: RecognitionPlan, number: int) -> list[EventKind]:
    return [plan.atoms[atom] for atom in plan.automaton.states[number].atoms]


def _kinds_share_events(left: list[EventKind], right: list[EventKind]) -> bool:
    return any(
        one.type == other.type and (one.stream is None or other.stream is None or one.stream == other.stream)
        for one, other in product(left, right)
    )


# ── where a query may be partitioned ─────────────────────────────────────────────────────────────────────
def split(query: FormulaQuery, plan: RecognitionPlan) -> Partitioning:
    """Where a query may be cut; ``plan`` knows the attributes by which filters join all events."""
    if query.partition:
        if query.consumption is Consumption.ANY:
            return whole("a result consumes the partial matches of all partitions")
        return Partitioning(query.partition, "each partition is a stream of its own", True)
    why_not = why_whole(query)
    if why_not is not None:
        return whole(why_not)
    if not plan.partition:
        return whole("there is no attribute in which filters say that all events of a match are equal")
    return Partitioning(plan.partition, "filters say that all events of a match are equal in it", True)


def why_whole(query: FormulaQuery) -> str | None:
    """What looks at events with other values; None: nothing does."""
    if isinstance(query.window, EventWindow):
        return "the window counts all events"
    if query.strategy is SelectionStrategy.STRICT:
        return "STRICT asks for events that follow each other among all"
    if query.consumption is not Consumption.NONE:
        return "a result consumes all partial matches"
    return None
