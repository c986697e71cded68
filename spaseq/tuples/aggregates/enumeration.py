"""Aggregates over enumerated matches: for whatever is more than totals of partial matches can say."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow

from nfa_native.events.recognizer import ComplexEvents
from spaseq.errors import StreamError
from spaseq.pattern.formulas.predicates import Attribute
from spaseq.pattern.formulas.query import FormulaQuery, MatchAggregate, SelectionStrategy
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.runtime.snapshot.validation import COUNT, TIME, Shape
from spaseq.sources.tables.types import Integers, ValueKind
from spaseq.tuples.columns.serialisation import marks_read, numbers_stored, require, vector_read, vector_stored
from spaseq.tuples.columns.vectors import Column, Mask, Vector
from spaseq.tuples.encoding.batches import ALWAYS, EncodedBatch, edges, least_start
from spaseq.tuples.encoding.history import RowPositions, places_among
from spaseq.tuples.encoding.partitions import Numbers
from spaseq.tuples.selection.picks import chosen, distinct
from spaseq.tuples.selection.selection import SELECTION, SelectionQuery
from spaseq.tuples.totals.operands import MANY, NO_VALUE, Operand, renumbered, too_large
from spaseq.tuples.totals.totals import AggregateRows

REMEMBERED: Shape = {"first": COUNT, "starts": bytes, "least": TIME, "vectors": [bytes]}
ENUMERATION: Shape = {"remembered": REMEMBERED, "selection": SELECTION}

LAST = np.iinfo(np.int64).max  # a place behind all positions
Places = npt.NDArray[np.int64]
Reader = Callable[[pyarrow.RecordBatch], Vector]


class RememberedColumns:
    """Some columns of events, as long as a match may need them; the first event is at position ``first``.

    Where windows do not move on all together, that is known by what matches hold alone (``keep_only``).
    """

    def __init__(self, query: FormulaQuery, readers: Mapping[Hashable, Reader], first: int) -> None:
        self._readers = readers
        self._window = query.window
        self._forgets = query.forgets
        self._first = self._end = first
        self._marks: Places = np.empty(0, np.int64)  # of each event: its start if they forget, else its position
        self._least = ALWAYS
        self._many = MANY
        self._vectors: dict[Hashable, Vector] = {}

    def add(self, batch: EncodedBatch) -> None:
        """Know a batch, and forget what was before the windows of the one before it."""
        if self._forgets:
            self._forget(self._least)
        starts, least = edges(self._window, batch)
        self._least = least[-1]
        self._end = batch.first_position + len(batch)
        positions = np.arange(batch.first_position, self._end)
        self._marks = np.concatenate([self._marks, starts if self._forgets else positions])
        for name, reader in self._readers.items():
            more = reader(batch.batch)
            self._vectors[name] = _joined(self._vectors[name], more) if name in self._vectors else more

    @property
    def first(self) -> int:
        """The position of the first event that is remembered."""
        return self._first

    def read(self, name: Hashable, positions: Places) -> Vector:
        """The column at these positions (p)."""
        places = positions - self._first if self._forgets else RowPositions(self._marks).places(positions)
        return _at(self._vectors[name], places)

    @property
    def has_many(self) -> bool:
        """Whether half of what is remembered may be in no match any more, for all that is known."""
        return not self._forgets and len(self._marks) >= self._many

    def keep_only(self, held: Places) -> None:
        """Forget all events but those at these positions (rising)."""
        self._choose(places_among(self._marks, held))
        self._first = int(self._marks[0]) if len(self._marks) else self._end
        self._many = max(MANY, 2 * len(self._marks))

    def has(self, positions: Places) -> bool:
        """Whether events at these positions are remembered."""
        return self._forgets or len(places_among(self._marks, positions)) == len(positions)

    def numbers(self, name: Hashable) -> Numbers:
        """What is remembered under a name, numbers of values (n); none if there is no such name."""
        return self._vectors[name].values.astype(np.uint32) if name in self._vectors else np.empty(0, np.uint32)

    def renumber(self, name: Hashable, numbers: Numbers) -> None:
        """These are the new numbers, by those before."""
        if name in self._vectors:
            self._vectors[name] = replace(
                self._vectors[name], values=renumbered(self.numbers(name), numbers).astype(np.int64)
            )

    def state(self) -> dict[str, Any]:
        """What is remembered, as REMEMBERED."""
        return {
            "first": self._first,
            "starts": numbers_stored(self._marks),
            "least": int(self._least),
            "vectors": [vector_stored(self._vectors[name]) for name in self._readers if name in self._vectors],
        }

    def restore(self, state: dict[str, Any], position: int) -> None:
        """Go on where ``state`` was taken, with the event at ``position``; SnapshotError: it cannot be."""
        self._first, self._end, self._least = state["first"], position, np.int64(state["least"])
        self._marks = marks_read(state["starts"], self._first, position, self._forgets)
        newest = int(self._marks[-1]) if self._forgets and len(self._marks) else LAST
        require(newest == LAST or state["least"] <= least_start(self._window, newest), "what is needed was forgotten")
        require(len(state["vectors"]) in (0, len(self._readers)), "values of other attributes are kept")
        self._vectors = {
            name: vector_read(data, len(self._marks), NO_VALUE if isinstance(name, tuple) else 0)
            for name, data in zip(self._readers, state["vectors"], strict=False)
        }
        require(bool(self._vectors) or not len(self._marks) or not self._readers, "values that were kept are missing")

    def check_numbers(self, name: Hashable, operand: Operand) -> None:
        """SnapshotError: what is remembered under a name are no numbers of the operand's values."""
        if name in self._vectors:
            vector = self._vectors[name]
            require(vector.values.dtype == np.int64, "numbers of values are none")
            numbers = vector.values if vector.valid is None else vector.values[vector.valid]
            known = operand.has(numbers) and bool((numbers >= 0).all())
            require(known, "a value has a number that there is not")

    def _forget(self, least: np.int64) -> None:
        """Events before the window that ends last."""
        old = int(np.searchsorted(self._marks, least))
        if old > 0:
            self._first += old
            self._choose(np.arange(old, len(self._marks)))

    def _choose(self, left: Places) -> None:
        """Remember what is at these places alone."""
        self._marks = self._marks[left]
        self._vectors = {name: _at(vector, left) for name, vector in self._vectors.items()}


def _joined(left: Vector, right: Vector) -> Vector:
    """One behind the other."""
    values = np.concatenate([left.values, right.values])
    if left.valid is None and right.valid is None:
        return Vector(values)
    valid = [np.ones(len(each.values), np.bool_) if each.valid is None else each.valid for each in (left, right)]
    return Vector(values, np.concatenate(valid))


def _at(vector: Vector, places: Places) -> Vector:
    return Vector(vector.values[places], None if vector.valid is None else vector.valid[places])


@dataclass(slots=True)
class _Picks:
    """Matches with their groups: for every pick the match (p), its position, and its state."""

    found: ComplexEvents
    matches: Places
    group: Places  # of each match, from 0


class Enumeration:
    """The rows of a query's aggregates; ``operands`` are its attributes by name, ``schema`` is that of the events."""

    def __init__(
        self,
        query: FormulaQuery,
        plan: RecognitionPlan,
        operands: Mapping[str, Operand],
        schema: pyarrow.Schema,
        first: int,
        integers: Integers = Integers.INT64,
    ) -> None:
        self._integers = integers
        self._query = query
        self._plan = plan
        self._operands = operands
        self._is_ambiguous = plan.automaton.ambiguous
        self._remembered = RememberedColumns(query, self._readers(), first)
        query = replace(query, aggregates=(), group_by=(), variables=None, limit=None)
        if self._is_ambiguous:  # all ways to find a match are needed, as their variables differ
            plan = replace(plan, automaton=replace(plan.automaton, ambiguous=False))
            if query.strategy is not SelectionStrategy.STRICT:
                query = replace(query, strategy=SelectionStrategy.ALL)
        self.selection = SelectionQuery(query, plan, schema, first)

    def rows(self, batch: EncodedBatch) -> Iterator[AggregateRows]:
        """The rows whose ends are in a batch, in their order."""
        if self._remembered.has_many:
            self._remembered.keep_only(self.selection.held_positions())
        self._remembered.add(batch)
        for found in whole_ends(self.selection.recognized(batch)):
            kept = chosen(self._query.strategy, found) if self._is_ambiguous else found
            yield self._aggregated(kept, self._remembered)

    def met(self) -> int:
        """The atoms that some event had so far."""
        return self.selection.met

    def state(self) -> dict[str, Any]:
        """What the future depends on, as ENUMERATION."""
        return {"remembered": self._remembered.state(), "selection": self.selection.state()}

    def restore(self, state: dict[str, Any], position: int, time: int | None) -> None:
        """Go on where ``state`` was taken, with the event at ``position``; the one before it had this ``time``.

        SnapshotError, ValueError: it cannot be.
        """
        self._remembered.restore(state["remembered"], position)
        for name, operand in self._operands.items():
            self._remembered.check_numbers(("number", name), operand)
            if operand.kind is ValueKind.TEXT:
                self._remembered.check_numbers(name, operand)
        self.selection.restore(state["selection"], position, time, self._remembered.first)
        if not self._query.forgets:
            require(self._remembered.has(self.selection.held_positions()), "values that were kept are missing")

    # ── what the window has left ─────────────────────────────────────────────────────────────────────────
    def living(self) -> Numbers:
        """The partitions that have something which a later event can go on with."""
        return self.selection.living()

    def keep(self, kept: Numbers) -> None:
        """Forget all partitions but these (rising), which get the numbers from 0 on."""
        self.selection.keep(kept)

    @property
    def known_partitions(self) -> int:
        """How many partitions it knows."""
        return self.selection.known_partitions

    def held(self, name: str) -> Numbers:
        """The numbers of an attribute's values that are remembered (n)."""
        return np.concatenate([self._remembered.numbers(one) for one in self._names_of(name)])

    def renumber(self, name: str, numbers: Numbers) -> None:
        """These are the new numbers of an attribute's values, by those before; all that are held have one."""
        for one in self._names_of(name):
            self._remembered.renumber(one, numbers)

    def _names_of(self, name: str) -> list[Hashable]:
        """Under which names numbers of an attribute's values may be remembered."""
        return [("number", name), name] if self._operands[name].kind is ValueKind.TEXT else [("number", name)]

    def _readers(self) -> dict[Hashable, Reader]:
        """What has to be remembered: values that are aggregated, and numbers of those by which matches are grouped."""
        names = [each.operand for each in self._query.aggregates if each.operand is not None]
        readers: dict[Hashable, Reader] = {name: self._operands[name].read for name in names}
        for key in self._query.group_by:
            readers["number", key.attribute.name] = self._operands[key.attribute.name].read_number
        return readers

    def _aggregated(self, found: ComplexEvents, events: RememberedColumns) -> AggregateRows:
        count = len(found.ends)
        matches = np.repeat(np.arange(count), np.diff(found.offsets))
        keys = [self._key(key.attribute, found, matches, events) for key in self._query.group_by]
        (ends, *_), group = distinct_rows([found.ends, *(places for _, places in keys)])
        picks = _Picks(found, matches, group)
        aggregates = tuple(self._column(each, picks, len(ends), events) for each in self._query.aggregates)
        numbers = tuple(_of_groups(numbers, group, len(ends)) for numbers, _ in keys)
        return AggregateRows(ends, numbers, aggregates)

    def _key(
        self, attribute: Attribute, found: ComplexEvents, matches: Places, events: RememberedColumns
    ) -> tuple[Places, Places]:
        """For each match the number of an attribute of the one event that the variable holds at most, and the place.

        That is where the value comes first in the matches of this end, so that the order of groups does not depend on
        what is forgotten; NULL comes last.
        """
        held = self._holds(attribute.variable)[found.states]
        numbers = np.full(len(found.ends), NO_VALUE, np.int64)
        places = np.full(len(found.ends), LAST, np.int64)
        numbers[matches[held]] = events.read(("number", attribute.name), found.positions[held]).values
        places[matches[held]] = found.positions[held]
        places[numbers == NO_VALUE] = LAST
        (ends, _), like = distinct_rows([found.ends, numbers])
        first = np.full(len(ends), LAST, np.int64)
        np.minimum.at(first, like, places)
        return numbers, first[like]

    def _holds(self, variable: str | None) -> Mask:
        """In which states events are picked that the variable holds."""
        return np.array([variable in names for names in self._plan.variables], np.bool_)

    def _column(
        self, aggregate: MatchAggregate, picks: _Picks, groups: int, events: RememberedColumns
    ) -> pyarrow.Array:
        found, name = picks.found, aggregate.operand
        held = self._holds(aggregate.variable)[found.states]
        counted = np.ones(len(found.ends), np.bool_)
        if self._is_ambiguous:
            counted = distinct(found, picks.group, held)
        if name is None:
            return whole(np.bincount(picks.group[counted], minlength=groups), aggregate, self._integers)
        held &= counted[picks.matches]
        operand, positions = self._operands[name], found.positions[held]
        vector = events.read(name, positions)
        far = None if aggregate.function == "COUNT" else operand.beyond(vector)
        if far is not None and far.any():
            raise too_large(operand, int(positions[np.argmax(far)]))
        where = picks.group[picks.matches[held]]
        if vector.valid is not None:
            where, vector = where[vector.valid], Vector(vector.values[vector.valid])
        return aggregated(aggregate, operand, vector.values, where, groups, self._integers)


def _of_groups(numbers: Places, group: Places, count: int) -> Numbers:
    """By group what all of its matches have."""
    found = np.empty(count, np.uint32)
    found[group] = numbers
    return found


def distinct_rows(columns: list[Places]) -> tuple[list[Places], Places]:
    """Each row of the columns (m) once, in order, and for each row the number of its like (m)."""
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    begins = np.ones(len(order), np.bool_)
    begins[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in ordered])
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(begins) - 1
    return [column[begins] for column in ordered], numbers


def aggregated(
    aggregate: MatchAggregate, operand: Operand, values: Column, where: Places, groups: int, integers: Integers
) -> pyarrow.Array:
    """The function over the values (p) of each group, whose numbers are ``where``; StreamError: it does not fit."""
    numbers = np.bincount(where, minlength=groups)
    match aggregate.function:
        case "COUNT":
            return whole(numbers, aggregate, integers)
        case "MIN" | "MAX":
            return _extreme(aggregate.function, operand, values, where, numbers)
    sums = _sums(values, where, groups)
    if aggregate.function == "AVG":
        pairs = zip(sums.tolist(), numbers.tolist(), strict=True)
        return pyarrow.array([total / max(number, 1) for total, number in pairs], pyarrow.float64())
    return pyarrow.array(sums, pyarrow.float64()) if operand.is_double else whole(sums, aggregate, integers)


def whole(numbers: Column, aggregate: MatchAggregate, integers: Integers) -> pyarrow.Array:
    """Numbers (m), maybe Python's integers, in the type that is asked for; StreamError: one does not fit."""
    try:
        if integers is Integers.DECIMAL:
            return pyarrow.array(numbers.tolist(), integers.type)
        return pyarrow.array(numbers.astype(np.float64) if integers is Integers.DOUBLE else numbers, integers.type)
    except (OverflowError, pyarrow.ArrowInvalid):
        raise StreamError(f"{aggregate.name} of the matches of one end does not fit in {integers.room}") from None


def _sums(values: Column, where: Places, groups: int) -> Column:
    """Of each group; Python's integers if 64 bits may be too few."""
    if values.dtype == np.float64:
        return np.bincount(where, values, groups)
    vector = Vector(values)
    if values.dtype == object or not vector.fits(-(2**62) // (len(values) + 1), 2**62 // (len(values) + 1)):
        values = values.astype(object)
    sums = np.zeros(groups, values.dtype)
    np.add.at(sums, where, values)
    return sums


def _extreme(function: str, operand: Operand, values: Column, where: Places, numbers: Column) -> pyarrow.Array:
    """The least or greatest value of each group, in which there are so many."""
    used = values
    if operand.kind is ValueKind.TEXT:
        values, used = operand.ranks(values)
    order = np.argsort(where, kind="stable")
    some = numbers > 0
    found = np.zeros(len(numbers), values.dtype)
    if len(values):
        begins = (np.cumsum(numbers) - numbers)[some]
        found[some] = (np.minimum if function == "MIN" else np.maximum).reduceat(values[order], begins)
        if operand.kind is ValueKind.TEXT:
            found = used[found]
    return operand.shown(found, ~some)


def whole_ends(parts: Iterable[ComplexEvents]) -> Iterator[ComplexEvents]:
    """The matches of a batch, all those of one end together."""
    held: list[ComplexEvents] = []
    for part in parts:
        if held and held[-1].ends[-1] == part.ends[-1]:
            held.append(part)
        else:
            whole = _concatenated([*held, part])
            last = int(np.searchsorted(whole.ends, whole.ends[-1]))
            held = [_sliced(whole, last, len(whole.ends))]
            if last:
                yield _sliced(whole, 0, last)
    if held:
        yield _concatenated(held)


def _concatenated(parts: list[ComplexEvents]) -> ComplexEvents:
    before = np.cumsum([0, *(len(part.positions) for part in parts)])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, before, strict=False)]
    starts, ends, _, positions, states = (
        np.concatenate(columns) for columns in zip(*(part[:5] for part in parts), strict=True)
    )
    return ComplexEvents(starts, ends, np.concatenate([*offsets, before[-1:]]), positions, states)


def _sliced(found: ComplexEvents, begin: int, end: int) -> ComplexEvents:
    first, last = found.offsets[begin], found.offsets[end]
    offsets = found.offsets[begin : end + 1] - first
    return ComplexEvents(
        found.starts[begin:end], found.ends[begin:end], offsets, found.positions[first:last], found.states[first:last]
    )
