"""Selection strategies (CEL): how the automaton does what they ask, and where results have to be compared instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nfa_native.automata.complex_events import ComplexEventAutomaton
from spaseq.pattern.formulas.query import FormulaQuery, SelectionStrategy
from spaseq.plan.formulas.places import Place

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
