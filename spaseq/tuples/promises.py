"""What promises are still good for: the least that lets events go, and since when events matter for what is to come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spaseq.errors import OptionError
from spaseq.pattern.formulas.query import Consumption, FormulaQuery, TimeWindow
from spaseq.streams.timestamps import GREATEST, LEAST
from spaseq.tuples.core import RegisteredQuery, TupleCore
from spaseq.tuples.streamset import TupleStreamset

ANY = LEAST + 1  # the least promise that can be made


def due(core: TupleCore) -> int | None:
    """See ``Engine.due``."""
    if not core.is_settled:
        return ANY
    found = (streamset.least_promise(core.clocks) for streamset in core.streamsets)
    return min((time for time in found if time is not None), default=None)


def needed_since(core: TupleCore) -> int | None:
    """See ``Engine.needed_since``."""
    if not core.is_settled:
        raise OptionError("results wait: take all of an iterator of results before needed_since()")
    found = [_needed_by(query, core) for query in core.queries.values() if not query.error]
    return _least(found)


def needed_by(queries: Iterable[FormulaQuery], promised: int) -> int | None:
    """Since when rows matter for queries that have seen none, if nothing before ``promised`` comes."""
    return _least([window_back(query, promised) for query in queries])


def window_back(query: FormulaQuery, time: int) -> int | None:
    """No event before this matters for results that end at ``time`` or later; None: any may.

    What is consumed depends on earlier results, and these on what others consumed.
    """
    if time == GREATEST:
        return GREATEST
    if not isinstance(query.window, TimeWindow) or query.consumption is not Consumption.NONE:
        return None
    return max(LEAST, time - query.window.microseconds)


def _needed_by(query: RegisteredQuery, core: TupleCore) -> int | None:
    assert query.streamset is not None
    return window_back(query.prepared.query, _reached(query.streamset, core))


def _least(times: Sequence[int | None]) -> int | None:
    known = [time for time in times if time is not None]
    return None if len(known) < len(times) else min(known, default=GREATEST)


def _reached(streamset: TupleStreamset, core: TupleCore) -> int:
    """No event that waits, or is to come, is before this."""
    found = streamset.watermarks(core.clocks)
    if core.setting.has_names and streamset.is_open:  # a new stream is no earlier than what has had its turn
        found.append(max(core.promised, LEAST if streamset.time is None else streamset.time))
    return min(found, default=core.promised)
