"""CEQL queries whose work may have no bound: where partial matches are missing, they would find what there is not."""

from __future__ import annotations

from collections.abc import Mapping

from nfa_native.automata.telling import judged_states
from spaseq.errors import OptionError
from spaseq.pattern.formulas.query import (
    AttributeWindow,
    Consumption,
    EventWindow,
    FormulaQuery,
    SelectionStrategy,
    TimeWindow,
)
from spaseq.plan.formulas.automaton import RecognitionPlan

CHOOSING = {
    SelectionStrategy.NEXT: "NEXT takes the earliest of all matches",
    SelectionStrategy.LAST: "LAST takes the latest of all matches",
    SelectionStrategy.MAX: "MAX takes matches that no other contains",
    SelectionStrategy.STRICT: "STRICT wants no event in between",
}


def check_bounded(queries: Mapping[str, FormulaQuery]) -> None:
    """OptionError: the work of one of these queries may have no bound."""
    for name, query in queries.items():
        why = why_unbounded(query)
        if why is not None:
            raise OptionError(f"the work of {name or 'the query'} may have no bound: {why}")


def why_unbounded(query: FormulaQuery) -> str | None:
    """Why the work of a query may have no bound; None: it may."""
    if query.aggregates:
        return "it aggregates over matches, and of some it would be told nothing"
    if query.strategy in CHOOSING:
        return f"{CHOOSING[query.strategy]}, and some may be missing"
    if query.consumption is not Consumption.NONE:
        return "its matches consume events, and some may be missing"
    return _why_endless(query)


def _why_endless(query: FormulaQuery) -> str | None:
    if query.window is None:
        return "it has no WITHIN, so nobody can tell what a partial match comes to that waits for ever"
    if isinstance(query.window, AttributeWindow):
        return f"its window measures {query.window.attribute}, which may fall"
    if isinstance(query.window, EventWindow) and query.partition:
        return "its window counts the events of each partition, which come at times of their own"
    return None


def length_of_window(query: FormulaQuery) -> int:
    """That of a query whose work may have a bound, in what its window measures: microseconds, or positions."""
    if isinstance(query.window, TimeWindow):
        return max(1, query.window.microseconds)
    assert isinstance(query.window, EventWindow)
    return max(1, query.window.positions)


def explained(query: FormulaQuery, plan: RecognitionPlan) -> str:
    """What may be left out of a query where work has a bound, or why it can have none: some lines."""
    why = why_unbounded(query)
    if why is not None:
        return f"bound\n  none: {why}"
    correlation = plan.automaton.correlation
    judged = [] if correlation is None else judged_states(correlation)
    states = ", ".join(str(number) for number, is_judged in enumerate(judged) if is_judged)
    if not states:
        return "bound\n  no partial match is looked at by itself, so nothing but floods of results is left out"
    return f"bound\n  partial matches that bring least for their work may be left out of states {states}"
