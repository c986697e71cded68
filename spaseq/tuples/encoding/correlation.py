"""What an automaton with registers reads of events: comparable values by column, and answers to conditions.

Values become integers of 64 bits that are ordered as the values are.  A register keeps the greatest one and is compared
with a bound that it must stay below; where the least one is to be kept, all bits are turned, which turns the order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow

from spaseq.errors import StreamError
from spaseq.pattern.formulas.predicates import (
    Attribute,
    Comparison,
    Predicate,
    Value,
    attributes,
    local_value,
    mapped,
)
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.plan.formulas.clauses import Compared, Joined
from spaseq.plan.formulas.correlation import Computed, DecidingBound, Inquiry, Measured, Side
from spaseq.sources.tables.types import ValueKind, kind_of_type
from spaseq.tuples.columns.numbering import KnownTexts, numbered
from spaseq.tuples.columns.predicate_kinds import check
from spaseq.tuples.columns.predicates import Values, few_values, holds, numbers
from spaseq.tuples.columns.rows import FewRows, Rows
from spaseq.tuples.columns.vectors import EXACT, Mask, Vector, as_floats, nearest
from spaseq.tuples.encoding.batches import EncodedBatch, ordered, ordered_one
from spaseq.tuples.encoding.conditions import Conditions, FewColumn, compares_reals, is_real
from spaseq.tuples.encoding.history import EventHistory
from spaseq.tuples.encoding.times import Times

NO_VALUE = np.int64(2**63 - 1)  # of an event to be remembered: nothing compares with it
NO_BOUND = np.int64(-(2**63) + 1)  # of an event to be compared: it compares with nothing
_LEAST, _GREATEST = -(2**63) + 4, 2**63 - 4  # of all other values

Numbers = npt.NDArray[np.int64]
Case = tuple[list[int], ...]  # positions of earlier events, by variable


def correlated_attributes(plan: RecognitionPlan) -> tuple[str, ...]:
    """The attributes that are compared between events."""
    found = [attribute.name for measured in plan.measured for attribute in attributes(measured.comparison.written)]
    found += [attribute.name for inquiry in plan.asked for attribute in attributes(inquiry.asked.predicate)]
    return tuple(dict.fromkeys(found))


def texts(schema: pyarrow.Schema) -> frozenset[str]:
    """The columns that have texts."""
    return frozenset(field.name for field in schema if kind_of_type(field.type) is ValueKind.TEXT)


class RegisterColumns:
    """The values of events that registers are compared with, and those that ``conditions`` read.

    QueryError if they do not compare.
    """

    def __init__(
        self, measured: Sequence[Measured | DecidingBound], schema: pyarrow.Schema, conditions: Conditions | None = None
    ) -> None:
        self._columns = [_column_of(each, schema) for each in measured]
        self._remembered = conditions.remembered if conditions is not None else ()
        self._texts = KnownTexts()
        self._few = [column.of_few(self._texts, schema) for column in (*self._columns, *self._remembered)]

    def read(self, batch: Rows) -> list[Numbers]:
        """A column for each of the measured values; StreamError if one is too large.  Then for each one remembered."""
        if isinstance(batch, FewRows):
            return [read(batch) for read in self._few]
        return [column.read(batch, self._texts) for column in (*self._columns, *self._remembered)]

    def forms(self, nulls: Collection[str]) -> list[object]:
        """As what the values of each column are kept, if they may be other than NULL: the columns ``nulls`` are."""
        return [column.form(nulls) for column in self._columns]

    def forget(self, least: int, latest: int) -> None:
        """As ``KnownTexts.forget``, before a batch is read."""
        self._texts.forget(least, latest)

    def state(self) -> bytes:
        """The texts that have numbers, for a snapshot."""
        return self._texts.stored()

    def restore(self, data: bytes, latest: int) -> None:
        """As ``KnownTexts.restore``."""
        self._texts.restore(data, latest)


class _Column:
    """One of the measured values."""

    def __init__(self, measured: Measured, schema: pyarrow.Schema) -> None:
        comparison = measured.comparison
        assert isinstance(comparison, Compared)
        check(Comparison(comparison.operator, comparison.left, comparison.right), schema)
        empty = pyarrow.record_batch([pyarrow.array([], field.type) for field in schema], schema=schema)
        self._measured = measured
        self._is_text = any(_is_text(side, schema) for side in (comparison.left, comparison.right))
        self._is_float = not self._is_text and any(
            numbers(side, empty).is_float for side in (comparison.left, comparison.right)
        )

    def form(self, nulls: Collection[str]) -> object:
        """Whether texts or doubles are compared, if the value may be other than NULL."""
        is_null = any(attribute.name in nulls for attribute in attributes(self._measured.value))
        return None if is_null else (self._is_text, self._is_float)

    def read(self, batch: pyarrow.RecordBatch, known: KnownTexts) -> Numbers:
        values, valid = self._encoded(batch, known)
        measured = self._measured
        if measured.comparison.operator in ("<", "<="):
            if (measured.side is Side.RIGHT) != measured.bound:
                values = ~values
            if measured.bound and measured.comparison.operator == "<=":
                values = values + 1
        if valid is not None:
            values = np.where(valid, values, NO_BOUND if measured.bound else NO_VALUE)
        return np.ascontiguousarray(np.broadcast_to(values, batch.num_rows), np.int64)

    def of_few(self, known: KnownTexts, schema: pyarrow.Schema) -> FewColumn:
        """``read`` of a few rows."""
        missing = int(NO_BOUND if self._measured.bound else NO_VALUE)
        return _column(few_values(self._measured.value, schema), self._encoding(known), missing)

    def _encoding(self, known: KnownTexts) -> Callable[[Any], int]:
        """The integer of one value."""
        measured = self._measured
        one = known.__getitem__ if self._is_text else partial(_double if self._is_float else _integer, measured.value)
        if measured.comparison.operator not in ("<", "<="):
            return one
        more = int(measured.bound and measured.comparison.operator == "<=")
        if (measured.side is Side.RIGHT) != measured.bound:
            return lambda value: ~one(value) + more
        return lambda value: one(value) + more

    def _encoded(self, batch: pyarrow.RecordBatch, known: KnownTexts) -> tuple[Numbers, Mask | None]:
        value = self._measured.value
        if self._is_text:
            return numbered(value, batch, known)
        vector = numbers(value, batch)
        return (_of_doubles(vector, value) if self._is_float else _of_integers(vector, value)), vector.valid


def _column_of(measured: Measured | DecidingBound, schema: pyarrow.Schema) -> _Column | _Bound | _ExactBound:
    if isinstance(measured, DecidingBound):
        return _ExactBound(measured.comparison, schema)
    if isinstance(measured.comparison, Joined):
        return _Bound(measured.comparison, schema)
    return _Column(measured, schema)


class _Bound:
    """What numbers of several events are compared with; it lets all of those pass that may satisfy the comparison."""

    def __init__(self, joined: Joined, schema: pyarrow.Schema) -> None:
        check(joined.asked.predicate, schema)
        self._joined = joined
        self._is_real = compares_reals(joined, schema)

    def form(self, _: Collection[str]) -> object:
        """Whether doubles are compared."""
        return self._is_real

    def of_few(self, _: KnownTexts, schema: pyarrow.Schema) -> FewColumn:
        """``read`` of a few rows."""
        return _column(few_values(self._joined.bound, schema), self._one, int(NO_BOUND))

    def _one(self, value: float) -> int:
        found = ordered_one(nearest(value)) if self._is_real else min(max(int(value), _LEAST), _GREATEST)
        return (found if self._joined.is_left else ~found) + self._more()

    def _more(self) -> int:
        """What is added: as much as lets pass what is kept as equal, for it may be less."""
        return int(self._joined.operator != "=")

    def read(self, batch: pyarrow.RecordBatch, _: KnownTexts) -> Numbers:
        vector = numbers(self._joined.bound, batch)
        values = self._placed(vector)
        if vector.valid is not None:
            values = np.where(vector.valid, values, NO_BOUND)
        return np.ascontiguousarray(np.broadcast_to(values, batch.num_rows), np.int64)

    def _placed(self, vector: Vector) -> Numbers:
        values = self._comparable(vector)
        return (values if self._joined.is_left else ~values) + self._more()

    def _comparable(self, vector: Vector) -> Numbers:
        """As ``comparable`` of ``nfa_native/events/conditions.hpp``."""
        if self._is_real:
            return ordered(np.atleast_1d(as_floats(vector).values))
        return np.clip(vector.values, _LEAST, _GREATEST).astype(np.int64)


class _ExactBound(_Bound):
    """Below what those numbers of several events that a bound lets pass satisfy the comparison, and no others do.

    Numbers that are kept may be rounded, to doubles or to 64 bits.  That takes them neither past a bound nor to it, if
    it is not rounded itself and they are only rounded beyond it.  Any other bound says nothing.
    """

    def __init__(self, joined: Joined, schema: pyarrow.Schema) -> None:
        super().__init__(joined, schema)
        all_real = is_real(local_value(joined.value), schema) and is_real(joined.bound, schema)
        self._within = None if all_real else (-EXACT, EXACT) if self._is_real else (_LEAST, _GREATEST)

    def form(self, _: Collection[str]) -> object:
        """None is kept."""
        return None

    def _more(self) -> int:
        return int(self._joined.operator != "<")

    def _one(self, value: float) -> int:
        return super()._one(value) if self._is_exact(value) else int(NO_BOUND)

    def _placed(self, vector: Vector) -> Numbers:
        return np.where(self._is_exact(vector.values), super()._placed(vector), NO_BOUND)

    def _is_exact(self, values: Any) -> Any:
        """Of one bound, or of each."""
        return self._within is None or np.logical_and(self._within[0] < values, values < self._within[1])


def _is_text(value: Value, schema: pyarrow.Schema) -> bool:
    return isinstance(value, Attribute) and kind_of_type(schema.field(value.name).type) is ValueKind.TEXT


def _of_integers(vector: Vector, value: Value) -> Numbers:
    if vector.values.dtype == object or not vector.fits(_LEAST, _GREATEST):
        raise _too_large(value)
    return vector.values.astype(np.int64, copy=False)


def _of_doubles(vector: Vector, value: Value) -> Numbers:
    if not vector.is_float and (vector.values.dtype == object or not vector.fits(-EXACT, EXACT)):
        raise _too_large(value)
    return ordered(np.atleast_1d(vector.values.astype(np.float64, copy=False)))


def _column(values: Values, encode: Callable[[Any], int], missing: int) -> FewColumn:
    """What reads an integer for each of a few rows: that of its value, or of none."""
    return lambda rows: np.array([missing if one is None else encode(one) for one in values(rows)], np.int64)


def _integer(value: Value, number: int) -> int:
    """``_of_integers`` of one."""
    if not _LEAST <= number <= _GREATEST:
        raise _too_large(value)
    return int(number)


def _double(value: Value, number: float) -> int:
    """``_of_doubles`` of one."""
    if not isinstance(number, float) and not -EXACT <= number <= EXACT:
        raise _too_large(value)
    return ordered_one(float(number))


def _too_large(value: Value) -> StreamError:
    names = " and ".join(dict.fromkeys(attribute.name for attribute in attributes(value)))
    hint = "a column declared as double is compared as such"
    return StreamError(f"a number of {names} is too large to be compared with other events exactly", hint=hint)


class ConditionMemory:
    """Conditions about several events, whose columns it keeps as long as they may be asked for.

    ``conditions`` are their native form; what that leaves undecided is answered here.
    """

    def __init__(
        self, asked: Sequence[Inquiry], computed: Sequence[Computed], schema: pyarrow.Schema, forgets: bool
    ) -> None:
        for inquiry in asked:
            check(inquiry.asked.predicate, schema)
        self._asked = asked
        names = [attribute.name for inquiry in asked for attribute in attributes(inquiry.asked.predicate)]
        self._past = EventHistory(names, schema, forgets)
        self.conditions = Conditions(asked, computed, schema)

    @property
    def past(self) -> EventHistory:
        """The columns that are kept."""
        return self._past

    def keep(self, batch: EncodedBatch, starts: Times, least: Times) -> None:
        """Know the events of a batch, and forget those that are out of its windows."""
        self._past.keep(batch, starts, least)

    def answer(self, number: int, position: int, cases: Sequence[Case]) -> npt.NDArray[np.bool_]:
        """Whether condition ``number`` holds in each case, with the event at ``position`` and those before it."""
        inquiry = self._asked[number]
        owners, chosen = [], []
        for owner, case in enumerate(cases):
            choices = list(_choices(inquiry, position, case))
            chosen += choices
            owners += [owner] * len(choices)
        answers = np.ones(len(cases), np.bool_)
        if chosen:
            held = self._holds(inquiry, np.array(chosen, np.int64))
            answers[np.array(owners)[~held]] = False
        return answers

    def _holds(self, inquiry: Inquiry, chosen: Numbers) -> Mask:
        """Whether the predicate holds of events (m), one of each variable (positions[m, variables])."""
        columns = {}
        for attribute in dict.fromkeys(attributes(inquiry.asked.predicate)):
            assert attribute.variable is not None
            places = chosen[:, inquiry.asked.variables.index(attribute.variable)]
            columns[_called(attribute).name] = self._past.values(attribute.name, pyarrow.array(places))
        batch = pyarrow.record_batch(columns) if columns else pyarrow.record_batch([])
        return np.broadcast_to(holds(_of_batch(inquiry.asked.predicate), batch), len(chosen))


def _choices(inquiry: Inquiry, position: int, case: Case) -> Iterator[tuple[int, ...]]:
    """All choices of one event of each variable with the new one among them."""
    held = [[*before, position] if here else before for before, here in zip(case, inquiry.held, strict=True)]
    return (choice for choice in product(*held) if position in choice)


def _called(attribute: Attribute) -> Attribute:
    return Attribute(f"{attribute.variable}.{attribute.name}")


def _of_batch(predicate: Predicate) -> Predicate:
    """The predicate with the names of columns as ``ConditionMemory`` calls them."""
    return mapped(predicate, _called)
