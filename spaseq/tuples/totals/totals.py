"""Aggregates by totals of partial matches, which are kept natively: no match is enumerated.

They tell the number of a query's results, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow

from nfa_native.automata.kinds import Consumed, PathQuantity
from nfa_native.core import archive
from nfa_native.core.arrays import column, read_store, table
from nfa_native.events.aggregates import MOST_MATCHES, NO_LEAST, Aggregates as Found, Aggregator, Column, PathTotal
from spaseq.errors import StreamError
from spaseq.pattern.formulas.query import AttributeWindow, EventWindow, FormulaQuery, MatchAggregate
from spaseq.plan.formulas.aggregation import GroupingPlace, place, why_enumerated
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.sources.tables.types import Integers
from spaseq.tuples.columns.serialisation import require
from spaseq.tuples.columns.vectors import Mask, Vector
from spaseq.tuples.encoding.batches import ALWAYS, EncodedBatch, edges, ordered, unordered
from spaseq.tuples.encoding.partitions import Numbers
from spaseq.tuples.totals.operands import MANY, Operand, renumbered, too_large

MOST = 1 << 16  # rows that are handed over together
VERSION = 1  # of its store in snapshots
LEADING = {  # quantities of no values: the number of matches in 128 bits, and what asks for it as a double
    Integers.INT64: [],
    Integers.DECIMAL: [PathTotal(PathQuantity.MATCHES, ())],
    Integers.DOUBLE: [PathTotal(PathQuantity.SUM_OF_DOUBLES, ())],
}
HINT = "a shorter window or a filter leaves fewer matches"
WIDER = {
    Integers.INT64: '; totals="decimal" has 38 digits, totals="double" is up to 10³⁰⁸',
    Integers.DECIMAL: '; totals="double" is up to 10³⁰⁸',
    Integers.DOUBLE: "",
}
Ends = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Wide = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]  # numbers of 128 bits: their upper and lower halves


@dataclass(frozen=True, slots=True, eq=False)
class AggregateRows:
    """One row for each end and group (m): its end, its number in each key of GROUP BY, and its aggregates."""

    ends: Ends
    keys: tuple[Numbers, ...]
    columns: tuple[pyarrow.Array, ...]


@dataclass(frozen=True, slots=True)
class QuantityReading:
    """What the aggregator is to know: ``kind`` of ``what`` the ``operand`` of a variable is at an event.

    That is its ``value``, 1 if there is one (``presence``), or its place in the ``order`` or ``reverse`` order.
    """

    kind: PathQuantity
    what: str
    variable: str
    operand: str


class Totals:
    """The rows of a query's aggregates; ``operands`` are its attributes by name, the first event is at ``first``."""

    def __init__(
        self,
        query: FormulaQuery,
        plan: RecognitionPlan,
        operands: Mapping[str, Operand],
        first: int,
        integers: Integers = Integers.INT64,
    ) -> None:
        self._query = query
        self._integers = integers
        self._before = first
        self._met = 0
        self._operands = operands
        self._readings = {each: _readings(each, operands, integers) for each in query.aggregates}
        distinct = dict.fromkeys(reading for some in self._readings.values() for reading in some)
        leading = LEADING[integers]
        self._number = {reading: number for number, reading in enumerate(distinct, len(leading))}
        places = [place(key.attribute, query, plan) for key in query.group_by]
        self._first = [number for number, where in enumerate(places) if where is GroupingPlace.FIRST]
        self._keys: dict[tuple[int, ...], int] = {}
        self._many = MANY  # of these, of which some may be over
        self._least = int(ALWAYS)
        self._asked = {each.variable: _asked(plan, each.variable) for each in distinct}
        self._aggregator = _aggregator(query, plan, leading, distinct)

    def rows(self, batch: EncodedBatch) -> Iterator[AggregateRows]:
        """The rows whose ends are in a batch, in their order."""
        self._know(batch.masks)
        starts, least = edges(self._query.window, batch)
        self._least = int(least[-1]) if self._query.forgets else self._least
        vectors = {name: self._operands[name].read(batch.batch) for name in {each.operand for each in self._number}}
        columns = [_column(each, self._fitting(each, vectors[each.operand], batch)) for each in self._number]
        if self._integers is Integers.DOUBLE:
            columns.insert(0, Column(np.zeros(len(batch))))
        numbers = [self._operands[key.attribute.name].number(batch.batch) for key in self._query.group_by]
        keys = self._paired([numbers[key] for key in self._first]) if self._first else None
        at = 0
        while at < len(batch):
            at = self._aggregator.feed(batch.symbols, starts, least, columns, batch.partitions, keys, at, MOST)
            found = self._aggregator.take()
            if len(found.ends):
                found = found._replace(ends=found.ends + self._before)
                yield self._finished(found, [each[found.ends - batch.first_position] for each in numbers])

    def _fitting(self, reading: QuantityReading, vector: Vector, batch: EncodedBatch) -> Vector:
        """The values, all of them in 64 bits; StreamError: one does not fit of an event that the variable may hold."""
        operand = self._operands[reading.operand]
        far = None if reading.what == "presence" else operand.beyond(vector)
        if far is None:
            return vector
        held = np.array([bool(mask & self._asked[reading.variable]) for mask in batch.masks], np.bool_)
        if (far & held[batch.symbols]).any():
            raise too_large(operand, batch.first_position + int(np.argmax(far & held[batch.symbols])))
        present = ~far if vector.valid is None else vector.valid & ~far
        return Vector(np.where(far, 0, vector.values).astype(np.int64), present)

    def met(self) -> int:
        """The atoms that some event had so far."""
        return self._met

    def statistics(self) -> dict[str, int]:
        """What the aggregator keeps."""
        return self._aggregator.statistics()

    # ── what the window has left ─────────────────────────────────────────────────────────────────────────
    def living(self) -> Numbers:
        """The partitions that have something which a later event can go on with."""
        return self._aggregator.living(self._least)

    def keep(self, kept: Numbers) -> None:
        """Forget all partitions but these (rising), which get the numbers from 0 on."""
        self._aggregator.keep(kept[kept < np.uint32(self.known_partitions)])

    @property
    def known_partitions(self) -> int:
        """How many partitions it knows."""
        return self._aggregator.statistics()["partitions"]

    def held(self, name: str) -> Numbers:
        """The numbers of an attribute's values that matches may still have in a key of GROUP BY (n)."""
        places = self._places_of(name)
        if not places:
            return np.empty(0, np.uint32)
        self._forget_combinations()
        return self._combinations()[:, places].ravel() if len(self._first) > 1 else self._aggregator.keys()

    def renumber(self, name: str, numbers: Numbers) -> None:
        """These are the new numbers of an attribute's values, by those before; all that are held have one."""
        places = self._places_of(name)
        if places and len(self._first) == 1:
            self._aggregator.renumber(numbers)
        elif places:
            combinations = self._combinations()
            combinations[:, places] = renumbered(combinations[:, places], numbers)
            self._know_combinations(combinations)

    def forget_keys(self) -> None:
        """Let go of keys that no match can have any more, when they may be as many as the others."""
        if len(self._keys) >= self._many:
            self._forget_combinations()

    def _forget_combinations(self) -> None:
        if len(self._first) > 1:
            held = self._aggregator.keys()
            kept = np.unique(held)
            numbers = np.empty(len(self._keys), np.uint32)
            numbers[kept] = np.arange(len(kept))
            self._know_combinations(self._combinations()[kept])
            self._aggregator.renumber(numbers)
            self._many = max(MANY, 2 * len(kept), len(held))

    def _places_of(self, name: str) -> list[int]:
        """Where an attribute is in the keys of first events."""
        return [place_ for place_, key in enumerate(self._first) if self._query.group_by[key].attribute.name == name]

    # ── snapshots ────────────────────────────────────────────────────────────────────────────────────────
    def snapshot(self) -> bytes:
        """What the future depends on, between two batches; the numbers of the operands' values are not in it."""
        columns: dict[str, npt.NDArray[Any]] = {
            "before": np.array([self._before], np.int64),
            "met": np.frombuffer(self._met.to_bytes((self._met.bit_length() + 7) // 8, "little"), np.uint8),
            "keys": self._combinations(),
            "aggregator": np.frombuffer(self._aggregator.snapshot(), np.uint8),
        }
        return archive.pack({"totals": (VERSION, columns)})

    def restore(self, data: bytes) -> None:
        """Go on where the snapshot was taken; the operands know their values already.  ValueError: damaged."""
        arrays = read_store(data, "totals", VERSION)
        self._before = int(column(arrays, "before", np.int64, 1, 0)[0])
        self._met = int.from_bytes(column(arrays, "met", np.uint8).tobytes(), "little")
        self._aggregator.restore(column(arrays, "aggregator", np.uint8).tobytes())
        keys = self._aggregator.keys()
        if len(self._first) > 1:
            pairs = table(arrays, "keys", np.uint32, len(self._first))
            self._know_combinations(pairs)
            if len(self._keys) < len(pairs) or (keys >= len(pairs)).any():
                raise ValueError("some keys of groups are missing")
        held = self._combinations().T if len(self._first) > 1 else [keys] * len(self._first)
        names = [self._query.group_by[key].attribute.name for key in self._first]
        if not all(self._operands[name].has(numbers) for name, numbers in zip(names, held, strict=True)):
            raise ValueError("some values of groups are missing")

    def check(self, position: int, masks: Sequence[int]) -> None:
        """SnapshotError: it is not before the event at ``position``, or knows other symbols than ``masks``."""
        require(self._before + self._aggregator.position == position, "a query is at another position")
        require(self._aggregator.symbols <= max(1, len(masks)), "a query knows other sets of atoms")

    def _combinations(self) -> npt.NDArray[np.uint32]:
        """The numbers that first events have, as they are paired."""
        return np.array(list(self._keys), np.uint32).reshape(len(self._keys), max(1, len(self._first)))

    def _know_combinations(self, combinations: npt.NDArray[np.uint32]) -> None:
        self._keys = {tuple(each): number for number, each in enumerate(combinations.tolist())}

    def _know(self, masks: Sequence[int]) -> None:
        new = masks[self._aggregator.symbols :]
        if new:
            self._aggregator.know_symbols(new)
            self._met = reduce(or_, new, self._met)

    def _paired(self, numbers: list[Numbers]) -> Numbers:
        """A number for each combination of numbers that first events have, by which matches are told apart."""
        if len(numbers) == 1:
            return numbers[0]
        found, places = np.unique(np.stack(numbers), axis=1, return_inverse=True)
        known = [self._keys.setdefault(tuple(each), len(self._keys)) for each in found.T.tolist()]
        return np.array(known, np.uint32)[places.ravel()]

    def _finished(self, found: Found, keys: list[Numbers]) -> AggregateRows:
        """``keys``: the numbers of the last events."""
        if len(self._first) == 1:
            keys[self._first[0]] = found.keys
        elif self._first:
            combinations = self._combinations()[found.keys]
            for place_, key in enumerate(self._first):
                keys[key] = combinations[:, place_]
        columns = tuple(self._aggregated(each, found) for each in self._query.aggregates)
        return AggregateRows(found.ends, tuple(keys), columns)

    def _aggregated(self, aggregate: MatchAggregate, found: Found) -> pyarrow.Array:
        """A column of the result; StreamError where a number is too large."""
        if aggregate.operand is None:
            return self._counted(found, aggregate)
        operand = self._operands[aggregate.operand]
        totals = [found.totals[self._number[reading]] for reading in self._readings[aggregate]]
        match aggregate.function:
            case "MIN" | "MAX":
                return _extreme(aggregate.function, totals[0], operand)
            case "AVG":
                sums, numbers = (self._real(each, aggregate, found) for each in totals)
                return pyarrow.array(np.divide(sums, numbers, out=np.zeros(len(sums)), where=numbers != 0))
            case "SUM" if operand.is_double:
                return pyarrow.array(self._real(totals[0], aggregate, found))
        return self._whole(totals[0], aggregate, found)

    def _counted(self, found: Found, aggregate: MatchAggregate) -> pyarrow.Array:
        """The numbers of matches."""
        match self._integers:
            case Integers.DECIMAL:
                return self._whole(found.totals[0], aggregate, found)
            case Integers.DOUBLE:
                assert found.number is not None
                self._check(np.isinf(found.number), aggregate, found)
                return pyarrow.array(found.number)
        self._check(found.counts > np.uint64(2**63 - 1), aggregate, found)
        return pyarrow.array(found.counts.astype(np.int64))

    def _whole(self, sums: Any, aggregate: MatchAggregate, found: Found) -> pyarrow.Array:
        """Sums of 128 bits in the type that is asked for, or doubles."""
        match self._integers:
            case Integers.DECIMAL:
                self._check(_beyond(sums, 10**38 - 1, 1 - 10**38), aggregate, found)
                return _decimals(sums)
            case Integers.DOUBLE:
                return pyarrow.array(self._real(sums, aggregate, found))
        self._check(_beyond(sums, 2**63 - 1, -(2**63)), aggregate, found)
        return pyarrow.array(sums[1].view(np.int64))

    def _real(self, sums: object, aggregate: MatchAggregate, found: Found) -> Reals:
        """Sums as doubles."""
        if not isinstance(sums, tuple):
            assert isinstance(sums, np.ndarray) and found.number is not None
            self._check(np.isinf(found.number), aggregate, found)
            return sums
        high, low = sums
        self._check(high == -(2**63), aggregate, found)
        whole = low.view(np.int64)
        real: Reals = np.where(high == whole >> 63, whole.astype(np.float64), high * 2.0**64 + low.astype(np.float64))
        return real

    def _check(self, too_large: Mask, aggregate: MatchAggregate, found: Found) -> None:
        """StreamError if some number is too large."""
        if too_large.any():
            end = int(found.ends[np.argmax(too_large)])
            matches = int(found.counts[np.argmax(too_large)])
            many = f"more than {MOST_MATCHES - 1:,}" if matches == MOST_MATCHES else f"{matches:,}"
            whose = f"{aggregate.name} of the {many} matches that end at position {end}"
            raise StreamError(f"{whose} does not fit in {self._integers.room}", hint=HINT + WIDER[self._integers])


def _readings(
    aggregate: MatchAggregate, operands: Mapping[str, Operand], integers: Integers
) -> tuple[QuantityReading, ...]:
    """What has to be known for an aggregate."""
    name = aggregate.operand
    if name is None:
        return ()
    in_doubles = integers is Integers.DOUBLE
    count = PathQuantity.SUM_OF_DOUBLES if in_doubles else PathQuantity.SUM
    total = PathQuantity.SUM_OF_DOUBLES if operands[name].is_double else count
    kinds = {
        "COUNT": [(count, "presence")],
        "SUM": [(total, "value")],
        "AVG": [(total, "value"), (total, "presence")],
        "MIN": [(PathQuantity.LEAST, "order")],
        "MAX": [(PathQuantity.LEAST, "reverse")],
    }[aggregate.function]
    return tuple(QuantityReading(kind, what, aggregate.variable or "", name) for kind, what in kinds)


def _asked(plan: RecognitionPlan, variable: str) -> int:
    """The set of atoms of events that a variable may hold."""
    held = (state for state, names in zip(plan.automaton.states, plan.variables, strict=True) if variable in names)
    return reduce(or_, (1 << atom for state in held for atom in state.atoms), 0)


def _aggregator(
    query: FormulaQuery, plan: RecognitionPlan, leading: Sequence[PathTotal], readings: Mapping[QuantityReading, None]
) -> Aggregator:
    window = query.window
    states = [
        tuple(number for number, names in enumerate(plan.variables) if reading.variable in names)
        for reading in readings
    ]
    return Aggregator(
        plan.automaton,
        [*leading, *(PathTotal(reading.kind, held) for reading, held in zip(readings, states, strict=True))],
        consume=Consumed[query.consumption.name],
        partitioned=bool(plan.partition),
        windowed=window is not None,
        events=window.positions if isinstance(window, EventWindow) and query.partition else None,
    )


def _column(reading: QuantityReading, vector: Vector) -> Column:
    """What a batch's events have of it."""
    values, valid = vector.values, vector.valid
    if reading.what == "presence":
        here = np.ones(len(values), np.bool_) if valid is None else valid
        return Column(here.astype(np.float64) if reading.kind is PathQuantity.SUM_OF_DOUBLES else here.astype(np.int64))
    if reading.kind is PathQuantity.LEAST:
        whole = ordered(values) if vector.is_float else values
        return Column(whole if reading.what == "order" else ~whole, valid)
    return Column(values, valid)


def _extreme(function: str, least: Wide, operand: Operand) -> pyarrow.Array:
    """Least values, or greatest, from their places in the order."""
    high, low = least
    places = low.view(np.int64) if function == "MIN" else ~low.view(np.int64)
    return operand.shown(unordered(places) if operand.is_double else places, high == NO_LEAST >> 64)


def _beyond(numbers: Wide, most: int, least: int) -> Mask:
    """Which numbers of 128 bits are greater, or less, than they may be."""
    high, low = numbers
    top, rest = divmod(most, 2**64)
    bottom, left = divmod(least, 2**64)
    above: Mask = (high > top) | ((high == top) & (low > np.uint64(rest)))
    below: Mask = (high < bottom) | ((high == bottom) & (low < np.uint64(left)))
    return above | below


def _decimals(numbers: Wide) -> pyarrow.Array:
    """Numbers of 128 bits that have at most 38 digits."""
    high, low = numbers
    halves = np.ascontiguousarray(np.stack([low.view(np.int64), high], axis=1))
    return pyarrow.Array.from_buffers(Integers.DECIMAL.type, len(high), [None, pyarrow.py_buffer(halves)])


# ── the number of results ────────────────────────────────────────────────────────────────────────────────
_ALL = MatchAggregate("COUNT", None, "count")


class TotalsCounter:
    """Counts the results of a query that end in each batch; ``integers`` says how many an end may have."""

    def __init__(self, query: FormulaQuery, plan: RecognitionPlan, integers: Integers) -> None:
        asked = replace(query, aggregates=(_ALL,), group_by=(), columns=(), variables=())
        self._totals = Totals(asked, plan, {}, 0, integers)

    def counts(self, batch: EncodedBatch) -> Iterator[int]:
        """How many results there are, part by part; StreamError comes with an end that has too many."""
        return (sum(map(int, rows.columns[0].to_pylist())) for rows in self._totals.rows(batch))

    def met(self) -> int:
        """The atoms that some event had so far."""
        return self._totals.met()

    def statistics(self) -> dict[str, int]:
        """What is kept of the events that came."""
        return self._totals.statistics()


def counter(query: FormulaQuery, plan: RecognitionPlan, integers: Integers) -> TotalsCounter | None:
    """What counts the results of a query; None: they are enumerated, or there may be too many keys."""
    if query.limit is not None or plan.partition or isinstance(query.window, AttributeWindow):
        return None
    return None if why_enumerated(query, plan) is not None else TotalsCounter(query, plan, integers)
