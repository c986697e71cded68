"""Symbols: for every event, the number of the set of atoms that it matches; a decision diagram finds them.

Each step of a diagram reads some literals of a batch at once, and leaves what is still to be decided of conditions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow
from pyarrow import types

from nfa_native.events.columns import follow, looked_up
from spaseq.pattern.formulas.predicates import (
    TRUE,
    And,
    Attribute,
    Comparison,
    Constant,
    Or,
    Predicate,
    attributes,
    conjunction,
    normal,
)
from spaseq.sources.tables.types import ValueKind, kind_of_type
from spaseq.tuples.columns.predicate_kinds import check
from spaseq.tuples.columns.predicates import Literal, coded, few_truths, truth
from spaseq.tuples.columns.rows import FewRows, Rows


class Connective(NamedTuple):
    """All of the parts hold (``every``), or at least one does; these are different and not decided."""

    every: bool
    parts: tuple[Condition, ...]


Condition = bool | str | Connective  # decided, or a literal by its name


def name_of(literal: Literal) -> str:
    """Literals with one name are the same; by Python's equality, ``x + 1 > y`` would be ``x + 1.0 > y``."""
    return repr(literal)


def condition(predicate: Predicate, literals: dict[str, Literal]) -> Condition:
    """A predicate in normal form, whose literals are added to those by name."""
    if isinstance(predicate, And | Or):
        return _joined(isinstance(predicate, And), [condition(part, literals) for part in predicate.parts])
    name = name_of(predicate)
    literals.setdefault(name, predicate)
    return name


def decided(left: Condition, known: Mapping[str, bool]) -> Condition:
    """What is left of a condition when the truth of some literals is known."""
    if isinstance(left, bool):
        return left
    if isinstance(left, str):
        return known.get(left, left)
    return _joined(left.every, [decided(part, known) for part in left.parts])


def _joined(every: bool, parts: list[Condition]) -> Condition:
    found = tuple(dict.fromkeys(part for part in parts if part is not every))
    if (not every) in found:
        return not every
    return every if not found else found[0] if len(found) == 1 else Connective(every, found)


# ── steps of a decision diagram ──────────────────────────────────────────────────────────────────────────
_LITERALS_IN_DIGIT = 8
_SMALL_DICTIONARY, _MOST_CODES = 1 << 10, 1 << 14  # texts

Places = npt.NDArray[np.int32]
State = tuple[Condition, ...]
Digits = tuple[Places, Places]  # a code for each row (n), and the digit of each code


class DiagramStep(ABC):
    """From the states before it to ``states``, by a row's digit: a number for what it satisfies of ``literals``."""

    def __init__(self, literals: Mapping[str, Literal]) -> None:
        self.literals = tuple(literals.values())
        self.states: list[State] = []
        self._names = tuple(literals)
        self._numbers: dict[State, int] = {}
        self._table = np.full((1, self.width()), -1, np.int32)

    def follow(self, before: Sequence[State], places: Places | None, batch: pyarrow.RecordBatch) -> Places:
        """The states behind this step (n), from those before it (n, places in ``before``; None: all in the first)."""
        codes, digits = self.read(batch)
        self._grow(len(before))
        found, missing = follow(places, codes, digits, self._table)
        if missing:
            self._learn(before, missing)
            found, _ = follow(places, codes, digits, self._table)
        return found

    def next(self, before: Sequence[State], state: int, digit: int) -> int:
        """``follow`` of one row."""
        self._grow(len(before))
        if self._table[state, digit] < 0:
            self._learn(before, [state * self._table.shape[1] + digit])
        return int(self._table[state, digit])

    @abstractmethod
    def read_few(self, rows: FewRows) -> Sequence[Hashable]:
        """What tells the digits of a few rows, see ``digit``."""

    @abstractmethod
    def digit(self, told: Any) -> int:
        """The digit that ``read_few`` tells."""

    @abstractmethod
    def read(self, batch: pyarrow.RecordBatch) -> Digits:
        """The digits of a batch's rows."""

    @abstractmethod
    def width(self) -> int:
        """Digits are less."""

    @abstractmethod
    def satisfied(self, digit: int) -> bytes:
        """Bit i is set if the digit is of rows that satisfy literal i."""

    def _learn(self, before: Sequence[State], keys: Iterable[int]) -> None:
        for key in keys:
            state, digit = divmod(key, self._table.shape[1])
            self._table[state, digit] = self._next(before[state], self.satisfied(digit))

    def _next(self, state: State, satisfied: bytes) -> int:
        bits = np.unpackbits(np.frombuffer(satisfied, np.uint8), bitorder="little").tolist()
        known = {name: bool(bit) for name, bit in zip(self._names, bits, strict=False)}
        left = tuple(decided(condition, known) for condition in state)
        number = self._numbers.setdefault(left, len(self.states))
        if number == len(self.states):
            self.states.append(left)
        return number

    def _grow(self, states: int) -> None:
        """Room for all states and digits; places in the table change."""
        rows, width = self._table.shape
        if rows < states or width < self.width():
            grown = np.full((max(rows, 2 * states), max(width, self.width())), -1, np.int32)
            grown[:rows, :width] = self._table
            self._table = grown


class ByteStep(DiagramStep):
    """A step of up to eight literals: the digit has a bit for each of them."""

    def __init__(self, literals: Mapping[str, Literal], schema: pyarrow.Schema) -> None:
        super().__init__(literals)
        self._truths = [few_truths(literal, schema) for literal in literals.values()]

    def read_few(self, rows: FewRows) -> Sequence[Hashable]:
        """Which of the literals are true."""
        return list(zip(*[truth(rows) for truth in self._truths], strict=True))

    def digit(self, told: Sequence[bool]) -> int:
        """A bit for each of them."""
        return sum(bit << index for index, bit in enumerate(told))

    def read(self, batch: pyarrow.RecordBatch) -> Digits:
        """The digits of a batch's rows."""
        return packed(self.literals, batch).astype(np.int32), np.arange(self.width(), dtype=np.int32)

    def width(self) -> int:
        """All sets of literals."""
        return 1 << len(self.literals)

    def satisfied(self, digit: int) -> bytes:
        """The digit itself."""
        return bytes([digit])


class TextStep(DiagramStep):
    """A step of literals about one column of texts, which are evaluated on its dictionary."""

    def __init__(self, literals: Mapping[str, Literal], column: str) -> None:
        self._column = column
        self._sets: dict[bytes, int] = {}
        self._known: dict[str | None, int] = {}  # digits of texts
        self._dictionary = pyarrow.array([], pyarrow.string())  # of the last batch, and its digits
        self._digits = np.empty(0, np.int32)
        self._schema = pyarrow.schema([(column, pyarrow.string())])
        super().__init__(literals)
        self._truths = [few_truths(literal, self._schema) for literal in self.literals]

    def read_few(self, rows: FewRows) -> Sequence[Hashable]:
        """The digits themselves."""
        values, known = rows.values(self._column), self._known
        try:
            return [known[text] for text in values]
        except KeyError:
            return list(map(self._know_few(list(dict.fromkeys(values))).__getitem__, values))

    def digit(self, told: int) -> int:
        """As it was told."""
        return told

    def read(self, batch: pyarrow.RecordBatch) -> Digits:
        """The digits of a batch's rows."""
        column = batch.column(self._column)
        if not types.is_dictionary(column.type):
            column = column.dictionary_encode()
        codes, values = coded(column)
        if not len(self._digits) or not column.dictionary.equals(self._dictionary):
            self._dictionary, self._digits = column.dictionary, self._digits_of(values)
        return codes, self._digits

    def width(self) -> int:
        """Twice as much as there was, so that the table does not grow with each new one."""
        return 1 << len(self._sets).bit_length()

    def satisfied(self, digit: int) -> bytes:
        """The set of literals with this number."""
        return list(self._sets)[digit]

    def _digits_of(self, values: pyarrow.Array) -> Places:
        """The digits of texts; those of a small dictionary are remembered, as many of them come again."""
        if len(values) > _SMALL_DICTIONARY:
            return self._classified(values)
        texts = values.to_pylist()
        if not self._known.keys() >= set(texts):
            self._remember(texts, self._classified(values).tolist())
        return np.array([self._known[text] for text in texts], np.int32)

    def _remember(self, texts: Iterable[str | None], digits: Iterable[int]) -> dict[str | None, int]:
        if len(self._known) >= _MOST_CODES:
            self._known = {}
        self._known.update(zip(texts, digits, strict=True))
        return self._known

    def _know_few(self, texts: Sequence[str | None]) -> dict[str | None, int]:
        rows = FewRows(self._schema, {self._column: texts}, len(texts))
        sets = zip(*[truth(rows) for truth in self._truths], strict=True)
        size = (len(self._truths) + 7) // 8
        data = [sum(bit << index for index, bit in enumerate(one)).to_bytes(size, "little") for one in sets]
        return self._remember(texts, [self._sets.setdefault(each, len(self._sets)) for each in data])

    def _classified(self, values: pyarrow.Array) -> Places:
        """The digit of each text: the number of the set of literals that it satisfies."""
        batch = pyarrow.record_batch({self._column: values})
        parts = [packed(self.literals[start : start + 8], batch) for start in range(0, len(self.literals), 8)]
        rows = np.ascontiguousarray(np.stack(parts, axis=1)).view(np.dtype((np.void, len(parts)))).ravel()
        sets, places = np.unique(rows, return_inverse=True)
        numbers = [self._sets.setdefault(each.tobytes(), len(self._sets)) for each in sets]
        return np.array(numbers, np.int32)[places.ravel()]


def packed(literals: Sequence[Literal], batch: pyarrow.RecordBatch) -> npt.NDArray[np.uint8]:
    """A byte for each row: bit i is set where literal i, one of eight, is true."""
    found = np.zeros(batch.num_rows, np.uint8)
    for index, literal in enumerate(literals):
        found |= truth(literal, batch).view(np.uint8) << np.uint8(index)
    return found


def steps(literals: Mapping[str, Literal], schema: pyarrow.Schema) -> Iterator[DiagramStep]:
    """All literals in groups: first those on columns of texts, as they cost least."""
    of_column: dict[str, dict[str, Literal]] = {}
    others: dict[str, Literal] = {}
    for name, literal in literals.items():
        columns = {attribute.name for attribute in attributes(literal)}
        text = len(columns) == 1 and kind_of_type(schema.field(min(columns)).type) is ValueKind.TEXT
        (of_column.setdefault(min(columns), {}) if text else others)[name] = literal
    for column, some in of_column.items():
        yield TextStep(some, column)
    names = list(others)
    for start in range(0, len(names), _LITERALS_IN_DIGIT):
        yield ByteStep({name: others[name] for name in names[start : start + _LITERALS_IN_DIGIT]}, schema)


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────────────
FALSE = Or(())
_MOST_REMEMBERED = 1 << 14  # sets of what steps tell

Numbers = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Atom:
    """An event of a type, of a stream (None: of any), that satisfies a predicate on its own attributes."""

    type: str
    stream: str | None = None
    predicate: Predicate = TRUE


class Symbols:
    """Gives events their symbols, and grows with the sets of atoms that occur.

    Either ``type_column`` has the types of the events, or all are of the type ``relation``; either ``stream_column``
    has their streams, or all are of ``stream``.  QueryError if a predicate makes no sense for ``schema``.
    """

    def __init__(
        self,
        atoms: Sequence[Atom],
        schema: pyarrow.Schema,
        *,
        stream: str | None = None,
        type_column: str | None = None,
        relation: str | None = None,
        stream_column: str | None = None,
    ) -> None:
        for atom in atoms:
            check(atom.predicate, schema)
        literals: dict[str, Literal] = {}
        conditions = [_condition(atom, stream, type_column, relation, stream_column) for atom in atoms]
        self._first: State = tuple(condition(each, literals) for each in conditions)
        self._steps = list(steps(literals, schema))
        self._symbols: dict[int, int] = {0: 0}
        self._symbol_of_state = np.empty(0, np.uint32)
        self._few: dict[tuple[Hashable, ...], int] = {}  # symbols by what the steps tell of a row

    def __len__(self) -> int:
        """How many there are so far."""
        return len(self._symbols)

    @property
    def masks(self) -> tuple[int, ...]:
        """For every symbol so far, its set of atoms: bit i is set if it has atom i.  Symbol 0 is the empty set."""
        return tuple(self._symbols)

    def words(self, width: int) -> npt.NDArray[np.uint64]:
        """The masks as rows of ``width`` words of 64 bits, the low ones first."""
        data = b"".join(mask.to_bytes(8 * width, "little") for mask in self._symbols)
        return np.frombuffer(data, "<u8").astype(np.uint64).reshape(-1, width)

    def number(self, batch: Rows) -> Numbers:
        """The symbols of a batch's events (n); the batch has the schema, in the usual types."""
        if isinstance(batch, FewRows):
            return self._number_few(batch)
        states: Sequence[State] = [self._first]
        places: Places | None = None
        for step in self._steps:
            places = step.follow(states, places, batch)
            states = step.states
        return looked_up(self._final(states), np.zeros(batch.num_rows, np.int32) if places is None else places)

    def _number_few(self, rows: FewRows) -> Numbers:
        told = list(zip(*[step.read_few(rows) for step in self._steps], strict=True)) or [()] * len(rows)
        known = self._few
        try:
            return np.array([known[one] for one in told], np.uint32)
        except KeyError:
            return np.array(list(map(self._learn(told).__getitem__, told)), np.uint32)

    def _learn(self, told: Sequence[tuple[Hashable, ...]]) -> dict[tuple[Hashable, ...], int]:
        if len(self._few) >= _MOST_REMEMBERED:
            self._few = {}
        self._few.update({one: self._symbol(one) for one in told})
        return self._few

    def _symbol(self, told: Sequence[Hashable]) -> int:
        """The symbol of a row of which the steps tell this."""
        states, state = [self._first], 0
        for step, one in zip(self._steps, told, strict=True):
            state = step.next(states, state, step.digit(one))
            states = step.states
        return int(self._final(states)[state])

    def _final(self, states: Sequence[State]) -> Numbers:
        """The symbol of each state behind the last step, where everything is decided."""
        for state in states[len(self._symbol_of_state) :]:
            mask = sum(1 << index for index, left in enumerate(state) if left is True)
            symbol = self._symbols.setdefault(mask, len(self._symbols))
            self._symbol_of_state = np.append(self._symbol_of_state, np.uint32(symbol))
        return self._symbol_of_state


def _condition(
    atom: Atom, stream: str | None, type_column: str | None, relation: str | None, stream_column: str | None
) -> Predicate:
    """All that an event of this source must satisfy to match, in normal form."""
    if (stream_column is None and atom.stream not in (None, stream)) or (type_column is None and atom.type != relation):
        return FALSE
    of_stream = () if stream_column is None or atom.stream is None else (_is(stream_column, atom.stream),)
    of_type = () if type_column is None else (_is(type_column, atom.type),)
    return conjunction(*of_stream, *of_type, normal(atom.predicate))


def _is(column: str, text: str) -> Predicate:
    return Comparison("=", Attribute(column), Constant(text))
