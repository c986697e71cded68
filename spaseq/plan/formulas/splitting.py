"""Where a query over tuples may be cut: by attributes in which all events of a match are equal."""

from __future__ import annotations

from spaseq.pattern.formulas.query import Consumption, EventWindow, FormulaQuery, SelectionStrategy
from spaseq.plan.formulas.automaton import Recognition
from spaseq.plan.split import Split, whole


def split(query: FormulaQuery, plan: Recognition) -> Split:
    """Where a query may be cut; ``plan`` knows the attributes by which filters join all events."""
    if query.partition:
        if query.consumption is Consumption.ANY:
            return whole("a result consumes the partial matches of all partitions")
        return Split(query.partition, "each partition is a stream of its own", True)
    why_not = _why_not(query)
    if why_not is not None:
        return whole(why_not)
    if not plan.partition:
        return whole("there is no attribute in which filters say that all events of a match are equal")
    return Split(plan.partition, "filters say that all events of a match are equal in it", True)


def _why_not(query: FormulaQuery) -> str | None:
    """What looks at events with other values; None: nothing does."""
    if isinstance(query.window, EventWindow):
        return "the window counts all events"
    if query.strategy is SelectionStrategy.STRICT:
        return "STRICT asks for events that follow each other among all"
    if query.consumption is not Consumption.NONE:
        return "a result consumes all partial matches"
    return None
