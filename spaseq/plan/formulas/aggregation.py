"""How the aggregates of a query over tuples are found: by totals of partial matches, or by enumerating all matches."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from spaseq.errors import QueryError
from spaseq.pattern.formulas.predicates import Attribute
from spaseq.pattern.formulas.query import AttributeWindow, FormulaQuery, SelectionStrategy
from spaseq.plan.formulas.automaton import RecognitionPlan


class GroupingPlace(Enum):
    """Which event of a match says the value by which matches are grouped."""

    FIRST = "first"
    LAST = "last"
    INSIDE = "inside"  # some other one, or in some matches none


def way(query: FormulaQuery, plan: RecognitionPlan, unordered: Collection[str] = ()) -> str:
    """In words, how the aggregates are found; ``unordered`` as in ``why_enumerated``."""
    why = why_enumerated(query, plan, unordered)
    if why is not None:
        return f"all matches are enumerated, as {why}"
    if isinstance(query.window, AttributeWindow):
        return f"totals of partial matches, as long as {query.window.attribute} rises: then all matches are enumerated"
    return "totals of partial matches: an event costs the same however many matches there are"


def why_enumerated(query: FormulaQuery, plan: RecognitionPlan, unordered: Collection[str] = ()) -> str | None:
    """Why totals are not enough; None: they are.

    ``unordered`` are attributes whose values are no numbers of 64 bits, such as texts."""
    if query.strategy is not SelectionStrategy.ALL:
        return f"{query.strategy.value} chooses among them"
    if plan.automaton.correlation is not None:
        return "the filters compare events with each other"
    if plan.automaton.ambiguous:
        return "the formula may find one of them in several ways"
    for aggregate in query.aggregates:
        if isinstance(aggregate.value, Attribute) and aggregate.function != "COUNT" and aggregate.operand in unordered:
            return f"the values of {_shown(aggregate.value)} are no numbers of 64 bits"
    for key in query.group_by:
        if place(key.attribute, query, plan) is GroupingPlace.INSIDE:
            return f"{_shown(key.attribute)} is not known of their first or last event"
    return None


def check_groups(query: FormulaQuery, plan: RecognitionPlan) -> None:
    """QueryError for a GROUP BY of a variable that may hold several events of one match."""
    for key in query.group_by:
        if holds_several(plan, key.attribute):
            hint = "name the event that is meant with AS, outside of +"
            message = f"GROUP BY {_shown(key.attribute)}: {key.attribute.variable} may hold several events of a match"
            raise QueryError(message, hint=hint)


def place(attribute: Attribute, query: FormulaQuery, plan: RecognitionPlan) -> GroupingPlace:
    """Which event has the value; all events of a match have that of an attribute of a partition."""
    held = _states(plan, attribute)
    states = plan.automaton.states
    if all(number in held for number, state in enumerate(states) if state.final):
        return GroupingPlace.LAST
    if all(number in held for number, state in enumerate(states) if state.initial):
        return GroupingPlace.FIRST
    if attribute.name in plan.partition and not _avoids(plan, held):
        return GroupingPlace.LAST
    return GroupingPlace.INSIDE


def _states(plan: RecognitionPlan, attribute: Attribute) -> frozenset[int]:
    """Where an event is picked that the attribute's variable holds."""
    return frozenset(number for number, names in enumerate(plan.variables) if attribute.variable in names)


def holds_several(plan: RecognitionPlan, attribute: Attribute) -> bool:
    """Whether the attribute's variable may hold several events of a match."""
    held = _states(plan, attribute)
    return bool(_reached(plan, held) & held)


def _avoids(plan: RecognitionPlan, held: frozenset[int]) -> bool:
    """Whether a match may come through none of the states."""
    states = plan.automaton.states
    free = frozenset(number for number, state in enumerate(states) if state.initial) - held
    reached = free | _reached(plan, free, held)
    return any(states[number].final for number in reached)


def _reached(plan: RecognitionPlan, begin: frozenset[int], without: frozenset[int] = frozenset()) -> frozenset[int]:
    """The states that come after some of ``begin``, if not through those to leave out."""
    reached: frozenset[int] = frozenset()
    todo = begin
    while todo:
        found = {
            number
            for number, state in enumerate(plan.automaton.states)
            if todo.intersection((*state.after, *state.directly_after))
        }
        todo = frozenset(found) - without - reached
        reached |= todo
    return reached


def _shown(attribute: Attribute) -> str:
    return f"{attribute.variable}.{attribute.name}"
