"""The number of a query's results without enumerating them, where totals of partial matches tell it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spaseq.pattern.recognition import Aggregate, AttributeWindow, Query
from spaseq.plan.aggregation import why_enumerated
from spaseq.plan.complex_events import Recognition
from spaseq.tuples.results import Events
from spaseq.tuples.totals import Totals

_ALL = Aggregate("COUNT", None, "count")


def counts(query: Query, plan: Recognition, events: Events) -> Iterator[int] | None:
    """How many results there are, a number for each batch; None: they are enumerated, or there may be too many keys.

    ``events`` are unread.  StreamError comes with an end that has 2⁶³ results or more.
    """
    if events.events or query.limit is not None or plan.partition or isinstance(query.window, AttributeWindow):
        return None
    if why_enumerated(query, plan) is not None:
        return None
    asked = replace(query, aggregates=(_ALL,), group_by=(), columns=(), variables=())
    return (sum(rows.columns[0].to_pylist()) for rows in Totals(asked, plan, {}).rows(events))
