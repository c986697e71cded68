"""Sets of rules: for which rows of parameters a comparison with their constants holds, event by event.

The constants of all rules cut the values of an event into classes: those that are equal to one of them, and those
between two.  What holds for which rules is worked out once for a class, when an event first falls into it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow

from spaseq.errors import QueryError
from spaseq.pattern.formulas.parameters import ConstantRow, ConstantValue
from spaseq.pattern.formulas.predicates import Attribute, Comparison, Constant, Value
from spaseq.plan.formulas.rule_conditions import ParameterTest, RuleConditions
from spaseq.sources.tables.types import ValueKind, instant, kind_of_type
from spaseq.tuples.columns.predicate_kinds import check
from spaseq.tuples.columns.predicates import Literal, coded, few_truths, few_values, numbers, truth
from spaseq.tuples.columns.rows import FewRows, Rows
from spaseq.tuples.columns.vectors import COMPARISONS, EXACT, Vector

Places = npt.NDArray[np.uint32]  # by event: which set
Sets = npt.NDArray[np.uint64]  # (m, words): bit i is set for rule i
Ranks = npt.NDArray[np.int64]

FEW, MOST_WORDS = 16, 1 << 22  # sets of a scale: for so many there is room at first, and of so many words at most
AT_ONCE = 64  # classes that are worked out together
MOST_TEXTS = 1 << 14  # whose ranks are remembered
NULL = 0  # the rank of what equals nothing


class RuleSets:
    """The tests of rules on events with the columns of a schema.  QueryError: one makes no sense for these."""

    def __init__(self, conditions: RuleConditions, schema: pyarrow.Schema) -> None:
        self._tests = conditions.tests
        self._schema = schema
        self._scales: list[Scale | LiteralScale] = []
        self._places: list[tuple[int, int]] = []  # by test: its scale, and its number there
        self._checked: set[tuple[int, type]] = set()  # tests, with types of constants
        for test in self._tests:
            if not isinstance(test, ParameterTest):
                check(test, schema)

    def fits(self, constants: Mapping[str, ConstantValue]) -> bool:
        """Whether what a rule compares events with can be compared with them."""
        try:
            self.check(constants)
        except QueryError:
            return False
        return True

    def check(self, constants: Mapping[str, ConstantValue]) -> None:
        """QueryError: what a rule compares events with cannot be compared with them."""
        for number, test in enumerate(self._tests):
            if isinstance(test, ParameterTest):
                self._check(number, test, constants[test.parameter])

    def _check(self, number: int, test: ParameterTest, constant: ConstantValue) -> None:
        key = number, type(constant)
        if key not in self._checked:
            check(Comparison(test.operator, test.value, Constant(constant)), self._schema)
            if not isinstance(constant, str):  # what is wrong with a text may be the time that it tells
                self._checked.add(key)

    def change(self, names: Sequence[str], rules: Sequence[ConstantRow]) -> None:
        """These are the rules, with constants for the parameters of these names, all of which fit."""
        columns = {name: [row[place] for row in rules] for place, name in enumerate(names)}
        by_value: dict[str, list[int]] = {}
        for number, test in enumerate(self._tests):
            key = repr(test.value) if isinstance(test, ParameterTest) else f"\n{test!r}"
            by_value.setdefault(key, []).append(number)
        self._scales, places = [], dict[int, tuple[int, int]]()
        for scale, some in enumerate(by_value.values()):
            self._scales.append(self._scale([self._tests[number] for number in some], columns, len(rules)))
            places.update({number: (scale, its) for its, number in enumerate(some)})
        self._places = [places[number] for number in range(len(self._tests))]

    def _scale(
        self, tests: Sequence[Any], columns: Mapping[str, Sequence[ConstantValue]], count: int
    ) -> Scale | LiteralScale:
        if not isinstance(tests[0], ParameterTest):
            return LiteralScale(tests[0], self._schema, count)
        compared = [(test.operator, columns[test.parameter]) for test in tests]
        return Scale(tests[0].value, self._schema, compared, count)

    def read(self, rows: Rows) -> list[tuple[Places, Sets]]:
        """For each test which sets the events pass (n), and these."""
        found = [scale.places(rows) for scale in self._scales]
        return [(found[scale], self._scales[scale].sets[its]) for scale, its in self._places]


class LiteralScale:
    """A condition that holds for all rules or for none."""

    def __init__(self, literal: Literal, schema: pyarrow.Schema, count: int) -> None:
        self._literal = literal
        self._few = few_truths(literal, schema)
        self.sets = [packed([np.zeros(count, np.bool_), np.ones(count, np.bool_)])]

    def places(self, rows: Rows) -> Places:
        """1 where it holds (n)."""
        found = self._few(rows) if isinstance(rows, FewRows) else truth(self._literal, rows)
        return np.asarray(found, np.uint32)


class Scale:
    """A value of events beside the constants with which rules compare it, in one or several tests.

    An event's rank is 2 i + 1 between constant i - 1 and constant i, and 2 i + 2 where it equals constant i.
    """

    def __init__(
        self,
        value: Value,
        schema: pyarrow.Schema,
        compared: Sequence[tuple[str, Sequence[ConstantValue]]],
        count: int,
    ) -> None:
        self._value = value
        self._kind = _kind(value, schema)
        self._few = few_values(value, schema)
        columns = [[_comparable(one, self._kind) for one in constants] for _, constants in compared]
        self._constants = sorted({one for column in columns for one in column if one is not None})
        rank_of = {one: 2 * place + 2 for place, one in enumerate(self._constants)}
        ranks = [[NULL if one is None else rank_of[one] for one in column] for column in columns]
        self._ranks = [np.array(some, np.int64) for some in ranks]
        self._operators = [operator for operator, _ in compared]
        self._bounds = _Bounds(self._constants) if self._kind is not ValueKind.TEXT else None
        self._texts: dict[str | None, int] = {None: NULL}  # ranks of texts
        self._count = count
        self._forget()

    def _forget(self) -> None:
        """Nothing is known of any class."""
        words = (self._count + 63) // 64
        self._set_of_rank = np.full(2 * len(self._constants) + 2, -1, np.int32)
        self._stored = [np.zeros((FEW, words), np.uint64) for _ in self._operators]
        self._known = 0

    @property
    def sets(self) -> Sequence[Sets]:
        """Of each test the sets for the classes that are known."""
        return self._stored

    def places(self, rows: Rows) -> Places:
        """Which set each event passes (n)."""
        ranks = self._ranks_of(rows)
        found = self._set_of_rank[ranks]
        if len(found) and found.min() < 0:
            if self._stored[0].size > MOST_WORDS:
                self._forget()
            self._learn(np.unique(ranks[self._set_of_rank[ranks] < 0]))
            found = self._set_of_rank[ranks]
        return found.astype(np.uint32)

    def _learn(self, ranks: Ranks) -> None:
        """Work out for which rules tests hold of events with these ranks."""
        before, self._known = self._known, self._known + len(ranks)
        self._set_of_rank[ranks] = np.arange(before, self._known)
        for number, (operator, own) in enumerate(zip(self._operators, self._ranks, strict=True)):
            while len(self._stored[number]) < self._known:
                self._stored[number] = np.concatenate([self._stored[number], np.zeros_like(self._stored[number])])
            for first in range(0, len(ranks), AT_ONCE):
                holds = [_holding(operator, rank, own) for rank in ranks[first : first + AT_ONCE].tolist()]
                self._stored[number][before + first : before + first + len(holds)] = packed(holds)

    # ── ranks ────────────────────────────────────────────────────────────────────────────────────────────
    def _ranks_of(self, rows: Rows) -> Ranks:
        if self._kind is ValueKind.TEXT:
            return self._ranks_of_texts(rows)
        if isinstance(rows, FewRows):
            return np.array([_rank(self._constants, one) for one in self._few(rows)], np.int64)
        assert self._bounds is not None
        vector = numbers(self._value, rows)
        ranks = np.broadcast_to(self._bounds.ranks(vector), rows.num_rows)
        return ranks if vector.valid is None else np.where(vector.valid, ranks, NULL)

    def _ranks_of_texts(self, rows: Rows) -> Ranks:
        assert isinstance(self._value, Attribute)
        if isinstance(rows, FewRows):
            return np.array(self._known_texts(rows.values(self._value.name)), np.int64)
        column = rows.column(self._value.name)
        if not pyarrow.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        codes, values = coded(column)
        return np.array(self._known_texts(values.to_pylist()), np.int64)[codes]

    def _known_texts(self, texts: Sequence[str | None]) -> list[int]:
        known = self._texts
        if len(known) > MOST_TEXTS:
            known = self._texts = {None: NULL}
        for text in texts:
            if text not in known:
                known[text] = _rank(self._constants, text)
        return [known[text] for text in texts]


class _Bounds:
    """Constants that are numbers, as arrays in which columns are looked up."""

    def __init__(self, constants: Sequence[Any]) -> None:
        self._constants = constants
        self._integers = _as_array(constants, np.int64, lambda one: isinstance(one, int) and -(2**63) <= one < 2**63)
        self._doubles = _as_array(constants, np.float64, lambda one: isinstance(one, float) or -EXACT <= one <= EXACT)

    def ranks(self, vector: Vector) -> Ranks:
        """The ranks of numbers, whatever those of NULLs."""
        values = vector.values
        if values.dtype == np.int64 and self._integers is not None:
            return _looked_up(self._integers, values)
        if self._doubles is not None and (vector.is_float or (values.dtype == np.int64 and vector.fits(-EXACT, EXACT))):
            return _looked_up(self._doubles, values.astype(np.float64, copy=False))
        found = [_rank(self._constants, one) for one in np.atleast_1d(values).tolist()]
        return np.array(found, np.int64).reshape(values.shape)


def _as_array(constants: Sequence[Any], type_: Any, fits: Any) -> npt.NDArray[Any] | None:
    return np.array(constants, type_) if all(map(fits, constants)) else None


def _looked_up(constants: npt.NDArray[Any], values: npt.NDArray[Any]) -> Ranks:
    """Twice the number of those that are less, and one more, or two if it is one of them."""
    below = np.searchsorted(constants, values)
    equal = constants[np.minimum(below, len(constants) - 1)] == values if len(constants) else np.False_
    found: Ranks = 2 * below + 1 + equal
    return found


def _rank(constants: Sequence[Any], value: Any) -> int:
    """The rank of one value."""
    if value is None or value != value:
        return NULL
    below = bisect_left(constants, value)
    return 2 * below + (2 if below < len(constants) and constants[below] == value else 1)


def _holding(operator: str, rank: int, own: Ranks) -> npt.NDArray[np.bool_]:
    """The rules for which an event of this rank passes; NULL passes no test."""
    if rank == NULL:
        return np.zeros(len(own), np.bool_)
    return np.asarray(COMPARISONS[operator](rank, own) & (own != NULL), np.bool_)


def packed(holds: Sequence[npt.NDArray[np.bool_]]) -> Sets:
    """Truths of rules (m arrays) as sets."""
    bits = np.packbits(np.stack(holds), axis=1, bitorder="little")
    words = (holds[0].shape[0] + 63) // 64
    padded = np.zeros((len(holds), 8 * words), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view("<u8").astype(np.uint64, copy=False)


def _kind(value: Value, schema: pyarrow.Schema) -> ValueKind | None:
    return kind_of_type(schema.field(value.name).type) if isinstance(value, Attribute) else ValueKind.NUMBER


def _comparable(constant: ConstantValue, kind: ValueKind | None) -> Any:
    """A constant as events have it; None: it equals nothing."""
    if kind is ValueKind.TEXT:
        return constant
    if isinstance(constant, str):
        return None if kind is ValueKind.NULL else instant(constant)
    return None if constant != constant else int(constant) if isinstance(constant, bool) else constant
