"""A query that could not go on, after a restore: what it has to tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow

from spaseq.snapshots.shapes import COUNT, TIME, AnyNames, Shape
from spaseq.tuples.columns.serialisation import met_of
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.encoding.partitions import Numbers
from spaseq.tuples.streamset import Running

SPENT: Shape = {"found": COUNT, "met": str, "kernel": AnyNames(TIME)}


@dataclass(slots=True)
class SpentQuery:
    """It finds nothing more; ``found`` results came, ``met`` are the atoms that some event had."""

    found: int
    met: int
    kernel: dict[str, int]
    schema: pyarrow.Schema = field(default_factory=lambda: pyarrow.schema([]))
    variables: tuple[str, ...] = ()
    ends_with_time: bool = False
    known_partitions: int = 0

    def batches(self, batch: EncodedBatch) -> Iterator[pyarrow.RecordBatch]:
        """None."""
        return iter(())

    def counts(self, batch: EncodedBatch) -> Iterator[int]:
        """None."""
        return iter(())

    def statistics(self) -> dict[str, int]:
        """Counters of what it ran on."""
        return self.kernel

    def living(self) -> Numbers:
        """No partitions."""
        return np.empty(0, np.uint32)

    def keep(self, kept: Numbers) -> None:
        """There are none to forget."""

    def state(self) -> dict[str, Any]:
        """What it tells, as SPENT."""
        return spent_state(self)


def spent_state(running: Running) -> dict[str, Any]:
    """What is left of a query that could not go on, as SPENT."""
    return {"found": running.found, "met": hex(running.met), "kernel": running.statistics()}


def spent(state: dict[str, Any], atoms: int) -> SpentQuery:
    """The query of so many atoms, after a restore; SnapshotError: it cannot be."""
    return SpentQuery(state["found"], met_of(state["met"], atoms), state["kernel"])
