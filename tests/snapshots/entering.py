"""What becomes of a snapshot: it is refused, or its engine takes more events and ends."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any

import spaseq
from spaseq import Bound, OptionError, SnapshotError
from spaseq.runtime.snapshot.container import GRAPHS
from tests.snapshots.running import KNOWLEDGE, event, queries_with_rows, started_with_rows

MORE = 24  # events that a restored engine takes
BOUND = Bound(0.5, sample=0.5)  # less than any event takes
MOST = 2000  # results that are looked at: forged sets may stand for any number of matches, as sets of a query may


def snapshots() -> list[bytes]:
    """Sound ones: of nothing, in the midst, late, without lateness, so that nothing waits, or steps alone do, and one
    with a bound on work."""
    sizes = ((0, 0), (40, 1_000_000), (121, 1_000_000), (60, 0))
    return [*(_after(count, lateness, "auto") for count, lateness in sizes), _after(60, 0, "lazy"), _bounded(60)]


def _bounded(count: int) -> bytes:
    engine = spaseq.Engine(KNOWLEDGE, bound=BOUND)
    for name, query in bounded_queries().items():
        engine.register(query, name)
    return _pushed(engine, count)


@cache
def bounded_queries() -> dict[str, Any]:
    """Those whose work may have a bound."""
    engine, found = spaseq.Engine(KNOWLEDGE, bound=BOUND), dict[str, Any]()
    for name, query in queries_with_rows().items():
        with suppress(OptionError):
            engine.register(query, name)
            found[name] = query
    return found


def _after(count: int, lateness: int, evaluation: str) -> bytes:
    return _pushed(started_with_rows(lateness, evaluation), count)


def _pushed(engine: spaseq.Engine, count: int) -> bytes:
    for number in range(count):
        for _ in engine.push(*event(number)):
            pass
    return engine.snapshot()


def _restored(data: bytes) -> spaseq.Engine:
    """An engine with as many queries, with the bound if these are those that have one."""
    if len(GRAPHS.unpack(data)[0]["queries"]) <= len(bounded_queries()):
        return spaseq.Engine.restore(data, bounded_queries(), KNOWLEDGE, bound=BOUND)
    return spaseq.Engine.restore(data, queries_with_rows(), KNOWLEDGE)


def enter(data: bytes) -> str:
    """Whether it is refused; else it is used.  Any other exception is a finding."""
    try:
        engine = _restored(data)
    except SnapshotError:
        return "refused"
    engine.statistics()
    found = 0
    for number in range(130, 130 + MORE):
        with suppress(OptionError):  # its streams may be closed
            found += sum(1 for _ in islice(engine.push(*event(number)), MOST))
        if found >= MOST:
            return "used"
    with suppress(SnapshotError):  # it may have come to numbers that no snapshot can have
        _restored(engine.snapshot())
    for match in islice(engine.close(), MOST):
        match.to_dict()
    return "used"
