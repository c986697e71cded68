"""Selection strategies (CEL): how the automaton does what they ask, and where results have to be compared instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nfa_native.complex_events import ComplexEventAutomaton
from spaseq.pattern.recognition import Query, Strategy
from spaseq.plan.places import Place

COMPARED = "by comparing the results of an event"


def without_gaps(places: Sequence[Place], selected: frozenset[str] | None) -> list[Place]:
    """The places of STRICT: picks of ``selected`` variables (None: all) that follow each other are of neighbours."""
    shown = [selected is None or bool(place.variables & selected) for place in places]
    out = []
    for place, own in zip(places, shown, strict=True):
        steps = {replace(step, contiguous=step.contiguous or (own and shown[step.before])) for step in place.steps}
        out.append(replace(place, steps=steps))
    return out


def way(query: Query, automaton: ComplexEventAutomaton) -> str:
    """How the results that the query's strategy keeps are found, in words for people."""
    compares_events = automaton.correlation is not None
    match query.strategy:
        case Strategy.ANY:
            return "by construction: the first result that is found"
        case Strategy.NEXT | Strategy.LAST if compares_events:
            return f"{COMPARED}, as filters compare events"
        case Strategy.NEXT | Strategy.LAST:
            return "by construction: each set of partial matches knows its best one"
        case Strategy.MAX:
            return COMPARED
        case Strategy.STRICT if automaton.is_strict:
            return "by construction: no event is left out"
        case Strategy.STRICT:
            return "by leaving out what gets a gap, as not all variables are selected"
    if not automaton.ambiguous or query.limit == 1:
        return "by construction"
    if compares_events:
        return f"{COMPARED}, as one may come about in several ways and filters compare events"
    return "by construction: ways to the same result are followed together"
