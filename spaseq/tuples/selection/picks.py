"""What results pick: how events are called, the attributes that SELECT shows of them, and their rows.

Of enumerated matches that are found several times it tells which are kept, and which are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute

from nfa_native.events.recognizer import ComplexEvents
from spaseq.errors import OptionError
from spaseq.pattern.formulas.predicates import Attribute
from spaseq.pattern.formulas.query import FormulaQuery, SelectionStrategy, named_in
from spaseq.plan.formulas.aggregation import holds_several
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.sources.files import is_several
from spaseq.tuples.columns.schema import STREAM
from spaseq.tuples.columns.vectors import Column, Mask
from spaseq.tuples.encoding.history import EventHistory


def called(query: FormulaQuery, plan: RecognitionPlan) -> tuple[frozenset[str], ...]:
    """For each state the variables that AS gives its picks; where there is none, their type."""
    named = named_in(query.formula)
    types = [frozenset(plan.atoms[number].type for number in state.atoms) for state in plan.automaton.states]
    return tuple(names & named or kinds & names for names, kinds in zip(plan.variables, types, strict=True))


def in_order(names: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """All of the names of states, each where it comes first."""
    return tuple(dict.fromkeys(name for some in names for name in sorted(some)))


def free(name: str, taken: Sequence[str]) -> str:
    """The name, with underscores if it is taken."""
    return free(f"{name}_", taken) if name in taken else name


# ── columns of attributes ────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of results: the positions that ``variable`` holds, or their values of ``attribute``.

    Values are a list if the variable may hold ``several`` events of a match, else the one value, or NULL.
    """

    name: str
    variable: str
    attribute: str | None = None
    several: bool = True

    def type(self, schema: pyarrow.Schema) -> pyarrow.DataType:
        """Its type; ``schema`` is that of the events."""
        if self.attribute is None:
            return pyarrow.list_(pyarrow.int64())
        value = schema.field(self.attribute).type
        value = value.value_type if pyarrow.types.is_dictionary(value) else value
        return pyarrow.list_(value) if self.several else value

    def read(self, positions: pyarrow.ListArray, past: EventHistory) -> pyarrow.Array:
        """The column of results whose variable holds these positions."""
        if self.attribute is None:
            return positions
        values = without_nan(past.values(self.attribute, positions.flatten()))
        lengths = pyarrow.compute.list_value_length(positions).to_numpy()
        offsets = np.append(0, np.cumsum(lengths))
        if self.several:
            return pyarrow.ListArray.from_arrays(pyarrow.array(offsets.astype(np.int32)), values)
        return values.take(pyarrow.array(offsets[:-1], mask=lengths == 0))


def without_nan(values: pyarrow.Array) -> pyarrow.Array:
    """NaN is NULL, as for filters and aggregates."""
    if not pyarrow.types.is_floating(values.type):
        return values
    wrong = pyarrow.compute.is_nan(values)
    if not pyarrow.compute.any(wrong).as_py():
        return values
    return pyarrow.compute.if_else(wrong, pyarrow.scalar(None, values.type), values)


def columns_of(query: FormulaQuery, plan: RecognitionPlan, variables: tuple[str, ...]) -> tuple[ResultColumn, ...]:
    """What SELECT shows beside start, end and positions; ``variables`` are all that it has, or ``*`` stands for."""
    return tuple(
        ResultColumn(column, column)
        if isinstance(column, str)
        else ResultColumn(
            column.name, _variable(column.attribute), column.attribute.name, holds_several(plan, column.attribute)
        )
        for column in query.columns or variables
    )


def _variable(attribute: Attribute) -> str:
    assert attribute.variable is not None
    return attribute.variable


# ── which of enumerated matches are kept ─────────────────────────────────────────────────────────────────
Positions = tuple[int, ...]


def chosen(strategy: SelectionStrategy, found: ComplexEvents) -> ComplexEvents:
    """All ways to find the matches that the strategy keeps; STRICT is no matter of comparing."""
    choose = _CHOICES.get(strategy)
    if choose is None:
        return found
    picked, starts = _positions(found), found.starts.tolist()
    kept: list[int] = []
    for _, numbers in groupby(range(len(picked)), key=found.ends.tolist().__getitem__):
        some = list(numbers)
        best = choose([picked[number] for number in some])
        one = [starts[some[0]]] if strategy is SelectionStrategy.ANY else starts
        kept += [number for number in some if picked[number] in best and starts[number] in one]
    return _taken(found, np.array(kept, np.int64))


def distinct(found: ComplexEvents, group: Column, held: Mask) -> Mask:
    """Of matches in one group with the same start, positions and held ones of these, the first is True (m)."""
    picked, of_variable = _positions(found), _positions(found, held)
    seen: set[tuple[int, int, Positions, Positions]] = set()
    first = np.zeros(len(picked), np.bool_)
    for number, key in enumerate(zip(group.tolist(), found.starts.tolist(), picked, of_variable, strict=True)):
        first[number] = key not in seen
        seen.add(key)
    return first


def _positions(found: ComplexEvents, held: Mask | None = None) -> list[Positions]:
    """The positions of each match, or those of them that are held."""
    positions, offsets = found.positions, found.offsets
    if held is not None:
        positions, offsets = positions[held], np.concatenate([[0], np.cumsum(held)])[offsets]
    flat, edges = positions.tolist(), offsets.tolist()
    return [tuple(flat[begin:end]) for begin, end in pairwise(edges)]


def _taken(found: ComplexEvents, numbers: Column) -> ComplexEvents:
    """Some of the matches."""
    lengths = np.diff(found.offsets)[numbers]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(found.offsets[numbers] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return ComplexEvents(
        found.starts[numbers], found.ends[numbers], offsets, found.positions[places], found.states[places]
    )


def _maximal(picked: list[Positions]) -> set[Positions]:
    sets = {each: frozenset(each) for each in picked}
    return {each for each, own in sets.items() if not any(own < other for other in sets.values())}


_CHOICES: dict[SelectionStrategy, Callable[[list[Positions]], set[Positions]]] = {
    SelectionStrategy.ANY: lambda picked: {picked[0]},
    SelectionStrategy.NEXT: lambda picked: {min(picked, key=lambda each: (*each, inf))},
    SelectionStrategy.LAST: lambda picked: {max(picked, key=lambda each: each[::-1])},
    SelectionStrategy.MAX: _maximal,
}


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────
def picked_rows(results: Iterable[pyarrow.RecordBatch], variables: Sequence[str], past: EventHistory) -> pyarrow.Table:
    """A row for each event that a variable holds, by result, variable and position.

    ``results`` have start, end, positions, and the positions of each of the ``variables``; ``past`` has their rows.
    """
    schema = _schema(past.schema)
    return pyarrow.Table.from_batches(_picked(results, variables, past, schema), schema)


def _picked(
    results: Iterable[pyarrow.RecordBatch], variables: Sequence[str], past: EventHistory, schema: pyarrow.Schema
) -> Iterator[pyarrow.RecordBatch]:
    before = 0
    for batch in results:
        lists = batch.columns[3:]
        numbers = np.concatenate([pyarrow.compute.list_parent_indices(each).to_numpy() for each in lists])
        held = np.repeat(np.arange(len(variables), dtype=np.int32), [len(each.flatten()) for each in lists])
        positions = np.concatenate([each.flatten().to_numpy() for each in lists])
        order = np.argsort(numbers, kind="stable")
        names = pyarrow.DictionaryArray.from_arrays(held[order], pyarrow.array(variables, pyarrow.string()))
        where = pyarrow.array(positions[order])
        values = [past.values(name, where) for name in past.schema.names]
        columns = [pyarrow.array(before + numbers[order]), names.dictionary_decode(), where, *values]
        yield pyarrow.RecordBatch.from_arrays(columns, schema=schema)
        before += batch.num_rows


def _schema(source: pyarrow.Schema) -> pyarrow.Schema:
    """The schema of the rows; the streams that were merged are a column with that name."""
    names = [free("stream", source.names) if name == STREAM else name for name in source.names]
    own = {"result": pyarrow.int64(), "variable": pyarrow.string(), "position": pyarrow.int64()}
    fields = [pyarrow.field(name, field.type) for name, field in zip(names, source, strict=True)]
    return pyarrow.schema([*((free(name, names), type_) for name, type_ in own.items()), *fields])


def check_readable_again(source: Any) -> None:
    """OptionError if a source, or one of several, is used up when it has been read."""
    for data in source.values() if isinstance(source, Mapping) else [source]:
        is_file = isinstance(data, str | Path)
        if is_file and (Path(data).is_file() or is_several(data)):
            continue
        if is_file or isinstance(data, Iterator) or hasattr(data, "read") or hasattr(data, "read_next_batch"):
            hint = "give a file, a table, a frame or a list of rows"
            raise OptionError(
                f"rows() reads the source once more, but {_described(data)} can be read only once; {hint}"
            )


def _described(data: Any) -> str:
    return str(data) if isinstance(data, str | Path) else f"a {type(data).__name__}"
