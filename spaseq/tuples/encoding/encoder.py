"""The events of a sequence as the queries on it read them: each batch is encoded once, for all queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow

from spaseq.pattern.formulas.query import AttributeWindow, FormulaQuery
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.runtime.snapshot.validation import COUNT, AnyNames, Shape
from spaseq.streams.losses import Loss, counted, were
from spaseq.tuples.columns.predicate_kinds import check
from spaseq.tuples.columns.rows import Rows
from spaseq.tuples.columns.serialisation import require
from spaseq.tuples.encoding.batches import EncodedBatch, Omitted
from spaseq.tuples.encoding.partitions import NO_PARTITION, PARTITIONS, Numbers, Partitions
from spaseq.tuples.encoding.symbol_groups import Masks, Naming, SymbolGroup, grouped, named
from spaseq.tuples.encoding.symbols import Atom
from spaseq.tuples.encoding.times import Measure, Times, check_measure, measure

MANY = 1 << 14  # partitions of which some may be done with
_OMITTED: Shape = (COUNT, COUNT)
_KEYED: Shape = {
    "columns": [str], "forgets": bool, "partitions": PARTITIONS, "outside": _OMITTED, "many": COUNT,
}  # fmt: skip
ENCODER: Shape = {"keyed": [_KEYED], "unmeasured": AnyNames(_OMITTED)}


class Forgetful(Protocol):
    """What may be done with partitions."""

    @property
    def ends_with_time(self) -> bool:
        """Whether time alone ends what is in them.  Others may stay, and are numbered apart."""

    @property
    def known_partitions(self) -> int:
        """How many partitions it knows; 0: it keeps none by number."""

    def living(self) -> Numbers:
        """The partitions that it still needs."""

    def keep(self, kept: Numbers) -> None:
        """Forget all but these (rising), which get the numbers from 0 on."""


class Keyed:
    """The partitions by some attributes, for all queries that have them and whose time ends them, or all others."""

    def __init__(self, columns: tuple[str, ...], schema: pyarrow.Schema, ends_with_time: bool) -> None:
        self.partitions = Partitions(columns, schema)
        self.outside = Omitted()
        self._ends_with_time = ends_with_time
        self._many = MANY
        self._queries: list[Forgetful] = []

    def add(self, query: Forgetful) -> None:
        """A query reads them."""
        self._queries.append(query)

    def remove(self, query: Forgetful) -> None:
        """It does so no longer."""
        self._queries.remove(query)

    def number(self, batch: Rows, position: int) -> Numbers:
        """Those of a batch's events, which begins at the position."""
        found = self.partitions.number(batch)
        self.outside.add(found == NO_PARTITION, position)
        return found

    def state(self) -> dict[str, Any]:
        """What is known."""
        return {
            "columns": list(self.partitions.columns), "forgets": self._ends_with_time,
            "partitions": self.partitions.state(), "outside": self.outside.state(), "many": self._many,
        }  # fmt: skip

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken; SnapshotError: a query knows other partitions."""
        self.partitions.restore(state["partitions"])
        self.outside = Omitted(*state["outside"])
        self._many = max(MANY, state["many"])
        most = max(1, len(self.partitions))  # queries make room for a first one
        lives = any(len(query.living()) for query in self._queries)
        known = all(query.known_partitions <= most for query in self._queries)
        require(known and not (lives and not len(self.partitions)), "a query knows partitions that there are not")

    def forget(self) -> None:
        """Let go of those of which nothing is left for any query, when they may be as many as the others."""
        if not self._queries or len(self.partitions) < self._many:
            return
        living = [query.living() for query in self._queries]
        kept = living[0] if len(living) == 1 else np.unique(np.concatenate(living))
        for query in self._queries:
            query.keep(kept)
        self.partitions.keep(kept)
        self._many = max(MANY, 2 * len(kept))


class QueryReading:
    """What one query reads of the events."""

    def __init__(self, query: FormulaQuery, plan: RecognitionPlan, atoms: Sequence[Atom], running: Forgetful) -> None:
        self.atoms = named(atoms)
        self.names = [repr(atom) for atom in atoms]
        self.running = running
        self.key = (plan.partition, running.ends_with_time) if plan.partition else None
        self.measure = query.window.attribute if isinstance(query.window, AttributeWindow) else None
        self.masks: Masks | None = None  # None: no event came so far
        self.before: tuple[int, ...] = ()  # the sets of atoms that were known when a snapshot was taken

    def known(self) -> Sequence[int]:
        """The sets of its atoms that events had so far, by number."""
        return self.before if self.masks is None else self.masks.known()


@dataclass(slots=True, eq=False)  # not frozen, as one is made for each event that is pushed
class Encoded:
    """A batch of events for all queries; it does not change."""

    position: int
    times: Times
    batch: Rows
    symbols: Mapping[SymbolGroup, Numbers]
    partitions: Mapping[tuple[tuple[str, ...], bool], Numbers]
    measures: Mapping[str, Measure]
    edges: dict[object, tuple[Times, Times]] = field(default_factory=dict)

    def of(self, reading: QueryReading) -> EncodedBatch:
        """What one of them reads."""
        assert reading.masks is not None
        symbols, known = reading.masks.numbered(self.symbols[reading.masks.group])
        return EncodedBatch(
            self.position, self.times, symbols,
            None if reading.key is None else self.partitions[reading.key],
            None if reading.measure is None else self.measures[reading.measure],
            self.batch, known, self.edges,
        )  # fmt: skip


class BatchEncoder:
    """Encodes the events of a sequence for the queries that are there."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._readings: list[QueryReading] = []
        self._all_placed = True  # in groups
        self._groups: list[SymbolGroup] = []
        self._keyed: dict[tuple[tuple[str, ...], bool], Keyed] = {}
        self._unmeasured: dict[str, Omitted] = {}

    def add(self, reading: QueryReading, schema: pyarrow.Schema) -> None:
        """A query reads the events from now on; ``check_reading`` has passed."""
        if reading.key is not None:
            if reading.key not in self._keyed:
                self._keyed[reading.key] = Keyed(reading.key[0], schema, reading.key[1])
            self._keyed[reading.key].add(reading.running)
        if reading.measure is not None:
            self._unmeasured.setdefault(reading.measure, Omitted())
        self._readings.append(reading)
        self._all_placed = False

    def remove(self, reading: QueryReading) -> None:
        """It does so no longer."""
        self._readings.remove(reading)
        if reading.key is not None:
            self._keyed[reading.key].remove(reading.running)
        self._groups = [group for group in self._groups if any(self._is_in(each, group) for each in self._readings)]
        used = {each.key for each in self._readings}
        self._keyed = {key: keyed for key, keyed in self._keyed.items() if key in used}
        self._unmeasured = {
            name: omitted
            for name, omitted in self._unmeasured.items()
            if any(each.measure == name for each in self._readings)
        }

    def encoded(self, times: Times, batch: Rows, position: int) -> Encoded:
        """The events of a batch, the first of them at the position."""
        if not self._all_placed:
            self._place(batch.schema)
        measures = {name: measure(name, batch) for name in self._unmeasured}
        for name, found in measures.items():
            self._unmeasured[name].add(found.missing, position)
        partitions = {key: keyed.number(batch, position) for key, keyed in self._keyed.items()}
        symbols = {group: group.symbols.number(batch) for group in self._groups}
        return Encoded(position, times, batch, symbols, partitions, measures)

    def forget(self) -> None:
        """Let go of partitions that nobody needs; between batches, when all queries have read the last one."""
        for keyed in self._keyed.values():
            keyed.forget()

    def state(self) -> dict[str, Any]:
        """What is known of the events, as ENCODER."""
        return {
            "keyed": [keyed.state() for keyed in self._keyed.values()],
            "unmeasured": {name: omitted.state() for name, omitted in self._unmeasured.items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken, with the same queries; SnapshotError: it is of others."""
        keyed = {(tuple(one["columns"]), one["forgets"]): one for one in state["keyed"]}
        require(keyed.keys() == self._keyed.keys(), "partitions are by other columns")
        require(state["unmeasured"].keys() == self._unmeasured.keys(), "windows are of other attributes")
        for key, one in keyed.items():
            self._keyed[key].restore(one)
        self._unmeasured = {name: Omitted(*omitted) for name, omitted in state["unmeasured"].items()}

    def losses(self, reading: QueryReading, events: int) -> list[Loss]:
        """The events, of so many, that a query can have in no match: in no partition, or in no window."""
        found = []
        if reading.key is not None:
            found += _lost(self._keyed[reading.key].outside, reading.key[0], "in no partition", events)
        if reading.measure is not None:
            found += _lost(self._unmeasured[reading.measure], (reading.measure,), "in no window", events)
        return found

    def _place(self, schema: pyarrow.Schema) -> None:
        """Give the queries that are new their groups."""
        new = [reading for reading in self._readings if reading.masks is None]
        for reading in new:
            self._join(reading, self._groups)
        made = [
            SymbolGroup(atoms, schema, self._naming)
            for atoms in grouped(reading.atoms for reading in new if reading.masks is None)
        ]
        self._groups += made
        for reading in new:
            self._join(reading, made)
        self._all_placed = True

    @staticmethod
    def _join(reading: QueryReading, groups: Iterable[SymbolGroup]) -> None:
        group = next((group for group in groups if group.has(reading.atoms)), None)
        if group is not None and reading.masks is None:
            reading.masks = Masks(group, reading.names, reading.before)

    @staticmethod
    def _is_in(reading: QueryReading, group: SymbolGroup) -> bool:
        return reading.masks is not None and reading.masks.group is group


def check_reading(query: FormulaQuery, plan: RecognitionPlan, schema: pyarrow.Schema) -> None:
    """QueryError if what a query asks of single events makes no sense for the columns that they have."""
    for atom in plan.atoms:
        check(atom.predicate, schema)
    if isinstance(query.window, AttributeWindow):
        check_measure(query.window.attribute, schema)
    if plan.partition:
        Partitions(plan.partition, schema)


def _lost(omitted: Omitted, columns: Sequence[str], what: str, events: int) -> list[Loss]:
    if not omitted.count:
        return []
    cause = f"{omitted.count:,} of the {counted(events)} {were(omitted.count)} {what}"
    return [Loss(cause, f"{' or '.join(columns)} is NULL there", f"at position {omitted.first}")]
