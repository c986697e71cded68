"""Symbols: for every event, the number of the set of atoms that it matches.

The atoms' conditions are taken apart into literals, and the literals into groups: those about one column of texts, and
the others by eight.  What an event satisfies of a group is its *digit*.  A decision diagram reads one digit after the
other; its states are what is left to decide of the atoms (``(false, price > 26.0, true)``), so events that differ only
in what no longer matters are in one state.  Transitions are found when they are first needed and kept in tables: on a
batch, a step is a look-up for each event.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow

from nfa_native.events.columns import looked_up
from spaseq.pattern.formulas.predicates import TRUE, Attribute, Comparison, Constant, Or, Predicate, conjunction, normal
from spaseq.sources.tables.types import check
from spaseq.tuples.columns.few import FewRows, Rows
from spaseq.tuples.columns.predicates import Literal
from spaseq.tuples.encoding.decisions import condition
from spaseq.tuples.encoding.steps import Places, State, steps

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
