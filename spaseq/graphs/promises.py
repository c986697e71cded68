"""What promises are still good for: the least that decides something, and since when events matter for what it decides.

Producers of derived streams stand before their readers in ``EngineCore.streamsets``.
"""

from __future__ import annotations

from spaseq.errors import OptionError
from spaseq.graphs.core import EngineCore
from spaseq.graphs.running import RunningQuery
from spaseq.graphs.streamset import Streamset
from spaseq.snapshots.container import RESULTS_WAIT
from spaseq.streams.timestamps import GREATEST, LEAST

ANY = LEAST + 1  # the least promise that can be made


def due(core: EngineCore) -> int | None:
    """See ``Engine.due``."""
    reached = _reached(core)
    if not core.is_settled:
        return ANY
    found = [ANY if due <= reached[streamset] else due for streamset, due in _dues(core)]
    return min(found, default=None)


def needed_since(core: EngineCore) -> int | None:
    """See ``Engine.needed_since``."""
    if due(core) == ANY:
        raise OptionError(f"{RESULTS_WAIT} before needed_since()")
    needed: dict[str, int] = {}  # by stream
    for streamset, reached in reversed(_reached(core).items()):
        for query in streamset.all_queries:
            since = _needed_by(query, reached, needed)
            if since is None:
                return None
            needed |= {iri: min(since, needed.get(iri, GREATEST)) for iri in streamset.iris}
    inputs = needed.keys() - {query.into for query in core.running.values()}
    return min((needed[iri] for iri in inputs), default=GREATEST)


def _dues(core: EngineCore) -> list[tuple[Streamset, int]]:
    return [(streamset, due) for streamset in core.streamsets if (due := streamset.due) is not None]


def _reached(core: EngineCore) -> dict[Streamset, int]:
    """The watermark that each streamset has when all that is decided is taken.

    Its clocks are behind it where tables wait to be made.  If all inputs promise a time, all streamsets reach it.
    """
    reached: dict[Streamset, int] = {}
    for streamset in core.streamsets:
        clocks = []
        for clock in streamset.clocks:
            producers = [time for producer, time in reached.items() if clock.iri in producer.derived]
            clocks.append(max(clock.watermark, min(producers, default=LEAST)))
        reached[streamset] = min(clocks)
    return reached


def _needed_by(query: RunningQuery, watermark: int, needed: dict[str, int]) -> int | None:
    """Since when events matter for the results of a query that are to come, and for its events that others need."""
    decided = watermark if query.into is None else min(watermark, needed.get(query.into, GREATEST))
    if decided == GREATEST:
        return GREATEST
    return None if query.max_results is not None else query.plan.needed_since(decided)
