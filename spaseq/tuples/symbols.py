"""Symbols: for every event, the number of the set of atoms that it matches.

The atoms' conditions are taken apart into literals, and the literals into groups: those about one column of texts, and
the others by eight.  What an event satisfies of a group is its *digit*.  A decision diagram reads one digit after the
other; its states are what is left to decide of the atoms (``(false, price > 26.0, true)``), so events that differ only
in what no longer matters are in one state.  Transitions are found when they are first needed and kept in tables: on a
batch, a step is a look-up in numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow
from pyarrow import types

from spaseq.pattern.columns import TRUE, And, Attribute, Comparison, Constant, Or, Predicate, attributes, conjunction
from spaseq.pattern.negation import normal
from spaseq.tuples.kinds import Kind, check, kind_of_type
from spaseq.tuples.predicates import Literal, coded, truth
from spaseq.tuples.vectors import Column

FALSE = Or(())
_LITERALS_IN_DIGIT = 8
_SMALL_DICTIONARY, _MOST_REMEMBERED = 1 << 10, 1 << 14  # texts

Numbers = npt.NDArray[np.uint32]
State = tuple[Predicate, ...]


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
        conditions = [_condition(atom, stream, type_column, relation, stream_column) for atom in atoms]
        start = tuple(_decided(condition, {}) for condition in conditions)
        self._steps = [_Step(group) for group in _groups(start, schema)]
        self._states: list[State] = [start]  # the states after the last step
        self._first = start
        self._symbols: dict[int, int] = {0: 0}
        self._symbol_of_state = np.empty(0, np.uint32)

    @property
    def masks(self) -> tuple[int, ...]:
        """For every symbol so far, its set of atoms: bit i is set if it has atom i.  Symbol 0 is the empty set."""
        return tuple(self._symbols)

    def words(self, width: int) -> npt.NDArray[np.uint64]:
        """The masks as rows of ``width`` words of 64 bits, the low ones first."""
        data = b"".join(mask.to_bytes(8 * width, "little") for mask in self._symbols)
        return np.frombuffer(data, "<u8").astype(np.uint64).reshape(-1, width)

    def number(self, batch: pyarrow.RecordBatch) -> Numbers:
        """The symbols of a batch's events (n); the batch has the schema, in the usual types."""
        states: list[State] = [self._first]
        places: Column = np.zeros(batch.num_rows, np.intp)
        for step in self._steps:
            places = step.follow(states, places, batch)
            states = step.states
        return self._final(states)[places]

    def _final(self, states: list[State]) -> Numbers:
        """The symbol of each state behind the last step, where everything is decided."""
        for state in states[len(self._symbol_of_state) :]:
            mask = sum(1 << index for index, left in enumerate(state) if left == TRUE)
            symbol = self._symbols.setdefault(mask, len(self._symbols))
            self._symbol_of_state = np.append(self._symbol_of_state, np.uint32(symbol))
        return self._symbol_of_state


@dataclass(slots=True)
class _Group:
    """Literals that are evaluated together; ``column`` if they are about this column of texts alone."""

    literals: list[Literal]
    column: str | None = None


@dataclass(slots=True)
class _Step:
    """One step of the diagram: from the states before it, by a group's digit, to ``states``."""

    group: _Group
    states: list[State] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _digits: dict[bytes, int] = field(default_factory=dict)
    _table: npt.NDArray[np.int32] = field(default_factory=lambda: np.full((1, 2), -1, np.int32))
    _digit_of_byte: Column = field(default_factory=lambda: np.full(256, -1, np.intp))
    _known: dict[str | None, int] = field(default_factory=dict)  # digits of texts

    def follow(self, before: list[State], places: Column, batch: pyarrow.RecordBatch) -> Column:
        """The states behind this step (n), from those before it (n, places in ``before``)."""
        digits = self._read(batch)
        self._grow(len(before))
        keys = places * self._table.shape[1] + digits if len(before) > 1 else digits
        found = self._table.ravel()[keys]
        if found.size and found.min() < 0:
            self._learn(before, np.unique(keys[found < 0]))
            found = self._table.ravel()[keys]
        return found

    def _learn(self, before: list[State], keys: Column) -> None:
        satisfied = list(self._digits)
        for key in keys.tolist():
            state, digit = divmod(key, self._table.shape[1])
            self._table[state, digit] = self._next(before[state], satisfied[digit])

    def _next(self, state: State, satisfied: bytes) -> int:
        bits = np.unpackbits(np.frombuffer(satisfied, np.uint8), bitorder="little").tolist()
        known = {repr(literal): bool(bit) for literal, bit in zip(self.group.literals, bits, strict=False)}
        left = tuple(_decided(condition, known) for condition in state)
        number = self._numbers.setdefault(repr(left), len(self.states))
        if number == len(self.states):
            self.states.append(left)
        return number

    def _grow(self, states: int) -> None:
        """Room for all states and digits; places in the table change."""
        rows, width = self._table.shape
        if rows < states or width < len(self._digits):
            grown = np.full((max(rows, 2 * states), max(width, 2 * len(self._digits))), -1, np.int32)
            grown[:rows, :width] = self._table
            self._table = grown

    def _read(self, batch: pyarrow.RecordBatch) -> Column:
        """The digits of the events (n)."""
        column = self.group.column
        if column is None:
            return self._classify(batch)
        encoded = batch.column(column)
        if not types.is_dictionary(encoded.type):
            encoded = encoded.dictionary_encode()
        codes, values = coded(encoded)
        return self._digits_of(values, column)[codes]

    def _digits_of(self, values: pyarrow.Array, column: str) -> Column:
        """The digits of texts; those of a small dictionary are remembered, as it comes again with each batch."""
        if len(values) > _SMALL_DICTIONARY:
            return self._classify(pyarrow.record_batch({column: values}))
        texts = values.to_pylist()
        if not self._known.keys() >= set(texts):
            digits = self._classify(pyarrow.record_batch({column: values})).tolist()
            before = self._known if len(self._known) < _MOST_REMEMBERED else {}
            self._known = before | dict(zip(texts, digits, strict=True))
        return np.array([self._known[text] for text in texts], np.intp)

    def _classify(self, batch: pyarrow.RecordBatch) -> Column:
        """The digit of each row: the number of the set of literals that it satisfies."""
        literals = self.group.literals
        packed = [_packed(literals[start : start + 8], batch) for start in range(0, len(literals), 8)]
        if len(packed) > 1:
            rows = np.ascontiguousarray(np.stack(packed, axis=1)).view(np.dtype((np.void, len(packed)))).ravel()
            sets, places = np.unique(rows, return_inverse=True)
            return np.array([self._digit(each.tobytes()) for each in sets], np.intp)[places.ravel()]
        digits = self._digit_of_byte[packed[0]]
        if digits.size and digits.min() < 0:
            for byte in np.unique(packed[0][digits < 0]).tolist():
                self._digit_of_byte[byte] = self._digit(bytes([byte]))
            digits = self._digit_of_byte[packed[0]]
        return digits

    def _digit(self, satisfied: bytes) -> int:
        return self._digits.setdefault(satisfied, len(self._digits))


def _packed(literals: Sequence[Literal], batch: pyarrow.RecordBatch) -> npt.NDArray[np.uint8]:
    """A byte for each row: bit i is set where literal i, one of eight, is true."""
    packed = np.zeros(batch.num_rows, np.uint8)
    for index, literal in enumerate(literals):
        packed |= truth(literal, batch).view(np.uint8) << np.uint8(index)
    return packed


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


def _decided(predicate: Predicate, known: Mapping[str, bool]) -> Predicate:
    """What is left of a predicate in normal form when the truth of some literals is known.

    Literals are known by their ``repr``: as Python's values, ``x + 1 > y`` and ``x + 1.0 > y`` are equal.
    """
    match predicate:
        case And(parts):
            return _joined(And, TRUE, FALSE, parts, known)
        case Or(parts):
            return _joined(Or, FALSE, TRUE, parts, known)
    truth_of_it = known.get(repr(predicate))
    return predicate if truth_of_it is None else TRUE if truth_of_it else FALSE


def _joined(
    kind: type[And] | type[Or],
    neutral: Predicate,
    deciding: Predicate,
    parts: tuple[Predicate, ...],
    known: Mapping[str, bool],
) -> Predicate:
    left: dict[str, Predicate] = {}
    for part in parts:
        decided = _decided(part, known)
        if decided == deciding:
            return deciding
        if decided != neutral:
            left[repr(decided)] = decided
    found = tuple(left.values())
    return found[0] if len(found) == 1 else kind(found)


def _groups(conditions: State, schema: pyarrow.Schema) -> Iterator[_Group]:
    """The literals of the conditions, each once, in groups: first those on columns of texts, as they cost least."""
    of_column: dict[str, list[Literal]] = {}
    others: list[Literal] = []
    for literal in {repr(each): each for condition in conditions for each in _literals(condition)}.values():
        names = {attribute.name for attribute in attributes(literal)}
        text = len(names) == 1 and kind_of_type(schema.field(min(names)).type) is Kind.TEXT
        (of_column.setdefault(min(names), []) if text else others).append(literal)
    for column, literals in of_column.items():
        yield _Group(literals, column)
    for start in range(0, len(others), _LITERALS_IN_DIGIT):
        yield _Group(others[start : start + _LITERALS_IN_DIGIT])


def _literals(predicate: Predicate) -> Iterator[Literal]:
    if isinstance(predicate, And | Or):
        for part in predicate.parts:
            yield from _literals(part)
    else:
        yield predicate
