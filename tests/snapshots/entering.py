"""What becomes of a snapshot: it is refused, or its engine takes more events and ends."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

import spaseq
from spaseq import OptionError, SnapshotError
from tests.snapshots.running import KNOWLEDGE, event, queries_with_rows, started_with_rows

MORE = 24  # events that a restored engine takes
MOST = 2000  # results that are looked at: forged sets may stand for any number of matches, as sets of a query may


def snapshots() -> list[bytes]:
    """Sound ones: of nothing, in the midst, late, and without lateness, so that nothing waits, or steps alone do."""
    sizes = ((0, 0), (40, 1_000_000), (121, 1_000_000), (60, 0))
    return [*(_after(count, lateness, "auto") for count, lateness in sizes), _after(60, 0, "lazy")]


def _after(count: int, lateness: int, evaluation: str) -> bytes:
    engine = started_with_rows(lateness, evaluation)
    for number in range(count):
        for _ in engine.push(*event(number)):
            pass
    return engine.snapshot()


def enter(data: bytes) -> str:
    """Whether it is refused; else it is used.  Any other exception is a finding."""
    try:
        engine = spaseq.Engine.restore(data, queries_with_rows(), KNOWLEDGE)
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
        spaseq.Engine.restore(engine.snapshot(), queries_with_rows(), KNOWLEDGE)
    for match in islice(engine.close(), MOST):
        match.to_dict()
    return "used"
