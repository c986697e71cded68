"""Attributes that SELECT shows: values at the positions that a variable holds, and what results call picked events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.compute

from spaseq.pattern.formulas.predicates import Attribute
from spaseq.pattern.formulas.query import FormulaQuery, named_in
from spaseq.plan.formulas.aggregation import holds_several
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.tuples.encoding.past import Past


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
class Column:
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

    def read(self, positions: pyarrow.ListArray, past: Past) -> pyarrow.Array:
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


def columns_of(query: FormulaQuery, plan: RecognitionPlan, variables: tuple[str, ...]) -> tuple[Column, ...]:
    """What SELECT shows beside start, end and positions; ``variables`` are all that it has, or ``*`` stands for."""
    return tuple(
        Column(column, column)
        if isinstance(column, str)
        else Column(
            column.name, _variable(column.attribute), column.attribute.name, holds_several(plan, column.attribute)
        )
        for column in query.columns or variables
    )


def _variable(attribute: Attribute) -> str:
    assert attribute.variable is not None
    return attribute.variable
